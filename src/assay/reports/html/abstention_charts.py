"""The charts of when a run should rather have returned nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.reports.html.asked import Asked
from assay.reports.html.chart import Chart
from assay.reports.html.drawing import HEIGHT, WIDTH
from assay.reports.html.svg import Canvas, colour
from assay.reports.text import number

BINS = 24


def scores(run_metrics: Mapping[str, Any], asked: Sequence[Asked]) -> Chart | None:
    """How the top scores of answerable and unanswerable queries are spread, with the threshold."""
    groups = {
        wanted: np.array([one.top_score for one in asked if one.answerable == wanted and one.top_score is not None])
        for wanted in (True, False)
    }
    everything = np.concatenate(list(groups.values()))
    if not len(everything):
        return None
    threshold, auroc = run_metrics["abstention"]["threshold"], run_metrics["abstention"]["auroc"]
    low, high = float(everything.min()), float(everything.max())
    if high <= low:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, BINS + 1)
    shares = {wanted: np.histogram(values, edges)[0] / max(1, len(values)) * 100 for wanted, values in groups.items()}
    says = _apart(groups, threshold, auroc)
    with Canvas(WIDTH, HEIGHT) as canvas:
        axes = canvas.axes
        axes.stairs(shares[True], edges, fill=True, color=colour("c1"), alpha=0.45)
        axes.stairs(shares[True], edges, color=colour("c1"), linewidth=1.6)
        if len(groups[False]):
            axes.stairs(shares[False], edges, color=colour("c2"), linewidth=2.2, linestyle=(0, (4, 1.5)))
        if threshold is not None:
            line = axes.axvline(threshold, color=colour("ink"), linewidth=1.4)
            canvas.tip(line, f"threshold {threshold:g}")
            axes.annotate(
                f"threshold {threshold:.3g}",
                (threshold, 1),
                xycoords=("data", "axes fraction"),
                xytext=(4, -4),
                textcoords="offset points",
                va="top",
                fontsize=11.5,
            )
        axes.set_ylim(0, None)
        axes.set_xlabel("top score")
        axes.set_ylabel("% of its queries")
        axes.grid(axis="y")
        return Chart(
            "Scores of answerable and unanswerable queries",
            says,
            canvas.svg("scores", "Scores of answerable and unanswerable queries", says),
            ("top score", "answerable, %", "unanswerable, %"),
            [
                (f"{a:.3f} – {b:.3f}", f"{x:.1f}", f"{y:.1f}")
                for a, b, x, y in zip(edges[:-1], edges[1:], shares[True], shares[False], strict=True)
            ],
            legend=(("c1", "answerable, filled"), ("c2", "unanswerable, dashed")) if len(groups[False]) else (),
        )


def risk_coverage(run_metrics: Mapping[str, Any]) -> Chart | None:
    """Which share of answers would be wrong if only the queries with the best scores were answered."""
    points = run_metrics["abstention"]["risk_coverage"]
    if not points:
        return None
    coverage, risk = np.array(points, dtype=float).T
    area = float(np.trapezoid(risk, coverage))
    says = (
        f"Answering everything that got a result ({100 * coverage[-1]:.0f} % of the queries) is wrong for "
        f"{100 * risk[-1]:.0f} % of them; the lower the curve on its left, the better scores tell when to answer."
    )
    ticks = [int(np.argmin(np.abs(coverage - share))) for share in np.linspace(0.1, 1, 10)]
    thin = np.unique(np.linspace(0, len(points) - 1, min(len(points), 400)).astype(int))
    with Canvas(WIDTH, HEIGHT) as canvas:
        axes = canvas.axes
        axes.plot(coverage[thin], risk[thin], color=colour("c1"))
        axes.axhline(float(risk[-1]), color=colour("soft"), linewidth=1, linestyle=(0, (4, 3)))
        axes.set_xlim(0, 1.02)
        axes.set_ylim(0, min(1.02, float(risk.max()) * 1.15 + 0.02))
        axes.set_xlabel("coverage: share of queries answered")
        axes.set_ylabel("risk: share of them wrong")
        axes.grid(axis="y")
        return Chart(
            "Risk and coverage",
            says,
            canvas.svg("risk", "Risk and coverage", says),
            ("coverage", "risk"),
            [*((f"{coverage[i]:.2f}", number(float(risk[i]))) for i in dict.fromkeys(ticks)), ("area", number(area))],
        )


def _apart(groups: Mapping[bool, Any], threshold: float | None, auroc: float | None) -> str:
    """How far apart the two groups' scores are, and where the threshold lies."""
    cut = "no threshold was set" if threshold is None else f"the threshold is {threshold:.3g}"
    if not len(groups[False]):
        return f"Best scores before any threshold. No unanswerable query got one; {cut}."
    apart = "" if auroc is None else f" AUROC {auroc:.2f} (0.5 is chance);"
    return f"Best scores before any threshold.{apart} {cut}." if apart else f"Best scores before any threshold; {cut}."
