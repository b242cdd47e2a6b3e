"""The verdict on a sweep's folder: read from its runs, written beside its leaderboard."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import AssayError, DataError
from assay.evaluation.contenders import SCHEMA_VERSION, SweepVerdict
from assay.evaluation.names import HEADLINE
from assay.evaluation.resampling import SEED
from assay.evaluation.sweep_verdict import sweep_verdict
from assay.runs import files
from assay.runs.common_questions import refuse_other_measures
from assay.runs.golden_changes import differing_parts, hashes_of, listing
from assay.runs.leaderboard import Row, differing
from assay.runs.run import Run

VERDICT = "verdict.json"
TIE_BREAKS = ("ndcg@10", "evidence_recall@5")  # as the leaderboard breaks them; then the lower number


@dataclass(frozen=True, slots=True)
class NoVerdict:
    """Why there is none."""

    reason: str

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"schema_version": SCHEMA_VERSION, "no_verdict": self.reason}


def write_verdict(rows: Sequence[Row], folder: Path, metric: str | None = None) -> SweepVerdict | NoVerdict:
    """Write ``verdict.json`` into the sweep's ``folder``, and return what it holds.

    ``metric`` by default is the first headline metric that all whole runs have. The file names costs, so equal sweeps
    write equal files only as far as their latencies are equal.
    """
    found = verdict_of(rows, metric)
    files.write_atomically(folder / VERDICT, files.to_json(found.document()))
    return found


def verdict_of(rows: Sequence[Row], metric: str | None = None, seed: int = SEED) -> SweepVerdict | NoVerdict:
    """The verdict on the whole runs among ``rows``; a reason where they can't be held against each other."""
    whole = [row for row in rows if row.run is not None]
    if len(whole) < 2:
        return NoVerdict("fewer than two jobs are whole, so there is nothing to compare")
    runs = [row.run for row in whole if row.run]
    try:
        parts = list(dict.fromkeys(p for run in runs for p in differing_parts(hashes_of(runs[0]), hashes_of(run))))
        if parts:
            return NoVerdict(f"the jobs were scored on different golden sets ({listing(parts)} differ)")
        for run in runs:
            refuse_other_measures(runs[0], run)
        name = metric or next((one for one in HEADLINE if all(_n(run, one) for run in runs)), None)
        if name is None:
            return NoVerdict(f"no metric of {', '.join(HEADLINE)} is in every job")
        lacking = [str(row.number) for row, run in zip(whole, runs, strict=True) if not _n(run, name)]
        if lacking:
            return NoVerdict(f"{name} has no value in job {', '.join(lacking)}")
        scores = scores_of(runs, name)
    except AssayError as fault:
        return NoVerdict("; ".join(fault.lines()))
    if np.isnan(scores).any(axis=0).all():
        return NoVerdict(f"no question has a value of {name} in every job")
    failed = [str(row.number) for row in rows if row.run is None]
    return sweep_verdict(
        name,
        [str(row.number) for row in whole],
        scores,
        settings=[
            {key: files.plain(value) for key, value in own.items()}
            for row, own in zip(rows, differing(rows)[1], strict=True)
            if row.run
        ],
        costs=[_costs(run) for run in runs],
        ties=sorted(range(len(runs)), key=lambda i: tuple(-_mean(runs[i], one) for one in TIE_BREAKS)),
        seed=seed,
        notes=[f"failed or unfinished, not in it: job {', '.join(failed)}"] if failed else [],
    )


def scores_of(runs: Sequence[Run], metric: str) -> np.ndarray:
    """The scores of ``runs`` (runs x queries, paired by id), NaN where a query is in no mean."""
    table = []
    queries: dict[str, int] = {}
    for run in runs:
        own = {row["query_id"]: row["metrics"].get(metric) for row in run.rows()}
        queries = queries or {query: place for place, query in enumerate(own)}
        if own.keys() != queries.keys():
            raise DataError(f"{run.folder / files.PER_QUERY}: holds other questions than {runs[0].folder}; run again")
        for query, value in own.items():
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1
            ):
                raise DataError(
                    f"{run.folder / files.PER_QUERY}: query {query!r} has {value!r} for {metric}; run again"
                )
        table.append([math.nan if own[query] is None else float(own[query]) for query in queries])
    return np.array(table, dtype=np.float64)


def _n(run: Run, metric: str) -> int:
    found = run.metrics["metrics"].get(metric)
    n = found.get("n") if isinstance(found, Mapping) else None
    return n if isinstance(n, int) else 0


def _mean(run: Run, metric: str) -> float:
    found = run.metrics["metrics"].get(metric)
    mean = found.get("mean") if isinstance(found, Mapping) else None
    return float(mean) if isinstance(mean, int | float) else 0.0


def _costs(run: Run) -> tuple[float | None, float | None]:
    """Median latency and bytes, as far as they were measured."""
    found = []
    for part, name in (("search", "p50_ms"), ("index", "bytes")):
        block = run.timings.get(part)
        value = block.get(name) if isinstance(block, Mapping) else None
        found.append(float(value) if isinstance(value, int | float) else None)
    return found[0], found[1]
