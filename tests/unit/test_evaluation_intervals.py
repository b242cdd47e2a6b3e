"""Intervals: closed cases, Student's t against scipy, coverage by simulation, and the paired bootstrap."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from assay.evaluation import estimate, mean_interval, paired_bootstrap_interval
from assay.evaluation.intervals import difference_intervals, student_t

Z = 1.959963984540054


def wilson(p: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's interval as its two roots: |p - x| = z sqrt(x (1 - x) / n)."""
    a, b, c = 1 + z * z / n, -(2 * p + z * z / n), p * p
    root = math.sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


@pytest.mark.parametrize(
    ("scores", "n", "z"),
    [
        ([1, 0, 0, 0], 4, Z),
        ([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], 10, Z),
        ([0.5, 0.5, 0.5], 3, Z),
        ([0.25], 1, Z),
        ([0.1 + 0.2, 0.3], 2, Z),  # equal but for rounding
        # mean .5, sum of squares .5, s2 = 1/6: n p (1 - p) / s2 = 5 * .25 / .125 = 10
        ([0, 0.5, 0.5, 0.5, 1], 10, stats.t.ppf(0.975, 4)),
        # s2 above p (1 - p), as with one score short of 0/1: n itself
        ([0.001, 1], 2, stats.t.ppf(0.975, 1)),
    ],
)
def test_wilson_with_the_effective_number_of_queries(scores: list[float], n: float, z: float) -> None:
    assert mean_interval(scores) == pytest.approx(wilson(sum(scores) / len(scores), n, z), abs=1e-12)


@pytest.mark.parametrize(("score", "low", "high"), [(0.0, 0.0, Z * Z / (5 + Z * Z)), (1.0, 5 / (5 + Z * Z), 1.0)])
def test_all_wrong_and_all_right_end_at_0_and_1_exactly(score: float, low: float, high: float) -> None:
    interval = mean_interval([score] * 5)
    assert interval is not None
    assert interval == pytest.approx((low, high), abs=1e-12)
    assert score in interval


def test_18_of_20() -> None:
    assert mean_interval([1.0] * 18 + [0.0] * 2) == pytest.approx((0.6990, 0.9721), abs=1e-4)


def test_no_scores_have_no_interval() -> None:
    assert mean_interval([]) is None
    assert estimate([]).as_dict() == {"mean": None, "ci95": None, "n": 0}
    assert estimate([math.nan]).as_dict() == {"mean": None, "ci95": None, "n": 0}


def test_nan_marks_who_is_not_in_the_mean() -> None:
    got = estimate([1.0, math.nan, 0.0, 0.5])
    assert (got.mean, got.n, got.ci95) == (0.5, 3, mean_interval([1.0, 0.0, 0.5]))


@pytest.mark.parametrize("scores", [[0.5, 1.1], [-0.1], [math.nan, 0.5], [math.inf]])
def test_what_is_no_score_is_a_bug(scores: list[float]) -> None:
    with pytest.raises(ValueError, match="scores must lie"):
        mean_interval(scores)


def test_the_order_of_scores_changes_no_bit() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random(997)
    assert {estimate(rng.permutation(scores)) for _ in range(20)} == {estimate(scores)}


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_students_t_is_scipys(level: float) -> None:
    for df in [*range(1, 420), 1000, 6999, 10**6, 10**9]:
        assert student_t(df, level) == pytest.approx(stats.t.ppf(0.5 + level / 2, df), abs=1e-9, rel=1e-11), df


