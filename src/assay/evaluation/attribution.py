"""Why a relevant document is not in the top k: the first stage of the trip that lost it."""

from __future__ import annotations

from dataclasses import dataclass

CAUSES: tuple[str, ...] = (
    "not_indexed",
    "filtered",
    "truncated",
    "approximation",
    "embedding",
    "depth",
    "reranker",
    "threshold",
)


@dataclass(frozen=True, slots=True)
class MissFacts:
    """What is known of one relevant document that is not in a query's top k. Ranks are of documents, from 1.

    Attributes
    ----------
    has_chunk
        Any chunk of it is in the index.
    excluded_by_where
        The filter's ``where`` excludes it.
    evidence_truncated
        It has spans for this query and all of them lie only in text that the embedding model cut off.
    exact_rank
        E: its rank in the full first-stage ranking with exact search in place of the index; None if infinite.
    in_exact_candidates
        C: it is among the documents of as many first hits of that ranking as the run fetched.
    in_first_stage, first_stage_rank
        F: the run's own first stage returned it, and its rank there; None if it did not.
    reranked, final_rank
        R: it was handed to the reranker; its rank in the final ranking before ``min_score``, None if it has
        none.
    has_reranker
        The run has a reranker.
    k
        max(ks).
    """

    has_chunk: bool
    excluded_by_where: bool
    evidence_truncated: bool
    exact_rank: int | None
    in_exact_candidates: bool
    in_first_stage: bool
    first_stage_rank: int | None
    reranked: bool
    final_rank: int | None
    has_reranker: bool
    k: int


def cause_of(facts: MissFacts) -> str:
    """The first of CAUSES that holds.

    Without a reranker, a document that exact search has in the top k was lost by the index, and one that it
    has lower by the embedding. With one, what counts is whether the reranker could get to see it: first
    whether it is among the exact candidates, then whether the run's first stage found it, handed it on
    (``depth``), and what the reranker made of it. What no stage lost was removed by ``min_score``.
    """
    if not facts.has_chunk:
        return "not_indexed"
    if facts.excluded_by_where:
        return "filtered"
    if facts.evidence_truncated:
        return "truncated"
    if facts.has_reranker:
        return _with_reranker(facts)
    if _past(facts.exact_rank, facts.k):
        return "embedding"
    return "approximation" if _past(facts.first_stage_rank, facts.k) else "threshold"


def _with_reranker(facts: MissFacts) -> str:
    if not facts.in_exact_candidates:
        return "embedding"
    if not facts.in_first_stage:
        return "approximation"
    if not facts.reranked:
        return "depth"
    return "reranker" if _past(facts.final_rank, facts.k) else "threshold"


def _past(rank: int | None, k: int) -> bool:
    """Whether a rank is past k, as None (nowhere) always is."""
    return rank is None or rank > k
