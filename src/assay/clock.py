"""Where the seconds go, and how long one search takes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from assay.embedders.base import Embedder, Vectors
from assay.retrieval import DenseRetrieval

WARM_UP = 5
MOST_TIMED = 200
MOST_EMBEDDED = 20
LEAST_FOR_P95 = 20


class Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time inside to ``name``."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin


@dataclass(frozen=True, slots=True)
class SearchTimes:
    """Latency of single queries in milliseconds (None where too few were timed), and queries a second in a batch."""

    p50_ms: float | None
    p95_ms: float | None
    n: int
    batch_qps: float | None
    with_embedding_p50_ms: float | None
    with_embedding_p95_ms: float | None


def time_search(
    retrieval: DenseRetrieval, queries: Vectors, depth: int, texts: Sequence[str], embedder: Embedder
) -> SearchTimes:
    """Time the index alone, and embedding and index together, query by query after a warm-up, then all at once.

    Embedding is timed only where the model is loaded already: a run that needs no model does not load one to time it.
    """
    if not len(queries) or retrieval.index.size == 0:
        return SearchTimes(None, None, 0, None, None, None)
    for query in queries[:WARM_UP]:
        retrieval.index.propose(query[None], depth)
    single = []
    for query in queries[:MOST_TIMED]:
        begin = time.perf_counter()
        retrieval.index.propose(query[None], depth)
        single.append((time.perf_counter() - begin) * 1000)
    begin = time.perf_counter()
    retrieval.index.propose(queries, depth)
    batch = time.perf_counter() - begin
    both = []
    if embedder.loaded():
        for text in texts[:MOST_EMBEDDED]:
            begin = time.perf_counter()
            vector = embedder.embed_query(text)
            retrieval.index.propose(vector[None], depth)
            both.append((time.perf_counter() - begin) * 1000)
    return SearchTimes(
        _percentile(single, 50),
        _percentile(single, 95),
        len(single),
        len(queries) / batch if batch else None,
        _percentile(both, 50),
        _percentile(both, 95),
    )


def _percentile(values: list[float], q: float) -> float | None:
    if not values or (q > 50 and len(values) < LEAST_FOR_P95):
        return None
    return float(np.percentile(values, q))
