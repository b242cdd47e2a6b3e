"""How small a difference between two runs a set of so many queries can show.

The verdict of a comparison rests on the 95 % interval of the mean of paired differences. With the standard
deviation ``sd`` of these differences and n queries, a true difference of::

    (t[n-1, 0.975] + t[n-1, 0.80]) * sd / sqrt(n)

is called in 80 of 100 such comparisons (two-sided 5 %, power 80 %; the usual formula of a paired t test with
Student's t in place of the normal quantiles). It is how Sakai (2016), "Topic set size design", plans test
collections.

``sd`` is not known before two runs are there. ``TYPICAL_SD`` is about what pairs of runs had that differ in one
choice of degree, such as the size of chunks, on collections with one or two relevant documents a query (medians
of 0.27 and 0.22, upper quartiles of 0.31 and 0.26). It is neither the best nor the worst case: with eight relevant
documents a query recall@5 varied half as much; an embedding model against BM25 varied twice as much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from assay.evaluation.intervals import student_t
from assay.evaluation.paired import FEWEST_CHANGES

POWER = 0.80
LEVEL = 0.95
MOST_QUERIES = 100_000
TYPICAL_SD: Mapping[str, float] = MappingProxyType({"recall@5": 0.30, "mrr": 0.25})
METHOD = (
    "smallest true difference that a paired test (two-sided 5 %) calls with a power of 80 %: "
    "(t[n-1, 0.975] + t[n-1, 0.80]) sd / sqrt(n), with the sd of paired differences typical of "
    + ", ".join(f"{metric} ({sd:.2f})" for metric, sd in TYPICAL_SD.items())
    + "; runs that search in different ways vary about twice as much, and need twice the difference"
)


def smallest_difference(n: int, sd: float, power: float = POWER, level: float = LEVEL) -> float | None:
    """The smallest difference of means that ``n`` queries show with a probability of ``power``.

    None where no difference can be shown: fewer queries than have to change for a verdict, or a difference
    above 1 would be needed. ``sd`` is the standard deviation of the paired differences.
    """
    if not (0.5 <= power < 1.0 and 0.0 < level < 1.0 and sd > 0.0):
        raise ValueError(f"no difference for sd={sd}, power={power}, level={level}")
    if n < FEWEST_CHANGES:
        return None
    # student_t holds its level between -t and t; the quantile of the power is one-sided.
    reach = student_t(n - 1, level) + (student_t(n - 1, 2 * power - 1) if power > 0.5 else 0.0)
    difference = reach * sd / math.sqrt(n)
    return difference if difference <= 1.0 else None


def queries_needed(difference: float, sd: float, power: float = POWER, level: float = LEVEL) -> int | None:
    """The fewest queries that show a true ``difference`` of means with a probability of ``power``.

    None where more than ``MOST_QUERIES`` would be needed, as for a difference of 0. ``sd`` is the standard deviation
    of the paired differences.
    """

    def shown(n: int) -> bool:
        smallest = smallest_difference(n, sd, power, level)
        return smallest is not None and smallest <= abs(difference)

    if not shown(MOST_QUERIES):
        return None
    low, high = FEWEST_CHANGES - 1, MOST_QUERIES
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high
