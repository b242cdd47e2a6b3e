"""Means of per-query scores and how sure they are.

A mean's interval is Wilson's (1927), opened to scores between 0 and 1: the number of queries is replaced by
``max(n, n p (1 - p) / s2)``, the number of yes-or-no answers that would be as certain as these scores (p the
mean, s2 the sample variance), and the normal quantile by Student's t with n - 1 degrees of freedom. Where all
scores are 0 or 1, or all are equal, it is Wilson's own. It never leaves [0, 1], and with few queries its
coverage holds where percentile bootstraps fall short.

A difference's interval is a paired bootstrap's, steadied for runs that differ on few queries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from assay.evaluation.resampling import DRAWS, SEED, Matrix, by_presence, resampled_means

CI_METHOD = (
    "95%: Wilson with effective n = max(n, n p(1-p)/s2) and Student's t quantile; "
    "Wilson with the normal quantile where all scores are equal or 0/1"
)
LEVEL = 0.95

EQUAL = 1e-12  # scores this close are one score that was rounded on different ways
_SERIES_FROM = 200  # degrees of freedom from which the expansion around the normal is exact to 1e-11

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
    if np.ptp(values) <= EQUAL or bool(np.all((values == 0.0) | (values == 1.0))):
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
    """The mean of ``a - b`` over the queries, and the ends of its 95 % interval; see ``difference_intervals``.

    A query with NaN in either is left out; None where none is left.
    """
    difference = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    return difference_intervals(difference[:, None], seed, draws)[0]


def difference_intervals(
    differences: Matrix, seed: int = SEED, draws: int = DRAWS
) -> list[tuple[float, float, float] | None]:
    """For each column of paired ``differences`` (queries x columns) its mean and the ends of its 95 % interval.

    The percentile interval of a paired bootstrap (Efron 1979; Sakai 2006): queries are drawn with replacement, each
    with both of its scores, ``draws`` times by a generator that starts from ``seed``. Before that two queries are
    added, one won and one lost by as much as queries that changed did (their root mean square; by 1 where none
    changed), as Bonett and Price (2012) do for pairs of yes-or-no answers. Without them the interval is too narrow
    where few queries changed, and says that equal scores on a few queries are equal scores for ever; with many
    changes they hardly count. The percentiles are expanded to the tails of Student's t, since a bootstrap of few queries
    is too narrow (Hesterberg 2015). The ends lie in [-1, 1] around the mean, rounded to 12 decimals, so that no
    library's order of addition shows. NaN marks a query that a column lacks; None where a column has no query.
    """
    found: list[tuple[float, float, float] | None] = [None] * differences.shape[1]
    for places, queries in by_presence(differences):
        if not len(queries):
            continue
        block = differences[np.ix_(queries, places)]
        size = step_size(block)
        tail = _expanded_tail(len(queries) + 2)
        means = resampled_means(np.vstack([block, size, -size]), seed, draws)
        ends = np.quantile(means, [tail, 1.0 - tail], axis=0).round(12)
        for i, place in enumerate(places.tolist()):
            mean = exact_mean(block[:, i])
            found[place] = mean, max(-1.0, min(mean, float(ends[0, i]))), min(1.0, max(mean, float(ends[1, i])))
    return found


def _expanded_tail(n: int) -> float:
    """The share below the lower end that makes a percentile interval of ``n`` values as wide as Student's."""
    return NormalDist().cdf(-math.sqrt(n / (n - 1)) * student_t(n - 1))


def step_size(differences: Matrix) -> Matrix:
    """Per column, the root mean square of the differences that are not 0; 1 where all are."""
    changed = np.abs(differences) > EQUAL
    squares = np.where(changed, differences, 0.0) ** 2
    count = changed.sum(axis=0)
    size: Matrix = np.sqrt(squares.sum(axis=0) / np.maximum(count, 1))
    return np.where(count > 0, size, 1.0)
