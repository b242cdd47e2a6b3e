"""``reranker=mmr``: Carbonell and Goldstein's marginal values by hand, and what must hold for any vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.config.models import MmrReranker
from assay.ranking import first_stage_hits
from assay.rerankers import Candidates
from assay.rerankers.mmr import Mmr, marginal_values
from assay.rerankers.order import merged

# Cosines with the query: 1, 0.8, 0.6, 0. The second and third stand at right angles to each other.
QUERY = np.array([1, 0], np.float32)
VECTORS = np.array([[1, 0], [0.8, 0.6], [0.6, -0.8], [0, 1]], np.float32)


def values(trade_off: float, rows: list[int] | None = None, vectors: np.ndarray = VECTORS) -> list[float]:
    places = np.arange(len(vectors)) if rows is None else np.array(rows)
    return marginal_values(QUERY, vectors, places, trade_off).tolist()


def test_by_hand() -> None:
    """Half and half.

    1st: (1 + 1)/2 = 1, (0.8 + 1)/2, (0.6 + 1)/2, (0 + 1)/2: the first, 1.
    2nd: (0.8 - 0.8)/2 = 0, (0.6 - 0.6)/2 = 0, (0 - 0)/2 = 0: three alike, the first row of them.
    3rd, cosines with the second 0 and 0.6: (0.6 - 0.6)/2 = 0, (0 - 0.6)/2 = -0.3: the third.
    4th: (0 - max(0, 0.6, -0.8))/2 = -0.3.
    """
    assert values(0.5) == pytest.approx([1, 0, 0, -0.3], abs=1e-6)


def test_by_hand_with_more_weight_on_relevance() -> None:
    """0.75. 1st: 0.75 + 0.25 = 1. 2nd: 0.6 - 0.2 = 0.4, 0.45 - 0.15 = 0.3, 0. 3rd: 0.45 - 0.15, 0 - 0.15. 4th: -0.15."""
    assert values(0.75) == pytest.approx([1, 0.4, 0.3, -0.15], abs=1e-6)


def test_relevance_alone_is_the_cosine_and_novelty_alone_takes_what_is_farthest() -> None:
    assert values(1.0) == pytest.approx([1, 0.8, 0.6, 0], abs=1e-6)
    # 1st: all 1, the first row. 2nd: -1, -0.8, -0.6, -0: the fourth. 3rd: max(0.8, 0.6), max(0.6, -0.8): the third.
    assert values(0.0) == pytest.approx([1, -0.8, -0.6, 0], abs=1e-6)


def test_equal_values_are_taken_in_the_order_of_rows() -> None:
    twins = np.array([[0, 1], [0, -1]], np.float32)
    assert values(0.5, [0, 1], twins) == [0.5, 0.5]
    twice = np.array([[1, 0], [1, 0]], np.float32)
    assert values(0.5, [7, 3], twice) == [0, 1], "row 3 first, then its double"


def test_the_option_scales_vectors_and_takes_zero_ones() -> None:
    model = Mmr(MmrReranker(trade_off=0.5))
    vectors = np.concatenate([VECTORS * 7, np.zeros((1, 2), np.float32)])
    candidates = Candidates("q", np.arange(5), [""] * 5, np.zeros(5), vectors, QUERY * 3)
    # The zero vector is as good as the other three at the second choice: 0, and comes after them by row.
    assert model.scores(candidates).tolist() == pytest.approx([1, 0, 0, -0.3, 0], abs=1e-6)
    assert (model.needs_vectors, model.uses_embedder, model.promises_equal_bits()) == (True, True, True)
    assert Mmr(MmrReranker(trade_off=0.4)).identity() != model.identity()


def test_no_candidates_no_values() -> None:
    assert values(0.5, [], np.empty((0, 2), np.float32)) == []


coordinates = st.integers(-3, 3)
directions = st.tuples(coordinates, coordinates, coordinates)


def unit_rows(rows: list[tuple[int, int, int]]) -> np.ndarray:
    wide = np.array(rows, np.float64).reshape(-1, 3)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(lengths > 0, lengths, 1)).astype(np.float32)


@settings(max_examples=150, deadline=None)
@given(directions, st.lists(directions, min_size=1, max_size=9), st.floats(0, 1), st.randoms(use_true_random=False))
def test_sorting_by_score_gives_back_the_order_of_taking_and_scores_never_rise(
    query: tuple[int, int, int], rows: list[tuple[int, int, int]], trade_off: float, random: object
) -> None:
    one, many = unit_rows([query])[0], unit_rows(rows)
    scores = marginal_values(one, many, np.arange(len(many)), trade_off)
    assert np.isfinite(scores).all()
    assert scores.min() >= -1 - 1e-6
    assert scores.max() <= 1 + 1e-6
    # A plain walk by the formula, in the order that the scores give.
    order = sorted(range(len(many)), key=lambda i: (-scores[i], i))
    cosines = np.clip(many.astype(np.float64) @ many.astype(np.float64).T, -1, 1)
    relevance = many.astype(np.float64) @ one.astype(np.float64)
    taken: list[int] = []
    for place in order:
        left = [i for i in range(len(many)) if i not in taken]
        value = {
            i: trade_off * relevance[i] - (1 - trade_off) * max((cosines[i][j] for j in taken), default=-1)
            for i in left
        }
        assert value[place] == pytest.approx(max(value.values()), abs=1e-5)
        assert value[place] == pytest.approx(float(scores[place]), abs=1e-5)
        taken.append(place)
    # The order of the candidates changes nothing: rows decide.
    shuffled = list(range(len(many)))
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = marginal_values(one, many[shuffled], np.array(shuffled), trade_off)
    assert np.array_equal(again, scores[shuffled])


def test_a_double_of_the_best_falls_behind_what_is_new() -> None:
    vectors = np.array([[1, 0], [1, 0], [0.9, np.sqrt(0.19)]], np.float32)
    hits = first_stage_hits(np.arange(3), np.array([1, 1, 0.9], np.float32))
    scores = marginal_values(QUERY, vectors, hits.rows, 0.5)
    # The double: (1 - 1)/2 = 0; the other: (0.9 - 0.9)/2 = 0. At a lower trade-off novelty decides.
    assert scores.tolist() == pytest.approx([1, 0, 0], abs=1e-6)
    assert merged(hits, np.arange(3), marginal_values(QUERY, vectors, hits.rows, 0.3)).rows.tolist() == [0, 2, 1]
