"""What a reranker says of a pair of query and text, whatever else is scored: a row that can be kept and used again.

A row is (score, whether the model cut the text, whether it cut the query, the tokens it reads or 0 where that is not told).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from assay.rerankers.base import Reranker

PairRows = NDArray[np.float32]
"""A row a pair, shape (pairs, 4)."""


@runtime_checkable
class Pairwise(Reranker, Protocol):
    """A reranker whose score of a pair depends on nothing but the pair."""

    def pair_rows(self, query: str, texts: Sequence[str]) -> PairRows:
        """A row for the query with each of ``texts``."""

    def count(self, rows: PairRows) -> None:
        """Count the rows of one query, computed now or before, towards ``notes``."""


def pair_rows(count: int, texts_cut: NDArray[np.bool_] | bool, query_cut: bool, limit: int | None) -> PairRows:
    """``count`` rows whose scores are still to be filled in."""
    rows = np.zeros((count, 4), np.float32)
    rows[:, 1], rows[:, 2], rows[:, 3] = texts_cut, query_cut, limit or 0
    return rows


@dataclass(slots=True)
class Cuts:
    """How many pairs were scored, how many texts and queries the model cut, and how many tokens it reads."""

    pairs: int = 0
    texts: int = 0
    queries: int = 0
    limit: int = 0

    def add(self, rows: PairRows) -> None:
        """Count the pairs of one query."""
        if len(rows):
            self.pairs += len(rows)
            self.texts += int(rows[:, 1].sum())
            self.queries += bool(rows[0, 2])
            self.limit = int(rows[0, 3])
