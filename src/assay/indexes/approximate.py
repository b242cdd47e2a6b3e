"""What all approximate kinds have in common: one query at a time on one thread, so that results have equal bits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from assay.indexes.base import Rows, Vectors, clean, library
from assay.indexes.flat import serialized_bytes


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

    def propose(self, queries: Vectors, k: int) -> list[Rows]:
        fetch = min(k * self.k_factor, self.size)
        with on_threads(1):
            return [clean(self._search(query[None], fetch))[0] for query in queries]

    def _search(self, query: Vectors, k: int) -> Rows:
        rows: Rows = self._faiss.search(query, k)[1]
        return rows

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
