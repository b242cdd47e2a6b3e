"""What charts share: sizes, means on their intervals, logarithmic axes with plain labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.reports.html.svg import Canvas, colour
from assay.reports.text import cut_to, interval, number

WIDTH, HEIGHT = 380, 255
ROW = 25  # height of a bar with its label
LABEL = 26  # columns of a label beside a bar


def intervals(canvas: Canvas, rows: Sequence[tuple[str, Mapping[str, Any]]], roles: Sequence[str]) -> None:
    """Means as dots on their intervals, a row each, the first on top."""
    axes = canvas.axes
    for place, ((label, found), role) in enumerate(zip(rows, roles, strict=True)):
        low, high = found.get("ci95") or (found["mean"], found["mean"])
        (line,) = axes.plot([low, high], [place, place], color=colour(role), linewidth=2.2, solid_capstyle="round")
        (dot,) = axes.plot([found["mean"]], [place], "o", color=colour(role), markersize=7)
        told = f"{label}: {number(found['mean'])} ({interval(found) or 'no interval'}), n {found['n']}"
        canvas.tip(line, told)
        canvas.tip(dot, told)
    axes.set_yticks(range(len(rows)), [cut_to(label, LABEL) for label, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")


def point(canvas: Canvas, k: float, found: Mapping[str, Any], name: str, role: str, marker: str) -> None:
    """A mean at cutoff ``k`` with its interval."""
    axes = canvas.axes
    low, high = found["ci95"] or (found["mean"], found["mean"])
    axes.plot([k, k], [low, high], color=colour(role), linewidth=1.6)
    (dot,) = axes.plot([k], [found["mean"]], marker, color=colour(role), markersize=7)
    canvas.tip(dot, f"{name}: {number(found['mean'])} ({interval(found) or 'no interval'})")


def cutoff_axis(axes: Any, deepest: int, ks: Sequence[int]) -> None:
    """A logarithmic axis of cutoffs, labelled at those that matter."""
    from matplotlib.ticker import FixedLocator, NullLocator

    axes.set_xscale("log")
    ticks = sorted({*(k for k in ks if k <= deepest), *(k for k in (1, 10, 100) if k <= deepest), deepest})
    kept = [ticks[0]]
    for tick in ticks[1:]:
        if tick >= 1.35 * kept[-1]:
            kept.append(tick)
    axes.xaxis.set_major_locator(FixedLocator(kept))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([str(tick) for tick in kept])
    axes.set_xlim(0.9, max(deepest, 2) * 1.1)


def size_axis(axes: Any, ticks: Sequence[int]) -> None:
    """A logarithmic axis of sizes, labelled at each."""
    from matplotlib.ticker import FixedLocator, NullLocator

    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([str(tick) for tick in ticks])
    axes.set_xlim(min(ticks) / 1.15, max(ticks) * 1.15)


def cost_axis(axes: Any, values: Sequence[float], words: Callable[[float], str]) -> None:
    """A logarithmic axis with a few round ticks in words."""
    from matplotlib.ticker import FixedLocator, NullLocator

    low, high = min(values) / 1.3, max(values) * 1.3
    steps = (1, 2, 5) if high / low < 30 else (1, 3) if high / low < 300 else (1,)
    ticks = [
        step * 10.0**power
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for step in steps
        if low <= step * 10.0**power <= high
    ]
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([words(tick) for tick in ticks])
