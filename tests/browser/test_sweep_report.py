"""The report of a sweep in a real browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.golden.write import GoldenParts, write_golden_set
from assay.records import Document, Judgement, Query
from assay.report_command import write_report

SIZES = (32, 64, 128, 256)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory, run_of: Any, rows_of: Any) -> Path:
    """Four jobs of which job i finds the document of the first 5 + 5 i of 24 queries, and a verdict that calls two equal."""
    folder = tmp_path_factory.mktemp("sweep")
    parts = GoldenParts(
        [Document(f"d{i}", f"text {i}") for i in range(24)],
        [Query(f"q{i}", f"query {i}") for i in range(24)],
        {"test": [Judgement(f"q{i}", f"d{i}", 1) for i in range(24)]},
        [],
    )
    golden = write_golden_set(parts, folder / "golden")
    runs = []
    for job, size in enumerate(SIZES):
        rows = []
        for i in range(24):
            hit = i < 5 + 5 * job
            ranking = [rows_of.found(f"d{i}", 1, 0.5, 1, 0, 5)] if hit else [rows_of.found("d9", 1, 0.5, None, 0, 5)]
            rows.append(
                rows_of.row(f"q{i}", f"query {i}", ranking, [] if hit else [rows_of.lost(f"d{i}", "embedding", 12)])
            )
        run_of(
            folder / "s" / str(job),
            golden,
            rows,
            overrides=[f"chunker.size={size}"],
            p50_ms=0.1 + job,
            bytes=1000 * (job + 1),
        )
        runs.append(
            {
                "job": str(job),
                "mean": (5 + 5 * job) / 24,
                "ci95": [0.1, 0.9],
                "behind": (15 - 5 * job) / 24,
                "p_holm": None if job == 3 else 0.01,
                "probability_best": float(job == 3),
            }
        )
    levels = [
        {"value": size, "mean": 0.5, "difference": None if size == 32 else 0.1, "ci95": [0.0, 0.2]} for size in SIZES
    ]
    verdict = {
        "metric": "recall@5",
        "leader": "3",
        "indistinguishable": ["3", "2"],
        "runs": runs[::-1],
        "effects": [{"knobs": ["chunker.size"], "spread": 0.3, "levels": levels}],
        "cheapest": {"p50_ms": "2", "bytes": "2"},
    }
    (folder / "s" / "verdict.json").write_text(json.dumps(verdict), encoding="utf-8")
    return write_report(folder / "s")


def test_the_board_and_its_set(opened: Any, sweep: Path) -> None:
    page = opened(sweep).page
    assert page.title() == "golden: assay sweep"
    assert "Job 3 (256) leads with recall@5 0.833" in page.locator(".verdict").inner_text()
    assert "but can't be told from job 2." in page.locator(".verdict").inner_text()
    board = page.locator("#board table")
    assert board.locator("tbody th").all_inner_texts() == ["3", "2", "1", "0"]
    assert board.locator("tr.chosen").count() == 2
    assert board.locator("tbody tr").nth(2).locator("td").first.inner_text() == "worse"
    bytes_ = board.locator("thead th", has_text="bytes")
    bytes_.get_by_role("button").click()
    assert board.locator("tbody th").all_inner_texts() == ["0", "1", "2", "3"]


def test_every_pair_is_judged_from_both_sides(opened: Any, sweep: Path) -> None:
    page = opened(sweep).page
    rows = [row.locator("td").all_inner_texts() for row in page.locator("#pairs tbody tr").all()]
    assert [row[place] for place, row in enumerate(rows)] == [""] * 4
    assert "+0.625" in rows[0][3]
    assert rows[0][3].startswith("▲")
    assert "-0.625" in rows[3][0]
    assert rows[3][0].startswith("▼")
    assert page.locator("#pairs .better").count() == page.locator("#pairs .worse").count() > 0


def test_charts_and_what_cannot_be_drawn(opened: Any, sweep: Path) -> None:
    page = opened(sweep).page
    titles = page.locator("figure h3").all_inner_texts()
    assert titles == ["recall@5 by job", "Quality against latency", "Quality against bytes", "chunker.size"]
    assert "no evidence is marked" in page.locator("#drawn").inner_text()
    for chart in page.locator("svg.chart").all():
        assert chart.locator("text").count() > 3


def test_on_a_phone_the_page_is_as_wide_as_the_screen(opened: Any, sweep: Path) -> None:
    page = opened(sweep, viewport={"width": 360, "height": 740}, is_mobile=True).page
    assert page.evaluate("document.documentElement.scrollWidth") == 360
