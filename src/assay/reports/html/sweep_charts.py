"""The charts of a sweep."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.reports.html.chart import Chart
from assay.reports.html.drawing import HEIGHT, ROW, WIDTH, cost_axis, intervals, size_axis
from assay.reports.html.markup import Markup
from assay.reports.html.svg import SERIES, Canvas, colour
from assay.reports.html.sweep import Sweep, shown
from assay.reports.sweep_verdict import size
from assay.reports.text import interval, number
from assay.runs.pareto import pareto_front, quality, quality_metric

MOST_JOBS = 30
MOST_LINES = 6
SIZE = "chunker.size"
DASHES: Sequence[Any] = ("-", (0, (6, 2)), (0, (2, 2)), (0, (8, 2, 2, 2)), (0, (4, 4)), (0, (1, 1)))
BUDGET = re.compile(r"evidence_recall@\d+w")


@dataclass(frozen=True, slots=True)
class Priced:
    """A row by its place, with its quality, median latency in ms, and bytes of its index, None where not measured."""

    place: int
    quality: float
    p50: float | None
    bytes: float | None


def board(sweep: Sweep) -> Chart | None:
    """The metric that orders the board, of the best jobs, with intervals; the set that can't be told apart stands out."""
    known = [i for i in range(len(sweep.rows)) if sweep.mean(i, sweep.metric) is not None]
    if not known:
        return None
    drawn, together = known[:MOST_JOBS], sweep.together()
    with Canvas(WIDTH, 64 + ROW * len(drawn)) as canvas:
        rows = [(sweep.label(i), _found(sweep, i, sweep.metric)) for i in drawn]
        roles = ["c1" if sweep.jobs[i] in together or not together else "c6" for i in drawn]
        intervals(canvas, rows, roles)
        axes = canvas.axes
        axes.set_xlabel(sweep.metric)
        says = "Means with 95 % intervals, each for itself; whether two jobs differ is for the paired tests to say."
        if len(drawn) < len(known):
            says += f" The best {len(drawn)} of {len(known)} are drawn."
        return Chart(
            f"{sweep.metric} by job",
            says,
            canvas.svg("board", f"{sweep.metric} by job", says),
            ("job", "mean", "95 % interval", "n"),
            [
                (sweep.label(i), number(sweep.mean(i, sweep.metric)), interval(found), found["n"])
                for i in known
                for found in (_found(sweep, i, sweep.metric),)
            ],
            legend=(("c1", "can't be told from the leader"), ("c6", "worse")) if together else (),
        )


def chunk_sizes(sweep: Sweep) -> tuple[Chart | None, str | None]:
    """Evidence found within one reading budget against chunk size, a line for each choice of the other knobs; or why not."""
    sizes = {values[SIZE] for values in sweep.values if isinstance(values.get(SIZE), int)}
    if len(sizes) < 2:
        return None, None
    run = sweep.rows[0].run
    metric = next((name for name in (run.metrics["metrics"] if run else ()) if BUDGET.fullmatch(name)), None)
    lines: dict[tuple[str, ...], dict[int, int]] = {}
    for i, values in enumerate(sweep.values):
        if isinstance(values.get(SIZE), int) and metric and sweep.mean(i, metric) is not None:
            others = tuple(shown(values[key]) for key in sweep.keys if key in values and key != SIZE)
            lines.setdefault(others, {})[values[SIZE]] = i
    if metric is None or not lines:
        return None, (
            "Chunk sizes were swept, but no evidence is marked in this golden set, so they can't be held against each other "
            "at an equal reading budget."
        )
    order = sorted(lines, key=lambda others: -max(sweep.mean(i, metric) or 0.0 for i in lines[others].values()))
    drawn, words = order[:MOST_LINES], metric.partition("@")[2].removesuffix("w")
    best = max((i for line in lines.values() for i in line.values()), key=lambda i: sweep.mean(i, metric) or 0.0)
    with Canvas(WIDTH, HEIGHT) as canvas:
        axes = canvas.axes
        for place, others in enumerate(drawn):
            line = sorted(lines[others].items())
            role, shift = SERIES[place], 1 + 0.02 * (place - (len(drawn) - 1) / 2)
            means = [float(_found(sweep, i, metric)["mean"]) for _, i in line]
            axes.plot([k * shift for k, _ in line], means, color=colour(role), linestyle=DASHES[place % len(DASHES)])
            for (k, i), mean in zip(line, means, strict=True):
                found = _found(sweep, i, metric)
                low, high = found.get("ci95") or (mean, mean)
                axes.plot([k * shift] * 2, [low, high], color=colour(role), linewidth=1.2)
                (dot,) = axes.plot([k * shift], [mean], "o", color=colour(role), markersize=6)
                canvas.tip(dot, f"{sweep.label(i)}: {number(mean)} ({interval(found)})")
        size_axis(axes, sorted(sizes))
        axes.set_xlabel("chunk size")
        axes.set_ylabel(metric)
        axes.grid(axis="y")
        says = f"Share of the marked evidence within the first {int(words):,} words that a reader gets, whatever the chunk size. Best: job {sweep.label(best)}, {number(sweep.mean(best, metric))}."
        if len(drawn) < len(order):
            says += f" The best {len(drawn)} of {len(order)} lines are drawn."
        chart = Chart(
            "Chunk size at an equal reading budget",
            says,
            canvas.svg("sizes", "Chunk size at an equal reading budget", says),
            ("job", "chunk size", metric, "95 % interval"),
            [
                (sweep.label(i), k, number(sweep.mean(i, metric)), interval(_found(sweep, i, metric)))
                for others in order
                for k, i in sorted(lines[others].items())
            ],
            legend=tuple((SERIES[place], " · ".join(others)) for place, others in enumerate(drawn))
            if len(order) > 1
            else (),
        )
        return chart, None


