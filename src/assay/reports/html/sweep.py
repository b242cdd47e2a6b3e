"""What a page needs to know of a sweep: its whole runs, what differs between them, its failed jobs, its verdict."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.config.saved import load_config
from assay.errors import AssayError, DataError
from assay.reports.sweep_console import sort_metric
from assay.runs import files
from assay.runs.leaderboard import JSON, Row, differing
from assay.runs.run import Run, load_run
from assay.runs.sweep_folder import Jobs

VERDICT = "verdict.json"
MAX_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class Failed:
    """A job without a whole run; ``error`` is what the leaderboard says of it."""

    job: str
    error: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep, its rows best first by ``metric``.

    ``values`` has, per row, the values of ``keys`` (absent where its config has no such key). ``verdict`` is the
    content of ``verdict.json`` where it is there, whole, and on these very jobs; else ``no_verdict`` says why.
    """

    rows: tuple[Row, ...]
    keys: tuple[str, ...]
    values: tuple[Mapping[str, Any], ...]
    failed: tuple[Failed, ...]
    metric: str
    verdict: Mapping[str, Any] | None
    no_verdict: str | None

    @property
    def jobs(self) -> list[str]:
        """The numbers of the rows."""
        return [str(row.number) for row in self.rows]

    def run(self, place: int) -> Run:
        """The run of a row; rows are of whole runs."""
        run = self.rows[place].run
        assert run is not None
        return run

    def together(self) -> frozenset[str]:
        """The jobs that can't be told from the leader, itself included; none without a verdict."""
        return frozenset(self.verdict["indistinguishable"]) if self.verdict else frozenset()

    def label(self, place: int) -> str:
        """A row by its job's number and what it chose."""
        return " · ".join([self.jobs[place], *self.chosen(place)])

    def chosen(self, place: int) -> list[str]:
        """What a row chose of what differs, in the order of ``keys``."""
        return [shown(self.values[place][key]) for key in self.keys if key in self.values[place]]

    def mean(self, place: int, metric: str) -> float | None:
        """The mean of ``metric`` in a row, None where it has none."""
        run = self.rows[place].run
        mean = run.metrics["metrics"].get(metric, {}).get("mean") if run else None
        return None if mean is None else float(mean)


def read_sweep(folder: Path, jobs: Jobs) -> Sweep:
    """The sweep in ``folder``.

    Raises
    ------
    DataError
        It holds no whole run, or one that is damaged.
    """
    if not jobs.whole:
        raise DataError(f"{folder}: a sweep without a whole run; finish it with resume=true")
    rows = [Row(int(path.name), load_config(path / files.CONFIG), load_run(path), None) for path in jobs.whole]
    verdict, reason = _verdict(folder, {str(row.number) for row in rows})
    metric = str(verdict["metric"]) if verdict else sort_metric(rows, None)
    if metric is None:
        raise DataError(f"{folder}: its runs have no metrics; nothing to report")
    keys, values = differing(rows)
    numbers = [one["job"] for one in verdict["runs"]] if verdict else []

    def order(place: int) -> tuple[float, float]:
        job = str(rows[place].number)
        run = rows[place].run
        mean = run.metrics["metrics"].get(metric, {}).get("mean") if run else None
        return (numbers.index(job) if job in numbers else math.inf), -(mean if mean is not None else -1.0)

    places = sorted(range(len(rows)), key=order)
    return Sweep(
        tuple(rows[i] for i in places),
        tuple(keys),
        tuple(values[i] for i in places),
        tuple(_failed(folder, jobs)),
        metric,
        verdict,
        reason,
    )


def shown(value: Any) -> str:
    """A config's value as a person writes it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _failed(folder: Path, jobs: Jobs) -> list[Failed]:
    """The jobs without a whole run: those that the leaderboard names with their error, and unfinished folders."""
    whole = {path.name for path in jobs.whole}
    told: dict[str, str] = {path.name: "unfinished" for path in jobs.unfinished}
    board = _json(folder / JSON)
    for row in board if isinstance(board, list) else ():
        if isinstance(row, dict) and row.get("error") and str(row.get("job")) not in whole:
            told[str(row["job"])] = str(row["error"])
    return [Failed(job, error) for job, error in sorted(told.items(), key=lambda item: (len(item[0]), item[0]))]


def _verdict(folder: Path, jobs: set[str]) -> tuple[Mapping[str, Any] | None, str | None]:
    """The verdict on these jobs, or why there is none to show."""
    found = _json(folder / VERDICT)
    if not isinstance(found, dict):
        return None, None
    if "no_verdict" in found:
        return None, str(found["no_verdict"])
    try:
        judged = {str(one["job"]) for one in found["runs"]}
        usable = (
            isinstance(found["metric"], str)
            and isinstance(found["leader"], str)
            and set(found["indistinguishable"]) <= judged
            and all(_is_number(one["behind"]) and _is_number(one["probability_best"]) for one in found["runs"])
        )
    except (KeyError, TypeError):
        return None, f"{VERDICT} is none that this assay writes"
    if not usable:
        return None, f"{VERDICT} is none that this assay writes"
    if judged != jobs:
        return None, f"{VERDICT} was written for other jobs than this folder holds"
    return found, None


def _json(path: Path) -> Any:
    """What a JSON file holds; None where there is none that can be read."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, AssayError):
        return None


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)
