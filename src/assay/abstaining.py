"""The final score below which hits are dropped: the one given, or one that cross-fitting chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.chunks import ChunkSet
from assay.config import Config
from assay.errors import ConfigError
from assay.evaluation.threshold import LEAST_UNANSWERABLE, CrossFit, Scored, Utility, cross_fit
from assay.golden import GoldenSet
from assay.ranking import Hits, document_order, top_score

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Per query its ``min_score``, the one to deploy, and how it was chosen; ``chosen`` is None where it was given."""

    each: list[float | None]
    threshold: float | None
    chosen: CrossFit | None


def check_labels(config: Config, golden: GoldenSet) -> None:
    """Raise a ConfigError where ``auto`` has too few unanswerable queries to choose by."""
    unanswerable = sum(not query.answerable for query in golden.evaluated)
    if config.filter.min_score == AUTO and unanswerable < LEAST_UNANSWERABLE:
        raise ConfigError(
            f"filter.min_score: auto needs at least {LEAST_UNANSWERABLE} unanswerable queries to choose by, this golden set "
            f"has {unanswerable}; label more, or give a number"
        )


def thresholds_of(
    config: Config, golden: GoldenSet, hits: Sequence[Hits], passages: ChunkSet, stage: int
) -> Thresholds:
    """What ``filter.min_score`` says for every query; ``hits`` are final, ``stage`` is the final one."""
    given = config.filter.min_score
    if given is None or isinstance(given, float | int):
        return Thresholds([given] * len(hits), given, None)
    most = max(config.evaluation.ks)
    scored = [
        Scored(
            query.answerable,
            top_score(found, stage),
            relevant_score(found, passages, stage, golden.qrels.get(query.id, {}), most),
        )
        for query, found in zip(golden.evaluated, hits, strict=True)
    ]
    utility = Utility(config.filter.utility_right, config.filter.utility_wrong, config.filter.utility_empty)
    chosen = cross_fit(scored, [query.id for query in golden.evaluated], utility, config.seed)
    return Thresholds(list(chosen.thresholds), chosen.threshold, chosen)


def relevant_score(hits: Hits, passages: ChunkSet, stage: int, judged: Mapping[str, int], k: int) -> float | None:
    """The best score of ``stage`` that a relevant document among the first ``k`` has; None where none has one."""
    for place in document_order(hits, passages)[:k]:
        if judged.get(passages.documents[place].id, 0) > 0:
            own = (passages.document[hits.rows] == place) & (hits.stages == stage)
            return float(hits.scores[own].max()) if own.any() else None
    return None
