"""What the stages of a run hand on, and whom they tell how far they are."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.chunks import ChunkSet
from assay.clock import Clock, SearchTimes
from assay.config import Config
from assay.filters import Allowed
from assay.golden import GoldenSet
from assay.ranking import Hits
from assay.records import Ranking
from assay.retrieval.stage import FirstStage
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
    """What was found for each evaluated query, before ``min_score``, and how to ask further.

    Attributes
    ----------
    stage
        The first stage, for what exact search would have given.
    fetched
        Hits that the first stage returned, per query.
    hits, final
        Hits on passages after the first stage, and after the reranker (the same without one).
    handed
        Documents handed to the reranker, in the first stage's order; None without a reranker.
    allowed
        Which documents the filter lets through; None without one.
    index_recall
        Per cutoff, per query.
    seen_end
        Per chunk, where the embedding model stops reading, as an offset of its document.
    exclude_self
        The document whose id equals the query's is not part of this.
    """

    stage: FirstStage
    fetched: list[int]
    hits: list[Hits]
    final: list[Hits]
    handed: list[list[int]] | None
    allowed: Allowed | None
    index_recall: dict[int, NDArray[np.float64]]
    seen_end: NDArray[np.int64]
    exclude_self: bool


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run, in memory. Lists are in the order of ``golden.evaluated``.

    ``first_stage`` are the rankings before reranking and ``min_score``, ``reranked`` those between the two; None where
    nothing comes between.
    """

    config: Config
    golden: GoldenSet
    chunks: ChunkSet
    rankings: list[Ranking]
    first_stage: list[Ranking] | None
    reranked: list[Ranking] | None
    scores: Scores
    clock: Clock
    search: SearchTimes
    build_seconds: float | None
    index_bytes: int | None
    cache: dict[str, Counted]
    warnings: list[str]
    identity: dict[str, object]
    reranker: dict[str, object]
    truncated_chunks: int
    unequal_bits: list[str]
