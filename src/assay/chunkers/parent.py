"""The option ``parent``: small pieces to search, larger ones to return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.chunkers.base import Piece, TokenOffsets, check_window
from assay.chunkers.packing import packed, refined
from assay.chunkers.recursive import natural_pieces
from assay.chunkers.token_map import TokenMap


@dataclass(frozen=True, slots=True)
class ParentChunker:
    """Windows of ``size`` tokens within parents of ``parent_size``, ``overlap`` of them shared with the window before.

    Parents are cut as ``recursive`` cuts them, without overlap; no window straddles two.
    """

    size: int
    overlap: int
    parent_size: int
    kind: ClassVar[str] = "parent"

    def __post_init__(self) -> None:
        check_window(self.size, self.overlap)
        if self.parent_size < self.size:
            raise ValueError(f"parent_size {self.parent_size} with size {self.size}: needs size <= parent_size")

    def pieces(self, text: str, offsets: TokenOffsets) -> list[Piece]:
        """Windows over ``text`` in order, each with its parent."""
        if not text.strip():
            return []
        tokens = TokenMap(text, offsets)
        cuts = tokens.cuts()
        return [
            Piece(child.start, child.end, parent=(parent.start, parent.end))
            for parent in natural_pieces(tokens, self.parent_size, 0)
            for child in packed(
                refined([parent.start, parent.end], cuts, tokens, self.size), tokens, self.size, self.overlap
            )
        ]
