"""What a chunker is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

STAGE_VERSION = 1
"""Part of the key of every set of chunks; rises when any chunker cuts the same text otherwise than before."""

TokenOffsets = Callable[[str], Sequence[tuple[int, int]]]
"""The embedder's own tokenizer: (start, end) of each content token in code points, no special tokens.

It may drop characters, split graphemes, and give tokens that overlap or have no width.
"""


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk of a document before it has one: ``text[start:end]``.

    ``context`` is what is put in front of the embedded text (headings, say); it never moves offsets. ``parent`` is the
    extent of the larger piece that is returned where this one is found: all pieces of a chunker have one, or none.
    """

    start: int
    end: int
    context: str = ""
    parent: tuple[int, int] | None = None


class Chunker(Protocol):
    """Cuts a text into pieces.

    What every chunker keeps to: pieces are in order, each starts and each ends after the one before;
    together they cover everything but white space; none has white space around it or is empty; none cuts
    a grapheme cluster (where a cluster is a space with a mark on it, the cluster stays whole). A text of
    white space gives no piece.
    """

    @property
    def kind(self) -> str:
        """The option's name."""

    def pieces(self, text: str, offsets: TokenOffsets) -> list[Piece]:
        """Pieces of ``text`` in order; ``offsets`` is called at most once, on the whole text."""


def check_window(size: int, overlap: int) -> None:
    """Raise ValueError unless 0 <= overlap < size, in tokens: a window that moves by nothing never ends."""
    if not 0 <= overlap < size:
        raise ValueError(f"overlap {overlap} with size {size}: needs 0 <= overlap < size")
