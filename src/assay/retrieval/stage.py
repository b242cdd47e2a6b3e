"""A first stage bound to the queries of a run: what the rest of the trip asks of it, however it finds its hits.

Attribution asks a first stage for more than hits: what exact search in place of the index would have given, so that
a miss can be laid at the door of the index or of the embedding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.filters import Allowed, Mode, Served
from assay.indexes.base import Rows, Vectors
from assay.indexes.exact import Scores
from assay.ranking import Hits, first_stage_hits
from assay.retrieval.dense import NOTHING, DenseRetrieval, Unfilled
from assay.retrieval.lexical import Bm25Retrieval

BestChunk = tuple[int, float]
"""Row of a document's best chunk, and its score."""


@dataclass(frozen=True, slots=True)
class State:
    """Lists of whole numbers, one a query, by name; and plain values."""

    lists: Mapping[str, Sequence[Rows]]
    values: Mapping[str, Any]


class FirstStage(Protocol):
    """Finds hits for query ``i`` of the run, a filter already applied. Documents are places in the corpus."""

    @property
    def indexed_documents(self) -> frozenset[int]:
        """Documents with a chunk that can be found."""

    def retrieve(self, depth: int, documents: int) -> list[Hits]:
        """Per query, the ``depth`` best chunks, and more until ``documents`` documents are among them or all is seen."""

    def state(self) -> State:
        """What ``retrieve`` left behind for measuring and attribution, to be kept beside its hits."""

    def restore(self, state: State) -> None:
        """Be as after the ``retrieve`` that ``state`` is of. A ValueError where it is of another."""

    def ask(self, i: int, depth: int) -> object:
        """Search once for query ``i`` as an application would, to be timed; nothing of it is kept."""

    def ask_all(self, depth: int) -> object:
        """Search once for all queries together, to be timed."""

    def exact_hits(self, i: int, count: int) -> Hits:
        """The first ``count`` hits of query ``i``'s full ranking, exact search in place of the index."""

    def exact_document_ranks(self, i: int, documents: Sequence[int]) -> list[int | None]:
        """1-based rank of each document in that full ranking; None where it has no place in it."""

    def best_chunks(self, i: int, documents: Sequence[int]) -> list[BestChunk | None]:
        """The best chunk of each document by exact search, filter or not; None where nothing of it was scored."""


class DenseStage:
    """Nearest chunks by embedding, for ``queries`` of shape (queries, dimensions)."""

    def __init__(
        self, retrieval: DenseRetrieval, queries: Vectors, allowed: Allowed | None = None, mode: Mode = "pre"
    ) -> None:
        self.retrieval = retrieval
        self.queries = queries
        self.allowed = allowed
        self.mode: Mode = mode

    @property
    def indexed_documents(self) -> frozenset[int]:
        return self.retrieval.indexed_documents

    def retrieve(self, depth: int, documents: int) -> list[Hits]:
        return self.retrieval.retrieve(self.queries, depth, documents, self.allowed, self.mode)

    def state(self) -> State:
        told = {"unfilled": asdict(self.retrieval.unfilled), "filtered": asdict(self.retrieval.filtered)}
        return State({"served": self.retrieval.served}, told)

    def restore(self, state: State) -> None:
        served = state.lists["served"]
        if any(len(rows) and not 0 <= rows.min() <= rows.max() < self.retrieval.index.size for rows in served):
            raise ValueError("rows that the index does not have")
        self.retrieval.served = list(served)
        self.retrieval.unfilled = Unfilled(**state.values["unfilled"])
        self.retrieval.filtered = Served(**state.values["filtered"])

    def ask(self, i: int, depth: int) -> object:
        if self.allowed is None:
            return self.retrieval.index.propose(self.queries[i : i + 1], depth)
        return self.retrieval.ask(self.queries[i], depth, self.allowed.mask(i), self.mode)

    def ask_all(self, depth: int) -> object:
        if self.allowed is None:
            return self.retrieval.index.propose(self.queries, depth)
        return [self.ask(i, depth) for i in range(len(self.queries))]

    def exact_hits(self, i: int, count: int) -> Hits:
        rows, scores = self.retrieval.exact_rows(self.queries[i], count, _mask(self.allowed, i))
        return first_stage_hits(self.retrieval.indexed[rows], scores)

    def exact_document_ranks(self, i: int, documents: Sequence[int]) -> list[int | None]:
        return self.retrieval.exact_document_ranks(self.queries[i], documents, _mask(self.allowed, i))

    def best_chunks(self, i: int, documents: Sequence[int]) -> list[BestChunk | None]:
        return [self.retrieval.best_chunk(self.queries[i], document) for document in documents]

    def exact_answers(self, k: int) -> list[Scores]:
        """What any index over these vectors is measured against: scores of the first ``k`` chunks of exact search."""
        return self.retrieval.exact_answers(self.queries, k, self.allowed)

    def index_recall(self, ks: Sequence[int], depth: int, truths: Sequence[Scores]) -> dict[int, NDArray[np.float64]]:
        """Per cutoff and query, the share of exact search's first k chunks among the index's own first k."""
        return self.retrieval.index_recall(self.queries, ks, depth, truths, self.allowed)


class LexicalStage:
    """BM25 for ``texts``; ``progress`` counts queries answered."""

    def __init__(
        self,
        bm25: Bm25Retrieval,
        texts: Sequence[str],
        allowed: Allowed | None = None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.bm25 = bm25
        self.texts = texts
        self.allowed = allowed
        self.progress = progress

    @property
    def indexed_documents(self) -> frozenset[int]:
        return self.bm25.indexed_documents

    def retrieve(self, depth: int, documents: int) -> list[Hits]:
        found = []
        for i, text in enumerate(self.texts):
            found.append(self.bm25.retrieve(text, depth, documents, _mask(self.allowed, i)))
            self.progress(1)
        return found

    def state(self) -> State:
        return State({}, {})

    def restore(self, state: State) -> None:
        """Nothing is left behind."""

    def ask(self, i: int, depth: int) -> object:
        return self.bm25.retrieve(self.texts[i], depth, 0, _mask(self.allowed, i))

    def ask_all(self, depth: int) -> object:
        return [self.ask(i, depth) for i in range(len(self.texts))]

    def exact_hits(self, i: int, count: int) -> Hits:
        return self.bm25.retrieve(self.texts[i], count, 0, _mask(self.allowed, i)) if count else NOTHING

    def exact_document_ranks(self, i: int, documents: Sequence[int]) -> list[int | None]:
        return self.bm25.exact_document_ranks(self.texts[i], documents, _mask(self.allowed, i))

    def best_chunks(self, i: int, documents: Sequence[int]) -> list[BestChunk | None]:
        return self.bm25.best_chunks(self.texts[i], documents)


def _mask(allowed: Allowed | None, i: int) -> NDArray[np.bool_] | None:
    return None if allowed is None else allowed.mask(i)
