"""The charts of what each knob of a sweep does by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.reports.html.chart import Chart
from assay.reports.html.drawing import ROW, WIDTH
from assay.reports.html.svg import Canvas, colour
from assay.reports.html.sweep import shown
from assay.reports.text import cut_to, number

MOST_LEVELS = 30


def effects(verdict: Mapping[str, Any]) -> list[Chart]:
    """What each knob does by itself: differences from its first value, with intervals, a chart a knob."""
    charts = []
    for place, effect in enumerate(_usable_effects(verdict)):
        levels = effect["levels"][:MOST_LEVELS]
        knobs = ", ".join(map(str, effect["knobs"]))
        with Canvas(WIDTH, 64 + ROW * len(levels)) as canvas:
            axes = canvas.axes
            axes.axvline(0, color=colour("soft"), linewidth=1)
            for row, level in enumerate(levels):
                change, ci = level.get("difference"), level.get("ci95")
                if change is None:
                    (dot,) = axes.plot(
                        [0], [row], "o", color=colour("c1"), markerfacecolor=colour("bare"), markersize=7
                    )
                    canvas.tip(dot, f"{_level(level)}: mean {number(level['mean'])}, the first value")
                    continue
                low, high = ci or (change, change)
                axes.plot([low, high], [row, row], color=colour("c1"), linewidth=2.2, solid_capstyle="round")
                (dot,) = axes.plot([change], [row], "o", color=colour("c1"), markersize=7)
                canvas.tip(
                    dot, f"{_level(level)}: {change:+.3f} ({low:+.3f} to {high:+.3f}), mean {number(level['mean'])}"
                )
            axes.set_yticks(range(len(levels)), [cut_to(_level(level), 24) for level in levels])
            axes.set_ylim(len(levels) - 0.5, -0.5)
            axes.tick_params(axis="y", length=0)
            axes.locator_params(axis="x", nbins=5)
            axes.set_xlabel(f"{verdict['metric']}, difference from {cut_to(_level(levels[0]), 16)}")
            axes.grid(axis="x")
            says = f"Mean over all values of the other knobs; its values lie {number(effect['spread'])} apart."
            charts.append(
                Chart(
                    knobs,
                    says,
                    canvas.svg(f"effect{place}", f"Main effect of {knobs}", says),
                    ("value", "mean", "difference", "95 % interval"),
                    [
                        (
                            _level(level),
                            number(level["mean"]),
                            "" if level.get("difference") is None else f"{level['difference']:+.3f}",
                            f"{level['ci95'][0]:+.3f} to {level['ci95'][1]:+.3f}" if level.get("ci95") else "",
                        )
                        for level in levels
                    ],
                )
            )
    return charts


def _usable_effects(verdict: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = verdict.get("effects")
    return [one for one in found if one.get("levels")] if isinstance(found, list) else []


def _level(level: Mapping[str, Any]) -> str:
    value = level["value"]
    return ", ".join(map(shown, value)) if isinstance(value, list) else shown(value)
