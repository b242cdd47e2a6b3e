"""Where the seconds go, and how long one search takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np

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

    def reranked(self, milliseconds: Sequence[float]) -> SearchTimes:
        """What a search takes that is reranked in so many milliseconds a query; unknown where nothing was timed.

        Percentiles are added up, as if the slow searches were the slow rerankings too.
        """
        p50, p95 = _percentile(list(milliseconds), 50), _percentile(list(milliseconds), 95)
        each = 1000 / self.batch_qps + float(np.mean(milliseconds)) if self.batch_qps and len(milliseconds) else None
        return SearchTimes(
            _sum(self.p50_ms, p50),
            _sum(self.p95_ms, p95),
            min(self.n, len(milliseconds)),
            1000 / each if each else None,
            _sum(self.with_embedding_p50_ms, p50),
            _sum(self.with_embedding_p95_ms, p95),
        )


def time_search(
    ask: Callable[[int], object], everything: Callable[[], object], n: int, embed: Callable[[int], object] | None
) -> SearchTimes:
    """Time a first stage query by query after a warm-up, then all ``n`` at once.

    ``ask(i)`` searches for query ``i``; ``embed(i)`` embeds it before, as an application would. ``embed`` is None where
    nothing is embedded or no model is loaded: a run that needs no model does not load one to time it.
    """
    if not n:
        return SearchTimes(None, None, 0, None, None, None)
    for i in range(min(n, WARM_UP)):
        ask(i)
    single = [_milliseconds(partial(ask, i)) for i in range(min(n, MOST_TIMED))]
    batch = _milliseconds(everything) / 1000
    both = []
    if embed is not None:
        both = [_milliseconds(partial(embed, i)) + _milliseconds(partial(ask, i)) for i in range(min(n, MOST_EMBEDDED))]
    return SearchTimes(
        _percentile(single, 50),
        _percentile(single, 95),
        len(single),
        n / batch if batch else None,
        _percentile(both, 50),
        _percentile(both, 95),
    )


def _milliseconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000


def _sum(*parts: float | None) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _percentile(values: list[float], q: float) -> float | None:
    if not values or (q > 50 and len(values) < LEAST_FOR_P95):
        return None
    return float(np.percentile(values, q))
