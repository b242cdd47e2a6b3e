"""What every embedder can do, and how a text is measured before it is embedded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Measured:
    """Token counts of texts, and how much of each the model reads.

    ``tokens`` counts what the model would get, prompt and special tokens included, before it cuts;
    ``seen`` is the number of leading code points of each text that survive the cut.
    """

    tokens: NDArray[np.int64]
    seen: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """``vectors`` of the tokens of one text, shape (tokens, dimensions); ``cut`` where the model read only a part of it."""

    vectors: Vectors
    cut: bool


class Embedder(Protocol):
    """Turns texts into vectors. Everything that a vector depends on is in ``identity``."""

    @property
    def kind(self) -> str:
        """The option's name."""

    def check(self) -> None:
        """Raise a StageError if the model can't be had; imports nothing heavy."""

    def identity(self) -> dict[str, Any]:
        """What a vector depends on besides its text, as plain values; fixed once the embedder is fitted."""

    def promises_equal_bits(self) -> bool:
        """Whether a vector is the same bits whatever else is embedded with it, on any number of threads."""

    def loaded(self) -> bool:
        """Whether embedding would start at once, without loading a model."""

    def token_offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """Code point offsets of the content tokens of ``text``, special tokens left out."""

    def measure(self, texts: Sequence[str]) -> Measured:
        """Token counts and the part of each text that the model reads, for document texts."""

    def fit(self, texts: Sequence[str]) -> None:
        """Learn from the corpus what must be learned; most embedders have nothing to learn."""

    def embed_documents(self, texts: Sequence[str], progress: Progress) -> Vectors:
        """Vectors of document texts, shape (texts, dimensions), row i for text i; ``progress`` gets counts of texts done."""

    def embed_query(self, text: str) -> Vectors:
        """Vector of one query, shape (dimensions,)."""


def finite(vectors: Vectors, what: str) -> Vectors:
    """``vectors``, or a StageError naming the first text whose vector is not finite."""
    from assay.errors import StageError

    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=-1).reshape(-1))
    if bad.size:
        raise StageError(
            f"embedder: the vector of {what} {bad[0]} is not finite ({bad.size} in all); the model is damaged or overflows in this dtype"
        )
    return vectors


def truncated(vectors: Vectors, dim: int | None, normalize: bool) -> Vectors:
    """The first ``dim`` dimensions, scaled to unit length where asked; zero vectors stay zero."""
    from assay.errors import StageError

    if dim is not None:
        if dim > vectors.shape[-1]:
            raise StageError(
                f"embedder.truncate_dim: {dim} is more than the model's {vectors.shape[-1]} dimensions; give at most that"
            )
        vectors = np.ascontiguousarray(vectors[..., :dim])
    return unit(vectors) if normalize else vectors


def unit(vectors: Vectors) -> Vectors:
    """Rows scaled to unit length, computed in float64 row by row; zero rows stay zero. The input is left as it is."""
    wide = vectors.astype(np.float64)
    norms = np.sqrt((wide * wide).sum(axis=-1, keepdims=True))
    return np.asarray(wide / np.where(norms > 0, norms, 1.0), dtype=np.float32)
