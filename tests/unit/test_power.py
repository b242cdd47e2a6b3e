"""The smallest difference that n queries show: by hand, and against simulated comparisons."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.evaluation.intervals import student_t
from assay.evaluation.paired import BETTER, FEWEST_CHANGES, paired_differences
from assay.evaluation.power import TYPICAL_SD, queries_needed, smallest_difference


@pytest.mark.parametrize(
    ("n", "sd", "expected"),
    [
        # (t[99, .975] + t[99, .8]) / 10 = (1.98422 + 0.84526) / 10, quantiles from a table
        (100, 1.0, 0.282948),
        (100, 0.3, 0.3 * 0.282948),
        # (t[9, .975] + t[9, .8]) / sqrt(10) = (2.26216 + 0.88340) / 3.16228
        (10, 0.25, 0.25 * 0.994714),
        # far out it is the normal's (1.95996 + 0.84162) / sqrt(n)
        (1_000_000, 0.5, 0.5 * 2.80158 / 1000),
    ],
)
def test_by_hand(n: int, sd: float, expected: float) -> None:
    assert smallest_difference(n, sd) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_too_few_queries_for_any_verdict_show_nothing(n: int) -> None:
    assert smallest_difference(n, 0.3) is None


def test_a_difference_above_one_is_none() -> None:
    assert smallest_difference(6, 0.9) is None


def test_four_times_the_queries_show_about_half_the_difference() -> None:
    few, many = smallest_difference(100, 0.3), smallest_difference(400, 0.3)
    assert few is not None
    assert many is not None
    assert few / many == pytest.approx(2.0, rel=0.02)


def test_a_power_of_a_half_is_the_edge_of_the_interval() -> None:
    assert smallest_difference(50, 0.3, power=0.5) == pytest.approx(student_t(49) * 0.3 / math.sqrt(50))


@pytest.mark.parametrize(
    "wrong", [{"sd": 0.0}, {"sd": 0.3, "power": 0.4}, {"sd": 0.3, "power": 1.0}, {"sd": 0.3, "level": 1.0}]
)
def test_nonsense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="no difference for"):
        smallest_difference(20, **wrong)


def steps(n: int, mean: float, sd: float, size: int, rng: np.random.Generator) -> np.ndarray:
    """Differences of -1/2, 0 and 1/2 a query with this mean and sd: most queries don't change, as in real runs."""
    changed, tilt = (sd**2 + mean**2) / 0.25, mean / 0.5
    win, loss = (changed + tilt) / 2, (changed - tilt) / 2
    return rng.choice([-0.5, 0.0, 0.5], p=[loss, 1 - changed, win], size=(size, n))


@pytest.mark.parametrize("metric", TYPICAL_SD)
@pytest.mark.parametrize("n", [20, 50, 162])
def test_a_t_test_calls_it_in_80_of_100_simulated_comparisons(metric: str, n: int) -> None:
    sd = TYPICAL_SD[metric]
    difference = smallest_difference(n, sd)
    assert difference is not None
    drawn = steps(n, difference, sd, 4000, np.random.default_rng(1))
    with np.errstate(invalid="ignore"):  # a comparison in which nothing changed
        t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(n))
    assert (t > student_t(n - 1)).mean() == pytest.approx(0.80, abs=0.04)


def test_the_verdict_of_a_comparison_calls_it_about_as_often() -> None:
    n, sd = 60, TYPICAL_SD["recall@5"]
    difference = smallest_difference(n, sd)
    assert difference is not None
    drawn = steps(n, difference, sd, 150, np.random.default_rng(2))
    called = [one.verdict == BETTER for one in paired_differences(np.zeros_like(drawn.T), drawn.T, family=1)]
    assert 0.70 <= np.mean(called) <= 0.92
    nothing = steps(n, 0.0, sd, 150, np.random.default_rng(3))
    found = paired_differences(np.zeros_like(nothing.T), nothing.T, family=1)
    assert np.mean([one.verdict == BETTER for one in found]) <= 0.08


@pytest.mark.parametrize(("difference", "sd"), [(0.07, 0.3), (0.01, 0.2), (-0.07, 0.3)])
def test_the_queries_needed_are_the_fewest_that_show_it(difference: float, sd: float) -> None:
    n = queries_needed(difference, sd)
    assert n is not None
    shown, not_yet = smallest_difference(n, sd), smallest_difference(n - 1, sd)
    assert shown is not None
    assert not_yet is not None
    assert shown <= abs(difference) < not_yet


def test_queries_needed_by_hand() -> None:
    # ((1.95996 + 0.84162) 0.3 / 0.07)^2 = 144.2 with normal quantiles; two more for Student's t
    assert queries_needed(0.07, 0.3) == 147
    # at 1 - .05 / 66 the quantile is 3.3688: ((3.3688 + 0.8416) 0.3 / 0.07)^2 = 325.6
    assert 326 <= (queries_needed(0.07, 0.3, level=1 - 0.05 / 66) or 0) <= 340


def test_no_number_of_queries_shows_no_difference() -> None:
    assert queries_needed(0.0, 0.3) is None
    assert queries_needed(1e-5, 0.3) is None
    assert queries_needed(0.9, 0.01) == FEWEST_CHANGES
