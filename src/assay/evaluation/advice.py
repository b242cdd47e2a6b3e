"""What would help most: for each change a user could make, the most it could win on this golden set.

A gain here is an upper bound: the documents that a change could bring back take the places of irrelevant ones, as if
the changed stage made no mistake and hurt nothing else. It says where to look first, not what a change will give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.evaluation.intervals import exact_mean

RERANKER_DEPTHS = (20, 50, 100)
NEARLY_ALL = 0.8  # of what the deepest could win is enough to prefer a shallower reranker


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """What one answerable query got. Lists are of document ids, best first.

    Attributes
    ----------
    relevant
        All its relevant documents.
    ranking
        Its final ranking, after ``min_score``.
    candidates
        What the first stage returned.
    missed
        Cause and exact rank (None if infinite) of each relevant document that is not in the top max(ks).
    """

    relevant: frozenset[str]
    ranking: Sequence[str]
    candidates: Sequence[str]
    missed: Mapping[str, tuple[str, int | None]]


@dataclass(frozen=True, slots=True)
class Change:
    """A change, the missed documents it could bring back, and the most that ``recall@k`` could rise.

    ``change`` is ``reranker`` (then with the number of documents it would re-order) or the cause that would be gone.
    """

    change: str
    depth: int | None
    documents: int
    gain: float


def advice(outcomes: Sequence[QueryOutcome], k: int, documents: int, has_reranker: bool) -> dict[str, Any]:
    """The block ``advice`` of metrics.json: how many relevant documents were missed, and the changes, best first.

    ``documents`` is the size of the corpus: a reranker of more than half of it would be no reranker.
    """
    changes = [] if has_reranker else _reranker(outcomes, k, [n for n in RERANKER_DEPTHS if 2 * n <= documents])
    for cause in dict.fromkeys(cause for outcome in outcomes for cause, _ in outcome.missed.values()):
        if cause == "embedding" and not has_reranker:
            continue  # a reranker is what answers it, as far as anything that ranks the same candidates can
        back = [
            frozenset(doc_id for doc_id, (other, _) in outcome.missed.items() if other == cause) for outcome in outcomes
        ]
        changes.append(Change(cause, None, sum(map(len, back)), _gain(outcomes, back, k)))
    changes.sort(key=lambda one: (-one.gain, -one.documents, one.change))
    return {
        "metric": f"recall@{k}",
        "missed": sum(len(outcome.missed) for outcome in outcomes),
        "changes": [
            {"change": one.change, "depth": one.depth, "documents": one.documents, "gain": one.gain} for one in changes
        ],
    }


def _reranker(outcomes: Sequence[QueryOutcome], k: int, depths: Sequence[int]) -> list[Change]:
    """The shallowest of ``depths`` that could win nearly all that the deepest could; none where none wins."""
    found = []
    for depth in depths:
        back = [_within_reach(outcome, depth) for outcome in outcomes]
        within = sum(
            rank is not None and rank <= depth
            for outcome in outcomes
            for cause, rank in outcome.missed.values()
            if cause == "embedding"
        )
        found.append(Change("reranker", depth, within, _gain(outcomes, back, k)))
    most = max((one.gain for one in found), default=0.0)
    return [next(one for one in found if one.gain >= NEARLY_ALL * most)] if most > 0 else []


def _within_reach(outcome: QueryOutcome, depth: int) -> frozenset[str]:
    """What a reranker of ``depth`` could put on top; what ``min_score`` removed stood there already."""
    removed = {doc_id for doc_id, (cause, _) in outcome.missed.items() if cause == "threshold"}
    return outcome.relevant.intersection(outcome.candidates[:depth]) - removed


def _gain(outcomes: Sequence[QueryOutcome], back: Sequence[frozenset[str]], k: int) -> float:
    """How much the mean of recall@k would rise if the documents ``back`` of each query came into the top k.

    They take the places of documents that are not relevant; k places hold k documents at most.
    """
    gains = []
    for outcome, won in zip(outcomes, back, strict=True):
        found = outcome.relevant.intersection(outcome.ranking[:k])
        gains.append((min(k, len(found | won)) - len(found)) / len(outcome.relevant))
    return exact_mean(gains) if gains else 0.0
