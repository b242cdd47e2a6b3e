"""Runs and comparisons as a notebook shows them: a chart of means or differences with intervals, above the table."""

from __future__ import annotations

import hashlib

from assay.evaluation.names import headline
from assay.reports.html.drawing import ROW, WIDTH, intervals
from assay.reports.html.markup import Markup, joined, tag
from assay.reports.html.svg import Canvas, colour
from assay.reports.text import number
from assay.runs.comparison import Comparison
from assay.runs.run import Run

MOST = 30  # rows of a chart
ALSO = ("evidence_recall@5", "evidence_recall@2000w", "index_recall@10")


def run_html(run: Run) -> str:
    """HTML of ``run``: its headline metrics drawn with their intervals, and all metrics as a table."""
    metrics = run.metrics["metrics"]
    names = [name for name in (*headline(metrics), *ALSO) if metrics.get(name, {}).get("n")]
    rows = [(name, metrics[name]) for name in names]
    if not rows:
        return run.table._repr_html_()
    with Canvas(WIDTH, 56 + ROW * len(rows)) as canvas:
        intervals(canvas, rows, ["c1"] * len(rows))
        canvas.axes.set_xlim(-0.02, 1.02)
        told = ", ".join(f"{name} {number(found['mean'])}" for name, found in rows)
        chart = canvas.svg(_key(str(run.folder)), "Headline metrics with 95 % intervals", told)
    return _with(chart, run.table._repr_html_())


def comparison_html(found: Comparison) -> str:
    """HTML of a comparison: the differences of its first metric drawn with their intervals, and the whole table."""
    metric, labels = found.metrics[0], [one.label for one in found.runs]
    rows = []
    for pair in found.pairs[:MOST]:
        difference = pair.metrics[metric]
        if difference.difference is not None:
            label = f"{labels[pair.b]} - {labels[pair.a]}"
            rows.append((label, {"mean": difference.difference, "ci95": difference.ci95, "n": difference.n}))
    if not rows:
        return found.table._repr_html_()
    with Canvas(WIDTH, 64 + ROW * len(rows)) as canvas:
        canvas.axes.axvline(0, color=colour("soft"), linewidth=1)
        intervals(canvas, rows, ["c1"] * len(rows))
        canvas.axes.set_xlabel(f"difference in {metric}")
        canvas.axes.locator_params(axis="x", nbins=6)
        told = ", ".join(f"{label} {one['mean']:+.3f}" for label, one in rows)
        chart = canvas.svg(_key(told), f"Differences in {metric} with 95 % intervals", told)
    return _with(chart, found.table._repr_html_())


def _with(chart: Markup, table: str) -> str:
    return joined(tag("div", chart, style="max-width:30rem"), Markup(table))


def _key(text: str) -> str:
    """A prefix of ids that no other output of the notebook has, unless it shows the same."""
    return "assay-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
