"""Which of many texts are nearly equal: MinHash to find candidates, exact Jaccard to judge them.

A text is the set of its runs of five words. Sixty hash functions keep the smallest code of each set; two sets
agree on one with a probability equal to their Jaccard similarity (Broder 1997). Twenty bands of three such
codes make candidates (Leskovec, Rajaraman and Ullman 2020, chapter 3): of pairs with a similarity of 0.8 or
more, less than one in a million is no candidate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.golden.lint.wording import Numbers, mixed, run_codes

RUN = 5
SIMILAR = 0.8
BANDS, ROWS = 20, 3
LARGEST_BUCKET = 50  # above it, members are held against the first only: a bucket of thousands is one family

_STEP = 1 << 14
_SEEDS = mixed(np.arange(1, BANDS * ROWS + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)

Codes = NDArray[np.uint64]


def near_pairs(rows: Sequence[Numbers]) -> list[tuple[int, int, float]]:
    """(i, j, similarity) of rows of words with a Jaccard similarity of 0.8 or more, i < j, rising.

    Rows of fewer than five words are in no pair.
    """
    sets = [np.unique(run_codes(row, RUN)) for row in rows]
    kept = [i for i, codes in enumerate(sets) if len(codes)]
    if len(kept) < 2:
        return []
    signatures = np.stack([_signature(sets[i]) for i in kept])
    found: dict[tuple[int, int], float] = {}
    for band in range(BANDS):
        for first, second in _candidates(signatures[:, band * ROWS : (band + 1) * ROWS]):
            pair = kept[first], kept[second]
            if pair not in found:
                found[pair] = jaccard(sets[pair[0]], sets[pair[1]])
    return sorted((i, j, similarity) for (i, j), similarity in found.items() if similarity >= SIMILAR)


def jaccard(a: Codes, b: Codes) -> float:
    """Shared / all of two rising arrays without repeats; 0 for two empty ones."""
    shared = len(np.intersect1d(a, b, assume_unique=True))
    union = len(a) + len(b) - shared
    return shared / union if union else 0.0


def _signature(codes: Codes) -> Codes:
    """The smallest code under each of the hash functions."""
    least = np.full(len(_SEEDS), np.iinfo(np.uint64).max, np.uint64)
    for at in range(0, len(codes), _STEP):
        hashed = codes[at : at + _STEP, None] * _SEEDS
        np.minimum(least, (hashed ^ (hashed >> np.uint64(29))).min(axis=0), out=least)
    return least


def _candidates(band: Codes) -> list[tuple[int, int]]:
    """Pairs of rows that agree on a whole band."""
    _, bucket = np.unique(band, axis=0, return_inverse=True)
    order = np.argsort(np.ravel(bucket), kind="stable")
    _, starts = np.unique(np.ravel(bucket)[order], return_index=True)
    pairs = []
    for members in np.split(order, starts[1:]):
        if len(members) == 1:
            continue
        listed = members.tolist()
        firsts = listed if len(listed) <= LARGEST_BUCKET else listed[:1]
        pairs += [(i, j) for at, i in enumerate(firsts) for j in listed[at + 1 :]]
    return pairs
