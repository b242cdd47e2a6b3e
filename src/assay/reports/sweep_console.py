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
from assay.reports.console import cut_to, number
from assay.runs.leaderboard import Row, differing, metric_names

FAILED = "failed"
TELLING = ("ndcg@10", "evidence_recall@5", "index_recall@10")
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
    """Print the leaderboard of ``rows``; failed jobs stand last and name their error.

    What differs and the metric that orders the board always have room; further columns come as far as it goes.
    """
    first = sort_metric(rows, wanted)
    keys, values = differing(rows)
    columns: list[tuple[str, list[str]]] = [("job", [str(row.number) for row in rows])]
    columns += [(_short(key, keys), [_value(chosen.get(key)) for chosen in values]) for key in keys]
    if first:
        columns.append((SHORT.get(first, first), [_mean(row, first) for row in rows]))
        columns.append(("95 %", [_interval(row, first) for row in rows]))
    for name in TELLING:
        if name != first and name in metric_names(rows):
            columns.append((SHORT.get(name, name), [_mean(row, name) for row in rows]))
    if any(row.run and row.run.timings["search"]["p50_ms"] is not None for row in rows):
        columns.append(("p50 ms", [_p50(row) for row in rows]))
    must = 1 + len(keys) + (2 if first else 0)
    kept, room = [], out.width
    for place, (title, cells) in enumerate(columns):
        width = max(map(cell_len, (title, *cells))) + 2
        if place < must or width <= room:
            kept.append((title, cells))
            room -= width
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, (title, _) in enumerate(kept):
        table.add_column(
            title, justify="left" if 0 < place <= len(keys) or title == "95 %" else "right", overflow="fold"
        )
    for i in sorted(range(len(rows)), key=lambda i: (*_order(rows[i], first), rows[i].number)):
        table.add_row(*(Text(cells[i], style="red" if cells[i] == FAILED else "") for _, cells in kept))
    out.print(table)
    for row in rows:
        if row.run is None:
            out.print(Text(cut_to(f"job {row.number} failed: {row.error}", 4 * out.width), style="red"))


def _mean(row: Row, name: str) -> str:
    return number(row.run.metrics["metrics"].get(name, {}).get("mean")) if row.run else FAILED


def _interval(row: Row, name: str) -> str:
    ci = row.run.metrics["metrics"].get(name, {}).get("ci95") if row.run else None
    return f"{ci[0]:.2f}–{ci[1]:.2f}" if ci else ""


def _p50(row: Row) -> str:
    p50 = row.run.timings["search"]["p50_ms"] if row.run else None
    return "" if p50 is None else f"{p50:.2f}"


def _order(row: Row, name: str | None) -> tuple[bool, float]:
    mean = row.run.metrics["metrics"].get(name, {}).get("mean") if row.run and name else None
    return mean is None, -(mean or 0.0)


def _short(key: str, keys: Sequence[str]) -> str:
    """The last part of a key where that is plain enough."""
    last = key.rpartition(".")[2]
    return last if sum(other.rpartition(".")[2] == last for other in keys) == 1 else key


def _value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return cut_to(f"{value:g}" if isinstance(value, float) else str(value), 28)
