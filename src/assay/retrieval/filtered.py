"""One query under a filter: by the index among chosen rows (``pre``), or from what it gives unasked (``post``), and by exact
search over what is allowed where neither will do.

An index that may miss neighbours misses more under a selective filter. Of 20,000 clustered vectors of 384 dimensions, HNSW
with 128 candidates found of the true first 10: 1.00 where a random tenth was allowed, 0.88 of 3 %, 0.42 of 1 %, and of
100 slots it filled 0.82, 0.23 and 0.09; IVF with 32 of 256 cells found 1.00, 0.96 and 0.71. A tenth and less is therefore
searched exactly, which costs no more than a graph does there. So are the allowed chunks where all of them fit into the
depth, and those of a query whose slots the index left unfilled.

A filter that goes against the query (another region's documents) hurts at any share. That is what ``index_recall`` is for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.filters import Mode
from assay.indexes.base import Rows, Vectors
from assay.indexes.exact import Scores, exact_top, ordered, pair_scores, tolerance
from assay.retrieval.subset import Subset

if TYPE_CHECKING:
    from assay.retrieval.dense import DenseRetrieval

MOST_GROWTH = 32
Why = Literal["index", "nothing_allowed", "selective", "no_selector", "fell_back"]


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits, best first; ``served`` are rows as the index ordered them. ``why`` says who answered, or why exact search did."""

    rows: Rows
    scores: Scores
    served: Rows
    why: Why
    grown: bool


class FilteredQuery:
    """Searches for one query among the rows of ``subset``, ``depth`` chunks at first."""

    def __init__(self, dense: DenseRetrieval, query: Vectors, subset: Subset, mode: Mode, depth: int) -> None:
        self.dense = dense
        self.index = dense.index
        self.query = query
        self.subset = subset
        self.mode = mode
        self.most = MOST_GROWTH * depth
        self.grown = False
        self._fetch = 0
        self._effort = 1
        self._depth = depth

    def answer(self, documents: int, first: Rows | None = None) -> Answer:
        """The ``depth`` best chunks, and more until ``documents`` documents are among them or all that is allowed is seen.

        ``first`` is what the index proposed for this query already, as one search of a batch.
        """
        if not len(self.subset):
            return Answer(*_none(), np.empty(0, np.int64), "nothing_allowed", False)
        depth, wanted = self._depth, min(documents, self.subset.documents)
        while True:
            found = self._nearest(min(depth, len(self.subset)), first)
            enough = len(set(self.dense.owner[found.rows].tolist())) >= wanted
            if enough or depth >= len(self.subset):
                break
            depth *= 2
        for rows in (found.rows, found.served):
            if not self.subset.selected[rows].all():
                raise AssertionError("a hit does not satisfy the filter")
        return found

    def _nearest(self, k: int, first: Rows | None) -> Answer:
        if self.mode == "pre" and not self.index.exact:
            if self.subset.few or len(self.subset) <= self._depth:
                return self._exactly(k, "selective")
            if not self.index.selects:
                return self._exactly(k, "no_selector")
        latest, short = np.empty(0, np.int64), False

        def propose(n: int) -> Rows:
            nonlocal latest, short
            n = min(n, len(self.subset))
            latest = self._proposed(n, first)
            short = len(latest) < n
            return latest

        if self.index.exact:
            slack = tolerance(self.query, self.dense.largest_norm, self.dense.metric)
            rows, scores = exact_top(self.query, self.dense.vectors, self.dense.metric, k, propose, slack)
        else:
            rows = propose(k)
            rows, scores = ordered(rows, pair_scores(self.query, self.dense.vectors[rows], self.dense.metric))
        if short:
            return self._exactly(k, "fell_back")
        return Answer(rows[:k], scores[:k], latest, "index", self.grown)

    def _exactly(self, k: int, why: Why) -> Answer:
        rows, scores = self.dense.exact_rows(self.query, k, self.subset.mask)
        return Answer(rows, scores, rows, why, self.grown)

    def _proposed(self, n: int, first: Rows | None) -> Rows:
        """At least ``n`` allowed rows, nearest first as far as the index knows, or all that it comes to."""
        if self.mode == "pre":
            enough = first is not None and len(first) >= n
            return (
                first
                if first is not None and enough
                else self.index.propose(self.query[None], n, self.subset.selected)[0]
            )
        self._fetch = max(self._fetch, n)
        proposed = first if first is not None and self._fetch <= len(first) else self._unasked()
        while True:
            allowed = proposed[self.subset.selected[proposed]]
            if len(allowed) >= n or not self._grow(len(proposed)):
                return allowed
            self.grown = True
            proposed = self._unasked()

    def _unasked(self) -> Rows:
        return self.index.propose(self.query[None], self._fetch, None, self._effort)[0]

    def _grow(self, came: int) -> bool:
        """Fetch twice as much, or where that would bring no more, look twice as widely; whether there was room for either."""
        bound = min(self.index.size, self.most)
        if self._fetch < bound and came >= self._fetch:
            self._fetch = min(2 * self._fetch, bound)
        elif self._effort < min(self.index.widest, MOST_GROWTH):
            self._effort = min(2 * self._effort, self.index.widest, MOST_GROWTH)
        else:
            return False
        return True


def _none() -> tuple[Rows, Scores]:
    return np.empty(0, np.int64), np.empty(0, np.float32)
