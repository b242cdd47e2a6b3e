"""A headless Chromium, and run folders made of literals: what a run writes, without running one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# No sandbox where the tests run as root; nothing that a browser asks for by itself.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium; the test is skipped where there is none, or no playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = os.environ.get("ASSAY_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=list(FLAGS))
        yield opened
        opened.close()


class Page:
    """A report in the browser, with all that it asked for or complained about."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.page = self.context.new_page()
        self.asked: list[str] = []
        self.said: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.said.append("dialog"), dialog.dismiss()))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def queries(self) -> list[str]:
        """The ids of the queries that the table shows."""
        return self.page.locator("button.open .id").all_inner_texts()


Opened = Callable[..., Page]


@pytest.fixture
def opened(browser: Any) -> Iterator[Opened]:
    """Open a report; afterwards it must have asked for nothing but itself and said nothing."""
    pages: list[Page] = []

    def call(path: Path, **options: Any) -> Page:
        pages.append(Page(browser, path, **options))
        return pages[-1]

    yield call
    for one in pages:
        assert [url for url in one.asked if not url.startswith("file:")] == []
        assert len(one.asked) == 1
        assert one.said == []
        one.context.close()


class Rows:
    """Lines of ``per_query.jsonl``, and what stands in them."""

    @staticmethod
    def found(doc_id: str, rank: int, score: float, grade: int | None, start: int, end: int) -> dict[str, Any]:
        """A document of a ranking, with one chunk."""
        chunk = {"start": start, "end": end, "score": score}
        return {"doc_id": doc_id, "rank": rank, "score": score, "stage": 0, "grade": grade, "chunks": [chunk]}

    @staticmethod
    def lost(doc_id: str, cause: str, rank: int | None) -> dict[str, Any]:
        """A missed document."""
        return {"doc_id": doc_id, "grade": 1, "cause": cause, "rank": rank}

    @staticmethod
    def row(
        query_id: str,
        text: str,
        ranking: Sequence[Mapping[str, Any]],
        missed: Sequence[Mapping[str, Any]] = (),
        *,
        kind: str | None = None,
        answerable: bool = True,
    ) -> dict[str, Any]:
        """A query; its scores follow from the ranking."""
        ranks = [one["rank"] for one in ranking if (one["grade"] or 0) > 0]
        wanted = len(ranks) + len(missed)
        recall = {k: sum(rank <= k for rank in ranks) / wanted if answerable else None for k in (1, 5, 10)}
        first = (1 / ranks[0] if ranks else 0.0) if answerable else None
        handled = float(any(rank <= 5 for rank in ranks)) if answerable else float(not ranking)
        return {
            "query_id": query_id,
            "text": text,
            "type": kind,
            "answerable": answerable,
            "abstained": not ranking,
            "top_score": ranking[0]["score"] if ranking else None,
            "metrics": {
                **{f"recall@{k}": value for k, value in recall.items()},
                "mrr@10": first,
                "ndcg@10": first,
                "handled@5": handled,
            },
            "ranking": list(ranking),
            "missed": list(missed),
        }


@pytest.fixture(scope="session")
def rows_of() -> type[Rows]:
    """Makes lines of ``per_query.jsonl``."""
    return Rows


RunOf = Callable[..., Path]


@pytest.fixture(scope="session")
def run_of() -> RunOf:
    """Write a run folder: ``run_of(folder, golden, [rows_of.row(…), …])``, its texts from ``golden``, a folder."""
    from assay.golden import load_golden_set

    def call(folder: Path, golden: Path, rows: Sequence[Mapping[str, Any]], **config: Any) -> Path:
        folder.mkdir(parents=True)
        held = load_golden_set(golden)
        names = list(rows[0]["metrics"])
        means = {name: _mean([one["metrics"][name] for one in rows]) for name in names}
        kinds = sorted({one["type"] for one in rows if one["type"]})
        answerable = sum(one["answerable"] for one in rows)
        causes: dict[str, int] = {}
        for one in rows:
            for miss in one["missed"]:
                causes[miss["cause"]] = causes.get(miss["cause"], 0) + 1
        metrics = {
            "schema_version": 1,
            "ci_method": "none: these numbers are made up",
            "queries": {
                "total": len(rows),
                "answerable": answerable,
                "unanswerable": len(rows) - answerable,
                "unjudged": 0,
            },
            "metrics": means,
            "macro_by_type": {},
            "bounds": {"recall@5": {"floor": 0.01, "ceiling": 1.0}},
            "by_type": {
                kind: {
                    "n": sum(one["type"] == kind for one in rows),
                    "metrics": {
                        name: _mean([one["metrics"][name] for one in rows if one["type"] == kind]) for name in names
                    },
                }
                for kind in kinds
            },
            "abstention": {
                "n_unanswerable": len(rows) - answerable,
                "threshold": None,
                "correct_empty_rate": None,
                "false_answer_rate": None,
                "wrong_empty_rate": 0.0,
                "auroc": None,
                "risk_coverage": [[0.5, 0.2], [1.0, 0.4]],
            },
            "causes": causes,
        }
        hashes = {part: getattr(held.hashes, part) for part in ("corpus", "queries", "qrels", "spans")}
        manifest = {
            "schema_version": 1,
            "assay_version": "0",
            "created": "2026-01-01T00:00:00+00:00",
            "hashes": hashes,
            "corpus": {"documents": len(held.documents), "chunks": len(held.documents)},
            "warnings": [],
        }
        timings = {
            "stages": {"chunk": 0.1, "search": 0.4},
            "search": {"p50_ms": config.get("p50_ms", 0.2), "p95_ms": 0.3, "n": len(rows), "batch_qps": 900.0},
            "index": {"build_s": 0.1, "bytes": config.get("bytes", 1000)},
            "peak_rss_bytes": 1000,
            "cache": {},
        }
        for name, value in (("manifest", manifest), ("timings", timings), ("metrics", metrics)):
            (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
        with (folder / "per_query.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in rows)
        (folder / "config.yaml").write_text(_config(golden, config.get("overrides", ())), encoding="utf-8")
        return folder

    return call


def _config(golden: Path, overrides: Sequence[str]) -> str:
    from assay.composition import compose
    from assay.config import judge
    from assay.config.saved import config_yaml

    return config_yaml(judge(compose(["embedder=lsa", f"dataset.path='{golden}'", *overrides]).job))


def _mean(values: Sequence[float | None]) -> dict[str, Any]:
    known = [value for value in values if value is not None]
    if not known:
        return {"mean": None, "ci95": None, "n": 0}
    mean = sum(known) / len(known)
    return {"mean": mean, "ci95": [max(0.0, mean - 0.05), min(1.0, mean + 0.05)], "n": len(known)}
