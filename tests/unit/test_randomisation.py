"""The paired randomisation test: patterns counted by hand, scipy's, and what the drawn patterns promise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay.evaluation.randomisation import PERMUTATIONS, exact_chance, permutations_for, sign_flip_tests


def p_of(differences: Any, **asked: Any) -> tuple[float, str, int]:
    found = sign_flip_tests(np.asarray(differences, dtype=float)[:, None], **asked)[0]
    assert found is not None
    return found.p, found.how, found.patterns


@pytest.mark.parametrize(
    ("differences", "two_sided", "greater"),
    [
        ([1, 1, 1], 2 / 8, 1 / 8),
        ([1, 1, 1, 1, 1, 1], 2 / 64, 1 / 64),
        ([-1, -1, -1], 2 / 8, 1),
        ([1, -1], 1, 3 / 4),  # sums 2 0 0 -2: all at least 0 in size, three at least 0
        ([0.5, 0.25], 2 / 4, 1 / 4),  # sums .75 .25 -.25 -.75
        ([0.5, -0.25], 1, 2 / 4),
        ([1, 1, 1, 0, 0, 0, 0], 2 / 8, 1 / 8),  # ties have no say
        ([0, 0, 0], 1, 1),
        ([0.1 + 0.2 - 0.3, 1, 1], 2 / 4, 1 / 4),  # rounding is no difference
    ],
)
def test_all_patterns_by_hand(differences: list[float], two_sided: float, greater: float) -> None:
    changed = sum(abs(one) > 1e-12 for one in differences)
    assert p_of(differences) == (two_sided, "exact", 2**changed)
    assert p_of(differences, side="greater") == (greater, "exact", 2**changed)


def test_sums_that_were_rounded_on_different_ways_are_equal() -> None:
    """.1 + .2 + .3 in any order of signs: eight sums, of which two are as far out as the one seen."""
    assert p_of([0.1, 0.2, 0.3])[0] == p_of([0.3, 0.2, 0.1])[0] == 2 / 8


@pytest.mark.parametrize("side", ["two-sided", "greater"])
def test_scipy_agrees_exactly(side: Any) -> None:
    rng = np.random.default_rng(1)
    for n in (4, 9, 12):
        differences = rng.integers(-3, 4, n) / 3 + 0.1
        expected = stats.permutation_test(
            (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative=side
        )
        assert p_of(differences, side=side)[0] == pytest.approx(expected.pvalue), n


def test_14_changes_are_counted_out_and_15_are_drawn() -> None:
    assert p_of([0.1] * 14)[1:] == ("exact", 2**14)
    assert p_of([0.1] * 15)[1:] == ("sampled", PERMUTATIONS)


@pytest.mark.parametrize("side", ["two-sided", "greater"])
def test_drawn_patterns_come_close_to_all_of_them(side: Any) -> None:
    rng = np.random.default_rng(4)
    differences = rng.normal(0.25, 1, 16)
    exact = exact_chance(differences, side).p
    drawn = p_of(differences, side=side)[0]
    assert drawn == pytest.approx(exact, abs=4 * math.sqrt(exact / PERMUTATIONS))


def test_with_many_queries_it_is_about_the_t_test() -> None:
    rng = np.random.default_rng(8)
    for shift in (0.0, 0.1, 0.2):
        before, after = rng.random(150), rng.random(150) + shift
        expected = stats.ttest_rel(after, before).pvalue
        assert p_of(after - before)[0] == pytest.approx(expected, abs=0.02)


def test_the_smallest_drawn_p_counts_what_was_seen_itself() -> None:
    p, how, patterns = p_of([0.5] * 60)
    assert (p, how, patterns) == (1 / (PERMUTATIONS + 1), "sampled", PERMUTATIONS)


@pytest.mark.parametrize(
    ("family", "wanted"), [(1, 20_000), (11, 20_000), (50, 20_000), (66, 26_400), (276, 110_400), (10**6, 200_000)]
)
def test_enough_patterns_that_the_smallest_survives_holm(family: int, wanted: int) -> None:
    assert permutations_for(family) == wanted
    if family <= 500:
        assert family / (permutations_for(family) + 1) < 0.05


def test_more_patterns_are_drawn_only_for_what_can_still_be_called() -> None:
    rng = np.random.default_rng(2)
    clear, unclear = np.full(40, 0.5), rng.normal(0, 1, 40)
    first, second = sign_flip_tests(np.stack([clear, unclear], axis=1), family=66)
    assert first is not None
    assert second is not None
    assert (first.p, first.patterns) == (1 / 26_401, 26_400)
    assert second.patterns == PERMUTATIONS


def test_a_family_beyond_what_can_be_drawn_takes_a_bound() -> None:
    p, how, _ = p_of([0.5] * 60, family=10_000)
    assert how == "bound"
    # Hoeffding: 2 exp(-(60 / 2)^2 / (2 * 60 / 4)); never below the exact 2 / 2^60
    assert p == pytest.approx(2 * math.exp(-30))
    assert p > 2 / 2**60
    assert p_of([0.5] * 60, family=10_000, side="greater")[0] == pytest.approx(math.exp(-30))
    assert p_of([-0.5] * 60, family=10_000, side="greater")[1] == "sampled"


def test_equal_seeds_give_equal_values_and_others_do_not() -> None:
    differences = np.random.default_rng(3).normal(0.1, 1, 50)
    assert p_of(differences, seed=7) == p_of(differences, seed=7)
    assert p_of(differences, seed=7) != p_of(differences, seed=8)


def test_a_comparison_has_the_same_value_alone_and_among_others() -> None:
    table = np.random.default_rng(3).normal(0.1, 1, (50, 30))
    together = sign_flip_tests(table, family=30)
    assert [one and one.p for one in together] == [p_of(table[:, i], family=30)[0] for i in range(30)]


def test_a_query_that_either_lacks_is_left_out() -> None:
    nan = math.nan
    assert p_of([1, nan, 1, 1]) == (2 / 8, "exact", 8)
    assert sign_flip_tests(np.array([[nan], [nan]])) == [None]


def test_equal_runs_get_a_small_p_as_rarely_as_it_says() -> None:
    rng = np.random.default_rng(11)
    table = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], p=[0.1, 0.1, 0.6, 0.1, 0.1], size=(60, 1000))
    values = np.array([one.p for one in sign_flip_tests(table, family=1) if one])
    for level in (0.01, 0.05, 0.2):
        assert (values <= level).mean() <= level + 3 * math.sqrt(level / 1000)
    assert (values <= 0.05).mean() >= 0.03
