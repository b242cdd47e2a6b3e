"""The chunks of a corpus as arrays: offsets into documents, never copies of their text.

Chunks are ordered by (document id, start), so a chunk's row number is also its place in the order of ids, and
ties can be broken by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.chunkers import Chunker, Piece, TokenOffsets, under_headings
from assay.records import Document

Context = Literal["none", "title", "headings"]


@dataclass(frozen=True, slots=True)
class ChunkSet:
    """``document[i]``, ``start[i]``, ``end[i]`` place chunk i; ``documents`` are sorted by id.

    Under the context ``headings`` chunk i has ``contexts[context_of[i]]`` in front; chunks under the same headings share
    it. Where chunks have parents, ``parents`` are these as chunks, and chunk i lies within row ``parent[i]`` of them.
    """

    documents: tuple[Document, ...]
    document: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    context: Context
    contexts: tuple[str, ...] = ()
    context_of: NDArray[np.int64] | None = None
    parents: ChunkSet | None = None
    parent: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.document)

    @property
    def passages(self) -> ChunkSet:
        """What rankings, evidence and rerankers see in place of these chunks: themselves, unless they have parents."""
        return self if self.parents is None else self.parents

    def text(self, row: int) -> str:
        """The chunk itself: a slice of its document."""
        return self.documents[int(self.document[row])].text[int(self.start[row]) : int(self.end[row])]

    def prefix(self, row: int) -> str:
        """What is put in front of the chunk when it is embedded; it never moves offsets."""
        if self.context == "none":
            return ""
        if self.context_of is not None:
            context = self.contexts[self.context_of[row]]
        else:
            context = self.documents[self.document[row]].title.strip()
        return f"{context}\n" if context else ""

    def embedded_text(self, row: int) -> str:
        """What the embedder gets."""
        return self.prefix(row) + self.text(row)

    def embedded_texts(self) -> list[str]:
        """``embedded_text`` of every chunk, in order."""
        return [self.embedded_text(row) for row in range(len(self))]

    def rows_of(self, document: int) -> range:
        """Rows of the chunks of one document (its place in ``documents``)."""
        return range(
            int(np.searchsorted(self.document, document)),
            int(np.searchsorted(self.document, document, "right")),
        )


class _Rows:
    """Chunks as they are collected, document by document."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.owner: list[int] = []
        self.start: list[int] = []
        self.end: list[int] = []
        self.context_of: list[int] = []
        self.contexts: dict[str, int] = {}

    def add(self, place: int, document: Document, pieces: Sequence[Piece]) -> None:
        """``pieces`` of the document at ``place``."""
        if self.context == "headings":
            pieces = under_headings(document.title, document.text, pieces)
            self.context_of += [self.contexts.setdefault(piece.context, len(self.contexts)) for piece in pieces]
        self.owner += [place] * len(pieces)
        self.start += [piece.start for piece in pieces]
        self.end += [piece.end for piece in pieces]

    def chunk_set(self, documents: Sequence[Document]) -> ChunkSet:
        """All that was added, as arrays."""
        return ChunkSet(
            tuple(documents),
            np.array(self.owner, np.int64),
            np.array(self.start, np.int64),
            np.array(self.end, np.int64),
            self.context,
            tuple(self.contexts),
            np.array(self.context_of, np.int64) if self.context == "headings" else None,
        )


def cut(documents: Sequence[Document], chunker: Chunker, offsets: TokenOffsets, context: Context) -> ChunkSet:
    """Every document cut by ``chunker``, with parents where its pieces have them; ``documents`` must be sorted by id."""
    chunks, parents = _Rows(context), _Rows(context)
    parent: list[int] = []
    for place, document in enumerate(documents):
        pieces = chunker.pieces(document.text, offsets)
        chunks.add(place, document, pieces)
        extents = [piece.parent for piece in pieces if piece.parent is not None]
        rows = {extent: len(parents.owner) + n for n, extent in enumerate(dict.fromkeys(extents))}
        parent += [rows[extent] for extent in extents]
        parents.add(place, document, [Piece(*extent) for extent in rows])
    found = chunks.chunk_set(documents)
    if not parent:
        return found
    return replace(found, parents=parents.chunk_set(documents), parent=np.array(parent, np.int64))


def seen_ends(chunks: ChunkSet, seen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offset in its document where the model stops reading each chunk, from code points of embedded text seen."""
    prefixes = np.array([len(chunks.prefix(row)) for row in range(len(chunks))], np.int64)
    ends: NDArray[np.int64] = np.minimum(chunks.end, chunks.start + np.maximum(seen - prefixes, 0))
    return ends
