"""The option ``tokens``: windows of the embedder's own tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.chunkers.base import Piece, TokenOffsets, check_window
from assay.chunkers.packing import packed
from assay.chunkers.token_map import TokenMap


@dataclass(frozen=True, slots=True)
class TokensChunker:
    """Windows of ``size`` tokens, ``overlap`` of them shared with the window before.

    Windows begin and end at grapheme boundaries; only a single grapheme of more than ``size`` tokens
    makes one larger. Text is sliced, never decoded from tokens. Words may be cut: two windows that share
    a word are the price of windows of equal size.
    """

    size: int
    overlap: int
    kind: ClassVar[str] = "tokens"

    def __post_init__(self) -> None:
        check_window(self.size, self.overlap)

    def pieces(self, text: str, offsets: TokenOffsets) -> list[Piece]:
        """Windows over ``text``, in order."""
        if not text.strip():
            return []
        tokens = TokenMap(text, offsets)
        # Text before the first token goes with that token.
        return packed([0, *tokens.cuts()[1:], len(text)], tokens, self.size, self.overlap)
