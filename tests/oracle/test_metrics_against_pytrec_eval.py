"""Every metric that trec_eval has, on random graded cases, to 1e-12."""

from __future__ import annotations

import random

import pytest
import pytrec_eval

from assay.evaluation import evaluate

KS = (1, 2, 3, 5, 10, 30)
TREC = {
    "recall": "recall",
    "precision": "P",
    "hit": "success",
    "ndcg": "ndcg_cut",
    "map": "map_cut",
}
CASES = 600


def cases() -> tuple[dict[str, list[str]], dict[str, dict[str, int]]]:
    """Rankings and judgements: queries missing, lists empty and short, grades -2 to 4, documents unjudged."""
    rng = random.Random(20)
    rankings: dict[str, list[str]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for i in range(CASES):
        documents = [f"d{j}" for j in rng.sample(range(60), 60)]
        grades = rng.choice([[1], [0, 1], [-2, -1, 0, 1, 2], [0, 0, 0, 1, 2, 3, 4]])
        qrels[f"q{i}"] = {doc: rng.choice(grades) for doc in documents[: rng.choice([1, 2, 5, 20, 40])]}
        length = rng.choice([None, 0, 1, 2, 4, 10, 40, 60])  # None: the run lacks the query
        if length is not None:
            rng.shuffle(documents)
            rankings[f"q{i}"] = documents[:length]
    return rankings, qrels


def theirs(
    rankings: dict[str, list[str]], qrels: dict[str, dict[str, int]], measures: set[str]
) -> dict[str, dict[str, float]]:
    """pytrec_eval's values, fed strictly decreasing scores that single precision can tell apart.

    Queries without a relevant document are kept from it: one whose grades are all negative can end in a
    segmentation fault there (0.5.11), and none of them is in a mean here.
    """
    judged = {query: qrel for query, qrel in qrels.items() if max(qrel.values()) > 0}
    run = {
        query: {doc: float(len(ranking) - place) for place, doc in enumerate(ranking)}
        for query, ranking in rankings.items()
        if ranking
    }
    values: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(judged, measures).evaluate(run)
    return values


def test_as_trec_eval_has_it() -> None:
    rankings, qrels = cases()
    cutoffs = ",".join(map(str, KS))
    expected = theirs(rankings, qrels, {*(f"{measure}.{cutoffs}" for measure in TREC.values()), "recip_rank", "Rprec"})
    names = {f"{ours}@{k}": f"{measure}_{k}" for ours, measure in TREC.items() for k in KS}
    names |= {"mrr": "recip_rank", "rprec": "Rprec"}
    compared = 0
    for query, scores in evaluate(rankings, qrels, list(names)).per_query.items():
        relevant = any(grade > 0 for grade in qrels[query].values())
        for ours, measure in names.items():
            if not relevant:
                assert scores[ours] is None
                continue
            # What the run lacks, trec_eval leaves out; here it scores 0.
            assert scores[ours] == pytest.approx(expected.get(query, {}).get(measure, 0.0), abs=1e-12), (
                query,
                ours,
            )
            compared += 1
    assert compared > 500 * len(names) * 0.8


@pytest.mark.parametrize("k", [1, 3, 10])
def test_mrr_at_k_is_the_reciprocal_rank_of_the_first_k(k: int) -> None:
    rankings, qrels = cases()
    expected = theirs({query: ranking[:k] for query, ranking in rankings.items()}, qrels, {"recip_rank"})
    for query, scores in evaluate(rankings, qrels, [f"mrr@{k}"]).per_query.items():
        if scores[f"mrr@{k}"] is not None:
            assert scores[f"mrr@{k}"] == pytest.approx(expected.get(query, {}).get("recip_rank", 0.0), abs=1e-12)


def test_the_cases_hold_what_they_should() -> None:
    rankings, qrels = cases()
    assert len(qrels) >= 500
    assert any(query not in rankings for query in qrels)
    assert any(rankings.get(query) == [] for query in qrels)
    assert any(0 < len(ranking) < min(KS[1:]) for ranking in rankings.values())
    assert {-1, 0, 4} <= {grade for qrel in qrels.values() for grade in qrel.values()}
    assert any(max(qrel.values()) <= 0 for qrel in qrels.values())