def costs(sweep: Sweep) -> list[Chart]:
    """Quality against median latency, and against bytes of the index; the Pareto front of all three is filled."""
    metric = quality_metric(sweep.rows, sweep.metric)
    if metric is None:
        return []
    points = []
    for i, row in enumerate(sweep.rows):
        run, good = row.run, quality(row, metric)
        if run is not None and good is not None:
            points.append(Priced(i, good, run.timings["search"].get("p50_ms"), run.timings["index"].get("bytes")))
    front = pareto_front(sweep.rows, metric)
    best = ", ".join(sweep.jobs[one.place] for one in points if front[one.place])
    says = f"Filled: no other job is at least as good, as fast and as small at once (job {best}). " if best else ""
    says += "Left and up is better."
    drawn: tuple[tuple[str, str, str, Callable[[Priced], float | None], Callable[[float], str]], ...] = (
        (
            "latency",
            "Quality against latency",
            "median of a search, ms",
            lambda one: one.p50,
            lambda value: f"{value:.3g}",
        ),
        ("bytes", "Quality against bytes", "index, bytes", lambda one: one.bytes, size),
    )
    charts = []
    for key, title, label, x, words in drawn:
        known = [(one, value) for one in points if (value := x(one))]
        if len(known) > 1:
            svg = _scatter(sweep, known, front, metric, words, label, (key, title, says))
            rows = [
                (sweep.label(one.place), number(one.quality), words(value), "yes" if front[one.place] else "")
                for one, value in known
            ]
            charts.append(Chart(title, says, svg, ("job", metric, label, "front"), rows))
    return charts


def _scatter(
    sweep: Sweep,
    points: Sequence[tuple[Priced, float]],
    front: Sequence[bool],
    metric: str,
    words: Callable[[float], str],
    label: str,
    names: tuple[str, str, str],
) -> Markup:
    """Each job's quality against one of its costs."""
    with Canvas(WIDTH, HEIGHT) as canvas:
        axes = canvas.axes
        for one, cost in points:
            face = colour("c1" if front[one.place] else "bare")
            (dot,) = axes.plot([cost], [one.quality], "o", color=colour("c1"), mfc=face, ms=8, mew=1.6)
            canvas.tip(dot, f"{sweep.label(one.place)}: {metric} {number(one.quality)}, {words(cost)}")
            if front[one.place]:
                at, job = (cost, one.quality), sweep.jobs[one.place]
                axes.annotate(job, at, xytext=(6, 4), textcoords="offset points", fontsize=11.5)
        axes.set_xscale("log")
        axes.set_xlabel(label)
        axes.set_ylabel(metric)
        axes.grid(axis="both")
        axes.margins(0.12)
        cost_axis(axes, [cost for _, cost in points], words)
        return canvas.svg(*names)


def _found(sweep: Sweep, place: int, metric: str) -> Mapping[str, Any]:
    run = sweep.rows[place].run
    found: Mapping[str, Any] = run.metrics["metrics"][metric] if run else {}
    return found
