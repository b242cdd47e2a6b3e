"""Hand the first hits of every query to the reranker, and put what it makes of them on top."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.config import models
from assay.embedders.base import Vectors
from assay.indexes.base import Rows
from assay.ranking import Hits, document_order
from assay.rerankers.base import Candidates, Reranker
from assay.rerankers.order import handed, merged
from assay.rerankers.pairs import Pairwise
from assay.store import Space, key_of, rows_of, space_of_stage
from assay.trip import Trip


@dataclass(frozen=True, slots=True)
class Reranked:
    """Per query its hits, and the documents handed to the reranker in the first stage's order; None without one.

    ``milliseconds`` has how long scoring took, for those queries of which nothing came from the store.
    """

    hits: list[Hits]
    handed: list[list[int]] | None
    milliseconds: list[float]


def rerank(trip: Trip, reranker: Reranker | None, hits: Sequence[Hits]) -> Reranked:
    """``hits`` (on passages) with the first of each query re-scored; a reranked hit stands above all others."""
    settings = trip.config.reranker
    if reranker is None or isinstance(settings, models.NoReranker):
        return Reranked(list(hits), None, [])
    passages = trip.chunks.passages
    picked = [handed(each, passages, settings.depth, settings.chunks) for each in hits]
    vectors, queries = _vectors(trip, reranker, hits, picked)
    # What depends on nothing but the pair is scored once, ever.
    space = space_of_stage("rerank_scores", reranker.identity()) if isinstance(reranker, Pairwise) else None
    final, documents, milliseconds = [], [], list[float]()
    with (
        trip.clock.stage("rerank"),
        trip.reporter.stage(f"rerank ({reranker.kind})", len(hits)) as done,
    ):
        for i, (text, each, positions) in enumerate(zip(trip.texts, hits, picked, strict=True)):
            rows = each.rows[positions]
            candidates = Candidates(
                query=text,
                rows=rows,
                texts=[passages.embedded_text(int(row)) for row in rows],
                first_scores=each.scores[positions],
                vectors=None if vectors is None else vectors[i],
                query_vector=None if queries is None else queries[i],
            )
            known, begin = trip.counted["rerank_scores"].hits, time.perf_counter()
            scores = reranker.scores(candidates) if space is None else _kept_scores(trip, reranker, candidates, space)
            if len(rows) and trip.counted["rerank_scores"].hits == known:
                milliseconds.append((time.perf_counter() - begin) * 1000)
            final.append(merged(each, positions, scores))
            documents.append(document_order(each.keep(np.isin(np.arange(len(each)), positions)), passages))
            done(1)
    for note in reranker.notes():
        trip.warnings.add(note)
    return Reranked(final, documents, milliseconds)


def _kept_scores(trip: Trip, reranker: Reranker, candidates: Candidates, space: Space) -> NDArray[np.float32]:
    """The scores of a pairwise reranker, from the store where they are there."""
    assert isinstance(reranker, Pairwise)
    query, texts = candidates.query, candidates.texts
    if not texts:
        return np.empty(0, np.float32)
    rows = rows_of(
        trip.store,
        space,
        [key_of(query, text) for text in texts],
        lambda places: reranker.pair_rows(query, [texts[place] for place in places]),
        len(texts),
        trip.counted["rerank_scores"],
    )
    reranker.count(rows)
    return rows[:, 0]


def _vectors(
    trip: Trip, reranker: Reranker, hits: Sequence[Hits], picked: Sequence[Rows]
) -> tuple[list[Vectors] | None, Vectors | None]:
    """Vectors of each query's candidates, and of the queries, as the metric compares them; None where none are needed."""
    if not reranker.needs_vectors:
        return None, None
    trip.fit()
    each = [found.rows[positions] for found, positions in zip(hits, picked, strict=True)]
    rows, places = np.unique(np.concatenate([np.empty(0, np.int64), *each]), return_inverse=True)
    texts = [trip.chunks.passages.embedded_text(int(row)) for row in rows]
    vectors = trip.scaled(trip.document_vectors(texts))
    cuts = np.cumsum([len(part) for part in each])[:-1]
    return [vectors[part] for part in np.split(places, cuts)], trip.scaled(trip.query_vectors())
