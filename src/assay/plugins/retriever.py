"""The option ``plugin`` of the group ``retriever``, and the first stage that it makes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.chunks import ChunkSet
from assay.config import models
from assay.filters import Allowed
from assay.plugins.component import Component
from assay.ranking import Hits, document_order, first_stage_hits
from assay.retrieval.dense import NOTHING
from assay.retrieval.stage import BestChunk, State


class PluginRetrieval:
    """A user's retriever over the embedded texts of ``chunks`` (context included), which it has indexed.

    Its hits are put in the one order: score descending, then id. Its full ranking is what it gives when asked for as many
    texts as there are. A filter is applied to that, so it never loses a document that may come back.
    """

    def __init__(self, chunks: ChunkSet, config: models.PluginRetriever) -> None:
        self.chunks = chunks
        self.component = Component(config)
        self.indexed_documents = frozenset(chunks.document.tolist())
        if len(chunks):
            self.component.call("index", chunks.embedded_texts())

    def search(self, query: str, k: int) -> Hits:
        """The plugin's ``k`` best, checked and in order; fewer where it knows no more."""
        if not k:
            return NOTHING
        found = self.component.call("search", query, k)
        try:
            pairs = list(found)
        except Exception as error:
            raise self.component.fault(f"search gives {found!r:.80}; give a list of (text number, score)") from error
        numbers = [self._number(pair) for pair in pairs]
        if len(numbers) > k:
            raise self.component.fault(f"search gives {len(numbers)} texts where {k} were asked for; give at most k")
        if len(set(numbers)) < len(numbers):
            twice = next(number for number in numbers if numbers.count(number) > 1)
            raise self.component.fault(f"search gives text {twice} more than once for one query")
        scores = self.component.floats("search", [pair[1] for pair in pairs], (len(pairs),))
        return first_stage_hits(np.array(numbers, np.int64), scores)

    def _number(self, pair: Any) -> int:
        try:
            first, _ = pair
            number = operator.index(first)
        except Exception as error:
            raise self.component.fault(f"search gives {pair!r:.80}; give (text number, score)") from error
        if not 0 <= number < len(self.chunks):
            raise self.component.fault(
                f"search gives text {number}; there are {len(self.chunks)}, numbered from 0 as index got them"
            )
        return number

    def retrieve(self, query: str, depth: int, documents: int, mask: NDArray[np.bool_] | None = None) -> Hits:
        """The ``depth`` best chunks, and more until ``documents`` documents are among them or all is seen."""
        if mask is not None:
            return self._first(self.ranking(query, mask), depth, documents)
        wanted, k = min(documents, len(self.indexed_documents)), min(depth, len(self.chunks))
        while True:
            hits = self.search(query, k)
            if len(hits) < k or k == len(self.chunks) or len(document_order(hits, self.chunks)) >= wanted:
                return hits
            k = min(2 * k, len(self.chunks))

    def ranking(self, query: str, mask: NDArray[np.bool_] | None = None) -> Hits:
        """The full ranking, of the documents that ``mask`` marks."""
        hits = self.search(query, len(self.chunks))
        return hits if mask is None else hits.keep(mask[self.chunks.document[hits.rows]])

    def _first(self, hits: Hits, depth: int, documents: int) -> Hits:
        """The first ``depth`` of ``hits``, and more until ``documents`` documents are among them."""
        order, place = np.unique(self.chunks.document[hits.rows], return_index=True)
        enough = int(np.sort(place)[min(documents, len(order)) - 1]) + 1 if documents and len(order) else 0
        return hits.keep(np.arange(len(hits)) < max(depth, enough))


class PluginStage:
    """A user's retriever for ``texts``; ``progress`` counts queries answered."""

    def __init__(
        self,
        retrieval: PluginRetrieval,
        texts: Sequence[str],
        allowed: Allowed | None = None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.retrieval = retrieval
        self.texts = texts
        self.allowed = allowed
        self.progress = progress
        self._latest: tuple[int, Hits] | None = None

    @property
    def indexed_documents(self) -> frozenset[int]:
        return self.retrieval.indexed_documents

    def retrieve(self, depth: int, documents: int) -> list[Hits]:
        found = []
        for i, text in enumerate(self.texts):
            found.append(self.retrieval.retrieve(text, depth, documents, self._mask(i)))
            self.progress(1)
        return found

    def state(self) -> State:
        return State({}, {})

    def restore(self, state: State) -> None:
        """Nothing is left behind."""

    def ask(self, i: int, depth: int) -> object:
        return self.retrieval.retrieve(self.texts[i], depth, 0, self._mask(i))

    def ask_all(self, depth: int) -> object:
        return [self.ask(i, depth) for i in range(len(self.texts))]

    def exact_hits(self, i: int, count: int) -> Hits:
        hits = self._allowed(i)
        return hits.keep(np.arange(len(hits)) < count)

    def exact_document_ranks(self, i: int, documents: Sequence[int]) -> list[int | None]:
        order = document_order(self._allowed(i), self.retrieval.chunks)
        ranks = {document: rank for rank, document in enumerate(order, 1)}
        return [ranks.get(document) for document in documents]

    def best_chunks(self, i: int, documents: Sequence[int]) -> list[BestChunk | None]:
        hits = self._full(i)
        owners, first = np.unique(self.retrieval.chunks.document[hits.rows], return_index=True)
        places = dict(zip(owners.tolist(), first.tolist(), strict=True))
        return [
            (int(hits.rows[places[document]]), float(hits.scores[places[document]])) if document in places else None
            for document in documents
        ]

    def _mask(self, i: int) -> NDArray[np.bool_] | None:
        return None if self.allowed is None else self.allowed.mask(i)

    def _allowed(self, i: int) -> Hits:
        hits, mask = self._full(i), self._mask(i)
        return hits if mask is None else hits.keep(mask[self.retrieval.chunks.document[hits.rows]])

    def _full(self, i: int) -> Hits:
        """Query ``i``'s full ranking without the filter; the latest query's is kept."""
        if self._latest is None or self._latest[0] != i:
            self._latest = (i, self.retrieval.ranking(self.texts[i]))
        return self._latest[1]
