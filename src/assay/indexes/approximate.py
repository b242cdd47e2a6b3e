"""What all approximate kinds have in common: one query at a time on one thread, so that results have equal bits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from assay.indexes.base import Rows, Selected, Vectors, clean, library
from assay.indexes.flat import serialized_bytes
from assay.indexes.parameters import heeds_selector, search_parameters, selector_of, widest_effort


class TooFew(Exception):
    """Settings left to ``auto`` find no way to build this kind from so few vectors; the text says what is short."""


class Approximate:
    """An index that may miss neighbours, over a built FAISS index.

    Parameters
    ----------
    built
        The FAISS index, trained and filled, its search parameters set.
    notes
        What a user should know of the build.
    k_factor
        Candidates proposed for each hit wanted: exact scores choose among them afterwards.
    owned
        FAISS objects that ``built`` points to and doesn't own.
    """

    exact = False

    def __init__(self, built: Any, notes: tuple[str, ...] = (), k_factor: int = 1, owned: tuple[Any, ...] = ()) -> None:
        self._faiss = built
        self.notes = notes
        self.k_factor = k_factor
        self._owned = owned

    @property
    def size(self) -> int:
        return int(self._faiss.ntotal)

    @cached_property
    def selects(self) -> bool:
        with on_threads(1):
            return heeds_selector(self._faiss)

    @property
    def widest(self) -> int:
        return widest_effort(self._faiss)

    def propose(self, queries: Vectors, k: int, selected: Selected | None = None, effort: int = 1) -> list[Rows]:
        fetch = min(k * self.k_factor, self.size if selected is None else int(selected.sum()))
        if fetch == 0:
            return [np.empty(0, np.int64)] * len(queries)
        selector = None if selected is None else selector_of(selected)
        parameters = self._parameters(fetch, selector, effort)
        with on_threads(1):
            return [clean(self._faiss.search(query[None], fetch, params=parameters)[1])[0] for query in queries]

    def _parameters(self, k: int, selector: Any, effort: int) -> Any:
        """FAISS's parameters of a search; None for what the index is set to."""
        if selector is None and effort == 1:
            return None
        return search_parameters(self._faiss, k, selector, effort)

    def nbytes(self) -> int:
        return serialized_bytes(self._faiss)


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """FAISS computes on ``count`` threads inside, and on as many as before afterwards."""
    faiss = library()

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(count)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def rotation(dim: int, out: int, seed: int) -> Any:
    """A random orthogonal transform from ``dim`` to ``out`` dimensions, drawn by ``seed`` on one thread."""
    faiss = library()

    made = faiss.RandomRotationMatrix(dim, out)
    with on_threads(1):  # on two, the last bits of its QR decomposition differ
        made.init(seed)
    return made
