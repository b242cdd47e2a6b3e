"""Maximal marginal relevance: what is near the query and unlike what stands above.

Carbonell and Goldstein (1998), "The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing
Summaries". Candidates are taken one by one, each time the one of the largest

    trade_off * cos(candidate, query) - (1 - trade_off) * max cos(candidate, taken before)

and that value is its score. Before anything is taken the maximum is -1, the least a cosine can be: nothing is as unlike
the first as nothing. So scores never rise from one to the next, and lie from -1 to 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.config.models import MmrReranker
from assay.embedders.base import Vectors, unit
from assay.indexes.base import Rows
from assay.rerankers.base import Candidates

STAGE_VERSION = 1


class Mmr:
    """The option ``mmr``, over the run's own vectors by their cosine, whatever the index's metric."""

    needs_vectors = True
    uses_embedder = True

    def __init__(self, config: MmrReranker) -> None:
        self.config = config

    @property
    def kind(self) -> str:
        return self.config.kind

    def check(self) -> None:
        """Nothing to find."""

    def identity(self) -> dict[str, Any]:
        return {"kind": self.kind, "version": STAGE_VERSION, "trade_off": self.config.trade_off}

    def promises_equal_bits(self) -> bool:
        return True

    def scores(self, candidates: Candidates) -> NDArray[np.float32]:
        assert candidates.vectors is not None
        assert candidates.query_vector is not None
        return marginal_values(
            unit(candidates.query_vector), unit(candidates.vectors), candidates.rows, self.config.trade_off
        )

    def notes(self) -> tuple[str, ...]:
        return ()


def marginal_values(query: Vectors, vectors: Vectors, rows: Rows, trade_off: float) -> NDArray[np.float32]:
    """The value of each candidate when it was taken, shape (candidates,); equal values are taken in the order of ``rows``.

    ``query`` and ``vectors`` are of unit length or zero. Values are compared as the float32 that they are returned as,
    so that sorting them gives back the order in which they were taken.
    """
    wide = vectors.astype(np.float64)
    relevance = _cosines(wide, query.astype(np.float64))
    nearest = np.full(len(wide), -1.0)
    taken = np.empty(len(wide), np.float32)
    left = np.lexsort((rows,))
    while len(left):
        values = np.asarray(trade_off * relevance[left] - (1 - trade_off) * nearest[left], np.float32)
        best = int(values.argmax())  # the first of equals
        chosen = left[best]
        taken[chosen] = values[best]
        left = np.delete(left, best)
        nearest[left] = np.maximum(nearest[left], _cosines(wide[left], wide[chosen]))
    return taken


def _cosines(many: NDArray[np.float64], one: NDArray[np.float64]) -> NDArray[np.float64]:
    """Row by row in a fixed order of summation; never beyond -1 and 1, where rounding would lead."""
    cosines: NDArray[np.float64] = np.clip((many * one).sum(axis=1), -1.0, 1.0)
    return cosines
