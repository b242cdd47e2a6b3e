"""A run: what it is of, its headline metrics and types drawn with their intervals, all metrics as a table."""

from __future__ import annotations

from collections.abc import Iterator

from assay.evaluation.names import headline
from assay.notebook.parts import QUIET, STRONG, chart_of, face, lines, own_ids, side_by_side
from assay.reports.html.markup import Markup, joined, tag
from assay.reports.html.notebook import run_html
from assay.reports.html.parts import dataset_name, pipeline_in_words, queries_in_words
from assay.reports.html.run_charts import by_type
from assay.runs.run import Run


def run_face(run: Run) -> str:
    """HTML of ``run`` for a notebook; a damaged folder's fault in its place."""
    return face(lambda: _face(run))


def _face(run: Run) -> Markup:
    return tag("div", _about(run), side_by_side(_charts(run)), Markup(run.table._repr_html_()))


def _about(run: Run) -> Markup:
    told = [queries_in_words(run.metrics["queries"])]
    lost = {cause: count for cause, count in (run.metrics.get("causes") or {}).items() if count}
    if lost:
        by = ", ".join(f"{count} by {cause}" for cause, count in sorted(lost.items(), key=lambda one: -one[1]))
        told.append(f"relevant documents missed: {by}")
    return joined(
        lines([f"{dataset_name(run.config)}: {pipeline_in_words(run.config)}"], STRONG),
        lines([" · ".join([*told, str(run.folder)])], QUIET),
        lines(f"Note: {warning}" for warning in run.manifest.get("warnings") or ()),
    )


def _charts(run: Run) -> Iterator[tuple[str, Markup]]:
    """Titles and drawings: the headline metrics, and the first of them by type where there is more than one type."""
    metrics = run.metrics["metrics"]
    drawn = chart_of(run_html(run), run.table)
    if drawn:
        yield "Headline metrics, 95 % intervals", drawn
    names = [name for name in headline(metrics) if metrics[name]["n"]]
    chart = by_type(run.metrics, names[0]) if names and len(run.metrics["by_type"]) > 1 else None
    if chart is not None:
        yield f"{chart.title}, weakest first", own_ids(chart.svg, str(run.folder.absolute()))
