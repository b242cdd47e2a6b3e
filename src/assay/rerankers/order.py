"""Which hits go to the reranker, and the order after it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.chunks import ChunkSet
from assay.errors import StageError
from assay.indexes.base import Rows
from assay.ranking import Hits, shortest_decimals


def handed(hits: Hits, chunks: ChunkSet, depth: int, which: Literal["best", "all"]) -> Rows:
    """Positions in ``hits`` of the first ``depth`` hits, or of the best hits of the first ``depth`` documents."""
    positions = np.arange(len(hits))
    if which == "best":
        positions = np.sort(np.unique(chunks.document[hits.rows], return_index=True)[1])
    return positions[:depth]


def merged(hits: Hits, positions: Rows, scores: NDArray[np.float32]) -> Hits:
    """The hits at ``positions`` by their new scores, as stage 1, above all others, which stay as they are.

    Equal scores stand in the order of rows, that is of ids.

    Raises
    ------
    StageError
        There is not one finite score for each.
    """
    if scores.shape != positions.shape:
        raise StageError(f"reranker: gave scores of shape {scores.shape} for {len(positions)} hits; one each is needed")
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        raise StageError(
            f"reranker: the score of hit {bad[0] + 1} of {len(scores)} is {scores[bad[0]]} ({len(bad)} such in all); "
            "the model is damaged or overflows, or a vector isn't finite"
        )
    exact, rows = shortest_decimals(scores), hits.rows[positions]
    order = np.lexsort((rows, -exact))
    tail = np.ones(len(hits), np.bool_)
    tail[positions] = False
    return Hits(
        np.concatenate([rows[order], hits.rows[tail]]),
        np.concatenate([exact[order], hits.scores[tail]]),
        np.concatenate([np.ones(len(rows), np.int64), hits.stages[tail]]),
    )
