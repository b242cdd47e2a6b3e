"""The option ``semantic``: cut where neighbouring sentences part by the run's own embedder.

Windows of sentences, the cosine distance of neighbouring windows, and breaks above a percentile of a document's own
distances are Kamradt's ("5 Levels of Text Splitting", 2024), which LangChain's ``SemanticChunker`` and LlamaIndex's
``SemanticSplitterNodeParser`` follow. Theirs knows no sizes; here neighbours are joined nearest first as long as they
fit, after Yaari (1997), "Segmentation of Expository Texts by Hierarchical Agglomerative Clustering".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.chunkers.base import Piece, TokenOffsets, check_window
from assay.chunkers.graphemes import Graphemes
from assay.chunkers.packing import packed, refined
from assay.chunkers.sentence_ends import sentence_ends
from assay.chunkers.token_map import TokenMap

DECIMALS = 6

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Vectors of texts, shape (texts, dimensions), row i for text i; a vector may be zero."""


@dataclass(frozen=True, slots=True)
class SemanticChunker:
    """Runs of sentences of at most ``size`` tokens that lie near each other.

    Each sentence is embedded together with the ``buffer`` sentences on either side; the distance of two neighbours is one
    minus the cosine of their windows. Neighbours are joined in order of distance, nearest first and ties from the left,
    where the joined piece has at most ``size`` tokens and either

    * their distance is at most the percentile ``threshold`` of all distances of the document, or
    * one of the two has fewer than ``min_size`` tokens.

    So a piece is smaller than ``min_size`` only where no neighbour had room, and a document of equal distances is packed
    from the left. A window without direction (a zero vector) parts nothing: its distance is 0. A sentence of more than
    ``size`` tokens is cut by tokens. A piece begins with the last sentences of the piece before that fit into ``overlap``
    tokens together.
    """

    size: int
    overlap: int
    threshold: float
    buffer: int
    min_size: int
    embed: Embed
    kind: ClassVar[str] = "semantic"

    def __post_init__(self) -> None:
        check_window(self.size, self.overlap)
        if not 0 <= self.threshold <= 100 or self.buffer < 0 or not 0 < self.min_size <= self.size:
            raise ValueError(
                f"threshold {self.threshold}, buffer {self.buffer}, min_size {self.min_size} with size {self.size}: "
                "needs 0 <= threshold <= 100, 0 <= buffer, 0 < min_size <= size"
            )

    def pieces(self, text: str, offsets: TokenOffsets) -> list[Piece]:
        """Joined sentences of ``text``, in order; ``embed`` is asked for ``windows_of(text, buffer)``, if there are any."""
        if not text.strip():
            return []
        tokens = TokenMap(text, offsets)
        bounds = sentence_bounds(text)
        windows = windows_of(text, self.buffer)
        apart = distances(self.embed(windows)) if windows else np.empty(0)
        firsts = self._joined(apart, tokens.before(bounds))
        return self._laid_out(firsts, bounds, tokens)

    def _joined(self, apart: NDArray[np.float64], before: Sequence[int]) -> list[int]:
        """The first sentence of each piece, rising, given the distances of neighbours and the tokens before each bound."""
        limit = round(float(np.percentile(apart, self.threshold)), DECIMALS) if len(apart) else 0.0
        count = len(before) - 1
        first_of, last_of = list(range(count)), list(range(count))  # by last sentence of a piece, by first
        begins = [True] * count
        for i in np.argsort(apart, kind="stable").tolist():
            first, middle, last = first_of[i], i + 1, last_of[i + 1]
            smaller = min(before[middle] - before[first], before[last + 1] - before[middle])
            fits = before[last + 1] - before[first] <= self.size
            if fits and (apart[i] <= limit or smaller < self.min_size):
                begins[middle] = False
                last_of[first], first_of[last] = last, first
        return [i for i, begin in enumerate(begins) if begin]

    def _laid_out(self, firsts: Sequence[int], bounds: Sequence[int], tokens: TokenMap) -> list[Piece]:
        """The pieces that begin with the sentences ``firsts``, overlap added, too long sentences cut."""
        before = tokens.before(bounds)
        cuts = tokens.cuts()
        pieces: list[Piece] = []
        earlier = 0  # the sentence that must not be reached
        for first, stop in zip(firsts, [*firsts[1:], len(bounds) - 1], strict=True):
            begin = first
            room = min(self.overlap, self.size - (before[stop] - before[first])) if pieces else 0
            while room > 0 and begin - 1 > earlier and before[first] - before[begin - 1] <= room:
                begin -= 1
            units = refined([bounds[begin], bounds[stop]], cuts, tokens, self.size)
            pieces += packed(units, tokens, self.size, self.overlap)
            earlier = first
        return pieces


def sentence_bounds(text: str) -> list[int]:
    """Where the sentences of ``text`` begin, and its length.

    No bound is inside a grapheme, and no sentence is only white space (but that of a text which is).
    """
    graphemes = Graphemes(text)
    first, *later = sorted({graphemes.ceil(offset) for offset in (0, *sentence_ends(text), len(text))})
    return [first, *(start for start, end in pairwise(later) if text[start:end].strip()), *later[-1:]]


def sentences_of(text: str) -> list[str]:
    """The sentences of ``text``, without the white space around them."""
    return windows_of(text, 0) or ([text.strip()] if text.strip() else [])


def windows_of(text: str, buffer: int) -> list[str]:
    """Each sentence of ``text`` with ``buffer`` sentences on either side; none where there are fewer than two."""
    bounds = sentence_bounds(text)
    count = len(bounds) - 1
    if count < 2 or not text.strip():
        return []
    return [text[bounds[max(0, i - buffer)] : bounds[min(count, i + 1 + buffer)]].strip() for i in range(count)]


def distances(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """One minus the cosine of each vector and the next, 0 next to a zero vector.

    Rounded: what lies behind is the noise of float32, and equal distances shall be equal.
    """
    wide = vectors.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1))
    products = lengths[:-1] * lengths[1:]
    cosines = (wide[:-1] * wide[1:]).sum(axis=1) / np.where(products > 0, products, 1.0)
    return np.where(products > 0, np.round(1.0 - cosines, DECIMALS), 0.0)
