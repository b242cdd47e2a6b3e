"""Retrieval against SentenceTransformer.encode and one matrix product, and its metrics against pytrec_eval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval

from assay import pipeline
from assay.composition import compose
from assay.config import judge
from assay.embedders.model_folder import minilm_folder
from assay.golden import GoldenSet, load_golden_set
from assay.golden.write import GoldenParts, write_golden_set
from assay.records import Judgement
from assay.reports.progress import Silent
from assay.workbench import Workbench

ROUNDING = 1e-6
DOCUMENTS, QUERIES = 300, 40


@pytest.fixture(scope="module")
def cranfield(shared: Path) -> GoldenSet:
    return load_golden_set(shared / "datasets" / "cranfield")


@pytest.fixture(scope="module")
def part(cranfield: GoldenSet) -> GoldenParts:
    """The 300 shortest documents that have text, and the first 40 queries with a relevant one among them."""
    texts = sorted((d for d in cranfield.documents if d.text.strip()), key=lambda d: (len(d.text), d.id))[:DOCUMENTS]
    kept = {document.id for document in texts}
    queries = [q for q in cranfield.evaluated if any(g > 0 and d in kept for d, g in cranfield.qrels[q.id].items())]
    judgements = [
        Judgement(query.id, doc_id, grade)
        for query in queries[:QUERIES]
        for doc_id, grade in cranfield.qrels[query.id].items()
        if doc_id in kept
    ]
    return GoldenParts(texts, queries[:QUERIES], {"test": judgements})


def whole_documents(folder: Path, *overrides: str) -> Any:
    chosen = ["chunker=document", "chunker.context=none", "index=flat", "cache=none", f"dataset.path='{folder}'"]
    chosen += overrides
    return pipeline.run(judge(compose(chosen).job), Workbench(folder), Silent())


def plain_scores(golden: GoldenSet) -> np.ndarray:
    """Queries by documents, as anybody would compute them."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(minilm_folder()), device="cpu")
    documents = model.encode([document.text for document in golden.documents], show_progress_bar=False)
    return model.encode([query.text for query in golden.evaluated], show_progress_bar=False) @ documents.T


def assert_same_top_10(result: Any, scores: np.ndarray) -> None:
    golden = result.golden
    places = {document.id: i for i, document in enumerate(golden.documents)}
    empty = [i for i, document in enumerate(golden.documents) if not document.text.strip()]
    scores[:, empty] = -1  # nothing to embed: not in our index
    for row, ranking in zip(scores, result.rankings, strict=True):
        best = np.sort(row)[::-1]
        ours = ranking.documents[:10]
        assert len(ours) == 10
        for rank, document in enumerate(ours):
            assert row[places[document.doc_id]] == pytest.approx(best[rank], abs=ROUNDING)
            assert document.score == pytest.approx(best[rank], abs=ROUNDING)
        surely_in = {golden.documents[i].id for i in np.flatnonzero(row > best[10] + ROUNDING)[:10]}
        assert surely_in <= {document.doc_id for document in ours}


def assert_same_metrics(result: Any) -> None:
    golden = result.golden
    qrels = {query.id: dict(golden.qrels[query.id]) for query in golden.evaluated}
    run = {r.query_id: {d: float(-i) for i, d in enumerate(r.doc_ids)} for r in result.rankings}
    top_10 = {query: dict(list(documents.items())[:10]) for query, documents in run.items()}
    names = {f"{ours}@{k}": f"{theirs}_{k}" for k in (1, 3, 5, 10) for ours, theirs in
             (("recall", "recall"), ("precision", "P"), ("ndcg", "ndcg_cut"), ("map", "map_cut"), ("hit", "success"))}  # fmt: skip
    measures = {f"{name.rsplit('_', 1)[0]}.1,3,5,10" for name in names.values()}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    cut = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(top_10)
    for i, query in enumerate(golden.evaluated):
        for ours, name in names.items():
            assert result.scores.values[ours][i] == pytest.approx(theirs[query.id][name], abs=1e-12), (query.id, ours)
        assert result.scores.values["mrr@10"][i] == pytest.approx(cut[query.id]["recip_rank"], abs=1e-12)
    for ours, name in names.items():
        mean = np.mean([theirs[query.id][name] for query in golden.evaluated])
        assert result.scores.summary["metrics"][ours]["mean"] == pytest.approx(mean, abs=1e-12)


def test_a_part_of_cranfield(part: GoldenParts, tmp_path: Path) -> None:
    result = whole_documents(write_golden_set(part, tmp_path / "part"), "threads=1")
    assert (len(result.golden.documents), len(result.rankings)) == (DOCUMENTS, QUERIES)
    assert_same_top_10(result, plain_scores(result.golden))
    assert_same_metrics(result)


@pytest.mark.slow
def test_all_of_cranfield(cranfield: GoldenSet) -> None:
    result = whole_documents(cranfield.path)
    assert len(result.rankings) == 225
    assert_same_top_10(result, plain_scores(result.golden))
    assert_same_metrics(result)
