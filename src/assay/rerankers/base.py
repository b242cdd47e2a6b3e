"""What every reranker can do, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.indexes.base import Rows, Vectors


@dataclass(frozen=True, slots=True)
class Candidates:
    """A query and the hits to re-score, best of the first stage first.

    ``rows`` are rows of the passages, ``texts`` their embedded texts (context included). ``vectors`` (hits,
    dimensions) and ``query_vector`` are as the metric compares them, None where the reranker needs none.
    """

    query: str
    rows: Rows
    texts: list[str]
    first_scores: NDArray[np.float64]
    vectors: Vectors | None
    query_vector: Vectors | None


class Reranker(Protocol):
    """Scores candidates anew; higher is better."""

    @property
    def kind(self) -> str:
        """The option's name."""

    @property
    def needs_vectors(self) -> bool:
        """Whether candidates must come with their vectors."""

    @property
    def uses_embedder(self) -> bool:
        """Whether the run's embedder takes part."""

    def check(self) -> None:
        """Raise a StageError if it can't be had; imports nothing heavy."""

    def identity(self) -> dict[str, Any]:
        """What a score depends on besides the texts, as plain values."""

    def promises_equal_bits(self) -> bool:
        """Whether a score is the same bits whatever else is scored with it, on any number of threads."""

    def scores(self, candidates: Candidates) -> NDArray[np.float32]:
        """A finite score for each candidate."""

    def notes(self) -> tuple[str, ...]:
        """What a user should know of the pairs scored since the last call, with numbers; those that were cut, say."""
