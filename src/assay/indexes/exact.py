"""Scores that do not depend on batch size, thread count or library, and exact search with them.

FAISS proposes; the score of a pair is computed here from the stored vectors, in float64 with a fixed order of
summation, then cast to float32. Higher is better everywhere: for ``l2`` it is minus the squared distance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.indexes.base import Rows, Vectors

Metric = Literal["cosine", "ip", "l2"]
Scores = NDArray[np.float32]

# FAISS and BLAS round differently from the sums here. For vectors of ordinary length the two are within a few
# 1e-6 of each other relative to the size of the vectors; candidates this close to the boundary are looked at again.
ROUNDING = 1e-5
_CELLS = 1 << 17  # float64 numbers worked on at a time: what a core's cache holds


def pair_scores(query: Vectors, vectors: Vectors, metric: Metric) -> Scores:
    """Scores of one query against rows of ``vectors``, shape (rows,), float32; or of several, each against its own rows.

    ``cosine`` expects vectors of unit length on both sides. ``query`` of shape (queries, dimensions) and ``vectors`` of
    shape (queries, rows, dimensions) give (queries, rows), each score the same bits as by itself.
    """
    wide = vectors.astype(np.float64)
    own = query.astype(np.float64)[..., None, :]
    if metric == "l2":
        wide -= own
        return np.asarray(-np.square(wide, out=wide).sum(axis=-1), dtype=np.float32)
    wide *= own
    return np.asarray(wide.sum(axis=-1), dtype=np.float32)


def rough_scores(query: Vectors, vectors: Vectors, metric: Metric) -> Scores:
    """``pair_scores`` up to rounding, by one product of matrices."""
    rough = vectors @ query
    if metric == "l2":
        rough = 2 * rough - (vectors * vectors).sum(axis=1) - (query * query).sum()
    return np.asarray(rough, dtype=np.float32)


def exact_best(
    query: Vectors, vectors: Vectors, metric: Metric, k: int, rows: Rows, rough: Scores, slack: float
) -> tuple[Rows, Scores]:
    """The ``k`` best of ``rows`` by ``pair_scores``, ties by row, given their ``rough_scores``."""
    k = min(k, len(rows))
    if k == 0:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    # Whatever rounding may have put below the k-th is summed exactly too.
    boundary = -np.partition(-rough, k - 1)[k - 1]
    near = rows[rough >= boundary - 2 * slack]
    best, scores = ordered(near, pair_scores(query, vectors[near], metric))
    return best[:k], scores[:k]


def ordered(rows: Rows, scores: Scores) -> tuple[Rows, Scores]:
    """Hits in the one order: score descending, row (that is, id) ascending; along the last axis."""
    order = np.lexsort((rows, -scores))
    return np.take_along_axis(rows, order, -1), np.take_along_axis(scores, order, -1)


def scored(queries: Vectors, vectors: Vectors, proposed: Sequence[Rows], metric: Metric) -> list[tuple[Rows, Scores]]:
    """The rows proposed for each query with their ``pair_scores``, ``ordered``.

    Queries for which as many rows were proposed are computed a few at a time: the same bits, in less time.
    """
    found: list[tuple[Rows, Scores]] = [(np.empty(0, np.int64), np.empty(0, np.float32))] * len(proposed)
    counts = np.array([len(rows) for rows in proposed], np.int64)
    for count in sorted(set(counts.tolist()) - {0}):
        places = np.flatnonzero(counts == count)
        size = max(1, _CELLS // (count * vectors.shape[1]))
        for at in range(0, len(places), size):
            some = places[at : at + size]
            rows = np.stack([proposed[i] for i in some])
            rows, scores = ordered(rows, pair_scores(queries[some], vectors[rows], metric))
            for i, own, own_scores in zip(some.tolist(), rows, scores, strict=True):
                found[i] = (own, own_scores)
    return found


def tolerance(query: Vectors, vectors_norm: float, metric: Metric) -> float:
    """How far a FAISS score may lie from ``pair_scores`` for this query."""
    length = float(np.sqrt((query.astype(np.float64) ** 2).sum()))
    scale = (length + vectors_norm) ** 2 if metric == "l2" else length * vectors_norm
    return ROUNDING * max(scale, 1e-30)


def largest_norm(vectors: Vectors) -> float:
    """Largest length of a row, 0 for no rows."""
    largest = 0.0
    for at in range(0, len(vectors), 65536):
        part = vectors[at : at + 65536].astype(np.float64)
        largest = max(largest, float(np.sqrt((part * part).sum(axis=1)).max()))
    return largest


def exact_top(
    query: Vectors, vectors: Vectors, metric: Metric, k: int, propose: Callable[[int], Rows], slack: float
) -> tuple[Rows, Scores]:
    """The ``k`` best rows by ``pair_scores``, ties by row, from an exact index's proposals.

    ``propose(n)`` gives the n nearest rows up to rounding. More are asked for while the last proposal is so close
    to the k-th score that a row beyond it could belong inside.
    """
    fetch = k + max(16, k // 8)
    while True:
        rows = propose(min(fetch, len(vectors)))
        scores = pair_scores(query, vectors[rows], metric)
        best_rows, best_scores = ordered(rows, scores)
        done = len(rows) >= len(vectors) or len(rows) < min(fetch, len(vectors))
        if done or float(scores.min()) < float(best_scores[k - 1]) - 2 * slack:
            return best_rows[:k], best_scores[:k]
        fetch *= 2


def exact_ranks(
    query: Vectors,
    vectors: Vectors,
    metric: Metric,
    owner: NDArray[np.int64],
    targets: NDArray[np.int64],
    slack: float,
    mask: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """1-based ranks of the documents ``targets`` in the full exact ranking of all documents, or of those that ``mask`` marks.

    ``owner[i]`` is the document of row i, ascending; a document counts by its best row, ties by document. A target
    without rows, or not marked, has rank 0. Rough scores decide what is clearly above or below; only what is close is
    summed exactly.
    """
    if len(vectors) == 0:
        return np.zeros(len(targets), np.int64)
    rough = rough_scores(query, vectors, metric)
    firsts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    documents = owner[firsts]
    best = np.maximum.reduceat(rough, firsts)
    if mask is not None:
        best = np.where(mask[documents], best, -np.inf)
    ends = np.r_[firsts[1:], len(owner)]
    ranks = np.zeros(len(targets), np.int64)
    exact_best: dict[int, np.float32] = {}

    def exactly(place: int) -> np.float32:
        if place not in exact_best:
            exact_best[place] = pair_scores(query, vectors[firsts[place] : ends[place]], metric).max()
        return exact_best[place]

    for t, target in enumerate(targets):
        place = int(np.searchsorted(documents, target))
        if place == len(documents) or documents[place] != target or best[place] == -np.inf:
            continue
        own = exactly(place)
        clearly_above = best > own + 2 * slack
        above = int(clearly_above.sum())
        for near in np.flatnonzero(~clearly_above & (best >= own - 2 * slack)):
            score = exactly(int(near))
            above += bool(near != place and (score > own or (score == own and near < place)))
        ranks[t] = above + 1
    return ranks
