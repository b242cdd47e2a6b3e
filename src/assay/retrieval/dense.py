"""Nearest chunks by embedding: the index proposes, exact scores decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.chunks import ChunkSet
from assay.filters import Allowed, Mode, Served
from assay.indexes import (
    Index,
    exact_best,
    exact_ranks,
    exact_top,
    largest_norm,
    ordered,
    pair_scores,
    rough_scores,
    scored,
    tolerance,
)
from assay.indexes.base import Rows, Vectors
from assay.indexes.exact import Metric, Scores
from assay.ranking import Hits, first_stage_hits, hits_in_order
from assay.retrieval.filtered import FilteredQuery
from assay.retrieval.subset import Subset

EQUAL_SCORE = 1e-6
NO_ROWS = (np.empty(0, np.int64), np.empty(0, np.float32))
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
        self.filtered = Served()
        self.served: list[Rows] = []
        self._latest: Subset | None = None

    @cached_property
    def largest_norm(self) -> float:
        """Length of the longest vector."""
        return largest_norm(self.vectors)

    @cached_property
    def indexed_documents(self) -> frozenset[int]:
        """Documents (places in ``chunks.documents``) with a chunk in the index."""
        return frozenset(self.owner.tolist())

    def answers(self, query: Vectors) -> bool:
        """Whether the query has anything to compare: a zero vector gets nothing back (but under l2)."""
        return self.metric == "l2" or bool(np.any(query))

    def retrieve(
        self, queries: Vectors, depth: int, documents: int, allowed: Allowed | None = None, mode: Mode = "pre"
    ) -> list[Hits]:
        """The ``depth`` nearest chunks of each query, and more until ``documents`` documents are among them or all is seen.

        ``allowed`` leaves out documents, query by query; ``mode`` says whether while searching or afterwards. Every hit
        is held against it. What the index proposed last, in its own order, is kept in ``served``. Without a filter, what
        the index left empty of the first ``depth`` slots is counted in ``unfilled``; with one, how queries were
        answered in ``filtered``.
        """
        self.unfilled, self.filtered = Unfilled(0, 0, 0), Served()
        if allowed is not None:
            return self._retrieve_allowed(queries, depth, documents, allowed, mode)
        wanted = min(documents, len(self.indexed_documents))
        proposed = self.index.propose(queries, depth + self._margin(depth)) if len(queries) else []
        slots = min(depth, self.index.size)
        short = [slots - len(r) for q, r in zip(queries, proposed, strict=True) if self.answers(q) and len(r) < slots]
        self.unfilled = Unfilled(sum(short), slots * sum(map(self.answers, queries)), len(short))
        self.served = list(proposed)
        first = scored(queries, self.vectors, proposed, self.metric)
        found = [self._one(i, query, depth, wanted, first[i]) for i, query in enumerate(queries)]
        return hits_in_order([(self.indexed[rows], scores) for rows, scores in found])

    def _margin(self, depth: int) -> int:
        """Chunks that exact search looks at beyond the depth, for ties and rounding."""
        return max(16, depth // 8) if self.index.exact else 0

    def _retrieve_allowed(
        self, queries: Vectors, depth: int, documents: int, allowed: Allowed, mode: Mode
    ) -> list[Hits]:
        found, counts = [NOTHING] * len(queries), Counter[str]()
        self.served = [np.empty(0, np.int64)] * len(queries)
        for place, mask in enumerate(allowed.masks):
            asked = [int(i) for i in np.flatnonzero(allowed.of == place) if self.answers(queries[i])]
            subset = self._subset(mask)
            first: list[Rows | None] = [None] * len(asked)
            if asked and self.index.exact and self.index.size:
                chosen = subset.selected if mode == "pre" else None
                first = list(self.index.propose(queries[asked], depth + self._margin(depth), chosen))
            for i, rows in zip(asked, first, strict=True):
                answer = FilteredQuery(self, queries[i], subset, mode, depth).answer(documents, rows)
                found[i] = first_stage_hits(self.indexed[answer.rows], answer.scores)
                self.served[i] = answer.served
                owners = len(set(self.owner[answer.rows].tolist()))
                counts.update(["queries", answer.why, *["grown"] * answer.grown])
                counts["under_filled"] += owners < min(documents, int(mask.sum()))
        del counts["index"]
        self.filtered = Served(**counts)
        return found

    def ask(self, query: Vectors, depth: int, mask: NDArray[np.bool_], mode: Mode) -> Rows:
        """Rows of the ``depth`` nearest chunks that ``mask`` allows: one search under a filter, to be timed."""
        return FilteredQuery(self, query, self._subset(mask), mode, depth).answer(0).rows

    def _subset(self, mask: NDArray[np.bool_]) -> Subset:
        """``mask`` as rows; the latest is kept, since queries with one mask come one after another."""
        if self._latest is None or self._latest.mask is not mask:
            self._latest = Subset(mask, self.owner, self.vectors)
        return self._latest

    def _one(self, i: int, query: Vectors, depth: int, wanted: int, first: tuple[Rows, Scores]) -> tuple[Rows, Scores]:
        """Rows (of the index) and scores that query ``i`` gets back, given the ``first`` proposal in order."""
        if not self.answers(query) or self.index.size == 0:
            return NO_ROWS
        k = min(depth, self.index.size)
        rows, scores = self._settled(query, k, *first) or self._nearest(i, query, k)
        while len(set(self.owner[rows].tolist())) < wanted and depth < self.index.size:
            depth *= 2
            self.served[i] = np.empty(0, np.int64)
            rows, scores = self._nearest(i, query, min(depth, self.index.size))
        return rows, scores

    def _settled(self, query: Vectors, k: int, rows: Rows, scores: Scores) -> tuple[Rows, Scores] | None:
        """The first ``k`` of a proposal in order; None where a row that exact search left out could be one of them."""
        if self.index.exact and len(rows) < self.index.size:
            slack = tolerance(query, self.largest_norm, self.metric)
            if len(rows) <= k or scores[-1] >= scores[k - 1] - 2 * slack:
                return None
        return rows[:k], scores[:k]

    def _nearest(self, i: int, query: Vectors, k: int) -> tuple[Rows, Scores]:
        def propose(n: int) -> Rows:
            if len(self.served[i]) < n:
                self.served[i] = self.index.propose(query[None], n)[0]
            return self.served[i]

        if self.index.exact:
            slack = tolerance(query, self.largest_norm, self.metric)
            return exact_top(query, self.vectors, self.metric, k, propose, slack)
        # An approximate index may propose more than asked: exact scores choose among its candidates.
        rows = propose(k)
        rows, scores = ordered(rows, pair_scores(query, self.vectors[rows], self.metric))
        return rows[:k], scores[:k]

    def exact_rows(self, query: Vectors, count: int, mask: NDArray[np.bool_] | None = None) -> tuple[Rows, Scores]:
        """The first ``count`` rows (of the index) of the exact ranking of what ``mask`` allows, ties by row, with scores."""
        if not self.answers(query) or len(self.vectors) == 0:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        slack = tolerance(query, self.largest_norm, self.metric)
        if mask is None:
            rows, rough = np.arange(len(self.vectors)), rough_scores(query, self.vectors, self.metric)
        else:
            subset = self._subset(mask)
            rows = subset.rows
            if subset.few:
                rough = rough_scores(query, subset.vectors, self.metric)
            else:
                rough = rough_scores(query, self.vectors, self.metric)[rows]
        return exact_best(query, self.vectors, self.metric, count, rows, rough, slack)

    def exact_answers(self, queries: Vectors, k: int, allowed: Allowed | None = None) -> list[Scores]:
        """Scores of each query's ``k`` nearest chunks by exact search under the filter, best first: what any index over
        these vectors is measured against.
        """
        if allowed is None:
            return [self.exact_rows(query, k)[1] for query in queries]
        found = [np.empty(0, np.float32)] * len(queries)
        for i in np.argsort(allowed.of, kind="stable"):  # mask by mask
            found[i] = self.exact_rows(queries[i], k, allowed.mask(int(i)))[1]
        return found

    def index_recall(
        self,
        queries: Vectors,
        ks: Sequence[int],
        depth: int,
        truths: Sequence[Scores] | None = None,
        allowed: Allowed | None = None,
    ) -> dict[int, NDArray[np.float64]]:
        """Per cutoff, the share of exact search's first k chunks among the index's own first k, per query, both under the
        same filter.

        It is about the search that ``retrieve`` made for these queries, grown where it grew; without one, about a search
        at ``depth``. ``truths`` are ``exact_answers`` for max(ks), computed here unless given. A chunk whose score equals the k-th within 1e-6 counts
        as one of them. A query that has nothing to find scores 1.
        """
        found = {k: np.ones(len(queries)) for k in ks}
        if allowed is not None and not self.served:
            self.retrieve(queries, max(depth, max(ks)), 0, allowed)
        proposed = self.served or self.index.propose(queries, max(depth, max(ks)))
        truths = truths if truths is not None else self.exact_answers(queries, max(ks), allowed)
        for i, (query, rows, truth) in enumerate(zip(queries, proposed, truths, strict=True)):
            rows = rows[: max(ks)]
            scores = pair_scores(query, self.vectors[rows], self.metric) if len(truth) else truth
            for k in ks:
                best = truth[:k]
                if len(best):
                    same = int((scores[:k] >= best[-1] - EQUAL_SCORE).sum())
                    found[k][i] = min(same, len(best)) / len(best)
        return found

    def best_chunk(self, query: Vectors, document: int) -> tuple[int, float] | None:
        """Row (of ``chunks``) and score of the document's best chunk; None where it has no chunk in the index."""
        places = np.flatnonzero(self.owner == document)
        if not len(places) or not self.answers(query):
            return None
        rows, scores = ordered(places, pair_scores(query, self.vectors[places], self.metric))
        hits = first_stage_hits(self.indexed[rows[:1]], scores[:1])
        return int(hits.rows[0]), float(hits.scores[0])

    def exact_document_ranks(
        self, query: Vectors, documents: Sequence[int], mask: NDArray[np.bool_] | None = None
    ) -> list[int | None]:
        """1-based rank of each document in the full exact ranking of what ``mask`` allows; None where it has no place in it."""
        if not self.answers(query):
            return [None] * len(documents)
        slack, targets = tolerance(query, self.largest_norm, self.metric), np.array(documents, np.int64)
        ranks = exact_ranks(query, self.vectors, self.metric, self.owner, targets, slack, mask)
        return [int(rank) or None for rank in ranks]
