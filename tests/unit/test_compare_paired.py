"""Paired differences of one metric, small enough to do by hand."""

from __future__ import annotations

import math

import pytest

from assay.evaluation import PairedDifference, paired_difference
from assay.evaluation.paired import FEWEST_CHANGES

NAN = math.nan


def test_means_difference_wins_ties_and_losses_by_hand() -> None:
    found = paired_difference([0.0, 0.5, 1.0, 1.0], [1.0, 0.5, 0.5, 1.0])
    assert (found.n, found.mean_a, found.mean_b, found.difference) == (4, 0.625, 0.75, 0.125)
    assert (found.wins, found.ties, found.losses) == (1, 2, 1)


def test_only_queries_with_a_value_in_both_count() -> None:
    found = paired_difference([1.0, NAN, 0.0, NAN], [0.0, 1.0, NAN, NAN])
    assert (found.n, found.mean_a, found.mean_b, found.difference) == (1, 1.0, 0.0, -1.0)


def test_without_a_common_query_there_is_nothing_to_say() -> None:
    found = paired_difference([NAN, 1.0], [1.0, NAN])
    assert (found.n, found.mean_a, found.difference, found.ci95, found.verdict) == (0, None, None, None, "can't tell")


def test_scores_that_were_rounded_on_different_ways_are_a_tie() -> None:
    found = paired_difference([0.1 + 0.2], [0.3])
    assert (found.wins, found.ties, found.losses) == (0, 1, 0)


def test_one_seed_gives_one_interval() -> None:
    a, b = [0.0, 1.0, 0.5, 0.25] * 5, [1.0, 1.0, 0.0, 0.5] * 5
    assert paired_difference(a, b).ci95 == paired_difference(a, b).ci95


def test_exchanging_the_runs_turns_the_difference_round() -> None:
    a, b = [0.0] * 10 + [1.0] * 10, [1.0] * 10 + [1.0] * 10
    there, back = paired_difference(a, b), paired_difference(b, a)
    assert (there.difference, back.difference) == (0.5, -0.5)
    assert (there.wins, there.losses, back.wins, back.losses) == (10, 0, 0, 10)
    assert (there.verdict, back.verdict) == ("better", "worse")


@pytest.mark.parametrize(
    ("wins", "losses", "ties", "expected"),
    [
        (6, 0, 0, "better"),
        (0, 6, 0, "worse"),
        (5, 0, 0, "can't tell"),  # five in one direction happen by chance 1 time in 16
        (5, 0, 20, "can't tell"),
        (7, 6, 20, "can't tell"),
        (15, 1, 20, "better"),
        (0, 0, 9, "can't tell"),
    ],
)
def test_a_verdict_needs_an_interval_beside_0_and_enough_changes(
    wins: int, losses: int, ties: int, expected: str
) -> None:
    before = [0.0] * wins + [1.0] * losses + [0.5] * ties
    after = [1.0] * wins + [0.0] * losses + [0.5] * ties
    assert paired_difference(before, after).verdict == expected


@pytest.mark.parametrize(
    ("interval", "expected"),
    [((0.0, 0.1), "can't tell"), ((-0.1, 0.0), "can't tell"), ((1e-9, 0.1), "better"), ((-0.1, -1e-9), "worse")],
)
def test_an_interval_that_ends_at_0_says_nothing(interval: tuple[float, float], expected: str) -> None:
    assert PairedDifference(20, 0.5, 0.5, 0.0, interval, wins=9, ties=2, losses=9).verdict == expected


def test_the_fewest_changes_are_those_that_a_sign_test_needs() -> None:
    assert 2 * 0.5**FEWEST_CHANGES < 0.05 < 2 * 0.5 ** (FEWEST_CHANGES - 1)
