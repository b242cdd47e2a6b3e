"""What a metric would be by chance, and what it could be at best: its floor and its ceiling on a golden set.

The floor is the expectation under a random order of all N documents of the corpus, in closed form; the
ceiling is a perfect ranking's value, which k below the number of relevant documents can keep under 1.
Neither knows of filters or of ``min_score``. N is the number of documents in the corpus, R that of a query's
relevant ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.evaluation.intervals import exact_mean
from assay.evaluation.judged import Floats, Ints, JudgedRankings, meet
from assay.evaluation.names import WITH_BOUNDS, Metric, parse


@dataclass(frozen=True, slots=True)
class Bound:
    """The means of floor and ceiling over the queries of a metric's mean; None where there are none."""

    floor: float | None
    ceiling: float | None


def floor_and_ceiling(
    qrels: Sequence[Mapping[str, int]], corpus_size: int | Sequence[int], names: Sequence[str]
) -> dict[str, Bound]:
    """Floor and ceiling of those of ``names`` that have them, in that order.

    Parameters
    ----------
    qrels
        Per query, document id to grade; queries without a relevant document are in no mean.
    corpus_size
        N: documents that can be ranked, for all queries or for each (one less where ``exclude_self`` takes
        the query's own document out of the corpus).
    """
    scored = score_bounds(qrels, corpus_size, names)
    return {name: Bound(_mean(floor), _mean(ceiling)) for name, (floor, ceiling) in scored.items()}


def score_bounds(
    qrels: Sequence[Mapping[str, int]], corpus_size: int | Sequence[int], names: Sequence[str]
) -> dict[str, tuple[Floats, Floats]]:
    """As ``floor_and_ceiling``, per query: floors and ceilings of shape ``(queries,)``.

    NaN where no document is relevant. A query with more relevant documents than the corpus has documents
    is a ValueError.
    """
    table = meet([()] * len(qrels), qrels)
    documents = np.array(np.broadcast_to(np.asarray(corpus_size, dtype=np.int64), (table.size,)))
    if np.any(table.relevant > documents):
        raise ValueError("a query has more relevant documents than the corpus has documents")
    there = table.relevant > 0
    documents = np.maximum(documents, 1)
    scored: dict[str, tuple[Floats, Floats]] = {}
    for metric in map(parse, names):
        if metric.family in WITH_BOUNDS:
            floor = _FLOORS[metric.family](table, documents, metric)
            ceiling = _ceiling(table.relevant, metric)
            scored[metric.name] = np.where(there, floor, np.nan), np.where(there, ceiling, np.nan)
    return scored


def _ceiling(relevant: Ints, metric: Metric) -> Floats:
    """min(k, R) / R for recall and map, min(k, R) / k for precision, 1 for all others."""
    if metric.k is None or metric.family not in {"recall", "map", "precision"}:
        return np.ones(len(relevant))
    divisor = np.full(len(relevant), metric.k) if metric.family == "precision" else np.maximum(relevant, 1)
    return np.minimum(relevant, metric.k) / divisor


def _depth(documents: Ints, metric: Metric) -> Ints:
    """Ranks that a random order fills and the metric reads: min(k, N)."""
    return documents if metric.k is None else np.minimum(documents, metric.k)


def _recall(table: JudgedRankings, documents: Ints, metric: Metric) -> Floats:
    """min(k, N) / N."""
    return _depth(documents, metric) / documents


def _precision(table: JudgedRankings, documents: Ints, metric: Metric) -> Floats:
    """R min(k, N) / (N k)."""
    assert metric.k is not None
    return table.relevant * _depth(documents, metric) / (documents * metric.k)


def _rprec(table: JudgedRankings, documents: Ints, metric: Metric) -> Floats:
    """R / N."""
    return table.relevant / documents


def _hit(table: JudgedRankings, documents: Ints, metric: Metric) -> Floats:
    """1 - P(none of the first min(k, N) is relevant)."""
    return _by_shape(table.relevant, documents, lambda r, n, depth: float(_first_at(r, n, depth).sum()), metric)


def _mrr(table: JudgedRankings, documents: Ints, metric: Metric) -> Floats:
    """The sum over ranks i of P(the first relevant document is at i) / i."""
    return _by_shape(
        table.relevant,
        documents,
        lambda r, n, depth: float((_first_at(r, n, depth) / np.arange(1, depth + 1)).sum()),
        metric,
    )


def _map(table: JudgedRankings, documents: Ints, metric: Metric) -> Floats:
    """The sum over ranks i of (1 + (i - 1)(R - 1) / (N - 1)) / (i N).

    A document at rank i is relevant with R / N; given that, each of the i - 1 above it is with
    (R - 1) / (N - 1); the sum of their precisions is divided by R.
    """

    def floor(r: int, n: int, depth: int) -> float:
        rank = np.arange(1, depth + 1)
        return float(((1 + (rank - 1) * ((r - 1) / max(n - 1, 1))) / (rank * n)).sum())

    return _by_shape(table.relevant, documents, floor, metric)


def _ndcg(table: JudgedRankings, documents: Ints, metric: Metric) -> Floats:
    """The mean gain of all N documents, discounted over min(k, N) ranks / the ideal's discounted gain."""
    assert metric.k is not None
    exponential = metric.family == "ndcg_exp"
    gain = table.gain(table.ideal_query, table.ideal_grade, exponential)
    gains = table.total(table.ideal_query, gain, table.ideal_rank > 0)
    ideal = table.ideal_dcg(metric.k, exponential)
    depth = _depth(documents, metric)
    discounts = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(1, depth.max(initial=0) + 1) + 1.0))])
    floor: Floats = gains / documents * discounts[depth] / np.where(ideal > 0, ideal, 1.0)
    return floor


def _first_at(r: int, n: int, depth: int) -> Floats:
    """P(the first of r relevant documents among n in random order is at rank i), i from 1 to ``depth``."""
    left = n - np.arange(depth)  # documents not yet ranked before each rank
    missed = np.concatenate([[1.0], np.cumprod(np.maximum(left - r, 0) / left)])
    return missed[:-1] * np.minimum(r / left, 1.0)


def _by_shape(relevant: Ints, documents: Ints, floor: Callable[[int, int, int], float], metric: Metric) -> Floats:
    """``floor(R, N, min(k, N))`` per query, worked out once for each distinct pair of R and N."""
    shapes, back = np.unique(np.stack([relevant, documents], axis=1), axis=0, return_inverse=True)
    depths = _depth(shapes[:, 1], metric)
    each = [floor(int(r), int(n), int(depth)) for (r, n), depth in zip(shapes, depths, strict=True)]
    return np.array(each, dtype=np.float64)[np.ravel(back)]


def _mean(values: Floats) -> float | None:
    kept = values[~np.isnan(values)]
    return exact_mean(kept) if len(kept) else None


_FLOORS: dict[str, Callable[[JudgedRankings, Ints, Metric], Floats]] = {
    "recall": _recall,
    "precision": _precision,
    "hit": _hit,
    "mrr": _mrr,
    "ndcg": _ndcg,
    "ndcg_exp": _ndcg,
    "map": _map,
    "rprec": _rprec,
}
