"""A first stage made of two: nearest chunks by embedding and by words, fused per query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.chunks import ChunkSet
from assay.config.models import HybridRetriever
from assay.ranking import Hits, document_order
from assay.retrieval.fusion import absent_score, fuse
from assay.retrieval.stage import BestChunk, FirstStage, State


class HybridStage:
    """``dense`` and ``lexical`` over the same queries and chunks, fused as ``config`` says; a weight of 0 drops its list.

    Each list is fetched to the same depth and grows as it does alone, until the documents wanted are in it or all is
    seen. The fused list has every hit of both, so it holds those documents too. How far each list of a query went is
    kept: the query's exact ranking is fused from exact lists that go as far.
    """

    def __init__(self, dense: FirstStage, lexical: FirstStage, chunks: ChunkSet, config: HybridRetriever) -> None:
        both = ((dense, config.dense_weight), (lexical, config.bm25_weight))
        self.legs = [leg for leg, weight in both if weight]
        self.weights = [weight for _, weight in both if weight]
        self.chunks = chunks
        self.config = config
        self.depths: list[list[int]] = []
        self._latest: tuple[int, list[Hits]] | None = None

    @property
    def indexed_documents(self) -> frozenset[int]:
        return frozenset[int]().union(*(leg.indexed_documents for leg in self.legs))

    def retrieve(self, depth: int, documents: int) -> list[Hits]:
        lists = list(zip(*(leg.retrieve(depth, documents) for leg in self.legs), strict=True))
        # A list below the depth is all there is, or all that an approximate index could give.
        self.depths = [[max(depth, len(hits)) for hits in of_query] for of_query in lists]
        self._latest = None
        return [fuse(of_query, self.weights, self.config) for of_query in lists]

    def state(self) -> State:
        lists = {"depths": [np.array(depths, np.int64) for depths in self.depths]}
        values = {}
        for place, leg in enumerate(self.legs):
            inner = leg.state()
            lists |= {f"{place}.{name}": list(each) for name, each in inner.lists.items()}
            values[str(place)] = dict(inner.values)
        return State(lists, values)

    def restore(self, state: State) -> None:
        depths = [each.tolist() for each in state.lists["depths"]]
        if any(len(each) != len(self.legs) for each in depths):
            raise ValueError("depths of other lists")
        for place, leg in enumerate(self.legs):
            prefix = f"{place}."
            inner = {name.removeprefix(prefix): each for name, each in state.lists.items() if name.startswith(prefix)}
            leg.restore(State(inner, state.values[str(place)]))
        self.depths = depths
        self._latest = None

    def ask(self, i: int, depth: int) -> object:
        return [leg.ask(i, depth) for leg in self.legs]

    def ask_all(self, depth: int) -> object:
        return [leg.ask_all(depth) for leg in self.legs]

    def exact_hits(self, i: int, count: int) -> Hits:
        hits = fuse(self._exact_lists(i), self.weights, self.config)
        return hits.keep(np.arange(len(hits)) < count)

    def exact_document_ranks(self, i: int, documents: Sequence[int]) -> list[int | None]:
        """1-based rank of each document in the list fused from exact lists; None where it is in neither."""
        order = document_order(fuse(self._exact_lists(i), self.weights, self.config), self.chunks)
        ranks = {document: rank for rank, document in enumerate(order, 1)}
        return [ranks.get(document) for document in documents]

    def best_chunks(self, i: int, documents: Sequence[int]) -> list[BestChunk | None]:
        """As each document stands in that fused list; one that is in neither list has its best chunk by embedding, else
        by words, with the score of what is in neither.
        """
        lists = self._exact_lists(i)
        hits = fuse(lists, self.weights, self.config)
        owners, first = np.unique(self.chunks.document[hits.rows], return_index=True)
        places = dict(zip(owners.tolist(), first.tolist(), strict=True))
        absent = absent_score(lists, self.weights, self.config)
        legs = [leg.best_chunks(i, documents) for leg in self.legs]
        found: list[BestChunk | None] = []
        for document, *of_legs in zip(documents, *legs, strict=True):
            if document in places:
                place = places[document]
                found.append((int(hits.rows[place]), float(hits.scores[place])))
            else:
                best = next((chunk for chunk in of_legs if chunk is not None), None)
                found.append(best and (best[0], absent))
        return found

    def _exact_lists(self, i: int) -> list[Hits]:
        """Query ``i``'s lists by exact search, as far as ``retrieve`` went; the latest query's are kept."""
        if self._latest is None or self._latest[0] != i:
            lists = [leg.exact_hits(i, depth) for leg, depth in zip(self.legs, self.depths[i], strict=True)]
            self._latest = (i, lists)
        return self._latest[1]
