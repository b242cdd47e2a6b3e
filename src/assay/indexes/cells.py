"""The k-means cells of the kinds with inverted lists: how many, how many are searched, and what trains them.

The rules for ``auto`` follow FAISS's guidelines: about 4 sqrt(n) cells with at least 39 training points each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.config.models import FastScanIndex, IvfIndex, IvfPqIndex, RabitqIndex
from assay.errors import StageError
from assay.indexes.base import Vectors, library

ADVISED_POINTS = 39
MOST_POINTS = 256


@dataclass(frozen=True, slots=True)
class Cells:
    """How many cells, how many of them are searched, how many vectors train, and what a user should know of it."""

    nlist: int
    nprobe: int
    training: int
    notes: tuple[str, ...]

    def settle(self, index: Any, seed: int) -> None:
        """Set k-means and ``nprobe`` of a FAISS index with inverted lists."""
        index.cp.seed = seed
        index.cp.min_points_per_centroid = 1  # FAISS would print what the notes say
        index.cp.max_points_per_centroid = max(1, math.ceil(self.training / self.nlist))
        index.nprobe = self.nprobe

    def search(self, index: Any) -> Any:
        """Set ``nprobe`` of a built index; the part of it that has the cells."""
        faiss = library()

        part = index
        for inner in ("index", "base_index"):  # behind a rotation, below a refinement
            if isinstance(found := getattr(part, inner, None), faiss.Index):
                part = faiss.downcast_index(found)
        part.nprobe = self.nprobe
        return part


def plan_cells(config: IvfIndex | IvfPqIndex | FastScanIndex | RabitqIndex, n: int, centroids: int = 0) -> Cells:
    """The cells that ``config`` asks for over ``n`` vectors; ``centroids`` of a codebook are trained on the same sample.

    Raises
    ------
    StageError
        What was set by hand can't be.
    """
    nlist = config.nlist if config.nlist != "auto" else auto_nlist(n)
    if nlist > n:
        raise StageError(
            f"index.nlist: {nlist} cells need at least as many chunks, there are {n}; give at most {n}, or auto"
        )
    train = config.train_size if config.train_size != "auto" else min(n, MOST_POINTS * max(nlist, centroids))
    if train < nlist:
        raise StageError(f"index.train_size: {train} vectors can't train {nlist} cells; give at least {nlist}, or auto")
    nprobe = config.nprobe if config.nprobe != "auto" else auto_nprobe(nlist)
    if nprobe > nlist:
        raise StageError(f"index.nprobe: {nprobe} of {nlist} cells; give at most {nlist}, or auto")
    used = min(train, n)
    return Cells(nlist, nprobe, used, cell_notes(config.kind, n, nlist, nprobe, used))


def cell_notes(kind: str, n: int, nlist: int, nprobe: int, used: int) -> tuple[str, ...]:
    """What a user should know of these numbers."""
    notes = []
    if used < ADVISED_POINTS * nlist and nlist > 1:
        enough = max(1, used // ADVISED_POINTS)
        right = f"IVF{enough} in index.spec" if kind == "factory" else f"index.nlist={enough}"
        notes.append(
            f"index={kind}: {used} training vectors for {nlist} cells, {ADVISED_POINTS * nlist} are advised; "
            f"{right} would have enough"
        )
    if nprobe == 1 and nlist > 1:
        right = "nprobe in index.search" if kind == "factory" else "index.nprobe"
        notes.append(f"index={kind}: searches 1 of {nlist} cells; neighbours in other cells are lost, raise {right}")
    if nlist == 1:
        same = "results are flat's" if kind == "ivf" else "no cell is ever left out"
        notes.append(f"index={kind}: {n} chunks make 1 cell, which every search goes through: {same}")
    return tuple(notes)


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
