"""The option ``document``: no cutting at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.chunkers.base import Piece, TokenOffsets
from assay.chunkers.token_map import TokenMap


@dataclass(frozen=True, slots=True)
class DocumentChunker:
    """One piece a document: all of it but the white space around it."""

    kind: ClassVar[str] = "document"

    def pieces(self, text: str, offsets: TokenOffsets) -> list[Piece]:
        """One piece, or none for a text of white space; ``offsets`` is not called."""
        extent = TokenMap(text, lambda _: ()).trimmed(0, len(text))
        return [] if extent is None else [Piece(*extent)]
