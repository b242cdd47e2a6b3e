"""The paired randomisation test: had the two runs been equal, each query's scores might as well be exchanged.

Exchanging them turns the sign of that query's difference. The p-value is the share of all patterns of signs whose
mean is as far from 0 as the one seen (Fisher 1935; Cohen 1995; Smucker, Allan and Carterette 2007). It asks nothing of
the distribution of scores. Queries on which both score the same have no say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.evaluation.resampling import SEED, Matrix

PERMUTATIONS = 20_000  # the fewest that are drawn; where all patterns are fewer, all are looked at
ALPHA = 0.05

Side = Literal["two-sided", "greater"]
How = Literal["exact", "sampled", "bound"]

_MOST = 200_000  # drawn patterns; a family that would need more takes a bound for what these can't show
_SETTLED = 100  # as many drawn patterns as extreme: the p-value is too large to be called in a family that needs more
_SAME = 1e-9  # sums this close are one sum that was added up in different orders
_EQUAL = 1e-12  # scores this close are one score that was rounded on different ways
_BITS = 1 << 20  # signs held at a time
_CELLS = 1 << 22  # sums held at a time


@dataclass(frozen=True, slots=True)
class Chance:
    """The p-value of one comparison, how it was found, and over how many patterns of signs.

    ``exact``: over all 2^n patterns of n differences that are not 0. ``sampled``: (b + 1) / (m + 1) over m drawn
    patterns, b of them as extreme (Phipson and Smyth 2010). ``bound``: too small for the drawn ones to show; an upper
    bound of the exact one (Hoeffding 1963).
    """

    p: float
    how: How
    patterns: int


def permutations_for(family: int) -> int:
    """How many patterns are drawn, so that the smallest p-value can survive Holm's correction over ``family``.

    At least 20,000, and 20 times as many as the smallest that could.
    """
    return min(max(PERMUTATIONS, math.ceil(20 * family / ALPHA)), _MOST)


def sign_flip_tests(
    differences: Matrix, *, seed: int = SEED, family: int | None = None, side: Side = "two-sided"
) -> list[Chance | None]:
    """The p-value of each column of paired ``differences`` (queries x columns).

    All columns see the same drawn patterns, from a generator that starts from ``seed``: equal calls give equal
    p-values. In a family that needs more than 20,000 patterns, those are drawn only for columns whose p-value could
    still be called.

    Parameters
    ----------
    differences
        NaN where a query has no value in one of the two; a column without any value gives None.
    family
        How many comparisons the results are corrected for; by default the number of columns.
    side
        ``two-sided``, or ``greater``: small where the mean is above 0.
    """
    values = np.where(np.isnan(differences) | (np.abs(differences) <= _EQUAL), 0.0, differences)
    changed = np.count_nonzero(values, axis=0)
    found: list[Chance | None] = [None] * differences.shape[1]
    drawn_for: list[int] = []
    wanted = max(PERMUTATIONS, math.ceil(20 * (family or len(found)) / ALPHA))
    for place in range(len(found)):
        if np.isnan(differences[:, place]).all():
            continue
        column = values[:, place]
        if 2 ** int(changed[place]) < PERMUTATIONS:
            found[place] = exact_chance(column[column != 0.0], side)
        elif wanted > _MOST and (bound := _bound(column, side)) < 1 / (_MOST + 1):
            found[place] = Chance(bound, "bound", 0)
        else:
            drawn_for.append(place)
    if drawn_for:
        sampled = _sampled(values[:, drawn_for], seed, min(wanted, _MOST), side)
        for place, chance in zip(drawn_for, sampled, strict=True):
            found[place] = chance
    return found


def exact_chance(differences: Matrix, side: Side = "two-sided") -> Chance:
    """The p-value over all patterns of signs of ``differences``, none of which is 0."""
    sums = np.zeros(1)
    for one in differences.tolist():
        sums = np.concatenate([sums + one, sums - one])
    seen = math.fsum(differences)
    extreme = int(np.count_nonzero(_as_extreme(sums, seen, side)))
    return Chance(extreme / len(sums), "exact", len(sums))


def _as_extreme(sums: Matrix, seen: float | Matrix, side: Side) -> np.ndarray:
    if side == "greater":
        return np.asarray(sums >= seen - _SAME)
    return np.asarray(np.abs(sums) >= np.abs(seen) - _SAME)


def _sampled(values: Matrix, seed: int, patterns: int, side: Side) -> list[Chance]:
    seen = values.sum(axis=0)
    extreme = np.zeros(values.shape[1], dtype=np.int64)
    drawn = np.zeros(values.shape[1], dtype=np.int64)
    open_ = np.arange(values.shape[1])
    done = 0
    for signs in _patterns(len(values), seed, patterns):
        if done == PERMUTATIONS:
            open_ = open_[extreme[open_] < _SETTLED]
        done += len(signs)
        step = max(1, _CELLS // len(signs))
        for start in range(0, len(open_), step):
            places = open_[start : start + step]
            sums = signs @ values[:, places]
            extreme[places] += np.count_nonzero(_as_extreme(sums, seen[places], side), axis=0)
        drawn[open_] += len(signs)
        if not len(open_):
            break
    return [Chance((b + 1) / (m + 1), "sampled", m) for b, m in zip(extreme.tolist(), drawn.tolist(), strict=True)]


def _patterns(queries: int, seed: int, count: int) -> Iterator[Matrix]:
    """``count`` patterns of +1 and -1 (patterns x queries), a block at a time, one block ending at PERMUTATIONS."""
    rng = np.random.default_rng(seed)
    rows = max(1, min(4096, _BITS // queries))
    width = (queries + 7) // 8
    done = 0
    while done < count:
        end = PERMUTATIONS if done < PERMUTATIONS else count
        size = min(rows, end - done)
        packed = np.frombuffer(rng.bytes(size * width), dtype=np.uint8).reshape(size, width)
        signs: Matrix = 1.0 - 2.0 * np.unpackbits(packed, axis=1, count=queries).astype(np.float64)
        yield signs
        done += size


def _bound(differences: Matrix, side: Side) -> float:
    """An upper bound of the exact p-value: Hoeffding's inequality for a sum of signed differences."""
    seen = float(differences.sum())
    if side == "greater" and seen <= 0:
        return 1.0
    tail = math.exp(-(seen**2) / (2.0 * float((differences**2).sum())))
    return min(1.0, tail if side == "greater" else 2.0 * tail)
