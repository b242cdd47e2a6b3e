"""The gate that a run passes or fails: floors, drops against a baseline, limits of abstention.

Floors and limits are held against the run's own figures, as they were measured: on a fixed golden set a pipeline's
figure is a fact, and a gate that asked for certainty beyond these questions would let most losses through. The same
goes for ``max_drops``: the observed drop counts, and whether it is significant is told beside it. A baseline without
``max_drops`` asks the other question, whether the run is worse beyond chance: a one-sided paired randomisation test of
each headline metric, Holm-corrected over these metrics, at 5 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from assay.config import nearest
from assay.errors import AssayError, DataError
from assay.evaluation.names import parse
from assay.evaluation.paired import corrected, paired_differences
from assay.evaluation.randomisation import ALPHA
from assay.evaluation.resampling import SEED
from assay.runs.chosen import Chosen, Given, metrics_to_compare
from assay.runs.common_questions import Common, refuse_other_measures
from assay.runs.compare import aligned, read_run, refuse_other_golden_set
from assay.runs.gate_checks import Check, Gate, Kind, Limits
from assay.runs.run import Run, load_run

_SLACK = 1e-9  # a figure that is its limit but for rounding has kept it
_RATES: Mapping[Kind, str] = {"max_false_answers": "false_answer_rate", "max_wrong_empty": "wrong_empty_rate"}


def gate(run: Given, limits: Limits, baseline: Given | None = None, *, seed: int = SEED) -> Gate:
    """The checks of ``run`` against ``limits``, and against ``baseline`` if there is one.

    Raises
    ------
    AssayError
        Nothing to check; a metric, type or rate that the run has not got; drops without a baseline; another golden
        set or other ways of measuring; a damaged folder.
    """
    own = run if isinstance(run, Run) else load_run(run)
    other = None if baseline is None else baseline if isinstance(baseline, Run) else load_run(baseline)
    if limits.max_drops and other is None:
        raise AssayError("--max-drop: a drop from what? give --baseline RUN")
    checks = [_floor(own, metric, limit) for metric, limit in limits.floors.items()]
    checks += [_type_floor(own, kind, metric, limit) for (kind, metric), limit in limits.type_floors.items()]
    if other is not None:
        refuse_other_measures(other, own)
        refuse_other_golden_set(other, own)
        checks += _drops(own, other, limits.max_drops, seed)
    if limits.max_false_answers is not None:
        checks.append(_rate(own, "max_false_answers", limits.max_false_answers))
    if limits.max_wrong_empty is not None:
        checks.append(_rate(own, "max_wrong_empty", limits.max_wrong_empty))
    if not checks:
        raise AssayError("nothing to check: give --min recall@5=0.8, --baseline RUN, or another limit")
    return Gate(own, other, tuple(checks))


def _floor(run: Run, metric: str, limit: float) -> Check:
    return _floored(run, metric, None, limit, run.metrics["metrics"], str(run.folder))


def _type_floor(run: Run, kind: str, metric: str, limit: float) -> Check:
    types = run.metrics.get("by_type")
    types = types if isinstance(types, Mapping) else {}
    if kind not in types:
        known = ", ".join(types) or "none"
        raise AssayError(f"--min-type: {run.folder} has no type {kind!r}{nearest(kind, types) or f'; types: {known}'}")
    return _floored(run, metric, kind, limit, types[kind]["metrics"], f"{run.folder}, type {kind!r}")


def _floored(run: Run, metric: str, kind: str | None, limit: float, metrics: Mapping[str, Any], where: str) -> Check:
    family = parse(metric).family
    if metric not in metrics:
        known = [name for name in metrics if parse(name).family == family] or list(metrics)
        raise AssayError(f"metric {metric!r} is not in {where}; it has {', '.join(known)}")
    found = metrics[metric]
    mean, n, ci95 = (found.get(key) for key in ("mean", "n", "ci95")) if isinstance(found, Mapping) else (None,) * 3
    if not _is_share(mean) or not isinstance(n, int):
        if n == 0 and mean is None:
            raise AssayError(f"metric {metric!r}: no query of {where} is in its mean, so no floor can hold")
        raise DataError(
            f"{run.folder / 'metrics.json'}: {metric} is not a mean and an n; the file is damaged, run again"
        )
    interval = (float(ci95[0]), float(ci95[1])) if isinstance(ci95, list) and len(ci95) == 2 else None
    return Check("min", metric, kind, limit, float(mean), interval, n, mean >= limit - _SLACK)


def _is_share(value: object) -> TypeGuard[float]:
    """Whether ``value`` is a number from 0 to 1; a NaN is none."""
    return isinstance(value, int | float) and 0.0 <= value <= 1.0


def _rate(run: Run, kind: Kind, limit: float) -> Check:
    block, counts = run.metrics.get("abstention"), run.metrics.get("queries")
    name = _RATES[kind]
    group = "unanswerable" if kind == "max_false_answers" else "answerable"
    value = block.get(name) if isinstance(block, Mapping) else None
    n = counts.get(group) if isinstance(counts, Mapping) else None
    if value is not None and not _is_share(value):
        raise DataError(f"{run.folder / 'metrics.json'}: {name} is {value!r}, no rate; the file is damaged, run again")
    if value is None or not isinstance(n, int):
        flag = f"--{kind.replace('_', '-')}"
        raise AssayError(f"{flag}: {run.folder} has no {name}, since its golden set has no {group} query")
    return Check(kind, name, None, limit, float(value), None, n, value <= limit + _SLACK)


def _drops(run: Run, baseline: Run, max_drops: Mapping[str, float], seed: int) -> list[Check]:
    """Drops below their limits, or the headline metrics tested where no limit is named."""
    chosen = Chosen((baseline, run), ("the baseline", "the run"), 0)
    names, _ = metrics_to_compare(chosen, list(max_drops) or None)
    found = [read_run(one, label, names) for one, label in zip(chosen.runs, chosen.labels, strict=True)]
    questions = found[0][0]
    if not questions:
        raise DataError(f"{baseline.folder}: no query was evaluated, so there is nothing to compare")
    before, after = (aligned(one, own, questions, Common(None, (), False)) for own, one in found)
    x, y = (np.stack([one.values[name] for name in names], axis=1) for one in (before, after))
    changes = paired_differences(x, y, seed=seed, tested=False)
    worse = paired_differences(y, x, seed=seed, family=len(names), side="greater")
    tested = worse if max_drops else corrected(worse)
    checks = []
    for name, plain, test in zip(names, changes, tested, strict=True):
        if plain.difference is None or plain.ci95 is None or test.p_corrected is None:
            raise AssayError(f"metric {name!r}: no query has a value in both runs, so no drop can be told")
        one = replace(plain, chance=test.chance, p_corrected=test.p_corrected)
        drop = 0.0 - plain.difference  # not -x, which makes a difference of 0 a "-0"
        interval = (-plain.ci95[1], -plain.ci95[0])
        if max_drops:
            kept = drop <= max_drops[name] + _SLACK
            checks.append(Check("max_drop", name, None, max_drops[name], drop, interval, plain.n, kept, one))
        else:
            kept = test.p_corrected > ALPHA
            checks.append(Check("not_worse", name, None, None, drop, interval, plain.n, kept, one))
    return checks
