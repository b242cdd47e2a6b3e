"""Rankings met with their judgements, as flat arrays: the one table that every ranking metric is read from.

Only judged documents can move a metric, so only they are kept: a row for each judged document that came
back, with its rank. Work and memory grow with the number of judgements, not with the length of rankings,
and the one loop over queries does nothing that is not done in C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class JudgedRankings:
    """What came back, and what should have, for ``size`` queries.

    Attributes
    ----------
    returned, relevant
        Per query: documents in its ranking; documents with a grade above 0. Shape ``(size,)``.
    query, rank, grade
        Per judged document that came back, by query, then rank: its query's row, its rank from 1, its grade.
    ideal_query, ideal_rank, ideal_grade
        Per relevant document, returned or not, as a perfect ranking has them: by query, then falling grade.
    """

    size: int
    returned: Ints
    relevant: Ints
    query: Ints
    rank: Ints
    grade: Floats
    ideal_query: Ints
    ideal_rank: Ints
    ideal_grade: Floats

    def total(self, query: Ints, values: Floats, keep: NDArray[np.bool_]) -> Floats:
        """The sum of ``values`` per query over the rows that ``keep`` marks, added in the rows' order."""
        return np.bincount(query[keep], weights=values[keep], minlength=self.size).astype(np.float64)

    def gain(self, query: Ints, grade: Floats, exponential: bool) -> Floats:
        """Per row, what its grade is worth: the grade, or ``2^grade - 1``; 0 where it is not above 0.

        Exponential gains are divided by ``2^(the query's highest grade)``: no ratio of gains feels it, and no
        grade overflows.
        """
        positive = np.maximum(grade, 0.0)
        if not exponential:
            return positive
        top = np.zeros(self.size)
        first = self.ideal_rank == 1
        top[self.ideal_query[first]] = self.ideal_grade[first]
        return np.exp2(positive - top[query]) - np.exp2(-top[query])

    def dcg(self, k: int, exponential: bool) -> Floats:
        """The gain of the first k, each discounted by log2(rank + 1), shape ``(size,)``."""
        gain = self.gain(self.query, self.grade, exponential)
        return self.total(self.query, gain / np.log2(self.rank + 1.0), self.rank <= k)

    def ideal_dcg(self, k: int, exponential: bool) -> Floats:
        """As ``dcg``, of a perfect ranking: all relevant documents, cut at k and nowhere else."""
        gain = self.gain(self.ideal_query, self.ideal_grade, exponential)
        return self.total(self.ideal_query, gain / np.log2(self.ideal_rank + 1.0), self.ideal_rank <= k)


def meet(
    rankings: Sequence[Sequence[str]],
    qrels: Sequence[Mapping[str, int]],
    query_ids: Sequence[str] | None = None,
) -> JudgedRankings:
    """The table of ``rankings[i]`` (document ids, best first) under ``qrels[i]`` (document id to grade).

    A document that stands twice in a ranking is an AssayError: counted twice, it would lift recall above 1.
    Nothing that is passed in is changed. ``query_ids`` are for that error's text only.
    """
    counting = list(range(1, max(map(len, rankings), default=0) + 1))  # once, not once a query
    ranks: list[int] = []
    grades: list[int] = []
    for row, (ranking, judged) in enumerate(zip(rankings, qrels, strict=True)):
        place = dict(zip(ranking, counting, strict=False))
        if len(place) != len(ranking):
            raise AssayError(_duplicate(ranking, repr(query_ids[row]) if query_ids else f"number {row + 1}"))
        ranks.extend(map(place.get, judged, repeat(0)))
        grades.extend(judged.values())
    size = len(qrels)
    counts = np.fromiter(map(len, qrels), dtype=np.int64, count=size)
    query = np.repeat(np.arange(size, dtype=np.int64), counts)
    rank = np.array(ranks, dtype=np.int64)
    grade = np.array(grades, dtype=np.float64)

    best = np.lexsort((-grade, query))
    best = best[grade[best] > 0]
    relevant = np.bincount(query[best], minlength=size).astype(np.int64)
    came = np.lexsort((rank, query))
    came = came[rank[came] > 0]
    return JudgedRankings(
        size=size,
        returned=np.fromiter(map(len, rankings), dtype=np.int64, count=size),
        relevant=relevant,
        query=query[came],
        rank=rank[came],
        grade=grade[came],
        ideal_query=query[best],
        ideal_rank=counted_within(query[best], size),
        ideal_grade=grade[best],
    )


def counted_within(query: Ints, size: int) -> Ints:
    """1, 2, 3, … within each run of equal values of the sorted ``query``."""
    counts = np.bincount(query, minlength=size)
    starts = np.cumsum(counts) - counts
    return np.arange(1, len(query) + 1, dtype=np.int64) - starts[query]


def _duplicate(ranking: Sequence[str], query: str) -> str:
    seen: set[str] = set()
    twice = next(doc_id for doc_id in ranking if doc_id in seen or seen.add(doc_id))  # type: ignore[func-returns-value]
    return f"query {query}: document {twice!r} is ranked twice; a ranking has each document once"
