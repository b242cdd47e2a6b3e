"""The option ``recursive``: the largest natural units that fit, packed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.chunkers.base import Piece, TokenOffsets, check_window
from assay.chunkers.breaks import line_breaks, paragraph_breaks, word_breaks
from assay.chunkers.packing import packed, refined
from assay.chunkers.sentence_ends import sentence_ends
from assay.chunkers.token_map import TokenMap

LEVELS = (paragraph_breaks, line_breaks, sentence_ends, word_breaks)


@dataclass(frozen=True, slots=True)
class RecursiveChunker:
    """Paragraphs packed up to ``size`` tokens; a larger one gives way to its lines, sentences, words, tokens.

    Only what is too large is cut finer, so a paragraph that fits is never parted. A piece begins with the
    last units of the piece before that fit into ``overlap`` tokens together: none where these are large.
    """

    size: int
    overlap: int
    kind: ClassVar[str] = "recursive"

    def __post_init__(self) -> None:
        check_window(self.size, self.overlap)

    def pieces(self, text: str, offsets: TokenOffsets) -> list[Piece]:
        """Packed units of ``text``, in order."""
        if not text.strip():
            return []
        return natural_pieces(TokenMap(text, offsets), self.size, self.overlap)


def natural_pieces(tokens: TokenMap, size: int, overlap: int) -> list[Piece]:
    """The pieces of a text that is tokenised already, as ``RecursiveChunker`` cuts it."""
    bounds = [0, len(tokens.text)]
    for breaks in LEVELS:
        if tokens.largest(bounds) <= size:
            break
        bounds = refined(bounds, tokens.snapped(breaks(tokens.text)), tokens, size)
    bounds = refined(bounds, tokens.cuts(), tokens, size)
    return packed(bounds, tokens, size, overlap)
