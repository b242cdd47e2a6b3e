"""Exact search by FAISS's flat index."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.indexes.base import Rows, Selected, Vectors, clean, library
from assay.indexes.exact import Metric
from assay.indexes.parameters import search_parameters, selector_of


class FlatIndex:
    """The option ``flat``."""

    exact = True
    notes: tuple[str, ...] = ()
    selects = True
    widest = 1

    def __init__(self, vectors: Vectors, metric: Metric) -> None:
        faiss = library()

        self._faiss = faiss.IndexFlat(vectors.shape[1], faiss_metric(metric))
        if len(vectors):
            self._faiss.add(vectors)

    @property
    def size(self) -> int:
        return int(self._faiss.ntotal)

    def propose(self, queries: Vectors, k: int, selected: Selected | None = None, effort: int = 1) -> list[Rows]:
        k = min(k, self.size if selected is None else int(selected.sum()))
        if k == 0:
            return [np.empty(0, np.int64)] * len(queries)
        selector = None if selected is None else selector_of(selected)
        parameters = None if selector is None else search_parameters(self._faiss, k, selector)
        return clean(self._faiss.search(np.ascontiguousarray(queries), k, params=parameters)[1])

    def nbytes(self) -> int:
        return serialized_bytes(self._faiss)


def faiss_metric(metric: Metric) -> int:
    """FAISS's number for a metric; it must be given always, since FAISS's default is l2."""
    faiss = library()

    return int(faiss.METRIC_L2 if metric == "l2" else faiss.METRIC_INNER_PRODUCT)


def serialized_bytes(index: Any) -> int:
    """Bytes that FAISS would write for ``index``."""
    faiss = library()

    return int(faiss.serialize_index(index).nbytes)
