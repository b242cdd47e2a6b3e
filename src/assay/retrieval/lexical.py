"""BM25 by bm25s, over the words of ``assay.words``, stemmed where the config names a stemmer.

Robertson and Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond"; the variant is Lucene's,
as bm25s implements it (Lù 2024, "BM25S: Orders of magnitude faster lexical search via eager sparse scoring").
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.chunks import ChunkSet
from assay.config.models import Bm25Retriever, HybridRetriever
from assay.ranking import Hits, first_stage_hits
from assay.retrieval.dense import NOTHING
from assay.retrieval.stemming import terms_by


class Bm25Retrieval:
    """Every chunk's embedded text (context included) as a bag of terms. A query that shares no term gets nothing back."""

    def __init__(self, chunks: ChunkSet, config: Bm25Retriever | HybridRetriever) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # in a notebook tqdm asks for widgets that nobody needs
            import bm25s

        self.chunks = chunks
        self._terms = terms_by(config.stemmer)
        tokens = [self._terms(text) for text in chunks.embedded_texts()]
        self.indexed_documents = frozenset(
            owner for owner, words in zip(chunks.document.tolist(), tokens, strict=True) if words
        )
        self._bm25: Any = None
        if any(tokens):
            self._bm25 = bm25s.BM25(k1=config.k1, b=config.b, method="lucene")
            self._bm25.index(tokens, show_progress=False)

    def scores(self, query: str) -> NDArray[np.float32]:
        """The score of every chunk, shape (chunks,); 0 where no term is shared."""
        words = [word for word in self._terms(query) if self._bm25 is not None and word in self._bm25.vocab_dict]
        if not words:
            return np.zeros(len(self.chunks), np.float32)
        return np.asarray(self._bm25.get_scores(words), dtype=np.float32)

    def retrieve(self, query: str, depth: int, documents: int, mask: NDArray[np.bool_] | None = None) -> Hits:
        """The ``depth`` best chunks, and more until ``documents`` documents are among them or all that share a term are seen.

        ``mask`` marks the documents that may come back; None: all. Statistics of terms are the whole corpus's.
        """
        scores = self.scores(query)
        rows = self._found(scores, mask)
        if not len(rows):
            return NOTHING
        hits = first_stage_hits(rows, scores[rows])
        owners = self.chunks.document[hits.rows].tolist()
        wanted = min(documents, len(set(owners)))
        seen: set[int] = set()
        for place, owner in enumerate(owners, 1):
            seen.add(owner)
            if place >= depth and len(seen) >= wanted:
                return hits.keep(np.arange(len(hits)) < place)
        return hits

    def _found(self, scores: NDArray[np.float32], mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Chunks that share a term and whose document ``mask`` marks."""
        found = scores > 0
        return np.flatnonzero(found if mask is None else found & mask[self.chunks.document])

    def best_chunks(self, query: str, documents: Sequence[int]) -> list[tuple[int, float] | None]:
        """Row and score of each document's best chunk; None where it shares no term."""
        scores, found = self.scores(query), list[tuple[int, float] | None]()
        for document in documents:
            rows = np.array(self.chunks.rows_of(document), np.int64)
            hits = first_stage_hits(rows[scores[rows] > 0], scores[rows][scores[rows] > 0])
            found.append((int(hits.rows[0]), float(hits.scores[0])) if len(hits) else None)
        return found

    def exact_document_ranks(
        self, query: str, documents: Sequence[int], mask: NDArray[np.bool_] | None = None
    ) -> list[int | None]:
        """1-based rank of each document among those that share a term and that ``mask`` marks; None where it is not one."""
        scores = self.scores(query)
        rows = self._found(scores, mask)
        hits = first_stage_hits(rows, scores[rows])
        places = {
            owner: place for place, owner in enumerate(dict.fromkeys(self.chunks.document[hits.rows].tolist()), 1)
        }
        return [places.get(document) for document in documents]
