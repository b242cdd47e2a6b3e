"""Two lists of hits into one: by ranks, or by scores that are made comparable query by query.

Scores of different methods have different scales (a cosine ends at 1, BM25 nowhere), so they are never added as they
are. All sums are in float64, list by list in the order given, then cast to float32 as all first-stage scores are;
equal scores go by row. A list of weight 0 takes no part: neither its scores nor its hits.

A fused score tells which hit of one query stands above another. It says nothing across queries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.config.models import Config, HybridRetriever
from assay.ranking import Hits, first_stage_hits, shortest_decimals

Normalised = tuple[NDArray[np.float64], float]
"""A list's scores made comparable, and what a hit that is not in the list gets."""


def rrf(lists: Sequence[Hits], weights: Sequence[float], k: int) -> Hits:
    """Reciprocal rank fusion: a hit at rank r of a list, from 1, gets weight / (k + r) from it; absent adds nothing.

    Cormack, Clarke and Büttcher (2009), "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
    Methods"; their k is 60. Ranks are places in a list, and lists have no ties: equal scores stand by row in them.
    """
    return _fused(lists, weights, lambda hits: (1 / (k + np.arange(1, len(hits) + 1, dtype=np.float64)), 0.0))


def weighted(lists: Sequence[Hits], weights: Sequence[float], normalisation: str) -> Hits:
    """Weighted sum of scores, those of each list normalised first; a hit that is not in a list gets the least from it.

    ==========  ===============================  ================  ===========================  ==========
    name        a score becomes                  absent            all equal, or a single hit   empty list
    ==========  ===============================  ================  ===========================  ==========
    min_max     (s - min) / (max - min)          0                 1                            0 for all
    sum         (s - min) / sum of (s - min)     0                 1 / hits                     0 for all
    z_score     (s - mean) / standard deviation  the list's least  0, and 0 for what is absent  0 for all
    ==========  ===============================  ================  ===========================  ==========

    The three are Montague and Aslam (2001), "Relevance score normalization for metasearch" (standard, sum, ZMUV; the
    deviation is the population's); adding them up is CombSUM of Fox and Shaw (1994). With 0 for what is absent, the
    mean under z_score, a hit that a list lacks would stand above the worse half of those that it has.
    """
    return _fused(lists, weights, NORMALISATIONS[normalisation])


def fuse(lists: Sequence[Hits], weights: Sequence[float], config: HybridRetriever) -> Hits:
    """``lists`` fused as ``config`` says."""
    if config.fusion == "rrf":
        return rrf(lists, weights, config.rrf_k)
    return weighted(lists, weights, config.normalisation)


def absent_score(lists: Sequence[Hits], weights: Sequence[float], config: HybridRetriever) -> float:
    """The fused score of a chunk that is in none of ``lists``."""
    if config.fusion == "rrf":
        return 0.0
    parts = [
        weight * NORMALISATIONS[config.normalisation](hits)[1] for hits, weight in zip(lists, weights, strict=True)
    ]
    return float(shortest_decimals(np.array([sum(parts)], np.float32))[0])


def _min_max(hits: Hits) -> Normalised:
    if not len(hits):
        return hits.scores, 0.0
    low, high = hits.scores.min(), hits.scores.max()
    return np.ones(len(hits)) if low == high else (hits.scores - low) / (high - low), 0.0


def _sum(hits: Hits) -> Normalised:
    if not len(hits):
        return hits.scores, 0.0
    above = hits.scores - hits.scores.min()
    return above / above.sum() if above.any() else np.full(len(hits), 1 / len(hits)), 0.0


def _z_score(hits: Hits) -> Normalised:
    if not len(hits) or hits.scores.min() == hits.scores.max():
        return np.zeros(len(hits)), 0.0
    from_mean = hits.scores - hits.scores.mean()
    scores = from_mean / np.sqrt((from_mean * from_mean).mean())
    return scores, float(scores.min())


NORMALISATIONS: dict[str, Callable[[Hits], Normalised]] = {"min_max": _min_max, "sum": _sum, "z_score": _z_score}


def _fused(lists: Sequence[Hits], weights: Sequence[float], normalised: Callable[[Hits], Normalised]) -> Hits:
    used = [(hits, weight) for hits, weight in zip(lists, weights, strict=True) if weight]
    rows = np.unique(np.concatenate([np.empty(0, np.int64), *(hits.rows for hits, _ in used)]))
    totals = np.zeros(len(rows))
    for hits, weight in used:
        scores, absent = normalised(hits)
        here = np.full(len(rows), absent)
        here[np.searchsorted(rows, hits.rows)] = scores
        totals += weight * here
    return first_stage_hits(rows, totals.astype(np.float32))


def min_score_note(config: Config) -> str | None:
    """What to tell whoever cuts fused scores by ``filter.min_score``; None where no fused score is cut."""
    retriever, min_score = config.retriever, config.filter.min_score
    if not isinstance(retriever, HybridRetriever) or min_score is None or config.reranker.kind != "none":
        return None
    if retriever.fusion == "rrf":
        most = (retriever.dense_weight + retriever.bm25_weight) / (retriever.rrf_k + 1)
        why = f"an rrf score says where a hit stands among its own query's (here it never exceeds {most:.4g})"
    else:
        why = f"{retriever.normalisation} makes the scores of every query alike, whether anything fits or not"
    shown = min_score if isinstance(min_score, str) else f"{min_score:g}"
    return (
        f"filter.min_score={shown} with retriever=hybrid: {why}, so fused scores are not comparable across "
        "queries and one threshold can't tell answerable queries from others; use it with dense, bm25 or a reranker"
    )
