"""What the stages of a run hand on, and whom they tell how far they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.chunks import ChunkSet
from assay.clock import Clock, SearchTimes
from assay.config import Config
from assay.golden import GoldenSet
from assay.ranking import Hits
from assay.records import Ranking
from assay.scores import Scores
from assay.workbench import Counted


class Reporter(Protocol):
    """Who is told how far a run is."""

    def stage(self, name: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
        """Open a stage of ``total`` steps; the callable counts steps done."""

    def warn(self, text: str) -> None:
        """Say what a user should know."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What retrieval gave: per evaluated query its first-stage hits, and how to place documents in exact search."""

    hits: list[Hits]
    indexed: frozenset[int]
    exact_ranks: Callable[[int, Sequence[int]], list[int | None]]
    index_recall: dict[int, NDArray[np.float64]]
    seen_end: NDArray[np.int64]
    truncated_chunks: int
    build_seconds: float | None
    index_bytes: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run, in memory. Lists are in the order of ``golden.evaluated``."""

    config: Config
    golden: GoldenSet
    chunks: ChunkSet
    rankings: list[Ranking]
    scores: Scores
    clock: Clock
    search: SearchTimes | None
    build_seconds: float | None
    index_bytes: int | None
    cache: dict[str, Counted]
    warnings: list[str]
    identity: dict[str, object]
    truncated_chunks: int
    unequal_bits: list[str]
