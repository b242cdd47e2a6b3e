"""Nearest chunks by embedding: the index proposes, exact scores decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.chunks import ChunkSet
from assay.indexes import Index, exact_ranks, exact_top, largest_norm, ordered, pair_scores, tolerance
from assay.indexes.base import Rows, Vectors
from assay.indexes.exact import Metric, Scores
from assay.ranking import Hits, first_stage_hits

EQUAL_SCORE = 1e-6
NOTHING = Hits(np.empty(0, np.int64), np.empty(0, np.float64), np.empty(0, np.int64))


@dataclass(frozen=True, slots=True)
class Unfilled:
    """Slots for which the index proposed no chunk though there were more, all slots, and the queries concerned."""

    slots: int
    of: int
    queries: int


class DenseRetrieval:
    """Vectors of the chunks that are in the index, the index over them, and what each row stands for.

    Parameters
    ----------
    chunks
        All chunks of the corpus.
    indexed
        Rows of ``chunks`` that are in the index, ascending; a chunk whose vector is zero has no direction
        and is left out under cosine and ip.
    vectors
        Their vectors, shape (indexed, dimensions), of unit length under cosine.
    """

    def __init__(self, chunks: ChunkSet, indexed: Rows, vectors: Vectors, index: Index, metric: Metric) -> None:
        self.chunks = chunks
        self.indexed = indexed
        self.vectors = vectors
        self.index = index
        self.metric = metric
        self.owner = chunks.document[indexed]
        self.unfilled = Unfilled(0, 0, 0)
        self.served: list[Rows] = []

    @cached_property
    def _largest_norm(self) -> float:
        return largest_norm(self.vectors)

    @cached_property
    def indexed_documents(self) -> frozenset[int]:
        """Documents (places in ``chunks.documents``) with a chunk in the index."""
        return frozenset(self.owner.tolist())

    def answers(self, query: Vectors) -> bool:
        """Whether the query has anything to compare: a zero vector gets nothing back (but under l2)."""
        return self.metric == "l2" or bool(np.any(query))

    def retrieve(self, queries: Vectors, depth: int, documents: int) -> list[Hits]:
        """The ``depth`` nearest chunks of each query, and more until ``documents`` documents are among them or all is seen.

        What the index left empty of the first ``depth`` slots is counted in ``unfilled``; what it proposed last, in its
        own order, is kept in ``served``.
        """
        wanted = min(documents, len(self.indexed_documents))
        margin = max(16, depth // 8) if self.index.exact else 0
        proposed = self.index.propose(queries, depth + margin) if len(queries) else []
        slots = min(depth, self.index.size)
        short = [slots - len(r) for q, r in zip(queries, proposed, strict=True) if self.answers(q) and len(r) < slots]
        self.unfilled = Unfilled(sum(short), slots * sum(map(self.answers, queries)), len(short))
        self.served = list(proposed)
        return [self._one(i, query, depth, wanted) for i, query in enumerate(queries)]

    def _one(self, i: int, query: Vectors, depth: int, wanted: int) -> Hits:
        if not self.answers(query) or self.index.size == 0:
            return NOTHING
        while True:
            rows, scores = self._nearest(i, query, min(depth, self.index.size))
            enough = len(set(self.owner[rows].tolist())) >= wanted
            if enough or depth >= self.index.size:
                return first_stage_hits(self.indexed[rows], scores)
            depth *= 2
            self.served[i] = np.empty(0, np.int64)

    def _nearest(self, i: int, query: Vectors, k: int) -> tuple[Rows, Scores]:
        def propose(n: int) -> Rows:
            if len(self.served[i]) < n:
                self.served[i] = self.index.propose(query[None], n)[0]
            return self.served[i]

        if self.index.exact:
            slack = tolerance(query, self._largest_norm, self.metric)
            return exact_top(query, self.vectors, self.metric, k, propose, slack)
        # An approximate index may propose more than asked: exact scores choose among its candidates.
        rows = propose(k)
        rows, scores = ordered(rows, pair_scores(query, self.vectors[rows], self.metric))
        return rows[:k], scores[:k]

    def exact_hits(self, query: Vectors, k: int) -> Scores:
        """Scores of the ``k`` nearest chunks by exact search, best first."""
        if not self.answers(query) or len(self.vectors) == 0:
            return np.empty(0, np.float32)
        rough = self.vectors @ query
        if self.metric == "l2":
            rough = 2 * rough - (self.vectors * self.vectors).sum(axis=1)
        # Whatever rounding may have put below the k-th is summed exactly too.
        boundary = -np.partition(-rough, min(k, len(rough)) - 1)[min(k, len(rough)) - 1]
        near = np.flatnonzero(rough >= boundary - 2 * tolerance(query, self._largest_norm, self.metric))
        return np.sort(pair_scores(query, self.vectors[near], self.metric))[::-1][:k]

    def exact_answers(self, queries: Vectors, k: int) -> list[Scores]:
        """``exact_hits`` of every query: what any index over these vectors is measured against."""
        return [self.exact_hits(query, k) for query in queries]

    def index_recall(
        self, queries: Vectors, ks: Sequence[int], depth: int, truths: Sequence[Scores] | None = None
    ) -> dict[int, NDArray[np.float64]]:
        """Per cutoff, the share of exact search's first k chunks among the index's own first k, per query.

        It is about the search that ``retrieve`` made for these queries, grown where it grew; without one, about a search
        at ``depth``. ``truths`` are
        ``exact_answers`` for max(ks), computed here unless given. A chunk whose score equals the k-th within 1e-6 counts
        as one of them. A query that has nothing to find scores 1.
        """
        found = {k: np.ones(len(queries)) for k in ks}
        proposed = self.served or self.index.propose(queries, max(depth, max(ks)))
        truths = truths if truths is not None else self.exact_answers(queries, max(ks))
        for i, (query, rows, truth) in enumerate(zip(queries, proposed, truths, strict=True)):
            rows = rows[: max(ks)]
            scores = pair_scores(query, self.vectors[rows], self.metric) if len(truth) else truth
            for k in ks:
                best = truth[:k]
                if len(best):
                    same = int((scores[:k] >= best[-1] - EQUAL_SCORE).sum())
                    found[k][i] = min(same, len(best)) / len(best)
        return found

    def exact_document_ranks(self, query: Vectors, documents: Sequence[int]) -> list[int | None]:
        """1-based rank of each document in the full exact ranking; None where it has no place in it."""
        if not self.answers(query):
            return [None] * len(documents)
        slack = tolerance(query, self._largest_norm, self.metric)
        ranks = exact_ranks(query, self.vectors, self.metric, self.owner, np.array(documents, np.int64), slack)
        return [int(rank) or None for rank in ranks]
