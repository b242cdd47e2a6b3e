"""One metric of two runs over the same queries: how far apart they are, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.evaluation.holm import holm
from assay.evaluation.intervals import EQUAL, Scores, difference_intervals, exact_mean
from assay.evaluation.randomisation import ALPHA, Chance, Side, sign_flip_tests
from assay.evaluation.resampling import SEED, Matrix

FEWEST_CHANGES = 6  # five changes all in one direction happen by chance 1 time in 16: too often to call
BETTER, WORSE, UNCLEAR = "better", "worse", "can't tell"
EFFECT_SIZE = "Cohen's d_z: mean of the paired differences / their standard deviation (n - 1)"


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """``b`` against ``a`` over the ``n`` queries that have a value in both; None where n is 0.

    ``difference`` is ``mean_b - mean_a`` and ``ci95`` the ends of its 95 % paired bootstrap interval, of this
    comparison alone. A win is a query on which ``b`` scores higher. ``chance`` is the paired randomisation test,
    ``p_corrected`` its p-value corrected for the family of comparisons that it belongs to. ``effect_size`` is Cohen's
    d_z, None where all differences are equal.
    """

    n: int
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    ci95: tuple[float, float] | None
    wins: int
    ties: int
    losses: int
    chance: Chance | None = None
    p_corrected: float | None = None
    effect_size: float | None = None

    @property
    def verdict(self) -> str:
        """``better`` or ``worse`` where the corrected p-value is at most 5 %, else ``can't tell``.

        Fewer than ``FEWEST_CHANGES`` changed queries never get there: all patterns of their signs are too few.
        """
        if self.difference is None or self.p_corrected is None or self.p_corrected > ALPHA:
            return UNCLEAR
        return BETTER if self.difference > 0 else WORSE if self.difference < 0 else UNCLEAR

    @property
    def p(self) -> float | None:
        """The p-value of the randomisation test, not corrected."""
        return None if self.chance is None else self.chance.p


NOTHING = PairedDifference(0, None, None, None, None, 0, 0, 0)


def paired_difference(a: Scores, b: Scores, seed: int = SEED) -> PairedDifference:
    """``b`` against ``a``: per-query scores in the same order of queries, NaN where a query is not in the mean."""
    before, after = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return paired_differences(before[:, None], after[:, None], seed=seed)[0]


def paired_differences(
    before: Matrix,
    after: Matrix,
    *,
    seed: int = SEED,
    family: int | None = None,
    side: Side = "two-sided",
    tested: bool = True,
) -> list[PairedDifference]:
    """Each column of ``after`` against the same column of ``before`` (queries x comparisons), not yet corrected.

    ``family`` is the number of comparisons that the p-values will be corrected for; see ``sign_flip_tests``, also for
    ``side``, where ``greater`` asks whether ``after`` is higher. Without ``tested`` there are no p-values.
    """
    change = after - before
    tests: list[Chance | None] = [None] * change.shape[1]
    if tested:
        tests = sign_flip_tests(change, seed=seed, family=family, side=side)
    intervals = difference_intervals(change, seed)
    found = []
    for place, (interval, chance) in enumerate(zip(intervals, tests, strict=True)):
        if interval is None:
            found.append(NOTHING)
            continue
        both = ~np.isnan(change[:, place])
        own = change[both, place]
        wins, losses = int((own > EQUAL).sum()), int((own < -EQUAL).sum())
        found.append(
            PairedDifference(
                n=len(own),
                mean_a=exact_mean(before[both, place]),
                mean_b=exact_mean(after[both, place]),
                difference=interval[0],
                ci95=interval[1:],
                wins=wins,
                ties=len(own) - wins - losses,
                losses=losses,
                chance=chance,
                p_corrected=None if chance is None else chance.p,
                effect_size=effect_size(own),
            )
        )
    return found


def corrected(found: Sequence[PairedDifference], family: int | None = None) -> list[PairedDifference]:
    """``found`` as one family: their p-values corrected by Holm's procedure."""
    values = holm([one.p for one in found], family)
    return [replace(one, p_corrected=value) for one, value in zip(found, values, strict=True)]


def effect_size(differences: Matrix) -> float | None:
    """Cohen's d_z of paired ``differences``; None where they are all equal, or fewer than two."""
    if len(differences) < 2 or float(np.ptp(differences)) <= EQUAL:
        return None
    mean = exact_mean(differences)
    return mean / math.sqrt(math.fsum((differences - mean) ** 2) / (len(differences) - 1))
