"""One metric of two runs over the same queries: how far apart they are, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.evaluation.intervals import Scores, exact_mean, paired_bootstrap_interval

SEED = 42  # every comparison resamples with the same draws, so that equal calls give equal bits
FEWEST_CHANGES = 6  # five changes all in one direction happen by chance 1 time in 16: too often to call (sign test)
BETTER, WORSE, UNCLEAR = "better", "worse", "can't tell"

_EQUAL = 1e-12  # scores this close are one score that was rounded on different ways


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """``b`` against ``a`` over the ``n`` queries that have a value in both; None where n is 0.

    ``difference`` is ``mean_b - mean_a`` and ``ci95`` the ends of its 95 % paired bootstrap interval. A win is
    a query on which ``b`` scores higher.
    """

    n: int
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    ci95: tuple[float, float] | None
    wins: int
    ties: int
    losses: int

    @property
    def verdict(self) -> str:
        """``better`` or ``worse`` where the interval lies on one side of 0, else ``can't tell``.

        So it is where fewer than ``FEWEST_CHANGES`` queries changed: resampling so few says nothing. The
        interval is this comparison's alone, not corrected for others that were looked at.
        """
        if self.ci95 is None or self.wins + self.losses < FEWEST_CHANGES:
            return UNCLEAR
        low, high = self.ci95
        return BETTER if low > 0 else WORSE if high < 0 else UNCLEAR


def paired_difference(a: Scores, b: Scores) -> PairedDifference:
    """``b`` against ``a``: per-query scores in the same order of queries, NaN where a query is not in the mean."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    both = ~(np.isnan(first) | np.isnan(second))
    first, second = first[both], second[both]
    interval = paired_bootstrap_interval(second, first, SEED)
    if interval is None:
        return PairedDifference(0, None, None, None, None, 0, 0, 0)
    difference, low, high = interval
    change = second - first
    wins, losses = int((change > _EQUAL).sum()), int((change < -_EQUAL).sum())
    return PairedDifference(
        n=len(change),
        mean_a=exact_mean(first),
        mean_b=exact_mean(second),
        difference=difference,
        ci95=(low, high),
        wins=wins,
        ties=len(change) - wins - losses,
        losses=losses,
    )
