"""The front of a sweep: what no other job beats in quality, latency and size at once; and how the tables show it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from assay.composition import compose
from assay.config import judge
from assay.reports.sweep_console import show_sweep
from assay.reports.text import console
from assay.runs.leaderboard import Row, differing
from assay.runs.pareto import pareto_front, quality, quality_metric
from assay.runs.run import Run


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def row(number: int, found: dict[str, float], p50: float | None, size: int | None, *overrides: str) -> Row:
    """A run folder of the two files that a leaderboard reads."""
    config = judge(compose(["embedder=lsa", *overrides]).job)
    folder = Path(str(len(list(Path().iterdir()))))
    folder.mkdir()
    metrics: dict[str, Any] = {name: {"mean": mean, "ci95": None, "n": 9} for name, mean in found.items()}
    search = {"p50_ms": p50, "p95_ms": p50, "batch_qps": 1234.5 if p50 else None}
    timings = {"stages": {}, "search": search, "index": {"bytes": size, "build_s": 0.5}}
    (folder / "metrics.json").write_text(json.dumps({"metrics": metrics}))
    (folder / "timings.json").write_text(json.dumps(timings))
    return Row(number, config, Run(folder), None)


def of_kind(number: int, kind: str, recall: float, p50: float, size: int) -> Row:
    known = {} if kind == "flat" else {"index_recall@10": recall}
    return row(number, {"recall@5": 0.5, **known}, p50, size, f"index={kind}")


@pytest.mark.parametrize(
    ("points", "front"),
    [
        ([(1.0, 5, 100)], "*"),
        ([(1.0, 5, 100), (0.9, 5, 100)], "*."),
        ([(1.0, 5, 100), (0.9, 4, 100), (0.9, 5, 99)], "***"),
        ([(1.0, 5, 100), (1.0, 5, 100)], "**"),
        ([(0.9, 4, 90), (0.8, 3, 95), (0.8, 4, 90), (0.95, 9, 90)], "**.*"),
        ([(0.9001, 4.001, 90), (0.9004, 4.004, 90)], "**"),
    ],
)
def test_the_front(points: list[tuple[float, float, int]], front: str) -> None:
    rows = [row(i, {"recall@5": q}, p50, size) for i, (q, p50, size) in enumerate(points)]
    assert "".join("*" if best else "." for best in pareto_front(rows, "recall@5")) == front


def test_a_job_that_failed_or_was_not_timed_is_on_no_front_and_beats_nobody() -> None:
    rows = [row(0, {"mrr": 0.1}, 9, 9), row(1, {"mrr": 0.9}, None, None), row(2, {}, 1, 1)]
    rows.append(Row(3, rows[0].config, None, "broken"))
    assert pareto_front(rows, "mrr") == [True, False, False, False]
    assert pareto_front(rows, None) == [False] * 4


def test_indexes_are_judged_against_exact_search_and_flat_is_exact() -> None:
    rows = [of_kind(0, "flat", 1.0, 3, 100), of_kind(1, "sq8", 0.9, 2, 30)]
    assert quality_metric(rows, "recall@5") == "index_recall@10"
    assert quality(rows[0], "index_recall@10") == 1.0
    other = [rows[0], row(1, {"recall@5": 0.4, "index_recall@10": 0.9}, 2, 30, "index=sq8", "chunker.size=64")]
    assert quality_metric(other, "recall@5") == "recall@5", "index recall compares nothing across other vectors"


def test_what_follows_from_the_index_kind_is_no_column() -> None:
    kinds = [row(i, {}, 1, 1, f"index={kind}") for i, kind in enumerate(("pq", "hnsw", "sq4", "rabitq"))]
    assert differing(kinds)[0] == ["index"]
    settings = [row(i, {}, 1, 1, "index=pq", f"index.k_factor={k}") for i, k in enumerate((1, 4))]
    assert differing(settings)[0] == ["index.k_factor"]
    both = [*settings, row(2, {}, 1, 1, "index=sq4", "index.k_factor=4")]
    assert differing(both)[0] == ["index", "index.k_factor"]


def test_a_condition_or_a_param_that_some_jobs_lack_tells_them_apart() -> None:
    where = ["region: kerala", "year: {$gte: 2020}"]
    filters = [row(i, {}, 1, 1, "filter=where", f"filter.where='{{{one}}}'") for i, one in enumerate(where)]
    assert differing(filters)[0] == ["filter.where.region", "filter.where.year.$gte"]
    assert differing([row(2, {}, 1, 1), *filters])[1] == [
        {"filter": "none"},
        {"filter": "where", "filter.where.region": "kerala"},
        {"filter": "where", "filter.where.year.$gte": 2020},
    ]
    named = ["chunker=plugin", "chunker.name=mine"]
    params = [row(0, {}, 1, 1, *named), row(1, {}, 1, 1, *named, "+chunker.params.n=4")]
    assert differing(params)[1] == [{}, {"chunker.params.n": 4}]


def shown(rows: list[Row]) -> list[str]:
    out = io.StringIO()
    show_sweep(rows, console(out))
    return out.getvalue().splitlines()


def test_a_sweep_of_indexes_shows_its_costs_with_the_front_marked() -> None:
    lines = shown(
        [
            of_kind(0, "flat", 1.0, 3.14159, 51_200_000),
            of_kind(1, "sq8", 0.9, 2, 999),
            of_kind(2, "pq", 0.8, 2.5, 12_345),
        ]
    )
    at = lines.index("")
    assert lines[at + 1].split() == [
        *("job", "index", "index@10", "p50", "ms", "bytes", "*", "p95", "ms", "batch", "q/s", "build", "s"),
    ]
    assert lines[at + 2].split() == ["0", "flat", "1.000", "3.14", "51.2", "MB", "*", "3.14", "1,234", "0.50"]
    assert lines[at + 3].split() == ["1", "sq8", "0.900", "2.00", "999", "B", "*", "2.00", "1,234", "0.50"]
    assert lines[at + 4].split() == ["2", "pq", "0.800", "2.50", "12.3", "kB", "2.50", "1,234", "0.50"]
    assert lines[at + 5] == "* on the Pareto front of index_recall@10, p50 and bytes: no other job beats it"
    assert all(len(line) <= 80 for line in lines)


def test_the_front_is_not_explained_where_no_column_marks_it() -> None:
    """In 80 columns this much leaves no room for one more."""
    means = {"recall@5": 0.5, "ndcg@10": 0.5, "evidence_recall@5": 0.5}
    lines = shown(
        [row(i, means, 1 + i, 2000, f"dataset.path={'x' * 27}{i}", f"chunker.size={64 * (i + 1)}") for i in range(2)]
    )
    assert lines[0].split() == ["job", "path", "size", "recall@5", "95", "%", "ndcg@10", "evidence@5"]
    assert not any(line.startswith("*") for line in lines)


def test_any_other_sweep_has_size_and_front_in_its_one_table() -> None:
    lines = shown([row(i, {"recall@5": 0.5 + i / 10}, 1 + i, 2000, f"chunker.size={64 * (i + 1)}") for i in range(2)])
    assert lines[0].split() == ["job", "size", "recall@5", "95", "%", "p50", "ms", "bytes", "*"]
    assert lines[1].split() == ["1", "128", "0.600", "2.00", "2.0", "kB", "*"]
    assert lines[2].split() == ["0", "64", "0.500", "1.00", "2.0", "kB", "*"]
    assert "" not in lines
