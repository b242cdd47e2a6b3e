"""The chunks of a corpus as arrays: offsets into documents, never copies of their text.

Chunks are ordered by (document id, start), so a chunk's row number is also its place in the order of ids, and
ties can be broken by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.chunkers import Chunker, TokenOffsets
from assay.records import Document

Context = Literal["none", "title"]


@dataclass(frozen=True, slots=True)
class ChunkSet:
    """``document[i]``, ``start[i]``, ``end[i]`` place chunk i; ``documents`` are sorted by id."""

    documents: tuple[Document, ...]
    document: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    context: Context

    def __len__(self) -> int:
        return len(self.document)

    def text(self, row: int) -> str:
        """The chunk itself: a slice of its document."""
        return self.documents[int(self.document[row])].text[int(self.start[row]) : int(self.end[row])]

    def prefix(self, row: int) -> str:
        """What is put in front of the chunk when it is embedded; it never moves offsets."""
        title = self.documents[self.document[row]].title.strip()
        return f"{title}\n" if self.context == "title" and title else ""

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


def cut(documents: Sequence[Document], chunker: Chunker, offsets: TokenOffsets, context: Context) -> ChunkSet:
    """Every document cut by ``chunker``; ``documents`` must be sorted by id."""
    owner: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    for i, document in enumerate(documents):
        for piece in chunker.pieces(document.text, offsets):
            owner.append(i)
            starts.append(piece.start)
            ends.append(piece.end)
    return ChunkSet(
        tuple(documents),
        np.array(owner, np.int64),
        np.array(starts, np.int64),
        np.array(ends, np.int64),
        context,
    )


def seen_ends(chunks: ChunkSet, seen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offset in its document where the model stops reading each chunk, from code points of embedded text seen."""
    prefixes = np.array([len(chunks.prefix(row)) for row in range(len(chunks))], np.int64)
    ends: NDArray[np.int64] = np.minimum(chunks.end, chunks.start + np.maximum(seen - prefixes, 0))
    return ends
