"""``retriever=bm25`` against a direct use of bm25s on Cranfield: every score, and the top 10."""

from __future__ import annotations

from pathlib import Path

import bm25s
import numpy as np
import pytest

from assay.chunkers import DocumentChunker
from assay.chunks import ChunkSet, cut
from assay.config.models import Bm25Retriever
from assay.golden import GoldenSet, load_golden_set
from assay.ranking import document_order
from assay.retrieval import Bm25Retrieval
from assay.words import terms, word_spans


@pytest.fixture(scope="module")
def cranfield(shared: Path) -> GoldenSet:
    return load_golden_set(shared / "datasets" / "cranfield")


@pytest.fixture(scope="module")
def chunks(cranfield: GoldenSet) -> ChunkSet:
    return cut(cranfield.documents, DocumentChunker(), word_spans, "none")


def test_scores_and_top_10_are_bm25s_s(cranfield: GoldenSet, chunks: ChunkSet) -> None:
    k1, b = 1.5, 0.75
    ours = Bm25Retrieval(chunks, Bm25Retriever(k1=k1, b=b))
    indexed = [cranfield.documents[i] for i in chunks.document]
    theirs = bm25s.BM25(k1=k1, b=b, method="lucene")
    theirs.index([terms(document.text) for document in indexed], show_progress=False)
    ids = np.array([document.id for document in indexed])
    for query in cranfield.evaluated:
        words = [word for word in terms(query.text) if word in theirs.vocab_dict]
        scores = theirs.get_scores(words)
        assert np.array_equal(ours.scores(query.text), scores)
        found, best = theirs.retrieve([words], k=10, show_progress=False)
        order = document_order(ours.retrieve(query.text, 100, 10), chunks)[:10]
        mine = [cranfield.documents[place].id for place in order]
        by_id = dict(zip(ids.tolist(), scores.tolist(), strict=True))
        assert [by_id[doc_id] for doc_id in mine] == best[0].tolist(), query.id
        if len({by_id[doc_id] for doc_id in mine}) == 10 and by_id[mine[-1]] > np.sort(scores)[-11]:
            assert mine == ids[found[0]].tolist(), "no two scores are equal, so neither is the order"


def test_what_shares_no_term_is_not_returned(cranfield: GoldenSet, chunks: ChunkSet) -> None:
    ours = Bm25Retrieval(chunks, Bm25Retriever())
    assert len(ours.retrieve("zebra crossings", 100, 10)) == 0
    rare = ours.retrieve("magnetohydrodynamics", 100, 10)
    holders = {place for place, d in enumerate(cranfield.documents) if "magnetohydrodynamics" in terms(d.text)}
    assert 0 < len(holders) < 100
    assert set(document_order(rare, chunks)) == holders
