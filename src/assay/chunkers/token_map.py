"""One text, and where its tokens and graphemes lie. Tokenised once, asked often."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.chunkers.base import TokenOffsets
from assay.chunkers.graphemes import Graphemes


class TokenMap:
    """The tokens of a text, each placed at the grapheme cluster in which it starts.

    So a cluster is never parted, whatever the tokenizer did inside it, and every token counts once:
    several tokens that share offsets (the bytes of one character) count as several at one place.
    Characters without a token belong to the token before them. A token that claims to start before its
    predecessor is placed where that one is.

    Attributes
    ----------
    text
        The original text.
    graphemes
        Its grapheme boundaries.
    places
        The offset of each token's cluster, rising, repeated where tokens share a cluster.
    """

    __slots__ = ("_places", "graphemes", "places", "text")

    def __init__(self, text: str, offsets: TokenOffsets) -> None:
        self.text = text
        self.graphemes = Graphemes(text)
        found = offsets(text)
        starts = np.fromiter((start for start, _ in found), np.int64, len(found))
        starts = np.maximum.accumulate(np.clip(starts, 0, max(0, len(text) - 1)))
        self._places = self._floors(starts)
        self.places: list[int] = self._places.tolist()

    def _floors(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        if not self.graphemes.starts:
            return offsets
        cluster_starts, cluster_ends = np.array(self.graphemes.starts), np.array(self.graphemes.ends)
        i = np.searchsorted(cluster_starts, offsets, "right") - 1
        inside = (i >= 0) & (offsets < cluster_ends[i])
        return np.where(inside, cluster_starts[i], offsets)

    def before(self, offsets: Sequence[int]) -> list[int]:
        """Number of tokens placed before each of ``offsets``."""
        counts: list[int] = np.searchsorted(self._places, np.array(offsets, np.int64)).tolist()
        return counts

    def count(self, start: int, end: int) -> int:
        """Number of tokens placed in ``text[start:end]``."""
        return bisect_left(self.places, end) - bisect_left(self.places, start)

    def largest(self, bounds: Sequence[int]) -> int:
        """Number of tokens of the largest unit between neighbours of ``bounds``."""
        return int(np.diff(self.before(bounds)).max(initial=0))

    def cuts(self) -> list[int]:
        """The offsets between tokens at which the text can be cut, rising."""
        return sorted(set(self.places))

    def snapped(self, offsets: Sequence[int]) -> list[int]:
        """``offsets`` moved forward to grapheme boundaries, rising, each once."""
        return sorted({self.graphemes.ceil(offset) for offset in offsets})

    def trimmed(self, start: int, end: int) -> tuple[int, int] | None:
        """``start`` and ``end`` without the white space at both sides, or None if there is nothing else.

        Both must be grapheme boundaries. White space that carries a mark is kept.
        """
        inner = self.text[start:end]
        left = len(inner) - len(inner.lstrip())
        if left == len(inner):
            return None
        return self.graphemes.floor(start + left), self.graphemes.ceil(start + len(inner.rstrip()))
