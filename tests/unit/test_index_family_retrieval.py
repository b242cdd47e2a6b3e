"""Compressed kinds inside the pipeline: exact scores on every hit, own order for index recall, unfilled slots counted."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.chunks import ChunkSet
from assay.config import models
from assay.embedders.base import unit
from assay.factory import make_index
from assay.filters import Allowed
from assay.indexes.exact import pair_scores
from assay.records import Document
from assay.retrieval import DenseRetrieval, Unfilled
from assay.retrieval.stage import DenseStage
from assay.store import Counted, MemoryStore
from assay.workbench import Workbench

MODELS = {model.model_fields["kind"].default: model for model in typing.get_args(typing.get_args(models.Index)[0])}
KINDS = sorted(MODELS.keys() - {"flat"})


def points(n: int, seed: int = 0) -> np.ndarray:
    return unit(np.random.default_rng(seed).normal(size=(n, 8)).astype(np.float32))


def retrieval(vectors: np.ndarray, kind: str, metric: str = "cosine", **settings: object) -> DenseRetrieval:
    """A document a vector."""
    n = len(vectors)
    places = np.arange(n)
    chunks = ChunkSet(tuple(Document(f"d{i:03d}", "x") for i in range(n)), places, places * 0, places * 0 + 1, "none")
    index, _ = make_index(MODELS[kind](metric=metric, **settings), vectors, 42, 10)
    return DenseRetrieval(chunks, places, vectors, index, metric)


@pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_hit_has_its_exact_score_and_place(kind: str, metric: str) -> None:
    vectors, queries = points(300), points(5, 1)
    for query, hits in zip(queries, retrieval(vectors, kind, metric).retrieve(queries, 20, 5), strict=True):
        scores = pair_scores(query, vectors[hits.rows], metric)
        assert np.array_equal(hits.scores.astype(np.float32), scores)
        order = np.lexsort((hits.rows, -scores))
        assert order.tolist() == list(range(len(order)))
        assert len(hits.rows) == 20


def test_exact_scores_choose_among_more_candidates_while_index_recall_judges_the_index_alone() -> None:
    """One bit a dimension orders badly; with eight candidates a hit the best come first all the same."""
    vectors, queries = points(400), points(40, 1)
    exact = [set(hits.rows.tolist()) for hits in retrieval(vectors, "flat").retrieve(queries, 10, 1)]
    shares, recalls = [], []
    for factor in (1, 8):
        dense = retrieval(vectors, "lsh", nbits=32, k_factor=factor)
        hits = dense.retrieve(queries, 10, 1)
        shares.append(np.mean([len(e & set(h.rows.tolist())) / 10 for e, h in zip(exact, hits, strict=True)]))
        recalls.append(dense.index_recall(queries, [10], 10)[10].mean())
    assert shares[0] < 0.6 < 0.9 < shares[1]
    assert recalls[0] == recalls[1] == pytest.approx(shares[0])


def test_index_recall_looks_at_the_first_k_of_the_index_s_own_order() -> None:
    """sq4 with a factor of 5 proposes 15 rows for 3: only the first counts for recall at 1, the first 3 for recall at 3."""
    vectors, queries = points(300), points(20, 1)
    dense = retrieval(vectors, "sq4", uniform=True, k_factor=5)
    recall = dense.index_recall(queries, [1, 3], 3)
    for i, query in enumerate(queries):
        proposed = dense.index.propose(query[None], 3)[0]
        assert len(proposed) == 15
        best = np.sort(vectors @ query)[::-1]
        for k in (1, 3):
            assert recall[k][i] == pytest.approx((vectors[proposed[:k]] @ query >= best[k - 1] - 1e-6).mean())
    assert recall[1].mean() < 1, "or it would not matter where to look"


def test_truth_that_is_given_changes_no_recall() -> None:
    vectors, queries = points(200), points(20, 1)
    dense = retrieval(vectors, "rabitq")
    alone = dense.index_recall(queries, [1, 5], 10)
    given = dense.index_recall(queries, [1, 5], 10, dense.exact_answers(queries, 5))
    assert all(np.array_equal(alone[k], given[k]) for k in (1, 5))
    wrong = dense.index_recall(queries, [1, 5], 10, [np.full(5, 9.0, np.float32)] * 20)
    assert wrong[5].tolist() == [0.0] * 20, "it is what was given that counts"


def test_exact_answers_are_computed_once_for_all_indexes_over_the_same_vectors(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = []
    really = DenseRetrieval.exact_answers

    def counting(self: DenseRetrieval, queries: np.ndarray, k: int, allowed: Allowed | None = None) -> list[np.ndarray]:
        computed.append(k)
        return really(self, queries, k, allowed)

    monkeypatch.setattr(DenseRetrieval, "exact_answers", counting)
    bench, vectors, queries = Workbench(tmp_path), points(100), points(5, 1)

    def stage(
        vectors: np.ndarray, kind: str, queries: np.ndarray, metric: str = "cosine", where: str = ""
    ) -> DenseStage:
        masks = (np.arange(100) % 2 == 0,) if where == "even" else (np.arange(100) < 50,)
        allowed = Allowed(masks, np.zeros(len(queries), np.int64), {}) if where else None
        return DenseStage(retrieval(vectors, kind, metric), queries, allowed)

    store = MemoryStore()

    def answers(dense: DenseStage, k: int) -> list[np.ndarray]:
        return bench.exact_answers(dense, k, store, "model", Counted())

    first = answers(stage(vectors, "sq8", queries), 5)
    assert answers(stage(vectors.copy(), "lsh", queries.copy()), 5) is first
    assert computed == [5]
    answers(stage(vectors, "sq8", queries), 6)
    answers(stage(vectors, "sq8", queries, "l2"), 5)
    answers(stage(vectors, "sq8", queries[:4]), 5)
    answers(stage(points(100, 2), "sq8", queries), 5)
    assert computed == [5, 6, 5, 5, 5]
    even = answers(stage(vectors, "sq8", queries, where="even"), 5)
    assert answers(stage(vectors, "hnsw", queries, where="even"), 5) is even
    answers(stage(vectors, "sq8", queries, where="first half"), 5)
    assert computed == [5, 6, 5, 5, 5, 5, 5], "another filter, another answer"


def test_unfilled_slots_are_counted() -> None:
    """Four tight clouds of 25; one cell of four holds 25 chunks, so 15 of 40 slots stay empty, in both queries."""
    centres = np.eye(4, 8, dtype=np.float32)
    vectors = unit(np.repeat(centres, 25, axis=0) + np.float32(0.01) * points(100))
    queries = np.concatenate([centres[:2], np.zeros((1, 8), np.float32)])
    dense = retrieval(vectors, "ivf", nlist=4, nprobe=1)
    dense.retrieve(queries, 40, 1)
    assert dense.unfilled == Unfilled(30, 80, 2), "a query without a direction asks for nothing"
    dense.retrieve(queries, 25, 1)
    assert dense.unfilled == Unfilled(0, 50, 0)
    dense = retrieval(vectors, "rabitq", nlist=4, nprobe=1, k_factor=8)
    dense.retrieve(queries, 20, 1)
    assert dense.unfilled == Unfilled(0, 40, 0), "candidates beyond those wanted are no slots"
    dense = retrieval(vectors, "flat")
    dense.retrieve(queries, 500, 1)
    assert dense.unfilled == Unfilled(0, 200, 0), "no more slots than chunks"


DOCUMENTS = {f"d{i:02d}": f"word{i} shared{i % 5} other{i % 7} common" for i in range(40)}
QUERIES = {f"q{i}": f"word{i} shared{i % 5}" for i in range(4)}
QRELS = [(f"q{i}", f"d{i:02d}", 1) for i in range(4)]


def test_unfilled_slots_are_warned_about_with_numbers(result_of: Callable[..., Any]) -> None:
    index = ("index=ivf", "index.nlist=8", "index.nprobe=1", "retriever.depth=20")
    result = result_of(DOCUMENTS, QUERIES, QRELS, *index)
    (line,) = [line for line in result.warnings if "unfilled" in line]
    assert line.startswith("index=ivf: ")
    assert " of 80 slots unfilled (4 queries got fewer chunks than asked, 20); raise index.nprobe" in line
    assert not any("unfilled" in line for line in result_of(DOCUMENTS, QUERIES, QRELS, "index=ivf").warnings)


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_ends_with_every_kind_and_fewer_dimensions(kind: str, result_of: Callable[..., Any]) -> None:
    """13 dimensions have no divisor but 1 and 13, so every part is one dimension wide."""
    result = result_of(DOCUMENTS, QUERIES, QRELS, f"index={kind}", "embedder.truncate_dim=13")
    assert result.scores.summary["metrics"]["index_recall@1"]["n"] == 4
    assert result.scores.summary["metrics"]["recall@10"]["mean"] == 1.0
    assert result.unequal_bits == []
