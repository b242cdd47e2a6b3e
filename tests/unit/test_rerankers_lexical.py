"""``reranker=lexical``: BM25 of each pair with the whole corpus's statistics, by hand and against bm25s."""

from __future__ import annotations

from math import log

import bm25s
import numpy as np
import pytest

from assay.chunkers import DocumentChunker
from assay.chunks import ChunkSet, cut
from assay.config.models import LexicalReranker
from assay.records import Document
from assay.rerankers import Candidates
from assay.rerankers.lexical import LexicalModel

TEXTS = ["cat sat", "cat cat dog", "dog ran far away", "bird"]


def corpus(texts: list[str]) -> ChunkSet:
    documents = tuple(Document(f"d{i}", text) for i, text in enumerate(texts))
    return cut(documents, DocumentChunker(), lambda text: [(0, len(text))], "none")


def scores(query: str, rows: list[int], texts: list[str] = TEXTS, **settings: float) -> list[float]:
    model = LexicalModel(LexicalReranker(**settings), corpus(texts))
    candidates = Candidates(
        query, np.array(rows, np.int64), [texts[row] for row in rows], np.zeros(len(rows)), None, None
    )
    return model.scores(candidates).tolist()


def test_by_hand() -> None:
    """Lucene's: idf = ln(1 + (N - n + 0.5)/(n + 0.5)); weight = tf/(tf + k1(1 - b + b * length/mean)); mean = 10/4."""
    cat = log(1 + 2.5 / 2.5)
    first = cat * 1 / (1 + 1.5 * (0.25 + 0.75 * 2 / 2.5))
    second = cat * 2 / (2 + 1.5 * (0.25 + 0.75 * 3 / 2.5))
    assert scores("cat", [1, 2, 0]) == pytest.approx([second, 0, first], rel=1e-6)
    assert scores("Cat!", [1], k1=0.0) == pytest.approx([cat], rel=1e-6)
    assert scores("cat", [1], b=0.0) == pytest.approx([cat * 2 / 3.5], rel=1e-6)


def test_the_corpus_gives_the_statistics_not_the_candidates() -> None:
    """Two of two candidates hold the word; among four documents it still tells something."""
    assert scores("cat", [0, 1])[0] == pytest.approx(scores("cat", [0])[0])
    assert scores("cat", [0], [*TEXTS, "fish", "fish"])[0] > scores("cat", [0])[0]


def test_against_bm25s() -> None:
    generator = np.random.default_rng(3)
    texts = [" ".join(generator.choice(["ant", "bee", "cow", "doe", "elk"], size)) for size in range(1, 30)]
    library = bm25s.BM25(k1=1.2, b=0.6, method="lucene")
    library.index([text.split() for text in texts], show_progress=False)
    expected = library.get_scores(["bee", "elk", "elk"])
    rows = generator.permutation(len(texts))[:12].tolist()
    assert scores("bee elk elk", rows, texts, k1=1.2, b=0.6) == pytest.approx(expected[rows].tolist(), rel=1e-6)


def test_nothing_shared_scores_nothing() -> None:
    assert scores("whale", [0, 1]) == [0, 0]
    assert scores("", [0]) == [0]
    assert scores("cat", []) == []
    assert scores("cat", [0], ["", "…"]) == [0]


def test_what_a_score_depends_on_is_in_its_identity() -> None:
    base = LexicalModel(LexicalReranker(), corpus(TEXTS)).identity()
    for changed in ({"k1": 1.0}, {"b": 0.5}):
        assert LexicalModel(LexicalReranker(**changed), corpus(TEXTS)).identity() != base
    assert LexicalModel(LexicalReranker(depth=3, chunks="all"), corpus(TEXTS)).identity() == base
