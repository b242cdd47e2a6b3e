"""Anybody's rankings scored against anybody's judgements: the library's front door to the metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real

from assay.errors import AssayError
from assay.evaluation.intervals import Estimate, estimate
from assay.evaluation.measures import score_rankings
from assay.evaluation.names import NEEDS_RUN, parse

Ranked = Sequence[str] | Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores of rankings: per query, and their means with interval and number of queries.

    Attributes
    ----------
    estimates
        Per metric, in the order asked for.
    per_query
        Per query of the judgements, per metric: a value in [0, 1], or None where it is not in that mean.
    """

    estimates: Mapping[str, Estimate]
    per_query: Mapping[str, Mapping[str, float | None]]

    @property
    def mean(self) -> dict[str, float | None]:
        """Per metric, the mean over its queries; None without any."""
        return {name: one.mean for name, one in self.estimates.items()}

    @property
    def ci95(self) -> dict[str, tuple[float, float] | None]:
        """Per metric, the ends of the mean's 95 % interval; None without queries."""
        return {name: one.ci95 for name, one in self.estimates.items()}

    @property
    def n(self) -> dict[str, int]:
        """Per metric, the number of queries in its mean."""
        return {name: one.n for name, one in self.estimates.items()}


def evaluate(
    rankings: Mapping[str, Ranked], qrels: Mapping[str, Mapping[str, int]], metrics: str | Sequence[str]
) -> Evaluation:
    """The ``metrics`` of ``rankings`` under ``qrels``.

    The queries are those of ``qrels``: one that ``rankings`` lacks scores 0, one that only ``rankings`` has
    is ignored, and one without a grade above 0 is in no mean. Nothing that is passed in is changed.

    Parameters
    ----------
    rankings
        Query id to document ids, best first; or to a mapping from document id to score, which is ranked by
        score, highest first, equal scores by id.
    qrels
        Query id to document id to integer grade; above 0 is relevant.
    metrics
        Names such as ``"recall@5"``, ``"mrr"``, ``"ndcg@10"``.

    Raises
    ------
    AssayError
        An unknown metric, or one that needs more than this; a document ranked twice; a score that is not
        finite; an id that is no string; a grade that is no integer.
    """
    names = list(dict.fromkeys([metrics] if isinstance(metrics, str) else metrics))
    for name in names:
        if parse(name).family in NEEDS_RUN:
            raise AssayError(f"metric {name!r} needs a whole run: rankings and judgements alone don't hold it")
    queries = list(qrels)
    for query in queries:
        _check_judgements(query, qrels[query])
    scores = score_rankings(
        [ranked(query, rankings.get(query, ())) for query in queries],
        [qrels[query] for query in queries],
        names,
        query_ids=queries,
    )
    columns = {name: [None if math.isnan(value) else value for value in scores[name].tolist()] for name in names}
    return Evaluation(
        estimates={name: estimate(scores[name]) for name in names},
        per_query={query: {name: columns[name][row] for name in names} for row, query in enumerate(queries)},
    )


def ranked(query: str, ranking: Ranked) -> list[str]:
    """The document ids of ``ranking``, best first, checked to be strings with finite scores, if any."""
    if isinstance(ranking, Mapping):
        if not all(map(_is_finite, ranking.values())):
            doc_id, score = next(pair for pair in ranking.items() if not _is_finite(pair[1]))
            raise AssayError(f"query {query!r}, document {doc_id!r}: score {score!r} is not a finite number")
        _check_ids(query, list(ranking))
        return [doc_id for doc_id, _ in sorted(ranking.items(), key=lambda pair: (-pair[1], pair[0]))]
    if isinstance(ranking, str | bytes | set | frozenset):
        raise AssayError(f"query {query!r}: a ranking is a sequence of document ids, not a {type(ranking).__name__}")
    ids = list(ranking)
    _check_ids(query, ids)
    return ids


def _is_finite(score: object) -> bool:
    return isinstance(score, Real) and math.isfinite(score)


def _check_ids(query: str, ids: Sequence[object]) -> None:
    if set(map(type, ids)) <= {str}:  # the usual case, at the speed of C
        return
    for doc_id in ids:
        if not isinstance(doc_id, str):
            raise AssayError(f"query {query!r}: document id {doc_id!r} is a {type(doc_id).__name__}, not a string")


def _check_judgements(query: str, judged: Mapping[str, int]) -> None:
    _check_ids(query, list(judged))
    if set(map(type, judged.values())) <= {int}:
        return
    for doc_id, grade in judged.items():
        if not isinstance(grade, Integral):
            raise AssayError(f"query {query!r}, document {doc_id!r}: grade {grade!r} is not an integer")
