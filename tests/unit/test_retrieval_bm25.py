"""BM25 by hand on three sentences, and what a query that shares no term gets."""

from __future__ import annotations

import math

import pytest

from assay.chunkers import DocumentChunker, TokensChunker
from assay.chunks import ChunkSet, cut
from assay.config.models import Bm25Retriever
from assay.ranking import document_order
from assay.records import Document
from assay.retrieval import Bm25Retrieval
from assay.words import word_spans


def chunks_of(*texts: str, title: str = "") -> ChunkSet:
    documents = tuple(Document(f"d{i}", text, title=title) for i, text in enumerate(texts))
    return cut(documents, DocumentChunker(), word_spans, "title")


def found(bm25: Bm25Retrieval, query: str, depth: int = 10, documents: int = 10) -> list[int]:
    return bm25.retrieve(query, depth, documents).rows.tolist()


def test_scores_are_those_of_the_formula() -> None:
    """idf = ln(1 + (N - df + 0.5) / (df + 0.5)); tf / (tf + k1 (1 - b + b length / mean length)); mean length 8/3."""
    bm25 = Bm25Retrieval(chunks_of("leave leave days", "days hotel", "soup is free"), Bm25Retriever(k1=1.5, b=0.75))
    idf_leave, idf_days = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)

    def part(tf: int, length: int) -> float:
        return tf / (tf + 1.5 * (1 - 0.75 + 0.75 * length / (8 / 3)))

    expected = [idf_leave * part(2, 3) + idf_days * part(1, 3), idf_days * part(1, 2), 0]
    assert bm25.scores("leave days").tolist() == pytest.approx(expected, rel=1e-6)
    assert found(bm25, "leave days") == [0, 1]


def test_k1_and_b_are_used() -> None:
    chunks = chunks_of("leave leave leave", "leave and many other words that make it long")
    assert len(set(Bm25Retrieval(chunks, Bm25Retriever(k1=0.0, b=0.0)).scores("leave").tolist())) == 1
    assert len(set(Bm25Retrieval(chunks, Bm25Retriever(k1=1.5, b=0.0)).scores("leave").tolist())) == 2
    flat = Bm25Retrieval(chunks_of("leave", "leave and other words"), Bm25Retriever(b=0.0)).scores("leave")
    assert flat[0] == flat[1], "b=0 does not look at lengths"


@pytest.mark.parametrize("query", ["zebra", "", "?!", "lea", "leaves"])
def test_a_query_that_shares_no_term_gets_nothing(query: str) -> None:
    bm25 = Bm25Retrieval(chunks_of("leave days", "hotel"), Bm25Retriever())
    assert found(bm25, query) == []
    assert bm25.exact_document_ranks(query, [0, 1]) == [None, None]


def test_only_documents_that_share_a_term_come_back_and_have_a_rank() -> None:
    bm25 = Bm25Retrieval(chunks_of("soup", "leave", "", "leave and much more", "…"), Bm25Retriever())
    assert found(bm25, "leave") == [1, 2], "rows of the chunks of d1 and d3; d2 has no chunk"
    assert bm25.exact_document_ranks("leave", [0, 1, 2, 3, 4]) == [None, 1, None, 2, None]
    assert bm25.indexed_documents == {0, 1, 3}


def test_equal_scores_go_by_id() -> None:
    bm25 = Bm25Retrieval(chunks_of(*["same words"] * 30), Bm25Retriever())
    assert found(bm25, "words", depth=5, documents=5) == [0, 1, 2, 3, 4]


def test_more_chunks_come_until_enough_documents_are_there() -> None:
    """Document a has four chunks of two words, all better than the one of document b."""
    documents = (Document("a", "v v v v v v v v"), Document("b", "v w"))
    bm25 = Bm25Retrieval(cut(documents, TokensChunker(2, 0), word_spans, "none"), Bm25Retriever())
    assert len(bm25.chunks) == 5
    assert document_order(bm25.retrieve("v", 1, 2), bm25.chunks) == [0, 1]
    assert document_order(bm25.retrieve("v", 1, 1), bm25.chunks) == [0]


def test_the_title_in_front_is_searched_too() -> None:
    assert found(Bm25Retrieval(chunks_of("soup", title="Canteen"), Bm25Retriever()), "canteen") == [0]


@pytest.mark.parametrize("texts", [[], [""], ["…", "!"]])
def test_a_corpus_without_a_word_finds_nothing(texts: list[str]) -> None:
    bm25 = Bm25Retrieval(chunks_of(*texts), Bm25Retriever())
    assert found(bm25, "leave") == []
    assert bm25.indexed_documents == frozenset()


def test_words_of_every_script_are_found_whole() -> None:
    bm25 = Bm25Retrieval(chunks_of("अर्जित अवकाश के नियम", "年假三十天", "病假须证明"), Bm25Retriever())
    assert found(bm25, "अवकाश") == [0]
    assert found(bm25, "अवका") == []
    assert found(bm25, "年假") == [1, 2], "d2 shares one character, d1 the pair as well"
