"""The option ``parent``: what is cut, what is returned in place of it, and what a run makes of it; tokens are words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.chunkers import ParentChunker, RecursiveChunker
from assay.chunks import ChunkSet, cut
from assay.ranking import Hits, to_passages
from assay.records import Document
from assay.words import word_spans

TEXT = "One two three. Four five.\n\nSix seven eight nine ten.\n\nEleven."


@pytest.mark.parametrize(
    ("size", "overlap", "parent_size", "families"),
    [
        (3, 0, 5, [("One two three. Four five.", ["One two three.", "Four five."]),
                   ("Six seven eight nine ten.", ["Six seven eight", "nine ten."]),
                   ("Eleven.", ["Eleven."])]),
        (3, 1, 6, [("One two three. Four five.", ["One two three.", "three. Four five."]),
                   ("Six seven eight nine ten.\n\nEleven.", ["Six seven eight", "eight nine ten.", "ten.\n\nEleven."])]),
        (5, 2, 5, [("One two three. Four five.", ["One two three. Four five."]),
                   ("Six seven eight nine ten.", ["Six seven eight nine ten."]),
                   ("Eleven.", ["Eleven."])]),
    ],
)  # fmt: skip
def test_windows_within_parents(
    size: int, overlap: int, parent_size: int, families: list[tuple[str, list[str]]]
) -> None:
    found: dict[str, list[str]] = {}
    for piece in ParentChunker(size, overlap, parent_size).pieces(TEXT, word_spans):
        assert piece.parent is not None
        found.setdefault(TEXT[slice(*piece.parent)], []).append(TEXT[piece.start : piece.end])
    assert list(found.items()) == families


@pytest.mark.parametrize(
    ("size", "overlap", "parent_size", "named"), [(8, 8, 16, "overlap 8"), (8, 2, 7, "parent_size 7")]
)
def test_sizes_that_make_no_sense(size: int, overlap: int, parent_size: int, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        ParentChunker(size, overlap, parent_size)


def chunks_of(*texts: str) -> ChunkSet:
    documents = [Document(f"d{i}", text, f"Title {i}") for i, text in enumerate(texts)]
    return cut(documents, ParentChunker(2, 0, 4), word_spans, "title")


def test_passages_are_the_parents() -> None:
    chunks = chunks_of("a b c d\n\ne f", " ", "g h i\n\nj k l")
    passages = chunks.passages
    assert [chunks.text(row) for row in range(len(chunks))] == ["a b", "c d", "e f", "g h", "i", "j k", "l"]
    assert chunks.parent is not None
    assert chunks.parent.tolist() == [0, 0, 1, 2, 2, 3, 3]
    assert [passages.text(row) for row in range(len(passages))] == ["a b c d", "e f", "g h i", "j k l"]
    assert passages.document.tolist() == [0, 0, 2, 2]
    assert passages.embedded_text(2) == "Title 2\ng h i"
    assert passages.passages is passages


def hits(*rows: int) -> Hits:
    """Hits on ``rows`` with scores that fall from 9."""
    return Hits(np.array(rows, np.int64), 9.0 - np.arange(len(rows)), np.zeros(len(rows), np.int64))


@pytest.mark.parametrize(
    ("rows", "parents", "scores"),
    [
        ([4, 0, 1, 3, 6], [2, 0, 3], [9, 8, 5]),  # 1 and 3 lie in parents that are there already
        ([2], [1], [9]),
        ([], [], []),
    ],
)
def test_a_hit_becomes_its_parent_once_with_the_best_score(
    rows: list[int], parents: list[int], scores: list[int]
) -> None:
    found = to_passages(hits(*rows), chunks_of("a b c d\n\ne f", " ", "g h i\n\nj k l"))
    assert (found.rows.tolist(), found.scores.tolist()) == (parents, scores)
    assert len(found.stages) == len(parents)


def test_other_chunks_are_their_own_passages() -> None:
    chunks = cut([Document("d", "a b c d")], RecursiveChunker(2, 0), word_spans, "none")
    found = hits(1, 0)
    assert chunks.passages is chunks
    assert to_passages(found, chunks) is found


def test_a_run_searches_children_and_returns_parents(result_of: Any) -> None:
    """The second document has the best window, but the span is only covered by its parent."""
    texts = {
        "a": "Gauges need a clean lens. Boats are blue.",
        "b": "Weirs hold water back. Salmon climb the ladder at night.",
    }
    sizes = ["chunker=parent", "chunker.size=4", "chunker.overlap=0", "chunker.parent_size=16"]
    query, judged = {"q": "weirs water"}, [("q", "b", 1)]
    result = result_of(texts, query, judged, *sizes, spans=[("q", "b", 23, 55)])
    (first, *_) = result.rankings[0].documents
    assert first.doc_id == "b"
    assert [(passage.start, passage.end) for passage in first.passages] == [(0, 56)]
    assert len(result.chunks) > len(result.chunks.passages) == 2
    assert result.scores.values["evidence_recall@1"].tolist() == [1.0]
    small = result_of(texts, query, judged, "chunker.size=4", "chunker.overlap=0", spans=[("q", "b", 23, 55)])
    assert small.scores.values["evidence_recall@1"].tolist() == [0.0]
