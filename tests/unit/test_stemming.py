"""Stemmers: every name that the config offers is there, chunk and query meet at the stem, other scripts stay as they are."""

from __future__ import annotations

import subprocess
import sys
import typing

import pytest

from assay.chunkers import DocumentChunker
from assay.chunks import ChunkSet, cut
from assay.config.models import Bm25Retriever, HybridRetriever
from assay.config.retrievers import Stemmer
from assay.records import Document
from assay.retrieval import Bm25Retrieval
from assay.retrieval.stemming import terms_by
from assay.words import terms, word_spans


def chunks_of(*texts: str) -> ChunkSet:
    documents = tuple(Document(f"d{i}", text) for i, text in enumerate(texts))
    return cut(documents, DocumentChunker(), word_spans, "none")


def found(bm25: Bm25Retrieval, query: str) -> list[int]:
    return bm25.retrieve(query, 10, 10).rows.tolist()


def test_the_config_offers_what_is_installed() -> None:
    import Stemmer as snowball

    assert list(typing.get_args(Stemmer)) == ["none", *sorted(snowball.algorithms())]


def test_the_config_needs_no_stemmer_to_be_imported() -> None:
    code = "import sys, assay.config, assay.retrieval; sys.exit('Stemmer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("stemmer", "text", "expected"),
    [
        ("none", "The Leaves are running", ["the", "leaves", "are", "running"]),
        ("english", "The Leaves are running", ["the", "leav", "are", "run"]),
        ("german", "Häuser und Häusern", ["haus", "und", "haus"]),
        ("french", "continuellement", ["continuel"]),
        ("hindi", "किताबें किताब", ["किताब", "किताब"]),
        ("english", "किताबें 3.14 年假", ["किताबें", "3.14", "年", "年假", "假"]),
        ("hindi", "leaves", ["leaves"]),
        ("english", "", []),
        ("english", "?! …", []),
    ],
)
def test_terms(stemmer: Stemmer, text: str, expected: list[str]) -> None:
    assert terms_by(stemmer)(text) == expected


@pytest.mark.parametrize("stemmer", typing.get_args(Stemmer))
def test_no_algorithm_loses_or_empties_a_term(stemmer: Stemmer) -> None:
    text = "a s es ing leaves don't Straße ΛΌΓΟΣ книгами किताबें நூல்கள் كتابات գրքերը 年假 3.14 x1"
    stems = terms_by(stemmer)(text)
    assert len(stems) == len(terms(text))
    assert all(stems)


@pytest.mark.parametrize("config", [Bm25Retriever, HybridRetriever])
def test_chunk_and_query_meet_at_the_stem(config: type[Bm25Retriever] | type[HybridRetriever]) -> None:
    chunks = chunks_of("unused days lapse", "the office is closed")
    plain, stemmed = Bm25Retrieval(chunks, config()), Bm25Retrieval(chunks, config(stemmer="english"))
    assert found(plain, "lapsing day") == []
    assert found(stemmed, "lapsing day") == [0]
    assert found(stemmed, "lapse days") == found(plain, "lapse days") == [0]
    assert stemmed.exact_document_ranks("closing offices", [0, 1]) == [None, 1]


def test_hindi_word_forms_meet() -> None:
    chunks = chunks_of("नियमों की किताब", "अवकाश के नियम")
    assert found(Bm25Retrieval(chunks, Bm25Retriever()), "किताबें") == []
    assert found(Bm25Retrieval(chunks, Bm25Retriever(stemmer="hindi")), "किताबें") == [0]


def test_none_is_the_default() -> None:
    assert Bm25Retriever().stemmer == HybridRetriever().stemmer == "none"
