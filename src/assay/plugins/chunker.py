"""The option ``plugin`` of the group ``chunker``."""

from __future__ import annotations

import operator
from typing import Any

from assay.chunkers.base import Piece, TokenOffsets
from assay.chunkers.graphemes import Graphemes
from assay.config import models
from assay.plugins.component import Component


class PluginChunker:
    """A user's chunker, held to what every chunker keeps to, but that it may leave text out.

    Its pieces must lie in the text, be in order, and each start and each end after the one before: windows may overlap, a
    piece within another is refused. White space around a piece is taken off, an offset within a grapheme cluster moves to
    the cluster's end, and what is empty then is no piece.
    """

    def __init__(self, config: models.PluginChunker) -> None:
        self.config = config
        self.component = Component(config)

    @property
    def kind(self) -> str:
        return self.config.kind

    def pieces(self, text: str, offsets: TokenOffsets) -> list[Piece]:
        """The plugin's pieces of ``text``; ``offsets`` is not called, and white space is not shown to the plugin."""
        if not text.strip():
            return []
        extents = self._extents(text, self.component.call("pieces", text))
        graphemes = Graphemes(text)
        found: list[Piece] = []
        for start, end in extents:
            start, end = graphemes.ceil(start), graphemes.ceil(end)
            inner = text[start:end]
            if not inner.strip():
                continue
            start, end = (
                graphemes.floor(start + len(inner) - len(inner.lstrip())),
                graphemes.ceil(start + len(inner.rstrip())),
            )
            # White space gone, one piece may lie within its neighbour.
            while found and found[-1].start >= start:
                found.pop()
            if not found or end > found[-1].end:
                found.append(Piece(start, end))
        return found

    def _extents(self, text: str, value: Any) -> list[tuple[int, int]]:
        """``value``, which the plugin returned, as offsets in order."""
        found: list[tuple[int, int]] = []
        where = f"of the text that begins {text[:40]!r}"
        try:
            pieces = list(value)
        except Exception as error:
            raise self.component.fault(f"pieces gives {value!r:.80}; give a list of (start, end)") from error
        for number, piece in enumerate(pieces):
            try:
                first, last = piece
                start, end = operator.index(first), operator.index(last)
            except Exception as error:
                raise self.component.fault(
                    f"pieces gives {piece!r:.80} as piece {number} {where}; give (start, end), offsets of code points"
                ) from error
            if not 0 <= start < end <= len(text):
                raise self.component.fault(
                    f"pieces gives {(start, end)} as piece {number} {where}; "
                    f"give 0 <= start < end <= {len(text)}, its length"
                )
            if found and not (start > found[-1][0] and end > found[-1][1]):
                raise self.component.fault(
                    f"pieces gives {(start, end)} as piece {number} {where}, after {found[-1]}; "
                    "each must start and end after the one before"
                )
            found.append((start, end))
        return found
