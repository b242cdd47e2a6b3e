"""From per-query scores to the body of metrics.json: means with intervals, by type, beside their bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    causes: Mapping[str, int],
) -> dict[str, Any]:
    """metrics.json as a dict of plain Python values, keys in a fixed order, without a NaN.

    Parameters
    ----------
    answerable, types
        Per evaluated query: whether it is answerable; its type, None if it has none.
    unjudged
        Queries that are not evaluated.
    values
        Per metric, the scores of the evaluated queries, NaN where a query is not in the mean.
    bounds, abstention, causes
        What ``floor_and_ceiling``, ``abstention_block`` and counting ``cause_of`` gave; a cause that is not
        in ``causes`` counts 0.
    """
    names = in_order(values)
    scores = {name: np.asarray(values[name], dtype=np.float64) for name in names}
    by_type = {
        kind: {name: estimate(scores[name][rows]) for name in names} for kind, rows in _rows_by_type(types).items()
    }
    unknown = set(causes) - set(CAUSES)
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
            kind: {"n": types.count(kind), "metrics": {name: means[name].as_dict() for name in names}}
            for kind, means in by_type.items()
        },
        "abstention": dict(abstention),
        "causes": {cause: int(causes.get(cause, 0)) for cause in CAUSES},
    }


def _rows_by_type(types: Sequence[str | None]) -> dict[str, list[int]]:
    """The rows of each type, types in string order; queries without a type are in none."""
    kinds = sorted({kind for kind in types if kind is not None})
    return {kind: [row for row, other in enumerate(types) if other == kind] for kind in kinds}


def _macro(estimates: Sequence[Estimate]) -> float | None:
    """The mean over the types that have a mean; None if none has."""
    means = [one.mean for one in estimates if one.mean is not None]
    return exact_mean(means) if means else None
