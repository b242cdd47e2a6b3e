"""Under which headings of its document a chunk begins."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

import regex

from assay.chunkers.base import Piece
from assay.chunkers.markdown_blocks import blocks_of

SEPARATOR = " > "
_MAY_BE_HEADING = regex.compile(r"(?:^|[\r\n]) {0,3}(?:#|=+[ \t]*(?:[\r\n]|$)|-+[ \t]*(?:[\r\n]|$))")


def under_headings(title: str, text: str, pieces: Sequence[Piece]) -> list[Piece]:
    """``pieces`` of ``text``, each with title and headings above its start as its context: ``Title > H1 > H2``.

    Headings are those of Markdown, ``# so`` and underlined, outside code, quotes and lists. One that the piece itself
    begins with is in its text already and not in the context. A first heading that says what the title says stands once.
    Pieces under the same headings share one string.
    """
    headings = blocks_of(text).headings if _MAY_BE_HEADING.search(text) else ()
    title = " ".join(title.split())
    contexts = [title]
    path: list[tuple[int, str]] = []
    for heading in headings:
        while path and path[-1][0] >= heading.level:
            path.pop()
        path.append((heading.level, heading.title))
        names = [name for _, name in path if name]
        if title and not (names and names[0].casefold() == title.casefold()):
            names.insert(0, title)
        contexts.append(SEPARATOR.join(names))
    starts = [heading.start for heading in headings]
    return [replace(piece, context=contexts[bisect_left(starts, piece.start)]) for piece in pieces]
