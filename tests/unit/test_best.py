"""Luck in picking the best: chances, optimism and the nested estimate on scores a person can follow."""

from __future__ import annotations

import numpy as np
import pytest

from assay.evaluation.best import luck, nested_score, shares_of_best


def test_who_is_better_on_every_query_is_always_best() -> None:
    found = luck(np.array([[1.0] * 12, [0.5] * 12]))
    assert found.probability_best == (1.0, 0.0)
    assert found.optimism == 0.0
    assert found.nested == 1.0


def test_equal_runs_part_the_chance() -> None:
    scores = np.tile([1.0, 0.0, 0.5, 1.0] * 4, (3, 1))
    found = luck(scores)
    assert found.probability_best == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert found.optimism == pytest.approx(0.0, abs=0.005)  # all three rise and fall together
    assert found.nested == pytest.approx(scores.mean(), abs=0.02)


def test_ties_are_parted_in_each_row() -> None:
    rows = np.array([[1.0, 1.0, 0.0], [0.1 + 0.2, 0.3, 0.2], [0.0, 0.0, 1.0]])
    assert shares_of_best(rows).tolist() == [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]


def test_two_queries_by_all_resamples() -> None:
    """One run has the first query right, the other the second. Resamples: first twice (1 of 4), both (2 of 4), second twice."""
    found = luck(np.array([[1.0, 0.0], [0.0, 1.0]]), draws=20_000)
    assert found.probability_best == pytest.approx((0.5, 0.5), abs=0.01)
    # the picked one scores 1, .5 or 1 there, and .5 in truth: half the time .5 too much
    assert found.optimism == pytest.approx(0.25, abs=0.01)
    assert found.nested is None


def test_the_nested_estimate_of_noise_is_the_mean_and_not_the_best() -> None:
    scores = (np.random.default_rng(6).random((12, 60)) < 0.5).astype(float)
    found = luck(scores)
    assert scores.mean(axis=1).max() > 0.57
    assert found.nested == pytest.approx(0.5, abs=0.06)
    assert found.optimism > 0.03


def test_optimism_of_equal_runs_is_most_of_the_true_one() -> None:
    """In truth all twelve score .5, so the leader's score above .5 is its optimism; see ``luck`` for the 0.7."""
    rng = np.random.default_rng(1)
    sweeps = (rng.random((40, 12, 80)) < 0.5).astype(float)
    true = np.mean([scores.mean(axis=1).max() - 0.5 for scores in sweeps])
    told = np.mean([luck(scores, draws=400).optimism for scores in sweeps])
    assert 0.6 <= told / true <= 0.85


def test_halves_of_an_odd_number_use_every_query() -> None:
    assert nested_score(np.array([np.arange(11) / 10]), halvings=2000) == pytest.approx(0.5, abs=0.01)


def test_equal_seeds_give_equal_bits() -> None:
    scores = np.random.default_rng(0).random((4, 30))
    assert luck(scores, seed=3) == luck(scores, seed=3) != luck(scores, seed=4)
