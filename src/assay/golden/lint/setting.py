"""What a golden set is held against besides itself: the embedder, the cutoffs, the chunks of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reading:
    """How documents with evidence are cut, and how far the embedder reads each chunk.

    Parameters
    ----------
    size
        The size of a chunk in tokens; None where a document is one chunk.
    limit
        Tokens that the embedder reads; None where it reads everything.
    pieces
        Document id to (start, end of what is read) of each of its chunks, in code points of its text.
    """

    size: int | None
    limit: int | None
    pieces: Mapping[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Setting:
    """The run that the set is meant for.

    Parameters
    ----------
    embedder
        The option's name, for messages.
    english_only
        Whether the embedder was made for English alone.
    ks
        Cutoffs.
    smallest_chunk
        Words of the smallest chunk that a sweep would try.
    reading
        None where no document has evidence; a text says why it could not be found out.
    drop_unknown
        Whether rows that name unknown ids are left out rather than wrong.
    """

    embedder: str = "minilm"
    english_only: bool = True
    ks: Sequence[int] = field(default=(1, 3, 5, 10))
    smallest_chunk: int = 64
    reading: Reading | str | None = None
    drop_unknown: bool = False
