"""The option ``markdown``: sections, and blocks that stay whole where they fit."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from assay.chunkers.base import Piece, TokenOffsets, check_window
from assay.chunkers.breaks import line_breaks, word_breaks
from assay.chunkers.markdown_blocks import Blocks, blocks_of
from assay.chunkers.packing import packed, refined
from assay.chunkers.sections import section_runs
from assay.chunkers.sentence_ends import sentence_ends
from assay.chunkers.token_map import TokenMap

PROSE = (sentence_ends, line_breaks, word_breaks)


@dataclass(frozen=True, slots=True)
class MarkdownChunker:
    """Blocks of Markdown packed up to ``size`` tokens, section by section.

    A heading begins a piece, unless small sections fit together (``section_runs`` says which). Within a section blocks
    are packed in order. A table, list, quote or piece of code that fits is never parted. One that does not gives way to
    its rows, items, blocks or lines, and so on inward; a paragraph to its sentences; what is still too large to its lines,
    words, tokens. A paragraph stays with the heading right above it as long as they fit together.

    A piece begins with the last blocks (rows, items, sentences) of the piece before that fit into ``overlap`` tokens
    together, none at the start of a section.
    """

    size: int
    overlap: int
    kind: ClassVar[str] = "markdown"

    def __post_init__(self) -> None:
        check_window(self.size, self.overlap)

    def pieces(self, text: str, offsets: TokenOffsets) -> list[Piece]:
        """Packed blocks of ``text``, in order."""
        if not text.strip():
            return []
        tokens = TokenMap(text, offsets)
        blocks = blocks_of(text)
        runs = tokens.snapped([*section_runs(blocks.headings, tokens, self.size), len(text)])
        bounds = self._units(runs, blocks, tokens)
        pieces: list[Piece] = []
        for start, end in pairwise(runs):
            inside = bounds[bisect_left(bounds, start) : bisect_left(bounds, end) + 1]
            pieces += packed(inside, tokens, self.size, self.overlap)
        return pieces

    def _units(self, runs: list[int], blocks: Blocks, tokens: TokenMap) -> list[int]:
        """Bounds of the largest units of Markdown and prose that fit, ``runs`` among them."""
        bounds = runs
        for depth, starts in enumerate(blocks.starts):
            if depth == 0:
                bounds = tokens.snapped([*runs, *starts])
            else:
                bounds = refined(bounds, tokens.snapped(starts), tokens, self.size)
        for breaks in PROSE:
            if tokens.largest(bounds) <= self.size:
                break
            bounds = refined(bounds, tokens.snapped(breaks(tokens.text)), tokens, self.size)
        return refined(bounds, tokens.cuts(), tokens, self.size)
