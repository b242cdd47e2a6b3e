"""Folders of runs: never over another's files, never shared, nothing left of a failed run, finished on demand."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay as package
from assay import pipeline

FILES = ["config.yaml", "manifest.json", "metrics.json", "per_query.jsonl", "run.trec", "timings.json"]
Inside = Callable[..., Any]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below ``folder``, by relative path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def lsa(inside: Inside, small_set: Path) -> Inside:
    """Run the small set with ``lsa`` and further overrides."""
    return lambda *overrides: inside("run", f"dataset.path={small_set}", "embedder=lsa", "cache=none", *overrides)


def test_the_default_folder(lsa: Inside, work: Path) -> None:
    first, second = lsa(), lsa()
    assert (first.status, second.status) == (0, 0)
    folders = sorted((work / "outputs/runs").glob("*/*"))
    assert len(folders) == 2
    assert first.out.splitlines()[-1] == f"written to {folders[0].relative_to(work)}"
    assert all(sorted(path.name for path in folder.iterdir()) == FILES for folder in folders)
    assert [path.name for path in work.iterdir()] == ["outputs"]


def test_a_folder_that_holds_something_is_refused(lsa: Inside, work: Path) -> None:
    (work / "full").mkdir()
    (work / "full/notes.txt").write_text("mine")
    (work / "file").write_text("mine")
    (work / "empty").mkdir()
    assert lsa("run_dir=run").status == 0
    before = contents(work)
    for name, line in [
        ("full", "run_dir: full already holds files; give another folder, or resume=true"),
        ("run", "run_dir: run already holds files; give another folder, or resume=true"),
        ("file", "run_dir: file is a file; give a folder that is empty or not there yet"),
        ("file/inner", "run_dir: file/inner can't be made"),
        (".", "run_dir: . already holds files"),
    ]:
        said = lsa(f"run_dir={name}")
        assert (said.status, said.out) == (2, "")
        assert said.err.startswith(line)
        assert said.err.count("\n") == 1
    assert contents(work) == before
    assert lsa("run_dir=empty").status == 0


def test_a_tilde_is_the_home_folder(lsa: Inside, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(work.parent / "home"))
    said = lsa('run_dir="~/one"')
    assert said.status == 0
    assert (work.parent / "home/one/metrics.json").is_file()
    assert list(work.iterdir()) == []


def test_a_whole_run_is_not_redone(lsa: Inside, work: Path) -> None:
    assert lsa("run_dir=run").status == 0
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (work / "run").iterdir()}
    said = lsa("run_dir=run", "resume=true")
    assert (said.status, said.err) == (0, "")
    assert "recall@5" in said.out
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (work / "run").iterdir()} == before


def test_what_can_not_change_a_number_does_not_make_another_run(lsa: Inside) -> None:
    assert lsa("run_dir=run").status == 0
    assert lsa("run_dir=run", "resume=true", "threads=1", "progress=false").status == 0


def test_a_whole_run_of_another_config_is_refused(lsa: Inside, work: Path) -> None:
    assert lsa("run_dir=run").status == 0
    before = contents(work)
    said = lsa("run_dir=run", "resume=true", "seed=7")
    assert (said.status, said.err) == (
        2,
        "run_dir: run holds a whole run of another config; give another folder\n",
    )
    assert contents(work) == before


@pytest.mark.parametrize("lost", [["metrics.json"], ["metrics.json", "run.trec", "config.yaml"], FILES])
def test_an_unfinished_run_is_finished(lsa: Inside, work: Path, lost: list[str]) -> None:
    """As a killed process leaves it: the mark of a process that is gone, some files, no metrics.json."""
    assert lsa("run_dir=run").status == 0
    whole = contents(work / "run")
    for name in lost:
        (work / "run" / name).unlink()
    (work / "run/.unfinished").write_text("999999999")
    (work / "run/per_query.jsonl").write_text("half a li")
    assert lsa("run_dir=run").status == 2, "not without being asked"
    said = lsa("run_dir=run", "resume=true")
    assert said.status == 0, said.err
    after = contents(work / "run")
    assert sorted(after) == FILES
    for name in ("metrics.json", "per_query.jsonl", "run.trec", "config.yaml"):
        assert after[name] == whole[name]


def test_resume_where_nothing_is_yet(lsa: Inside, work: Path) -> None:
    """An ordinary start."""
    assert lsa("run_dir=run", "resume=true").status == 0
    assert sorted(path.name for path in (work / "run").iterdir()) == FILES


def test_resume_leaves_strangers_files_alone(lsa: Inside, work: Path) -> None:
    (work / "app").mkdir()
    (work / "app/config.yaml").write_text("name: my app\n")
    said = lsa("run_dir=app", "resume=true")
    assert said.status == 2
    assert said.err.startswith("run_dir: app/config.yaml is no run's; ")
    assert contents(work) == {"app/config.yaml": b"name: my app\n"}


def test_a_folder_that_another_run_is_writing(lsa: Inside, work: Path) -> None:
    (work / "run").mkdir()
    (work / "run/.unfinished").write_text(str(os.getppid()))
    said = lsa("run_dir=run", "resume=true")
    assert said.status == 2
    assert said.err.startswith(f"run_dir: run is being written by process {os.getppid()}; wait for it, or give")
    assert contents(work) == {"run/.unfinished": str(os.getppid()).encode()}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), OSError(28, "No space left on device")])
@pytest.mark.parametrize("existing", [True, False])
def test_nothing_half_written_is_left(
    lsa: Inside, work: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, existing: bool
) -> None:
    """Whatever happens in the middle of a run."""

    def fail(*_: object) -> None:
        assert (work / "a/run/.unfinished").is_file()
        raise error

    if existing:
        (work / "a/run").mkdir(parents=True)
    monkeypatch.setattr(pipeline, "score_run", fail)
    said = lsa("run_dir=a/run")
    assert said.status == (130 if isinstance(error, KeyboardInterrupt) else 2)
    assert said.err.count("\n") == 1
    assert contents(work) == {}
    assert (work / "a/run").is_dir() is existing
    assert (work / "a").is_dir() is existing


def test_runs_at_the_same_time(small_set: Path, tmp_path: Path) -> None:
    """Two processes without a run_dir: two folders. Two with one run_dir: one is written, the other is refused."""
    work = tmp_path / "together"
    work.mkdir()
    source = str(Path(package.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    base = [sys.executable, "-m", "assay.cli", "run", f"dataset.path={small_set}", "retriever=bm25", "embedder=lsa"]

    def together(*overrides: str) -> list[int]:
        started = [
            subprocess.Popen(
                [*base, "cache=none", *overrides],
                cwd=work,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(2)
        ]
        return sorted(process.wait(120) for process in started)

    assert together() == [0, 0]
    folders = list((work / "outputs/runs").glob("*/*"))
    assert len(folders) == 2
    assert together("run_dir=one") == [0, 2]
    for folder in (*folders, work / "one"):
        assert sorted(path.name for path in folder.iterdir()) == FILES
