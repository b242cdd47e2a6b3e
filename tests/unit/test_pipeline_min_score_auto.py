"""``filter.min_score=auto`` through the whole pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.evaluation.threshold import Scored, Utility, best_threshold, folds_of

ResultOf = Callable[..., Any]
WORDS = [f"w{i:02d}" for i in range(40)]


def questions(unanswerable: int) -> tuple[dict[str, str], dict[str, str], list[tuple[str, str, int]]]:
    """Thirty documents of six words; a question asks for three words of one, an unanswerable one for words of many."""
    rng = np.random.default_rng(2)
    documents = {f"d{i:02d}": " ".join(rng.choice(WORDS, 6, replace=False)) for i in range(30)}
    queries = {f"a{i:02d}": " ".join(documents[f"d{i:02d}"].split()[: 2 + i % 3]) for i in range(24)}
    queries |= {f"u{i:02d}": " ".join(rng.choice(WORDS, 5)) for i in range(unanswerable)}
    return documents, queries, [(f"a{i:02d}", f"d{i:02d}", 1) for i in range(24)]


def test_each_query_is_cut_by_the_threshold_that_the_other_folds_chose(result_of: ResultOf) -> None:
    documents, queries, qrels = questions(10)
    ks = "evaluation.ks=[1,3]"
    free = result_of(documents, queries, qrels, ks)
    cut = result_of(documents, queries, qrels, ks, "filter.min_score=auto")
    relevant = {query: doc_id for query, doc_id, _ in qrels}
    scored = []
    for ranking in free.rankings:
        on_top = {found.doc_id: found.score for found in ranking.documents[:3]}
        scored.append(
            Scored(ranking.query_id in relevant, ranking.top_score, on_top.get(relevant.get(ranking.query_id, "")))
        )
    fold = folds_of(scored, [ranking.query_id for ranking in free.rankings], 42)
    for i, (before, after) in enumerate(zip(free.rankings, cut.rankings, strict=True)):
        own = best_threshold(
            [query for query, number in zip(scored, fold, strict=True) if number != fold[i]], Utility()
        )
        assert after.doc_ids == tuple(found.doc_id for found in before.documents if found.score >= own)
        assert after.top_score == before.top_score
    block = cut.scores.summary["abstention"]
    assert block["threshold"] == best_threshold(scored, Utility())
    assert 0 < block["correct_empty_rate"] == np.mean([not r.documents for r in cut.rankings if r.query_id[0] == "u"])
    assert block["cross_fit"]["folds"] == 5
    assert block["risk_coverage"] == free.scores.summary["abstention"]["risk_coverage"]


def test_the_utility_decides(result_of: ResultOf) -> None:
    """If a wrong answer costs nothing, nothing is ever withheld; if it costs the world, everything is."""
    documents, queries, qrels = questions(10)
    bold = result_of(
        documents, queries, qrels, "filter.min_score=auto", "filter.utility_wrong=1", "filter.utility_empty=-5"
    )
    assert bold.scores.summary["abstention"]["wrong_empty_rate"] == 0
    shy = result_of(documents, queries, qrels, "filter.min_score=auto", "filter.utility_wrong=-1000")
    assert shy.scores.summary["abstention"]["correct_empty_rate"] > 0.8


def test_too_few_unanswerable_queries_are_refused_before_anything_runs(result_of: ResultOf) -> None:
    documents, queries, qrels = questions(7)
    message = r"filter\.min_score: auto needs at least 8 unanswerable queries to choose by, this golden set has 7"
    with pytest.raises(ConfigError, match=message):
        result_of(documents, queries, qrels, "filter.min_score=auto")
