"""From per-query scores to the body of metrics.json: means with intervals, by type, beside their bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.evaluation.attribution import CAUSES
from assay.evaluation.bounds import Bound
from assay.evaluation.intervals import CI_METHOD, Estimate, estimate, exact_mean
from assay.evaluation.judged import Floats
from assay.evaluation.names import in_order

SCHEMA_VERSION = 1


def summarise(
    *,
    answerable: Sequence[bool],
    unjudged: int,
    types: Sequence[str | None],
    values: Mapping[str, Floats],
    bounds: Mapping[str, Bound],
    abstention: Mapping[str, Any],
    causes: Sequence[Mapping[str, int]],
    reranking: Mapping[str, Any] | None = None,
    advice: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """metrics.json as a dict of plain Python values, keys in a fixed order, without a NaN.

    Parameters
    ----------
    answerable, types, causes
        Per evaluated query: whether it is answerable; its type, None if it has none; how many relevant documents each
        cause (of CAUSES) lost.
    unjudged
        Queries that are not evaluated.
    values
        Per metric, the scores of the evaluated queries, NaN where a query is not in the mean.
    bounds, abstention, reranking, advice
        What ``floor_and_ceiling``, ``abstention_block``, the reranker's bounds and ``advice`` gave.
    """
    names = in_order(values)
    scores = {name: np.asarray(values[name], dtype=np.float64) for name in names}
    rows = _rows_by_type(types)
    by_type = {kind: {name: estimate(scores[name][rows[kind]]) for name in names} for kind in rows}
    unknown = {cause for each in causes for cause in each} - set(CAUSES)
    if unknown:
        raise ValueError(f"no such causes: {sorted(unknown)}")
    return {
        "schema_version": SCHEMA_VERSION,
        "ci_method": CI_METHOD,
        "queries": {
            "total": len(answerable) + unjudged,
            "answerable": sum(map(bool, answerable)),
            "unanswerable": len(answerable) - sum(map(bool, answerable)),
            "unjudged": unjudged,
        },
        "metrics": {name: estimate(scores[name]).as_dict() for name in names},
        "macro_by_type": {name: _macro([means[name] for means in by_type.values()]) for name in names},
        "bounds": {name: {"floor": bounds[name].floor, "ceiling": bounds[name].ceiling} for name in in_order(bounds)},
        "by_type": {
            kind: {
                "n": len(rows[kind]),
                "metrics": {name: means[name].as_dict() for name in names},
                "causes": _total(causes[row] for row in rows[kind]),
            }
            for kind, means in by_type.items()
        },
        "abstention": dict(abstention),
        "causes": _total(causes),
        "reranking": None if reranking is None else dict(reranking),
        "advice": None if advice is None else dict(advice),
    }


def _total(causes: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """How many documents each cause lost in all, causes in their own order."""
    total = Counter[str]()
    for each in causes:
        total.update(each)
    return {cause: total[cause] for cause in CAUSES}


def _rows_by_type(types: Sequence[str | None]) -> dict[str, list[int]]:
    """The rows of each type, types in string order; queries without a type are in none."""
    kinds = sorted({kind for kind in types if kind is not None})
    return {kind: [row for row, other in enumerate(types) if other == kind] for kind in kinds}


def _macro(estimates: Sequence[Estimate]) -> float | None:
    """The mean over the types that have a mean; None if none has."""
    means = [one.mean for one in estimates if one.mean is not None]
    return exact_mean(means) if means else None
