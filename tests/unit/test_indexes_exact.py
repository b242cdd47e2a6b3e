"""Scores of pairs, exact top k and exact ranks, each against a full sort by plain numpy."""

from __future__ import annotations

import numpy as np
import pytest

from assay.embedders.base import unit
from assay.indexes import exact_ranks, exact_top, largest_norm, ordered, pair_scores, tolerance
from assay.indexes.flat import FlatIndex

METRICS = ["cosine", "ip", "l2"]


def grid(rng: np.random.Generator, n: int, dim: int, metric: str) -> np.ndarray:
    """Vectors on a coarse grid, so that many are equal and many scores tie exactly."""
    vectors = rng.integers(-1, 2, (n, dim)).astype(np.float32)
    vectors[~vectors.any(axis=1), 0] = 1
    return unit(vectors) if metric == "cosine" else vectors


def full_sort(query: np.ndarray, vectors: np.ndarray, metric: str) -> tuple[list[int], list[np.float32]]:
    """Rows and scores in the one order, from each pair alone."""
    wide = [row.astype(np.float64) for row in vectors]
    asked = query.astype(np.float64)
    if metric == "l2":
        scores = [np.float32(-np.sum((row - asked) * (row - asked))) for row in wide]
    else:
        scores = [np.float32(np.sum(row * asked)) for row in wide]
    order = sorted(range(len(vectors)), key=lambda i: (-scores[i], i))
    return order, [scores[i] for i in order]


def test_scores_are_higher_for_better_and_l2_is_minus_the_squared_distance() -> None:
    query, vectors = np.array([3.0, 4.0], np.float32), np.array([[3, 4], [0, 0], [-3, 0]], np.float32)
    assert pair_scores(query, vectors, "ip").tolist() == [25, 0, -9]
    assert pair_scores(query, vectors, "l2").tolist() == [0, -25, -52]
    assert pair_scores(unit(query[None])[0], unit(vectors), "cosine").tolist() == [1, 0, np.float32(-0.6)]
    assert pair_scores(query, vectors, "ip").dtype == np.float32


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dim", [1, 2, 7, 8, 9, 384, 1000])
def test_a_pair_s_score_is_the_same_bits_in_any_company(metric: str, dim: int) -> None:
    rng = np.random.default_rng(dim)
    query, vectors = rng.normal(size=dim).astype(np.float32), rng.normal(size=(257, dim)).astype(np.float32)
    together = pair_scores(query, vectors, metric)
    assert np.array_equal(np.concatenate([pair_scores(query, row[None], metric) for row in vectors]), together)
    assert np.array_equal(pair_scores(query, vectors[::-1], metric)[::-1], together)
    assert np.array_equal(pair_scores(query, vectors[3:90:7], metric), together[3:90:7])
    before = vectors.copy()
    pair_scores(query, vectors, metric)
    assert np.array_equal(before, vectors), "the caller's vectors stay as they are"


def test_unit_leaves_zero_vectors_and_its_input_alone() -> None:
    given = np.array([[3, 4], [0, 0]], np.float32)
    assert unit(given).tolist() == [[np.float32(0.6), np.float32(0.8)], [0, 0]]
    assert given.tolist() == [[3, 4], [0, 0]]


def test_ties_go_by_row() -> None:
    rows, scores = ordered(np.array([9, 4, 7, 1]), np.array([1, 2, 2, 1], np.float32))
    assert rows.tolist() == [4, 7, 1, 9]
    assert scores.tolist() == [2, 2, 1, 1]


def test_the_largest_norm_is_found_in_any_portion() -> None:
    vectors = np.zeros((70_000, 2), np.float32)
    vectors[-1] = 3, 4
    assert largest_norm(vectors) == 5
    assert largest_norm(vectors[:0]) == 0


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("k", [1, 5, 40, 299, 300])
def test_exact_top_is_the_head_of_a_full_sort_with_duplicates_across_the_boundary(metric: str, k: int) -> None:
    rng = np.random.default_rng(k)
    vectors = grid(rng, 300, 3, metric)  # at most 26 different ones
    index = FlatIndex(vectors, metric)
    for query in grid(rng, 20, 3, metric):
        slack = tolerance(query, largest_norm(vectors), metric)
        rows, scores = exact_top(query, vectors, metric, k, lambda n, q=query: index.propose(q[None], n)[0], slack)
        expected_rows, expected_scores = full_sort(query, vectors, metric)
        assert rows.tolist() == expected_rows[:k]
        assert scores.tolist() == expected_scores[:k]


@pytest.mark.parametrize("metric", METRICS)
def test_exact_top_mistrusts_the_order_of_what_is_nearly_equal(metric: str) -> None:
    """500 vectors a rounding error apart, proposed in the wrong order by whoever proposes."""
    rng = np.random.default_rng(0)
    vectors = np.tile(rng.normal(size=64).astype(np.float32), (500, 1))
    vectors += rng.normal(scale=2e-7, size=vectors.shape).astype(np.float32)
    vectors = np.concatenate([unit(vectors), unit(rng.normal(size=(500, 64)).astype(np.float32))])
    query = vectors[0]
    wrong_way = np.concatenate([np.arange(499, -1, -1), np.arange(500, 1000)])
    slack = tolerance(query, 1.0, metric)
    rows, _ = exact_top(query, vectors, metric, 10, lambda n: wrong_way[:n], slack)
    assert rows.tolist() == full_sort(query, vectors, metric)[0][:10]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("shape", ["grid", "far from the origin", "continuous"])
def test_exact_ranks_are_those_of_a_full_sort_of_documents(metric: str, shape: str) -> None:
    rng = np.random.default_rng(5)
    n, documents = 400, 120
    owner = np.sort(rng.choice(np.arange(0, 2 * documents, 2), n))  # odd documents have no row
    vectors = grid(rng, n, 4, metric) if shape == "grid" else rng.normal(size=(n, 4)).astype(np.float32)
    if shape == "far from the origin" and metric != "cosine":
        vectors += np.float32(1000)
    if metric == "cosine":
        vectors = unit(vectors)
    slack_norm = largest_norm(vectors)
    for query in np.concatenate([vectors[:5], grid(rng, 5, 4, metric)]):
        rows, _ = full_sort(query, vectors, metric)
        ranking = list(dict.fromkeys(owner[rows].tolist()))
        # Documents tie by their own place, and full_sort's rows are in the order of documents.
        expected = {document: rank for rank, document in enumerate(ranking, 1)}
        targets = np.arange(0, 2 * documents + 3)
        found = exact_ranks(query, vectors, metric, owner, targets, tolerance(query, slack_norm, metric))
        assert found.tolist() == [expected.get(int(t), 0) for t in targets]


def test_exact_ranks_of_an_empty_corpus_are_nowhere() -> None:
    nothing = np.empty((0, 3), np.float32)
    ranks = exact_ranks(np.ones(3, np.float32), nothing, "ip", np.empty(0, np.int64), np.array([0, 1]), 1e-5)
    assert ranks.tolist() == [0, 0]
