"""The small face behind which FAISS works, and what an index says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Rows = NDArray[np.int64]
Selected = NDArray[np.bool_]
"""Which rows of an index may be proposed, shape (rows,)."""


class Index(Protocol):
    """Proposes neighbours. Scores are made elsewhere, exactly (``assay.indexes.exact``), so none come back."""

    @property
    def exact(self) -> bool:
        """Whether the proposal is exact search up to float32 rounding."""

    @property
    def size(self) -> int:
        """Number of vectors."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of this build: one line each, with numbers."""

    @property
    def selects(self) -> bool:
        """Whether ``propose`` can search among selected rows alone."""

    @property
    def widest(self) -> int:
        """The effort beyond which ``propose`` looks at nothing more; 1 where it looks at every row anyway."""

    def propose(self, queries: Vectors, k: int, selected: Selected | None = None, effort: int = 1) -> list[Rows]:
        """Rows of about the ``k`` nearest vectors of each query, nearest first as far as the index knows; fewer where
        it finds fewer, more where exact scores are to choose among candidates. Never a row that is not there.

        ``selected`` leaves the other rows out, where the index ``selects``. ``effort`` multiplies what it is set to look at:
        cells, or candidates of a graph.
        """

    def nbytes(self) -> int:
        """Bytes of the index when written out."""


@dataclass(frozen=True, slots=True)
class Built:
    """An index, how long its build took, and its warnings."""

    index: Index
    build_seconds: float


def library() -> Any:
    """FAISS, imported when first needed; its type stubs lack much of what it has."""
    import faiss

    return faiss


def clean(rows: NDArray[np.int64]) -> list[Rows]:
    """FAISS's result matrix without its -1 fillers, one array a query."""
    return [row[row >= 0] for row in rows]
