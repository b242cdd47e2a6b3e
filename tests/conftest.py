"""What several test files need: an offline hub, the shared collections, a small golden set, the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared collections; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the shared collections (../shared) are not on this machine")
    return SHARED


@pytest.fixture
def small_set(tmp_path: Path) -> Path:
    """Four documents and four questions, one of them unanswerable, with types and a span."""
    folder = tmp_path / "small"
    (folder / "qrels").mkdir(parents=True)
    documents = [
        {
            "_id": "leave",
            "title": "Annual leave",
            "text": "Everyone has thirty days of annual leave. Unused days lapse in March.",
        },
        {"_id": "hotel", "title": "Hotels", "text": "A hotel night may cost at most 120 euro. Breakfast is extra."},
        {
            "_id": "laptop",
            "title": "Lost devices",
            "text": "Report a stolen laptop to the help desk at once. Police follow.",
        },
        {"_id": "canteen", "title": "Canteen", "text": "Lunch is served from noon to two. Soup is free on Mondays."},
    ]
    queries = [
        {"_id": "q1", "text": "how many days of annual leave", "metadata": {"type": "lookup", "answerable": True}},
        {"_id": "q2", "text": "hotel night cost", "metadata": {"type": "lookup", "answerable": True}},
        {"_id": "q3", "text": "my laptop was stolen", "metadata": {"type": "paraphrase", "answerable": True}},
        {"_id": "q4", "text": "parking for visitors", "metadata": {"type": "unanswerable", "answerable": False}},
    ]
    qrels = [("q1", "leave", 2), ("q2", "hotel", 2), ("q3", "laptop", 2), ("q3", "canteen", 0)]
    spans = [{"query-id": "q1", "corpus-id": "leave", "start": 0, "end": 41}]
    for name, rows in (("corpus", documents), ("queries", queries), ("spans", spans)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    lines = ["query-id\tcorpus-id\tscore", *("\t".join(map(str, row)) for row in qrels)]
    (folder / "qrels" / "test.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


Assay = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    """Run the command line as a user does, in an empty working directory; ``assay("run", "seed=1")``."""
    work = tmp_path / "work"
    work.mkdir()

    def call(*arguments: str, cwd: Path = work, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "XDG_CACHE_HOME": str(tmp_path / "cache"), **(env or {})}
        return subprocess.run(
            [sys.executable, "-m", "assay.cli", *arguments],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    return call