COVERAGE = {  # what each population draws, and its mean
    "binary .9": (lambda rng, shape: (rng.random(shape) < 0.9).astype(float), 0.9),
    "recall of two": (lambda rng, shape: rng.binomial(2, 0.6, shape) / 2, 0.6),
    "reciprocal ranks": (
        lambda rng, shape: 1.0 / rng.integers(1, 6, shape),
        (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5,
    ),
    "ndcg-like": (lambda rng, shape: rng.beta(2, 1, shape), 2 / 3),
}


@pytest.mark.parametrize("n", [20, 50, 100])
@pytest.mark.parametrize("population", COVERAGE)
def test_the_interval_covers_the_mean_as_often_as_it_says(population: str, n: int) -> None:
    draw, mean = COVERAGE[population]
    samples = draw(np.random.default_rng(42), (2000, n))
    intervals = [mean_interval(sample) for sample in samples]
    covered = float(np.mean([low <= mean <= high for low, high in intervals]))
    assert 0.925 <= covered <= 0.985


def test_the_paired_bootstrap_adds_a_query_won_and_a_query_lost() -> None:
    """One query, up by 1/2: with +-1/2 beside it, three draws of 1/2, 1/2, -1/2; all lost 1 time in 27."""
    assert paired_bootstrap_interval([1.0], [0.5], seed=0) == (0.5, -0.5, 0.5)


def test_two_hundred_equal_scores_are_not_equal_for_ever() -> None:
    """202 draws of 200 noughts, 1 and -1: a sum of 2 or less in about 98 of 100."""
    difference, low, high = paired_bootstrap_interval(np.ones(200), np.ones(200), seed=3) or (0, 0, 0)
    assert difference == 0.0
    assert high == pytest.approx(-low) == pytest.approx(3 / 202, abs=1.01 / 202)


def test_many_changes_hardly_feel_the_two() -> None:
    rng = np.random.default_rng(5)
    difference = rng.normal(0.02, 0.2, 400)
    _, low, high = difference_intervals(difference[:, None])[0] or (0, 0, 0)
    plain = stats.bootstrap((difference,), np.mean, method="percentile", rng=np.random.default_rng(0))
    assert (low, high) == pytest.approx(tuple(plain.confidence_interval), abs=0.002)


def test_a_paired_difference_is_that_of_the_pairs_and_not_of_the_columns() -> None:
    """The columns differ wildly from query to query, the pairs hardly: only pairing can see it."""
    b = np.tile([0.0, 0.2, 0.4, 0.6, 0.8], 10)
    a = b + np.tile([0.1, 0.08], 25)
    difference, low, high = paired_bootstrap_interval(a, b, seed=1) or (0, 0, 0)
    assert difference == pytest.approx(0.09)
    assert 0.075 < low < 0.09 < high < 0.095


def test_every_column_is_drawn_alike() -> None:
    table = np.random.default_rng(2).choice([-1.0, 0.0, 0.0, 0.5], (40, 5))
    table[3, 2] = np.nan
    assert difference_intervals(table) == [difference_intervals(table[:, [i]])[0] for i in range(5)]


def test_the_bootstrap_is_near_the_normal_interval_of_many_queries() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.random(400), rng.random(400)
    difference, low, high = paired_bootstrap_interval(a, b, seed=0) or (0, 0, 0)
    half = Z * np.std(a - b, ddof=1) / 20
    assert (difference, low, high) == pytest.approx(
        ((a - b).mean(), (a - b).mean() - half, (a - b).mean() + half), abs=0.004
    )


def test_equal_seeds_give_equal_bits_and_others_do_not() -> None:
    a, b = np.linspace(0, 1, 30), np.linspace(1, 0.3, 30) ** 2
    first = paired_bootstrap_interval(a, b, seed=0)
    assert first == paired_bootstrap_interval(a, b, seed=0)
    assert first != paired_bootstrap_interval(a, b, seed=1)


def test_a_query_that_either_side_lacks_is_left_out() -> None:
    nan = math.nan
    assert paired_bootstrap_interval([1.0, nan, 0.3], [0.5, 0.1, nan], seed=0) == (0.5, -0.5, 0.5)
    assert paired_bootstrap_interval([nan], [0.5], seed=0) is None


def test_the_tails_are_those_of_students_t() -> None:
    """Three queries up by 1: with two beside them, draws of 5 with a loss 1 time in 5. All lost: 0.0003; four or more:
    0.0067. Between them lies the tail, that of -sqrt(5 / 4) 2.776 under the normal: 0.001. The upper end stops at 1."""
    assert difference_intervals(np.ones((3, 1)))[0] == (1.0, -0.6, 1.0)
