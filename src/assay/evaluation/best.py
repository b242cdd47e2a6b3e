"""How much of being the best of many runs is luck.

All three figures come from the same scores on the same queries (runs x queries, no NaN), and split ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.evaluation.intervals import EQUAL
from assay.evaluation.resampling import DRAWS, SEED, Matrix, resampled_means

HALVINGS = 200
FEWEST_TO_HALVE = 10


@dataclass(frozen=True, slots=True)
class Luck:
    """Chances of being best, and what picking the best adds to its score.

    ``probability_best`` is, per run, the share of resamples of the queries in which it leads. ``optimism`` is how much
    higher the picked run scores on the queries it was picked on than elsewhere; above 0 it looks too good by so
    much. ``nested`` is the mean score of the run picked on a random half of the queries, on the other half; None with
    fewer than 10 queries.
    """

    probability_best: tuple[float, ...]
    optimism: float
    nested: float | None


def luck(scores: Matrix, seed: int = SEED, draws: int = DRAWS, halvings: int = HALVINGS) -> Luck:
    """The luck in picking the best of ``scores`` (runs x queries).

    Probability and optimism are a paired bootstrap's (Efron and Tibshirani 1993, chapter 17): resamples stand for new
    queries, and the queries at hand for the truth. Where all runs are equally good, such resamples can't know it, and
    the optimism comes out at about 0.7 of the true one.
    """
    means = resampled_means(np.ascontiguousarray(scores.T), seed, draws)
    share = shares_of_best(means)
    gain = (share * (means - scores.mean(axis=1))).sum(axis=1)
    return Luck(
        tuple(share.mean(axis=0).round(12).tolist()),
        round(float(gain.mean()), 12),
        nested_score(scores, seed, halvings),
    )


def shares_of_best(means: Matrix) -> Matrix:
    """For each row of ``means``, 1 at its largest, parted equally among those that are equal to it."""
    best = means >= means.max(axis=1, keepdims=True) - EQUAL
    parted: Matrix = best / best.sum(axis=1, keepdims=True)
    return parted


def nested_score(scores: Matrix, seed: int = SEED, halvings: int = HALVINGS) -> float | None:
    """The mean score, on one half of the queries, of the run picked on the other half, over random halves."""
    queries = scores.shape[1]
    if queries < FEWEST_TO_HALVE:
        return None
    rng = np.random.default_rng(seed)
    chosen_on = np.zeros((halvings, queries))
    for row in chosen_on:
        row[rng.permutation(queries)[: queries // 2]] = 1.0
    # Each halving serves both ways, so that neither half's luck stays in the mean.
    both = np.concatenate([chosen_on, 1.0 - chosen_on])
    other = 1.0 - both
    picked = shares_of_best(both @ scores.T / both.sum(axis=1, keepdims=True))
    elsewhere = other @ scores.T / other.sum(axis=1, keepdims=True)
    return round(float((picked * elsewhere).sum(axis=1).mean()), 12)
