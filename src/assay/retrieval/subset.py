"""The rows of an index that one mask over documents lets through."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.indexes.base import Rows, Selected, Vectors

FEW = 10


class Subset:
    """``mask`` as rows of ``vectors``, whose documents are ``owner``."""

    def __init__(self, mask: NDArray[np.bool_], owner: NDArray[np.int64], vectors: Vectors) -> None:
        self.mask = mask
        self.selected: Selected = mask[owner]
        self.rows: Rows = np.flatnonzero(self.selected)
        self.documents = len(np.unique(owner[self.rows]))
        self.few = len(self.rows) * FEW <= len(owner)
        self._vectors = vectors

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def vectors(self) -> Vectors:
        """A copy of the rows' vectors, which is small where they are ``few``."""
        return self._vectors[self.rows]
