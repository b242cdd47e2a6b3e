"""Floors against every order of a small corpus, one by one; ceilings against the best of them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from assay.evaluation import expand, floor_and_ceiling, score_rankings
from assay.evaluation.bounds import score_bounds
from assay.evaluation.names import WITH_BOUNDS

NAMES = expand(sorted(WITH_BOUNDS), [1, 2, 3, 10])
DOCUMENTS = "abcdef"


@pytest.mark.parametrize(
    ("documents", "grades"),
    [
        (6, {"a": 1}),
        (6, {"a": 3, "b": 1}),
        (6, {"a": 2, "b": 1, "c": 1, "d": 0, "e": -1}),
        (6, dict.fromkeys("abcdef", 1)),
        (5, {"a": 1, "b": 2, "c": 3, "d": 4}),
        (1, {"a": 1}),
        (2, {"a": 1, "b": 0}),
    ],
)
def test_floor_is_the_mean_of_all_orders_and_ceiling_their_best(documents: int, grades: dict[str, int]) -> None:
    orders = [list(order) for order in permutations(DOCUMENTS[:documents])]
    scores = score_rankings(orders, [grades] * len(orders), NAMES)
    for name, (floor, ceiling) in score_bounds([grades], documents, NAMES).items():
        assert floor[0] == pytest.approx(scores[name].mean(), abs=1e-12), name
        assert ceiling[0] == pytest.approx(scores[name].max(), abs=1e-12), name


@pytest.mark.parametrize(
    ("name", "floor", "ceiling"),
    [
        ("recall@5", 5 / 20, 1),
        ("recall@1", 1 / 20, 1 / 2),
        ("recall@50", 1, 1),  # k above N
        ("precision@5", 2 / 20, 2 / 5),
        ("hit@1", 2 / 20, 1),
        ("rprec", 2 / 20, 1),
    ],
)
def test_two_relevant_of_twenty(name: str, floor: float, ceiling: float) -> None:
    bound = floor_and_ceiling([{"a": 1, "b": 1, "c": 0}], 20, [name])[name]
    assert (bound.floor, bound.ceiling) == pytest.approx((floor, ceiling), abs=1e-15)


def test_the_mean_is_over_queries_with_something_to_find() -> None:
    qrels = [{"a": 1}, {"a": 0}, {}, {"a": 1, "b": 1, "c": 1, "d": 1}]
    bound = floor_and_ceiling(qrels, 8, ["precision@2", "recall@2"])
    assert (bound["precision@2"].floor, bound["precision@2"].ceiling) == pytest.approx((5 / 16, 3 / 4))
    assert (bound["recall@2"].floor, bound["recall@2"].ceiling) == pytest.approx((2 / 8, 3 / 4))


def test_each_query_may_have_a_corpus_size_of_its_own() -> None:
    assert floor_and_ceiling([{"a": 1}, {"a": 1}], [10, 5], ["recall@1"])["recall@1"].floor == pytest.approx(0.15)


def test_without_queries_there_are_no_bounds() -> None:
    for qrels in ([], [{"a": 0}]):
        bound = floor_and_ceiling(qrels, 0, ["ndcg@5", "mrr", "map@5", "hit@5"])
        assert {(one.floor, one.ceiling) for one in bound.values()} == {(None, None)}


def test_metrics_without_bounds_are_left_out() -> None:
    assert list(floor_and_ceiling([{"a": 1}], 3, ["judged@5", "mrr", "evidence_recall@2000w"])) == ["mrr"]


def test_a_large_corpus_stays_exact() -> None:
    """One relevant document: the mean of 1/rank is the harmonic number over N."""
    n = 1_000_000
    floor = floor_and_ceiling([{"a": 1}], n, ["mrr"])["mrr"].floor
    assert floor == pytest.approx(float((1 / np.arange(1, n + 1)).sum()) / n, rel=1e-9)


def test_more_relevant_documents_than_documents_is_a_bug() -> None:
    with pytest.raises(ValueError, match="more relevant documents"):
        floor_and_ceiling([{"a": 1, "b": 1}], 1, ["mrr"])
