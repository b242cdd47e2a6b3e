"""``assay gate`` as CI runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len

import assay

Inside = Callable[..., Any]


@pytest.fixture
def folders(work: Path, scored_run: Any) -> Path:
    """Two runs below the working directory: ``old`` with recall@5 .75, ``new`` with .5 on the same queries."""
    for name, right in (("old", 15), ("new", 10)):
        scored_run(f"work/{name}", {"recall@5": [1.0] * right + [0.0] * (20 - right)}, types=["lookup"] * 20)
    return work


def test_status_0_where_all_is_kept(inside: Inside, folders: Path) -> None:
    said = inside("gate", "new", "--min", "recall@5=0.5", "--min-type", "lookup:recall@5=0.5")
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines()[-1] == "Gate passed: 2 checks."


def test_status_1_and_files_where_something_is_not(inside: Inside, folders: Path) -> None:
    flags = ["--baseline", "old", "--max-drop", "recall@5=0.2", "--min=recall@5=0.4"]
    said = inside("gate", *flags, "--junit", "junit.xml", "--markdown", "gate.md", "new")
    assert (said.status, said.err) == (1, "")
    assert said.out.splitlines()[-1] == "Gate failed: 1 of 2 checks."
    assert max(map(cell_len, said.out.splitlines())) <= 80
    assert ElementTree.parse(folders / "junit.xml").getroot().get("failures") == "1"
    assert "Gate failed" in (folders / "gate.md").read_text(encoding="utf-8")
    assert not list(folders.glob("*.tmp"))


def test_json_is_one_document_and_nothing_else(inside: Inside, folders: Path) -> None:
    said = inside("gate", "new", "--baseline", "old", "--json")
    document = json.loads(said.out)
    assert (said.status, said.err, document["passed"]) == (1, "", False)
    assert document["checks"][0]["p"] == 1 / 32  # five of five down


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["gate"], "RUN"),
        (["gate", "new"], "nothing to check"),
        (["gate", "nowhere", "--min", "recall@5=0.5"], "nowhere: no such folder"),
        (["gate", "new", "--min", "recall@5"], "is no METRIC=NUMBER"),
        (["gate", "new", "--min", "recall@5=0.5", "--junit", "no/such.xml"], "no/such.xml: can't be written"),
        (["gate", "new", "--min", "recall@5=0.5", "--markdown", "new"], "new: can't be written"),
        (["gate", "new", "--max-drop", "recall@5=0.5"], "give --baseline RUN"),
        (["gate", "new", "--min", "recall@5=0.5", "--junit", "x", "--markdown", "./x"], "name one file, x;"),
        (["gate", "new", "--max-wrong-empty", "2"], "--max-wrong-empty '2': give a number from 0 to 1"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(inside: Inside, folders: Path, arguments: list[str], told: str) -> None:
    said = inside(*arguments)
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert told in said.err


def test_a_sweep_has_gates_of_its_runs(inside: Inside, folders: Path, scored_run: Any) -> None:
    scored_run("work/sweep/0", {"recall@5": [1.0, 0.0]})
    said = inside("gate", "sweep", "--min", "recall@5=0.5")
    assert (said.status, said.out) == (2, "")
    assert said.err == "sweep: is a sweep; give one of its runs, such as sweep/0\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_is_written_to_and_not_replaced(inside: Inside, folders: Path) -> None:
    """/dev/stdout, say; a link keeps pointing where it did."""
    os.mkfifo(folders / "pipe")
    (folders / "link.xml").symlink_to("real.xml")
    reader = os.open(folders / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    said = inside("gate", "new", "--min", "recall@5=0.5", "--markdown", "pipe", "--junit", "link.xml")
    assert (said.status, said.err) == (0, "")
    assert os.read(reader, 10_000).decode().startswith("### ")
    os.close(reader)
    assert (folders / "pipe").is_fifo()
    assert (folders / "link.xml").is_symlink()
    assert (folders / "real.xml").read_text(encoding="utf-8").startswith("<?xml")


def test_it_starts_without_torch(folders: Path) -> None:
    code = (
        f"import sys; from assay.cli import main; main(['gate', {str(folders / 'new')!r}, '--min', 'recall@5=0.1']); "
        "sys.exit(any(name in sys.modules for name in ('torch', 'faiss', 'scipy', 'hydra')))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(assay.__file__).resolve().parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
