"""The charts of one run: what was found, and what was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.reports.html.asked import Asked
from assay.reports.html.chart import Chart
from assay.reports.html.drawing import HEIGHT, LABEL, ROW, WIDTH, cutoff_axis, intervals, point
from assay.reports.html.svg import SERIES, Canvas, colour
from assay.reports.text import cut_to, interval, number

MOST_TYPES = 24
NO_TYPE = "no type"
DEEPEST = 100  # of the curve of recall
ASIDE = 1.05  # the second of two points at one cutoff stands this factor to the right
RANKS = ((1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, 20), (21, 50), (51, None))


def by_type(run_metrics: Mapping[str, Any], metric: str) -> Chart | None:
    """``metric`` of each type with its interval, weakest first."""
    found = {
        kind: block["metrics"][metric]
        for kind, block in run_metrics["by_type"].items()
        if block["metrics"].get(metric, {}).get("mean") is not None
    }
    if not found:
        return None
    order = sorted(found, key=lambda kind: (found[kind]["mean"], kind))
    shown = order[:MOST_TYPES]
    overall = run_metrics["metrics"][metric]["mean"]
    with Canvas(WIDTH, 64 + ROW * len(shown)) as canvas:
        axes = canvas.axes
        axes.axvline(overall, color=colour("soft"), linewidth=1, linestyle=(0, (4, 3)))
        intervals(canvas, [(kind, found[kind]) for kind in shown], ["c1"] * len(shown))
        axes.set_xlim(-0.02, 1.02)
        axes.set_xlabel(metric)
        weakest = order[0]
        says = f"Weakest: {weakest}, {number(found[weakest]['mean'])} over {found[weakest]['n']} queries. Lines are 95 % intervals; the dashed line is the mean of all, {number(overall)}."
        if len(order) > len(shown):
            says += f" The {len(shown)} weakest of {len(order)} types are drawn."
        return Chart(
            f"{metric} by type",
            says,
            canvas.svg("types", f"{metric} by type", says),
            ("type", "mean", "95 % interval", "n"),
            [(kind, number(found[kind]["mean"]), interval(found[kind]), found[kind]["n"]) for kind in order],
        )


def recall_over_k(run_metrics: Mapping[str, Any], asked: Sequence[Asked]) -> Chart | None:
    """Mean recall of the ranking cut at every k, with the intervals of the run's cutoffs, and evidence where it is labelled."""
    answerable = [one for one in asked if one.answerable and one.relevant]
    if not answerable:
        return None
    metrics = run_metrics["metrics"]
    own = _cutoffs(metrics, "recall")
    deepest = min(DEEPEST, max([one.returned for one in answerable] + [max(own, default=1)]))
    curve = np.zeros(deepest)
    for one in answerable:
        for rank in one.relevant_ranks:
            if rank <= deepest:
                curve[rank - 1] += 1 / one.relevant
    curve = np.cumsum(curve) / len(answerable)
    ks = np.arange(1, deepest + 1)
    evidence = _cutoffs(metrics, "evidence_recall")
    with Canvas(WIDTH, HEIGHT) as canvas:
        axes = canvas.axes
        axes.plot(ks, curve, color=colour("c1"))
        for k in own:
            found = metrics[f"recall@{k}"]
            point(canvas, k, found, f"recall@{k}", "c1", "o")
        if evidence:
            means = [metrics[f"evidence_recall@{k}"]["mean"] for k in evidence]
            axes.plot([k * ASIDE for k in evidence], means, color=colour("c2"), linestyle=(0, (5, 2)))
            for k in evidence:
                point(canvas, k * ASIDE, metrics[f"evidence_recall@{k}"], f"evidence_recall@{k}", "c2", "s")
        cutoff_axis(axes, deepest, own or [1, 3, 5, 10])
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("k, documents (of evidence: chunks)" if evidence else "k, documents")
        axes.grid(axis="y")
        last = float(curve[-1])
        top = max(own, default=0)
        says = f"Of a query's relevant documents, {100 * last:.0f} % are among the first {deepest} that came back" + (
            f", {100 * float(curve[top - 1]):.0f} % among the first {top}." if 0 < top < deepest else "."
        )
        rows = [
            (
                str(k),
                number(float(curve[k - 1])),
                interval(metrics[f"recall@{k}"]) if k in own else "",
                number(metrics[f"evidence_recall@{k}"]["mean"]) if k in evidence else "",
            )
            for k in sorted({*own, *evidence, *(k for k in (1, 2, 5, 10, 20, 50, 100) if k <= deepest)})
            if k <= deepest
        ]
        return Chart(
            "Recall over k",
            says,
            canvas.svg("recall", "Recall over k", says),
            ("k", "recall", "95 % interval", "evidence recall"),
            rows,
            legend=(("c1", "documents"), ("c2", "evidence, dashed")) if evidence else (),
        )


