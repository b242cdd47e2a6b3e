"""Ranking metrics of many queries at once, from one table of judged documents.

Everywhere: ranks count from 1, a document that is not judged counts as grade 0, a grade above 0 is relevant,
R is the number of a query's relevant documents whether or not they came back, and a query whose R is 0 is in
no mean (its value is NaN) but that of ``handled``. A short or empty ranking lacks documents; it scores no
better for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.evaluation.judged import Floats, JudgedRankings, counted_within, meet
from assay.evaluation.names import Metric, parse


def score_rankings(
    rankings: Sequence[Sequence[str]],
    qrels: Sequence[Mapping[str, int]],
    names: Sequence[str],
    *,
    answerable: Sequence[bool] | None = None,
    query_ids: Sequence[str] | None = None,
) -> dict[str, Floats]:
    """Every metric of ``names`` for every query: values in [0, 1], shape ``(queries,)``.

    NaN marks a query that is not in that metric's mean.

    Parameters
    ----------
    rankings
        Per query, document ids, best first, each once (an AssayError otherwise).
    qrels
        Per query, document id to integer grade.
    names
        Full names, such as ``recall@5`` and ``mrr``. Evidence and index metrics are not read from rankings.
    answerable
        Per query; needed by ``handled@k`` only.
    query_ids
        For the text of errors.
    """
    metrics = [parse(name) for name in names]
    for metric in metrics:
        if metric.family != "handled" and metric.family not in _MEASURES:
            raise AssayError(f"metric {metric.name!r} can't be read from rankings and judgements alone")
        if metric.family == "handled" and answerable is None:
            raise AssayError(f"metric {metric.name!r} needs to know which queries are answerable")
    table = meet(rankings, qrels, query_ids)
    scores: dict[str, Floats] = {}
    for metric in metrics:
        if metric.family == "handled":
            scores[metric.name] = _handled(table, metric, np.asarray(answerable, dtype=np.bool_))
        else:
            scores[metric.name] = np.where(table.relevant > 0, _MEASURES[metric.family](table, metric), np.nan)
    return scores


def _found(table: JudgedRankings, k: int) -> Floats:
    """Relevant documents among the first k, per query."""
    return table.total(table.query, np.ones(len(table.query)), (table.grade > 0) & (table.rank <= k))


def _recall(table: JudgedRankings, metric: Metric) -> Floats:
    """Relevant documents in the first k / R (Kent et al. 1955). At most k / R: it is not capped."""
    return _found(table, _k(metric)) / np.maximum(table.relevant, 1)


def _precision(table: JudgedRankings, metric: Metric) -> Floats:
    """Relevant documents in the first k / k, also when fewer than k came back (Kent et al. 1955)."""
    return _found(table, _k(metric)) / _k(metric)


def _hit(table: JudgedRankings, metric: Metric) -> Floats:
    """1 if any of the first k is relevant, else 0; also known as success@k and hit rate."""
    return (_found(table, _k(metric)) > 0).astype(np.float64)


def _mrr(table: JudgedRankings, metric: Metric) -> Floats:
    """1 / the first relevant document's rank, 0 without one or past k (Voorhees, TREC-8, 1999)."""
    good = table.grade > 0
    query, rank = table.query[good], table.rank[good]
    first = counted_within(query, table.size) == 1
    if metric.k is not None:
        first &= rank <= metric.k
    return table.total(query, 1.0 / rank, first)


def _ndcg(table: JudgedRankings, metric: Metric) -> Floats:
    """Gain of the first k discounted by log2(rank + 1) / a perfect ranking's (Järvelin and Kekäläinen 2002).

    The gain is the grade. The perfect ranking is of all relevant documents, returned or not.
    """
    return _gain_ratio(table, _k(metric), exponential=False)


def _ndcg_exp(table: JudgedRankings, metric: Metric) -> Floats:
    """As ndcg with the gain 2^grade - 1 (Burges et al. 2005)."""
    return _gain_ratio(table, _k(metric), exponential=True)


def _map(table: JudgedRankings, metric: Metric) -> Floats:
    """The sum of precision at each relevant document's rank up to k, / R (trec_eval's map_cut).

    Buckley and Voorhees 2000. All R divide, also where R > k.
    """
    good = table.grade > 0
    query, rank = table.query[good], table.rank[good]
    precision = counted_within(query, table.size) / rank
    return table.total(query, precision, rank <= _k(metric)) / np.maximum(table.relevant, 1)


def _rprec(table: JudgedRankings, metric: Metric) -> Floats:
    """Relevant documents in the first R / R (Buckley and Voorhees 2005)."""
    within = (table.grade > 0) & (table.rank <= table.relevant[table.query])
    return table.total(table.query, np.ones(len(table.query)), within) / np.maximum(table.relevant, 1)


def _judged(table: JudgedRankings, metric: Metric) -> Floats:
    """Judged documents in the first k / min(k, returned); NaN where nothing came back.

    Tells an unjudged ranking from a bad one (Lu, Moffat and Culpepper 2016).
    """
    seen = table.total(table.query, np.ones(len(table.query)), table.rank <= _k(metric))
    out = np.minimum(table.returned, _k(metric))
    return np.where(out > 0, seen / np.maximum(out, 1), np.nan)


def _handled(table: JudgedRankings, metric: Metric, answerable: NDArray[np.bool_]) -> Floats:
    """1 for an answerable query with any relevant in the first k, or an unanswerable one left empty."""
    empty = (table.returned == 0).astype(np.float64)
    right = np.where(answerable, _hit(table, metric), empty)
    return np.where(answerable & (table.relevant == 0), np.nan, right)


def _gain_ratio(table: JudgedRankings, k: int, exponential: bool) -> Floats:
    """dcg / ideal dcg, 0 where there is nothing to gain; rounding can't lift it above 1."""
    got, best = table.dcg(k, exponential), table.ideal_dcg(k, exponential)
    return np.minimum(np.divide(got, best, out=np.zeros_like(got), where=best > 0), 1.0)


def _k(metric: Metric) -> int:
    assert metric.k is not None, metric  # parse lets no such name through
    return metric.k


_MEASURES: dict[str, Callable[[JudgedRankings, Metric], Floats]] = {
    "recall": _recall,
    "precision": _precision,
    "hit": _hit,
    "mrr": _mrr,
    "ndcg": _ndcg,
    "ndcg_exp": _ndcg_exp,
    "map": _map,
    "rprec": _rprec,
    "judged": _judged,
}
