"""Queries drawn with replacement, all columns of a table with the same draws.

A column is whatever has one value a query: a run's scores, or the differences of a pair of runs. Since every column
sees the same queries in every draw, what is paired stays paired, and a draw of all columns is one product of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

SEED = 42  # where nobody names a seed, so that equal calls give equal bits
DRAWS = 10_000

_CELLS = 1 << 20  # numbers held at a time


def resampled_means(columns: Matrix, seed: int, draws: int = DRAWS) -> Matrix:
    """The means of ``columns`` (queries x columns) in ``draws`` resamples of the queries: (draws x columns).

    Equal seeds and equal numbers of queries draw the same queries.
    """
    queries = len(columns)
    return np.vstack([counts @ columns / queries for counts in resamples(queries, seed, draws)])


def resamples(queries: int, seed: int, draws: int) -> Iterator[Matrix]:
    """How often each of ``queries`` stands in each of ``draws`` resamples, a block of draws at a time."""
    rng = np.random.default_rng(seed)
    rows = max(1, _CELLS // queries)
    for done in range(0, draws, rows):
        size = min(rows, draws - done)
        drawn = rng.integers(0, queries, size=(size, queries)) + np.arange(size)[:, None] * queries
        counts = np.bincount(drawn.ravel(), minlength=size * queries)
        yield counts.reshape(size, queries).astype(np.float64)


def by_presence(columns: Matrix) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Columns that have a value (no NaN) at the same queries: the places of the columns, and of these queries."""
    present = ~np.isnan(columns)
    groups: dict[bytes, list[int]] = {}
    for place in range(columns.shape[1]):
        groups.setdefault(present[:, place].tobytes(), []).append(place)
    for places in groups.values():
        yield np.array(places, dtype=np.int64), np.flatnonzero(present[:, places[0]])
