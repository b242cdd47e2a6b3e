"""From hits to the one ranking that every metric, file and report reads.

Order is (stage descending, score descending, id ascending). A reranked hit stands above every hit that was not
reranked, and scores of different stages are never compared. Chunks go to documents by their best chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.chunks import ChunkSet
from assay.records import Passage, RankedDocument, Ranking

_POWERS = np.array([float(f"1e{exponent}") for exponent in range(23)])  # all exact


@dataclass(frozen=True, slots=True)
class Hits:
    """Chunks that one query got, best first: rows of the chunk set, scores, and the stage that scored each."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    stages: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def keep(self, mask: NDArray[np.bool_]) -> Hits:
        """The hits that ``mask`` marks, in the same order."""
        return Hits(self.rows[mask], self.scores[mask], self.stages[mask])


def first_stage_hits(rows: NDArray[np.int64], scores: NDArray[np.float32]) -> Hits:
    """Hits of the first stage in order. Rows are in order of ids, so ties go by row."""
    exact = shortest_decimals(scores)
    order = np.lexsort((rows, -exact))
    return Hits(rows[order], exact[order], np.zeros(len(rows), np.int64))


def hits_in_order(found: Sequence[tuple[NDArray[np.int64], NDArray[np.float32]]]) -> list[Hits]:
    """``first_stage_hits`` of many queries, whose rows and scores are in order already."""
    if not found:
        return []
    exact = shortest_decimals(np.concatenate([scores for _, scores in found]))
    parts = np.split(exact, np.cumsum([len(rows) for rows, _ in found])[:-1])
    return [Hits(rows, part, np.zeros(len(rows), np.int64)) for (rows, _), part in zip(found, parts, strict=True)]


def shortest_decimals(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    """Each float32 as the shortest decimal that reads back to it: the value that files show and thresholds meet.

    Any shape. Of several decimals of that length, the nearest.
    """
    wide = scores.astype(np.float64)
    size = np.abs(wide)
    # Here no decimal of nine digits lies halfway between two float32, and a quotient by a power of ten is the nearest
    # float64 to the decimal, as reading it would give. Zero stays as it is.
    ordinary = (size >= 1e-10) & (size < 2.0**14)
    found = wide.copy()
    left = np.flatnonzero(ordinary)
    exponent = np.floor(np.log10(size.flat[left])).astype(np.int64)
    for digits in range(6, 10):
        power = _POWERS[digits - 1 - exponent]
        near = np.rint(wide.flat[left] * power) / power
        same = near.astype(np.float32) == scores.flat[left]
        found.flat[left[same]] = near[same]
        left, exponent = left[~same], exponent[~same]
    rest = np.flatnonzero(~ordinary & (size > 0))
    found.flat[rest] = scores.flat[rest].astype(np.str_).astype(np.float64)
    return found


def above(hits: Hits, min_score: float | None, final_stage: int) -> Hits:
    """What ``min_score`` leaves: final-stage hits at or above it; all hits where it is None."""
    if min_score is None:
        return hits
    return hits.keep((hits.stages == final_stage) & (hits.scores >= min_score))


def to_passages(hits: Hits, chunks: ChunkSet) -> Hits:
    """``hits`` on ``chunks`` as hits on ``chunks.passages``: each parent once, where and as its best chunk stood."""
    if chunks.parent is None:
        return hits
    rows = chunks.parent[hits.rows]
    first = np.sort(np.unique(rows, return_index=True)[1])
    return Hits(rows[first], hits.scores[first], hits.stages[first])


def without_document(hits: Hits, chunks: ChunkSet, doc_id: str) -> Hits:
    """``hits`` less those of one document."""
    return hits.keep(np.array([chunks.documents[chunks.document[row]].id != doc_id for row in hits.rows], np.bool_))


def top_score(hits: Hits, final_stage: int) -> float | None:
    """The best score of the final stage, None where it scored nothing."""
    final = hits.scores[hits.stages == final_stage]
    return float(final.max()) if len(final) else None


def document_order(hits: Hits, chunks: ChunkSet) -> list[int]:
    """Documents (their places in ``chunks.documents``) by best hit, each once."""
    return list(dict.fromkeys(chunks.document[hits.rows].tolist()))


def rank(query_id: str, hits: Hits, chunks: ChunkSet, best: float | None) -> Ranking:
    """The ranking of documents that ``hits`` make; a document's passages are its hits of its best stage."""
    passages: dict[int, list[Passage]] = {}
    stages: dict[int, int] = {}
    owners = chunks.document[hits.rows].tolist()
    starts, ends = chunks.start[hits.rows].tolist(), chunks.end[hits.rows].tolist()
    for owner, start, end, score, stage in zip(
        owners, starts, ends, hits.scores.tolist(), hits.stages.tolist(), strict=True
    ):
        if stages.setdefault(owner, stage) == stage:
            passages.setdefault(owner, []).append(Passage(start, end, score))
    documents = tuple(
        RankedDocument(chunks.documents[owner].id, found[0].score, stages[owner], tuple(found))
        for owner, found in passages.items()
    )
    return Ranking(query_id, documents, best)
