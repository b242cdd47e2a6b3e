"""A golden set in memory, whole and judged: nothing downstream has to check it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.records import Document, Query, Span


@dataclass(frozen=True, slots=True)
class Counts:
    """What a golden set holds; ``total == answerable + unanswerable + unjudged``, in queries.

    ``answerable`` have a positive judgement in the split, ``unanswerable`` are marked so, and ``unjudged``
    are the rest: not evaluated, because BEIR keeps the queries of all splits in one file.
    ``empty_documents`` have no text but white space.
    """

    total: int
    answerable: int
    unanswerable: int
    unjudged: int
    documents: int
    empty_documents: int
    judgements: int
    spans: int
    dropped_judgements: int
    dropped_spans: int


@dataclass(frozen=True, slots=True)
class Hashes:
    """sha256 in hex of what each file says, not of how it is written; ``spans`` is None without spans."""

    corpus: str
    queries: str
    qrels: str
    spans: str | None


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """A golden set of one split.

    Parameters
    ----------
    name
        The folder's name.
    path
        The folder as the caller named it; no part of equality.
    split
        The file of ``qrels/`` that was read.
    documents
        All documents, by id, so that the order of lines in the file is never an input.
    queries
        All queries in file order, evaluated or not.
    qrels
        Query id to document id to grade; queries in file order, documents by id.
    spans
        Query id to its evidence spans in file order, for every query that has some.
    evaluated
        The queries that a run is scored on, in file order: answerable with a positive, or unanswerable.
    counts, hashes
        What it holds, and its fingerprint.
    dropped
        With ``on_unknown="drop"``: a line for each judgement or span left out, with file:line and ids. These
        name unknown ids, or are what remains of a query that lost all its positives that way.
    """

    name: str
    path: Path = field(compare=False)
    split: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    qrels: Mapping[str, Mapping[str, int]]
    spans: Mapping[str, tuple[Span, ...]]
    evaluated: tuple[Query, ...]
    counts: Counts
    hashes: Hashes
    dropped: tuple[str, ...] = ()
