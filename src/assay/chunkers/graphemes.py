"""Where a text may be cut without parting what a reader sees as one character.

Extended grapheme clusters of Unicode Standard Annex 29, as the ``regex`` package knows them: combining
sequences, Hangul syllables, emoji joined by ZWJ, flags, CRLF, Devanagari conjuncts.
"""

from __future__ import annotations

from bisect import bisect_right

import regex

# A flag is matched by itself: \X counts back to the first of a row of flags at each of them.
_CLUSTER = regex.compile(r"[\U0001F1E6-\U0001F1FF]{2}[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*+|\X", regex.DOTALL)
_CRLF = regex.compile("\r\n")


class Graphemes:
    """The clusters of one text that are longer than one code point; every other offset is a boundary.

    Built in one pass over the text; a question costs a binary search.
    """

    __slots__ = ("ends", "starts")

    def __init__(self, text: str) -> None:
        clusters = _CRLF if text.isascii() else _CLUSTER
        spans = [span for match in clusters.finditer(text) if (span := match.span())[1] - span[0] > 1]
        self.starts = [start for start, _ in spans]
        self.ends = [end for _, end in spans]

    def floor(self, offset: int) -> int:
        """The last boundary at or before ``offset``."""
        i = bisect_right(self.starts, offset) - 1
        return self.starts[i] if i >= 0 and offset < self.ends[i] else offset

    def ceil(self, offset: int) -> int:
        """The first boundary at or after ``offset``."""
        i = bisect_right(self.starts, offset) - 1
        return self.ends[i] if i >= 0 and self.starts[i] < offset < self.ends[i] else offset
