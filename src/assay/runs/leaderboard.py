"""The jobs of a sweep set side by side: what differs in their configs, their metrics, and what they cost."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.config import Config
from assay.evaluation.names import HEADLINE
from assay.runs import files
from assay.runs.run import Run

CSV = "leaderboard.csv"
JSON = "leaderboard.json"
COSTS = "costs.csv"
NEVER_SHOWN = ("run_dir", "resume", "progress")


@dataclass(frozen=True, slots=True)
class Row:
    """One job: its whole run, or the error that it ended with."""

    number: int
    config: Config
    run: Run | None
    error: str | None


def flat(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Dotted keys to plain values."""
    found: dict[str, Any] = {}
    for key, value in config.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            found |= flat(value, f"{name}.")
        else:
            found[name] = value
    return found


def differing(rows: Sequence[Row]) -> tuple[list[str], list[dict[str, Any]]]:
    """The dotted keys that differ between the jobs, and each job's values of them (absent where it has no such key).

    A group's option is named by the group alone: ``index``, not ``index.kind``. A mapping that some jobs lack
    (``params: null``) is told by its keys.
    """
    configs = []
    for row in rows:
        values = flat(row.config.model_dump(mode="json", exclude=set(NEVER_SHOWN)))
        configs.append({key.removesuffix(".kind"): value for key, value in values.items()})
    keys = list(dict.fromkeys(key for config in configs for key in config))
    chosen = [
        key
        for key in keys
        if len({_shown(key, config) for config in configs}) > 1
        and not _told_by_group(key, configs)
        and not (any(other.startswith(f"{key}.") for other in keys) and all(c.get(key) is None for c in configs))
    ]
    return chosen, [{key: config[key] for key in chosen if key in config} for config in configs]


def _told_by_group(key: str, configs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether ``key`` only follows its group's option: every job with the same option has the same value of it."""
    group = key.partition(".")[0]
    if key == group or len({config.get(group) for config in configs}) < 2:
        return False
    values: dict[Any, set[str]] = {}
    for config in configs:
        values.setdefault(config.get(group), set()).add(_shown(key, config))
    return all(len(found) == 1 for found in values.values())


def _shown(key: str, config: Mapping[str, Any]) -> str:
    """The value of ``key``; a key that a job lacks, as one condition of ``filter.where`` or one of ``params``, is a value too."""
    return repr(config[key]) if key in config else ""


def as_document(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The content of ``leaderboard.json``: a row a job, by number; a failed one with empty metrics."""
    _, values = differing(rows)
    return [
        {
            "job": row.number,
            "config": chosen,
            "metrics": row.run.metrics["metrics"] if row.run else {},
            "error": row.error,
        }
        for row, chosen in zip(rows, values, strict=True)
    ]


def metric_names(rows: Sequence[Row]) -> list[str]:
    """All metrics of the whole runs, in files' order."""
    return list(dict.fromkeys(name for row in rows if row.run for name in row.run.metrics["metrics"]))


def write_leaderboard(rows: Sequence[Row], folder: Path) -> None:
    """Write ``leaderboard.csv``, ``leaderboard.json`` and ``costs.csv`` into the sweep's folder."""
    keys, values = differing(rows)
    names = metric_names(rows)
    bounded = [name for name in HEADLINE if name in names]
    head = ["job", *keys, *names, *(f"{name}_{side}" for name in bounded for side in ("low", "high")), "error"]
    lines = []
    for row, chosen in zip(rows, values, strict=True):
        metrics = row.run.metrics["metrics"] if row.run else {}
        means = [metrics.get(name, {}).get("mean") for name in names]
        limits = [limit for name in bounded for limit in (metrics.get(name, {}).get("ci95") or (None, None))]
        lines.append([row.number, *(chosen.get(key) for key in keys), *means, *limits, row.error])
    files.write_atomically(folder / CSV, to_csv(head, lines))
    files.write_atomically(folder / JSON, files.to_json(as_document(rows)))
    files.write_atomically(folder / COSTS, to_csv(*costs(rows)))


def costs(rows: Sequence[Row]) -> tuple[list[str], list[list[Any]]]:
    """Head and lines of ``costs.csv``: seconds, latency, bytes."""
    stages = list(dict.fromkeys(stage for row in rows if row.run for stage in row.run.timings["stages"]))
    head = [
        "job",
        "total_s",
        *(f"{stage}_s" for stage in stages),
        "p50_ms",
        "p95_ms",
        "batch_qps",
        "index_build_s",
        "index_bytes",
        "peak_rss_bytes",
    ]
    lines = []
    for row in rows:
        if row.run is None:
            lines.append([row.number, *[None] * (len(head) - 1)])
            continue
        timings = row.run.timings
        seconds = timings["stages"]
        lines.append(
            [
                row.number,
                sum(seconds.values()),
                *(seconds.get(stage) for stage in stages),
                *(timings["search"][name] for name in ("p50_ms", "p95_ms", "batch_qps")),
                timings["index"]["build_s"],
                timings["index"]["bytes"],
                timings["peak_rss_bytes"],
            ]
        )
    return head, lines


def to_csv(head: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    """CSV text with line feeds; text that a spreadsheet would run as a formula gets an apostrophe in front."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for line in lines:
        writer.writerow([_cell(value) for value in line])
    return out.getvalue()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"}:
        return "'" + value
    return repr(value) if isinstance(value, float) else value
