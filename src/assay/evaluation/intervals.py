"""Means of per-query scores and how sure they are.

A mean's interval is Wilson's (1927), opened to scores between 0 and 1: the number of queries is replaced by
``max(n, n p (1 - p) / s2)``, the number of yes-or-no answers that would be as certain as these scores (p the
mean, s2 the sample variance), and the normal quantile by Student's t with n - 1 degrees of freedom. Where all
scores are 0 or 1, or all are equal, it is Wilson's own. It never leaves [0, 1], and with few queries its
coverage holds where percentile bootstraps fall short.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

CI_METHOD = (
    "95%: Wilson with effective n = max(n, n p(1-p)/s2) and Student's t quantile; "
    "Wilson with the normal quantile where all scores are equal or 0/1"
)
LEVEL = 0.95
DRAWS = 10_000

_EQUAL = 1e-12  # scores this close are one score that was rounded on different ways
_SERIES_FROM = 200  # degrees of freedom from which the expansion around the normal is exact to 1e-11
_CELLS = 1 << 20  # resampled indices held at a time

Scores = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, its 95 % interval, and over how many queries; mean and ``ci95`` are None where n is 0."""

    mean: float | None
    ci95: tuple[float, float] | None
    n: int

    def as_dict(self) -> dict[str, float | list[float] | int | None]:
        """``{"mean", "ci95", "n"}`` as files hold it."""
        return {"mean": self.mean, "ci95": None if self.ci95 is None else list(self.ci95), "n": self.n}


def estimate(values: Scores) -> Estimate:
    """The mean of per-query ``values`` in [0, 1] with its interval; NaN marks a query that is not in it."""
    scores = np.asarray(values, dtype=np.float64)
    scores = scores[~np.isnan(scores)]
    interval = mean_interval(scores)
    if interval is None:
        return Estimate(None, None, 0)
    return Estimate(exact_mean(scores), interval, len(scores))


def exact_mean(scores: Scores) -> float:
    """The mean of one score or more, rounded once, so that no order of the scores can change a bit of it."""
    return math.fsum(scores) / len(scores)


def mean_interval(scores: Scores) -> tuple[float, float] | None:
    """The 95 % interval of the mean of ``scores`` in [0, 1]; None without any.

    ``0 <= lo <= mean <= hi <= 1``. NaN is a ValueError: leave out what isn't in the mean first.
    """
    values = np.asarray(scores, dtype=np.float64)
    n = len(values)
    if n == 0:
        return None
    if not (values.min() >= 0.0 and values.max() <= 1.0):
        raise ValueError("scores must lie in [0, 1]")
    mean = exact_mean(values)
    normal = NormalDist().inv_cdf(0.5 + LEVEL / 2)
    if np.ptp(values) <= _EQUAL or bool(np.all((values == 0.0) | (values == 1.0))):
        return _wilson(mean, n, normal)
    variance = math.fsum((values - mean) ** 2) / (n - 1)
    return _wilson(mean, max(float(n), n * mean * (1.0 - mean) / variance), student_t(n - 1))


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's score interval of a share ``p`` of ``n`` at quantile ``z``, within [0, 1] and around p."""
    weight = z * z / n
    middle = (p + weight / 2) / (1 + weight)
    half = z * math.sqrt(p * (1 - p) / n + weight / (4 * n)) / (1 + weight)
    return max(0.0, min(middle - half, p)), min(1.0, max(middle + half, p))


@lru_cache(maxsize=4096)
def student_t(df: int, level: float = LEVEL) -> float:
    """The t that holds ``level`` of Student's distribution between -t and t; ``df`` a whole number from 1.

    Below 200 degrees of freedom by halving on the closed form, above by the expansion around the normal
    quantile (Abramowitz and Stegun 1964, 26.7.3, 26.7.4 and 26.7.5). Right to 1e-10 for the usual levels.
    """
    if df < 1 or not 0.0 < level < 1.0:
        raise ValueError(f"no Student's t of df={df}, level={level}")
    if df >= _SERIES_FROM:
        return _t_series(df, NormalDist().inv_cdf(0.5 + level / 2))
    low, high = 0.0, math.pi / 2
    for _ in range(80):
        angle = (low + high) / 2
        low, high = (angle, high) if _t_share(df, angle) < level else (low, angle)
    return math.sqrt(df) * math.tan((low + high) / 2)


def _t_share(df: int, angle: float) -> float:
    """How much of Student's distribution lies between -t and t, where ``t = sqrt(df) tan(angle)``."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = df % 2 == 1
    term, series = (cosine, 0.0) if odd else (1.0, 0.0)
    for j in range(3 if odd else 2, df + 1, 2):  # df // 2 terms, none for one degree of freedom
        series += term
        term *= (j - 1) / j * cosine * cosine
    return 2 / math.pi * (angle + sine * series) if odd else sine * series


def _t_series(df: int, z: float) -> float:
    """Student's t from the normal quantile ``z``, to the fourth power of 1 / df."""
    z2 = z * z
    terms = (
        z * (z2 + 1) / 4,
        z * ((5 * z2 + 16) * z2 + 3) / 96,
        z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
        z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160,
    )
    return z + math.fsum(term / float(df) ** power for power, term in enumerate(terms, 1))


def paired_bootstrap_interval(a: Scores, b: Scores, seed: int, draws: int = DRAWS) -> tuple[float, float, float] | None:
    """The mean of ``a - b`` over the queries, and the ends of its 95 % percentile interval.

    Queries are drawn with replacement, each with both of its scores (Efron 1979; Sakai 2006), ``draws`` times
    by a generator that starts from ``seed``, so that equal calls give equal bits. A query with NaN in either
    is left out; None where none is left.
    """
    difference = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    difference = difference[~np.isnan(difference)]
    n = len(difference)
    if n == 0:
        return None
    rng = np.random.default_rng(seed)
    rows = max(1, _CELLS // n)
    means = np.concatenate(
        [
            difference[rng.integers(0, n, size=(min(rows, draws - done), n))].mean(axis=1)
            for done in range(0, draws, rows)
        ]
    )
    low, high = np.quantile(means, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    return exact_mean(difference), float(low), float(high)
