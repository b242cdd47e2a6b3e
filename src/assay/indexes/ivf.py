"""Inverted lists over k-means cells (FAISS ``IndexIVFFlat``).

Jégou, Douze and Schmid (2011), "Product Quantization for Nearest Neighbor Search", for the inverted file; the
rules for ``auto`` follow FAISS's guidelines: about 4 sqrt(n) cells with at least 39 training points each.
"""

from __future__ import annotations

import math

import numpy as np

from assay.config.models import IvfIndex as IvfConfig
from assay.errors import StageError
from assay.indexes.base import Rows, Vectors, clean, library
from assay.indexes.flat import faiss_metric, serialized_bytes

ADVISED_POINTS = 39


class IvfIndex:
    """The option ``ivf``; one query is searched at a time on one thread, so that results have equal bits."""

    exact = False

    def __init__(self, vectors: Vectors, config: IvfConfig, seed: int) -> None:
        faiss = library()

        n, dim = vectors.shape
        nlist = config.nlist if config.nlist != "auto" else auto_nlist(n)
        if nlist > n:
            raise StageError(
                f"index.nlist: {nlist} cells need at least as many chunks, there are {n}; give at most {n}, or auto"
            )
        train = config.train_size if config.train_size != "auto" else min(n, 256 * nlist)
        if train < nlist:
            raise StageError(
                f"index.train_size: {train} vectors can't train {nlist} cells; give at least {nlist}, or auto"
            )
        self.nlist = nlist
        self.nprobe = config.nprobe if config.nprobe != "auto" else auto_nprobe(nlist)
        if self.nprobe > nlist:
            raise StageError(f"index.nprobe: {self.nprobe} of {nlist} cells; give at most {nlist}, or auto")
        notes = []
        used = min(train, n)
        if used < ADVISED_POINTS * nlist and nlist > 1:
            notes.append(
                f"index=ivf: {used} training vectors for {nlist} cells, {ADVISED_POINTS * nlist} are advised; "
                f"index.nlist={max(1, used // ADVISED_POINTS)} would have enough"
            )
        if self.nprobe == 1 and nlist > 1:
            notes.append(
                f"index=ivf: searches 1 of {nlist} cells; neighbours in other cells are lost, raise index.nprobe"
            )
        if nlist == 1:
            notes.append(f"index=ivf: {n} chunks make 1 cell, which every search goes through: results are flat's")
        self.notes = tuple(notes)
        metric = faiss_metric(config.metric)
        # The quantizer must outlive the index that points to it.
        self._quantizer = faiss.IndexFlat(dim, metric)
        self._faiss = faiss.IndexIVFFlat(self._quantizer, dim, nlist, metric)
        self._faiss.cp.seed = seed
        self._faiss.cp.min_points_per_centroid = 1
        self._faiss.cp.max_points_per_centroid = max(1, math.ceil(used / nlist))
        before = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(config.build_threads)
        try:
            self._faiss.train(training_sample(vectors, used, seed))
            self._faiss.add(vectors)
        finally:
            faiss.omp_set_num_threads(before)
        self._parameters = faiss.SearchParametersIVF(nprobe=self.nprobe)

    @property
    def size(self) -> int:
        return int(self._faiss.ntotal)

    def propose(self, queries: Vectors, k: int) -> list[Rows]:
        faiss = library()

        before = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)
        try:
            return [
                clean(self._faiss.search(query[None], min(k, self.size), params=self._parameters)[1])[0]
                for query in queries
            ]
        finally:
            faiss.omp_set_num_threads(before)

    def nbytes(self) -> int:
        return serialized_bytes(self._faiss)


def auto_nlist(n: int) -> int:
    """Cells for ``n`` vectors: about 4 sqrt(n), but no more than leave 39 training points each, and at least 1."""
    return max(1, min(round(4 * math.sqrt(n)), n // ADVISED_POINTS))


def auto_nprobe(nlist: int) -> int:
    """Cells to search of ``nlist``: an eighth, at least 8 (or all)."""
    return min(nlist, max(8, nlist // 8))


def training_sample(vectors: Vectors, size: int, seed: int) -> Vectors:
    """``size`` rows of ``vectors`` drawn without replacement by ``seed``, in row order."""
    if size >= len(vectors):
        return vectors
    rows = np.sort(np.random.default_rng(seed).choice(len(vectors), size, replace=False))
    return np.ascontiguousarray(vectors[rows])
