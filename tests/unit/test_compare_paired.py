"""Paired differences of one metric, small enough to do by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.evaluation import PairedDifference, paired_difference
from assay.evaluation.paired import FEWEST_CHANGES, corrected, paired_differences

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
def test_a_verdict_needs_changes_enough_in_one_direction(wins: int, losses: int, ties: int, expected: str) -> None:
    before = [0.0] * wins + [1.0] * losses + [0.5] * ties
    after = [1.0] * wins + [0.0] * losses + [0.5] * ties
    assert paired_difference(before, after).verdict == expected


@pytest.mark.parametrize(
    ("difference", "p", "expected"),
    [
        (0.1, 0.05, "better"),
        (-0.1, 0.05, "worse"),
        (0.1, 0.0501, "can't tell"),
        (0.1, None, "can't tell"),
        (0.0, 0.01, "can't tell"),
    ],
)
def test_the_corrected_p_decides(difference: float, p: float | None, expected: str) -> None:
    found = PairedDifference(20, 0.5, 0.6, difference, (-0.1, 0.3), wins=9, ties=2, losses=9, p_corrected=p)
    assert found.verdict == expected


def test_effect_size_by_hand() -> None:
    # differences 1, 0, .5, .5: mean .5, squared deviations .25 .25 0 0, variance .5 / 3
    found = paired_difference([0.0, 1.0, 0.0, 0.5], [1.0, 1.0, 0.5, 1.0])
    assert found.effect_size == pytest.approx(0.5 / math.sqrt(0.5 / 3))
    assert paired_difference([0.0, 0.0], [0.5, 0.5]).effect_size is None
    assert paired_difference([0.0], [0.5]).effect_size is None


def test_a_family_is_corrected_together() -> None:
    before, after = np.zeros((8, 3)), np.zeros((8, 3))
    after[:, 0] = 1.0  # 8 of 8 up: p = 2 / 256
    after[:7, 1] = 1.0  # 7 of 7 up: p = 2 / 128
    found = corrected(paired_differences(before, after))
    assert [one.p for one in found] == [2 / 256, 2 / 128, 1.0]
    assert [one.p_corrected for one in found] == [6 / 256, 4 / 128, 1.0]
    assert [one.verdict for one in found] == ["better", "better", "can't tell"]


def test_one_sided_asks_whether_the_second_is_higher() -> None:
    down, up = (paired_differences(a, b, side="greater")[0].p for a, b in ((ONES, ZEROS), (ZEROS, ONES)))
    assert (down, up) == (1.0, 1 / 64)


def test_what_is_not_tested_has_no_verdict() -> None:
    found = paired_differences(ZEROS, ONES, tested=False)[0]
    assert (found.p, found.p_corrected, found.verdict) == (None, None, "can't tell")


ZEROS, ONES = np.zeros((6, 1)), np.ones((6, 1))


def test_the_fewest_changes_are_those_that_a_sign_test_needs() -> None:
    assert 2 * 0.5**FEWEST_CHANGES < 0.05 < 2 * 0.5 ** (FEWEST_CHANGES - 1)