def first_relevant(asked: Sequence[Asked]) -> Chart | None:
    """At which rank the first relevant document of each answerable query stands."""
    ranks = [one.first_relevant for one in asked if one.answerable]
    if not ranks:
        return None
    deepest = max((rank for rank in ranks if rank), default=1)
    labels, counts = [], []
    for low, high in RANKS:
        if low <= deepest:
            labels.append(str(low) if low == high else f"{low}–{high}" if high else f"{low}+")
            counts.append(sum(rank is not None and low <= rank and (high is None or rank <= high) for rank in ranks))
    labels.append("none")
    counts.append(sum(rank is None for rank in ranks))
    first = counts[0]
    says = (
        f"The first document is relevant for {first} of {len(ranks)} answerable queries; "
        f"for {counts[-1]} nothing relevant came back."
    )
    with Canvas(WIDTH, HEIGHT) as canvas:
        axes = canvas.axes
        roles = ["c1"] * (len(labels) - 1) + ["c5"]
        for place, (label, count, role) in enumerate(zip(labels, counts, roles, strict=True)):
            bar = axes.bar([place], [count], color=colour(role), width=0.78)[0]
            canvas.tip(bar, f"rank {label}: {count} queries")
            axes.annotate(
                str(count), (place, count), xytext=(0, 3), textcoords="offset points", ha="center", fontsize=11.5
            )
        axes.set_xticks(range(len(labels)), labels)
        axes.tick_params(axis="x", length=0)
        axes.set_ylim(0, max(counts) * 1.12)
        axes.set_xlabel("rank of the first relevant document")
        axes.set_ylabel("queries")
        axes.grid(axis="y")
        return Chart(
            "Rank of the first relevant document",
            says,
            canvas.svg("ranks", "Rank of the first relevant document", says),
            ("rank", "queries", "share"),
            [(label, count, f"{100 * count / len(ranks):.0f} %") for label, count in zip(labels, counts, strict=True)],
        )


def causes(asked: Sequence[Asked]) -> Chart | None:
    """How many relevant documents each cause lost, by type."""
    total = Counter(lost.cause for one in asked for lost in one.missed)
    if not total:
        return None
    counts: dict[str, Counter[str]] = {}
    for one in asked:
        if one.missed:
            counts.setdefault(NO_TYPE if one.type is None else one.type, Counter()).update(
                lost.cause for lost in one.missed
            )
    labels = list(counts)
    labels.sort(key=lambda label: (-sum(counts[label].values()), label))
    shown = labels[:MOST_TYPES]
    order = [cause for cause, _ in total.most_common()]
    roles = dict(zip(order, (SERIES[i % len(SERIES)] for i in range(len(order))), strict=True))
    by = ", ".join(f"{total[cause]} by {cause}" for cause in order) if len(order) > 1 else f"all by {order[0]}"
    says = f"{sum(total.values()):,} relevant documents were missed: {by}."
    with Canvas(WIDTH, 64 + ROW * len(shown)) as canvas:
        axes = canvas.axes
        for place, label in enumerate(shown):
            left = 0
            for cause in order:
                count = counts[label][cause]
                if count:
                    bar = axes.barh([place], [count], left=left, color=colour(roles[cause]), height=0.72)[0]
                    canvas.tip(bar, f"{label}: {count} by {cause}")
                    left += count
            axes.annotate(
                str(left), (left, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=11.5
            )
        axes.set_yticks(range(len(shown)), [cut_to(label, LABEL) for label in shown])
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.set_xlim(0, max(sum(found.values()) for found in counts.values()) * 1.1)
        axes.tick_params(axis="y", length=0)
        axes.locator_params(axis="x", integer=True)
        axes.set_xlabel("relevant documents missed")
        axes.grid(axis="x")
        return Chart(
            "Causes of misses",
            says,
            canvas.svg("causes", "Causes of misses by type", says),
            ("type", *order, "all"),
            [
                *(
                    (label, *(counts[label][cause] or "" for cause in order), sum(counts[label].values()))
                    for label in labels
                ),
                ("all", *(total[cause] for cause in order), sum(total.values())),
            ],
            legend=tuple((roles[cause], cause) for cause in order),
        )


def _cutoffs(metrics: Mapping[str, Any], family: str) -> list[int]:
    """The cutoffs k at which ``family`` has a mean."""
    found = []
    for name, block in metrics.items():
        head, _, cutoff = name.partition("@")
        if head == family and cutoff.isascii() and cutoff.isdecimal() and block["mean"] is not None:
            found.append(int(cutoff))
    return sorted(found)
