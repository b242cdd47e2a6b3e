"""The option ``sentences``: whole sentences, as many as fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.chunkers.base import Piece, TokenOffsets, check_window
from assay.chunkers.packing import packed, refined
from assay.chunkers.sentence_ends import sentence_ends
from assay.chunkers.token_map import TokenMap


@dataclass(frozen=True, slots=True)
class SentencesChunker:
    """Whole sentences packed up to ``size`` tokens.

    A piece begins with the last sentences of the piece before that fit into ``overlap`` tokens together,
    often none. A sentence of more than ``size`` tokens is cut by tokens: its first part fills up the piece
    before, and the overlap within it is exact.
    """

    size: int
    overlap: int
    kind: ClassVar[str] = "sentences"

    def __post_init__(self) -> None:
        check_window(self.size, self.overlap)

    def pieces(self, text: str, offsets: TokenOffsets) -> list[Piece]:
        """Packed sentences of ``text``, in order."""
        if not text.strip():
            return []
        tokens = TokenMap(text, offsets)
        bounds = tokens.snapped([0, *sentence_ends(text), len(text)])
        bounds = refined(bounds, tokens.cuts(), tokens, self.size)
        return packed(bounds, tokens, self.size, self.overlap)
