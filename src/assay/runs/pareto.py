"""Which jobs of a sweep no other job beats in quality, speed and size at once."""

from __future__ import annotations

from collections.abc import Sequence

from assay.runs.leaderboard import Row, differing, metric_names

INDEX_RECALL = "index_recall@10"
Point = tuple[float, float, int]


def quality_metric(rows: Sequence[Row], ordered_by: str | None) -> str | None:
    """What stands for quality: ``index_recall@10`` where only the index differs, else the metric that orders the board."""
    keys, _ = differing(rows)
    only_index = bool(keys) and all(key.partition(".")[0] == "index" for key in keys)
    return INDEX_RECALL if only_index and INDEX_RECALL in metric_names(rows) else ordered_by


def quality(row: Row, metric: str) -> float | None:
    """The mean of ``metric``; exact search, which index recall is measured against, has 1 by definition."""
    if row.run is None:
        return None
    if metric == INDEX_RECALL and row.config.index.kind == "flat":
        return 1.0
    mean = row.run.metrics["metrics"].get(metric, {}).get("mean")
    return None if mean is None else float(mean)


def pareto_front(rows: Sequence[Row], metric: str | None) -> list[bool]:
    """Per row, whether it is on the front of quality (as shown, three decimals), median latency (0.01 ms) and bytes.

    A row without one of the three (bm25 has no index to time) is not.
    """
    points = [_point(row, metric) for row in rows]
    known = [point for point in points if point is not None]
    return [point is not None and not any(_beats(other, point) for other in known) for point in points]


def _point(row: Row, metric: str | None) -> Point | None:
    found = quality(row, metric) if metric else None
    if row.run is None or found is None:
        return None
    p50, size = row.run.timings["search"]["p50_ms"], row.run.timings["index"]["bytes"]
    return None if p50 is None or size is None else (round(found, 3), round(p50, 2), size)


def _beats(one: Point, other: Point) -> bool:
    return one != other and one[0] >= other[0] and one[1] <= other[1] and one[2] <= other[2]
