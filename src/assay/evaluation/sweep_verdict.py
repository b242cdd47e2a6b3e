"""What a sweep shows on one metric: who leads, who can't be told from the leader, and how much of the lead is luck.

The leader is picked by the scores that it is then tested on, so its comparisons are not a family chosen beforehand:
any two runs might have ended up as leader and rival. Its p-values are therefore corrected by Holm's procedure over all
pairs of runs, and what is said of it holds for whichever run leads.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from assay.evaluation.best import luck
from assay.evaluation.contenders import Contender, SweepVerdict
from assay.evaluation.effects import main_effects
from assay.evaluation.holm import holm
from assay.evaluation.intervals import EQUAL, difference_intervals, exact_mean, mean_interval
from assay.evaluation.power import LEVEL, queries_needed, smallest_difference
from assay.evaluation.randomisation import ALPHA, sign_flip_tests
from assay.evaluation.resampling import SEED, Matrix

MOST_PAIRED = 40  # runs of which all pairs are tested; of more the leader's pairs alone, by the family's first step


def sweep_verdict(
    metric: str,
    jobs: Sequence[str],
    scores: Matrix,
    *,
    settings: Sequence[Mapping[str, Any]] = (),
    costs: Sequence[tuple[float | None, float | None]] = (),
    ties: Sequence[int] = (),
    seed: int = SEED,
    notes: Sequence[str] = (),
) -> SweepVerdict:
    """The verdict on the runs ``jobs`` of a sweep.

    Parameters
    ----------
    scores
        Runs x queries; a query that any run lacks (NaN) is left out of all.
    settings
        Per run, the knobs that differ in the sweep; without them there are no effects.
    costs
        Per run, median latency (ms) and bytes of the index.
    ties
        The places of the runs in the order in which equal means rank; by default their own order.

    Raises
    ------
    ValueError
        No run, or no query that all have.
    """
    scores = scores[:, ~np.isnan(scores).any(axis=0)]
    runs, n = scores.shape
    if not runs or not n:
        raise ValueError("no run, or no query that all of the runs have")
    means = [exact_mean(row) for row in scores]
    order = sorted(ties or range(runs), key=lambda place: -means[place])
    leader = order[0]
    family = runs * (runs - 1) // 2
    p, p_holm = _chances(scores, leader, family, seed)
    behind = scores[leader][:, None] - scores.T
    intervals = difference_intervals(behind, seed)
    spreads = [float(column.std(ddof=1)) if n > 1 else 0.0 for column in behind.T]
    level = 1.0 - ALPHA / max(1, family)
    best = luck(scores, seed)
    contenders = []
    for place in order:
        interval = intervals[place]
        own = mean_interval(scores[place])
        assert interval is not None
        assert own is not None
        rival = place != leader
        corrected = p_holm[place]
        needed = queries_needed(interval[0], spreads[place], level=level) if rival and spreads[place] > EQUAL else None
        contenders.append(
            Contender(
                job=jobs[place],
                mean=means[place],
                ci95=own,
                behind=interval[0],
                behind_ci95=interval[1:] if rival else (0.0, 0.0),
                p=p[place],
                p_holm=corrected,
                together=corrected is None or corrected > ALPHA,
                probability_best=best.probability_best[place],
                questions_needed=needed,
                p50_ms=costs[place][0] if costs else None,
                bytes=costs[place][1] if costs else None,
            )
        )
    set_ = [one for one in contenders if one.together]
    rivals = [place for place in order if place != leader and spreads[place] > EQUAL]
    near = [place for place in rivals if jobs[place] in {one.job for one in set_}] or rivals
    spread = statistics.median(spreads[place] for place in near) if near else None
    effects = main_effects(scores, settings, seed) if settings else "no knobs are known"
    return SweepVerdict(
        metric=metric,
        n=n,
        pairs=family,
        contenders=tuple(contenders),
        optimism=best.optimism,
        nested=best.nested,
        cheapest_p50=_cheapest([(one.p50_ms, one.job) for one in set_]),
        cheapest_bytes=_cheapest([(one.bytes, one.job) for one in set_]),
        shows=None if spread is None else smallest_difference(n, spread, level=level),
        shows_alone=None if spread is None else smallest_difference(n, spread, level=LEVEL),
        effects=None if isinstance(effects, str) else effects,
        no_effects=effects if isinstance(effects, str) else None,
        notes=tuple(notes),
    )


def _chances(scores: Matrix, leader: int, family: int, seed: int) -> tuple[list[float | None], list[float | None]]:
    """Per run the p-value of its comparison with the leader, and that corrected over all pairs; None for the leader."""
    runs = len(scores)
    pairs = (
        list(combinations(range(runs), 2))
        if runs <= MOST_PAIRED
        else [(leader, place) for place in range(runs) if place != leader]
    )
    plain: list[float | None] = [None] * runs
    corrected: list[float | None] = [None] * runs
    if not pairs:
        return plain, corrected
    change = np.stack([scores[a] - scores[b] for a, b in pairs], axis=1)
    values = [None if one is None else one.p for one in sign_flip_tests(change, seed=seed, family=family)]
    for (a, b), p, p_holm in zip(pairs, values, holm(values, family), strict=True):
        if leader in (a, b):
            rival = b if a == leader else a
            plain[rival], corrected[rival] = p, p_holm
    return plain, corrected


def _cheapest(costs: Sequence[tuple[float | None, str]]) -> str | None:
    """The first job with the lowest cost; None where none was measured."""
    known = [(cost, place, job) for place, (cost, job) in enumerate(costs) if cost is not None]
    return min(known)[2] if known else None
