"""The chart of what a run cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.reports.html.chart import Chart
from assay.reports.html.drawing import LABEL, ROW, WIDTH
from assay.reports.html.svg import Canvas, colour
from assay.reports.text import cut_to


def stages(timings: Mapping[str, Any]) -> Chart | None:
    """Seconds that each stage took."""
    seconds = {name: float(value) for name, value in timings["stages"].items()}
    if not seconds:
        return None
    total = sum(seconds.values())
    longest = max(seconds, key=lambda name: seconds[name])
    says = f"{_seconds(total)} in all, most of it {longest.replace('_', ' ')} ({100 * seconds[longest] / (total or 1):.0f} %)."
    with Canvas(WIDTH, 64 + ROW * len(seconds)) as canvas:
        axes = canvas.axes
        for place, (name, value) in enumerate(seconds.items()):
            bar = axes.barh([place], [value], color=colour("c1"), height=0.72)[0]
            canvas.tip(bar, f"{name}: {_seconds(value)}")
            axes.annotate(
                _seconds(value), (value, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=11.5
            )
        axes.set_yticks(range(len(seconds)), [cut_to(name.replace("_", " "), LABEL) for name in seconds])
        axes.set_ylim(len(seconds) - 0.5, -0.5)
        axes.set_xlim(0, max(seconds.values()) * 1.22 or 1)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("seconds")
        axes.grid(axis="x")
        return Chart(
            "Time by stage",
            says,
            canvas.svg("stages", "Time by stage", says),
            ("stage", "seconds", "share"),
            [
                (name.replace("_", " "), f"{value:.3f}", f"{100 * value / (total or 1):.0f} %")
                for name, value in seconds.items()
            ],
        )


def _seconds(value: float) -> str:
    return f"{1000 * value:.0f} ms" if value < 0.9995 else f"{value:.1f} s" if value < 100 else f"{value:,.0f} s"
