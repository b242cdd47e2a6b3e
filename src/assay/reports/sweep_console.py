"""A sweep in a terminal: one row a job, best first, only the columns that differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.config import nearest
from assay.errors import AssayError
from assay.evaluation.names import HEADLINE
from assay.reports.text import cut_to, number
from assay.runs.leaderboard import Row, differing, metric_names
from assay.runs.pareto import pareto_front, quality, quality_metric

FAILED = "failed"
TELLING = ("ndcg@10", "evidence_recall@5", "index_recall@10")
Column = tuple[str, list[str]]  # a title and a cell a row
SHORT = {"evidence_recall@5": "evidence@5", "index_recall@10": "index@10"}


def sort_metric(rows: Sequence[Row], wanted: str | None) -> str | None:
    """The metric that orders the board: the one asked for, else the first headline metric there is."""
    names = metric_names(rows)
    if wanted is not None and names and wanted not in names:
        raise AssayError(
            f"--sort: {wanted!r} is no metric of this sweep{nearest(wanted, names) or '; metrics: ' + ', '.join(names)}"
        )
    return wanted or next((name for name in HEADLINE if name in names), names[0] if names else None)


def show_sweep(rows: Sequence[Row], out: Console, wanted: str | None = None) -> None:
    """Print the leaderboard of ``rows``; failed jobs stand last and name their error. A sweep of indexes shows its costs.

    What differs and the metric that orders the board always have room; further columns come as far as it goes.
    """
    first = sort_metric(rows, wanted)
    keys, values = differing(rows)
    against = quality_metric(rows, first)
    stars = ["*" if best else "" for best in pareto_front(rows, against)]
    order = sorted(range(len(rows)), key=lambda i: (*_order(rows[i], first), rows[i].number))
    told: list[Column] = [("job", [str(row.number) for row in rows])]
    told += [(_short(key, keys), [_value(chosen.get(key)) for chosen in values]) for key in keys]
    columns = list(told)
    if first:
        columns.append((SHORT.get(first, first), [_mean(row, first) for row in rows]))
        columns.append(("95 %", [_interval(row, first) for row in rows]))
    must = len(columns)
    for name in TELLING:
        if name != first and name in metric_names(rows):
            columns.append((SHORT.get(name, name), [_mean(row, name) for row in rows]))
    timed = sum(bool(row.run and row.run.timings["search"]["p50_ms"] is not None) for row in rows)
    of_indexes = timed > 1 and any(key.partition(".")[0] == "index" for key in keys)
    if timed:
        columns.append(("p50 ms", [_timing(row, "search", "p50_ms", ".2f") for row in rows]))
    if timed > 1 and not of_indexes:
        columns += [("bytes", [_size(row) for row in rows]), ("*", stars)]
    marked = _print(columns, must, len(told), order, out)
    if of_indexes:
        out.print()
        costs: list[Column] = [
            *told,
            ("p50 ms", [_timing(row, "search", "p50_ms", ".2f") for row in rows]),
            ("bytes", [_size(row) for row in rows]),
            ("*", stars),
            ("p95 ms", [_timing(row, "search", "p95_ms", ".2f") for row in rows]),
            ("batch q/s", [_timing(row, "search", "batch_qps", ",.0f") for row in rows]),
            ("build s", [_timing(row, "index", "build_s", ".2f") for row in rows]),
        ]
        if against:
            costs.insert(len(told), (SHORT.get(against, against), [number(quality(row, against)) for row in rows]))
        marked = _print(costs, len(told) + 4, len(told), order, out)
    if marked and any(stars):
        out.print(Text(f"* on the Pareto front of {against}, p50 and bytes: no other job beats it", style="dim"))
    for row in rows:
        if row.run is None:
            out.print(Text(cut_to(f"job {row.number} failed: {row.error}", 4 * out.width), style="red"))


def _print(columns: Sequence[Column], must: int, left: int, order: Sequence[int], out: Console) -> bool:
    """Print ``columns``: the first ``must`` always, others as far as there is room; the first ``left`` name the job.

    Whether the column of marks is among them.
    """
    kept, room = [], out.width
    for place, (title, cells) in enumerate(columns):
        width = max(map(cell_len, (title, *cells))) + 2
        if place < must or width <= room:
            kept.append((title, cells))
            room -= width
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, (title, _) in enumerate(kept):
        to_left = 0 < place < left or title in {"95 %", "*"}
        table.add_column(title, justify="left" if to_left else "right", overflow="fold")
    for i in order:
        table.add_row(*(Text(cells[i], style="red" if cells[i] == FAILED else "") for _, cells in kept))
    out.print(table)
    return any(title == "*" for title, _ in kept)


def _mean(row: Row, name: str) -> str:
    return number(row.run.metrics["metrics"].get(name, {}).get("mean")) if row.run else FAILED


def _interval(row: Row, name: str) -> str:
    ci = row.run.metrics["metrics"].get(name, {}).get("ci95") if row.run else None
    return f"{ci[0]:.2f}–{ci[1]:.2f}" if ci else ""


def _timing(row: Row, part: str, name: str, shape: str) -> str:
    value = row.run.timings[part][name] if row.run else None
    return "" if value is None else format(value, shape)


def _size(row: Row) -> str:
    """Bytes of the index in the largest unit that leaves three digits or fewer before the point."""
    size: float | None = row.run.timings["index"]["bytes"] if row.run else None
    if size is None:
        return ""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _order(row: Row, name: str | None) -> tuple[bool, tuple[float, ...]]:
    """Best first by ``name``; where that is equal (a saturated recall says nothing) by nDCG, then evidence."""
    metrics = row.run.metrics["metrics"] if row.run else {}
    means = [metrics.get(one, {}).get("mean") for one in (name, "ndcg@10", "evidence_recall@5")]
    return means[0] is None, tuple(-(mean or 0.0) for mean in means)


def _short(key: str, keys: Sequence[str]) -> str:
    """The last part of a key where that is plain enough."""
    last = key.rpartition(".")[2]
    if last.startswith("$"):  # an operator of a filter says nothing without its field
        last = ".".join(key.split(".")[-2:])
        return last if sum(other.endswith(f".{last}") for other in keys) == 1 else key
    return last if sum(other.rpartition(".")[2] == last for other in keys) == 1 else key


def _value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return cut_to(f"{value:g}" if isinstance(value, float) else str(value), 28)
