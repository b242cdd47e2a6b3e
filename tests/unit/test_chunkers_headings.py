"""What ``chunker.context`` puts in front of a chunk."""

from __future__ import annotations

from typing import Any

import pytest

from assay.chunkers import Chunker, DocumentChunker, MarkdownChunker, Piece, TokensChunker, under_headings
from assay.chunks import ChunkSet, Context, cut, seen_ends
from assay.records import Document
from assay.words import word_spans

TEXT = """\
before

# Leave

alpha

## *Germany* & [others](x.md "t")

beta

```
# fenced
```

gamma

Portugal
--------

delta

# Travel `now` #

epsilon

#### Deep

zeta

> ## quoted

eta
"""


@pytest.mark.parametrize(
    ("word", "context"),
    [
        ("before", "Guide"),
        ("# Leave", "Guide"),  # it begins with that heading itself
        ("Leave\n", "Guide > Leave"),
        ("alpha", "Guide > Leave"),
        ("## *Germany", "Guide > Leave"),
        ("beta", "Guide > Leave > Germany & others"),
        ("# fenced", "Guide > Leave > Germany & others"),
        ("gamma", "Guide > Leave > Germany & others"),
        ("Portugal", "Guide > Leave > Germany & others"),
        ("----", "Guide > Leave > Portugal"),
        ("delta", "Guide > Leave > Portugal"),
        ("epsilon", "Guide > Travel now"),
        ("zeta", "Guide > Travel now > Deep"),
        ("eta\n", "Guide > Travel now > Deep"),
    ],
)
def test_title_and_the_headings_above(word: str, context: str) -> None:
    at = TEXT.rindex(word) if word == "eta\n" else TEXT.index(word)
    (piece,) = under_headings("Guide", TEXT, [Piece(at, at + 1)])
    assert piece == Piece(at, at + 1, context)


@pytest.mark.parametrize(
    ("title", "text", "context"),
    [
        ("Leave", "# Leave\n\n## India\n\nx", "Leave > India"),
        ("  annual\n leave ", "# Annual Leave\n\n## India\n\nx", "Annual Leave > India"),
        ("Leave", "# India\n\n## Leave\n\nx", "Leave > India > Leave"),  # only the first can repeat it
        ("", "# A\n\n## B\n\nx", "A > B"),
        ("T", "#\n\n## B\n\nx", "T > B"),
        ("T", "no heading, x", "T"),
        ("", "no heading, x", ""),
        ("T", "## B\r\n\r\nx", "T > B"),
        ("T", "B\r=\r\rx", "T > B"),
        ("T", "---\n# comment\nkey: value\n---\nx", "T"),
        ("T", "## छुट्टी\n\n### नियम।\n\nx", "T > छुट्टी > नियम।"),
        ("T", "word " * 60 + "\n---\n\nx", "T"),  # a paragraph above a rule
        ("T", "    # code\n\nx", "T"),
        ("T", "#hashtag\n\nx", "T"),
        ("T", "- # item\n\nx", "T"),
    ],
)
def test_paths(title: str, text: str, context: str) -> None:
    (piece,) = under_headings(title, text, [Piece(len(text) - 1, len(text))])
    assert piece.context == context


def chunks_of(chunker: Chunker, context: Context, *documents: Document) -> ChunkSet:
    return cut(documents, chunker, word_spans, context)


GUIDE = Document("g", "# Leave\n\none two\n\nthree four\n\n## India\n\nfive six\n\nseven eight\n", "Guide")


@pytest.mark.parametrize(
    ("context", "prefixes"),
    [
        ("none", ["", "", "", ""]),
        ("title", ["Guide\n"] * 4),
        ("headings", ["Guide\n", "Guide > Leave\n", "Guide > Leave > India\n", "Guide > Leave > India\n"]),
    ],
)
def test_every_chunker_has_every_context_and_offsets_never_move(context: Context, prefixes: list[str]) -> None:
    """Windows of three words: "Leave one two", "three four India", "five six seven", "eight"."""
    chunks = chunks_of(TokensChunker(3, 0), context, GUIDE)
    plain = chunks_of(TokensChunker(3, 0), "none", GUIDE)
    assert (chunks.start.tolist(), chunks.end.tolist()) == (plain.start.tolist(), plain.end.tolist())
    assert chunks.embedded_texts() == [chunks.prefix(row) + plain.text(row) for row in range(len(plain))]
    assert [chunks.prefix(row) for row in range(len(chunks))] == prefixes


def test_chunks_under_the_same_headings_share_one_string() -> None:
    other = Document("h", "# Leave\n\n" + "word " * 50, "Guide")
    chunks = chunks_of(TokensChunker(2, 0), "headings", GUIDE, other)
    assert chunks.contexts == ("Guide", "Guide > Leave", "Guide > Leave > India")
    assert chunks.context_of is not None
    assert len(chunks.context_of) == len(chunks) > 20


def test_a_document_without_title_and_headings_has_nothing_in_front() -> None:
    assert chunks_of(DocumentChunker(), "headings", Document("d", "# A\n\nx")).embedded_texts() == ["# A\n\nx"]
    assert chunks_of(MarkdownChunker(1, 0), "headings", Document("d", "x\n\ny")).embedded_texts() == ["x", "y"]


def test_what_the_model_reads_of_a_chunk_is_counted_behind_the_context() -> None:
    chunks = chunks_of(MarkdownChunker(2, 0), "headings", Document("d", "# A\n\nb\n\ncc dd", "T"))
    assert [chunks.embedded_text(row) for row in range(2)] == ["T\n# A\n\nb", "T > A\ncc dd"]
    first = int(chunks.start[1])
    assert seen_ends(chunks, chunks.end * 0 + 8).tolist()[1] == first + 2


def test_a_word_that_stands_only_in_the_heading_finds_what_is_below_it(result_of: Any) -> None:
    texts = {"a": "# Porto\n\n" + "Leave is thirty days. " * 20, "b": "# Pune\n\n" + "Leave is forty days. " * 20}
    chosen = ["chunker=markdown", "chunker.size=16", "chunker.overlap=0", "retriever=bm25"]
    query, judged = {"q": "pune"}, [("q", "b", 1)]
    with_it = result_of(texts, query, judged, *chosen, "chunker.context=headings")
    without = result_of(texts, query, judged, *chosen)  # the fixture says chunker.context=none
    assert len(with_it.rankings[0].documents[0].passages) > 1 == len(without.rankings[0].documents[0].passages)
