"""A tracker that is away costs a warning and nothing else; no line that is printed or kept holds a login."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError, one_line, without_logins
from assay.trackers import Telling
from assay.trackers.record import Record, read_record, where_told, write_record
from assay.trackers.telling import in_short


class Run:
    """As much of a run as is told of here."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder


class Flaky:
    """A tracker that is away as long as ``away``; it writes records as a real one does."""

    kind, place = "mlflow", "http://host"

    def __init__(self) -> None:
        self.away = False
        self.calls: list[str] = []

    def check(self) -> None: ...

    def _call(self, what: str) -> None:
        self.calls.append(what)
        if self.away:
            raise OSError(111, "Connection refused")

    def tell(self, run: Any, sweep: Path | None = None) -> None:
        if read_record(run.folder) is None:
            self._call(f"tell {run.folder.name}")
            write_record(run.folder, Record("u", "e", "r", True))

    def begin_sweep(self, sweep: Path) -> None:
        self._call("begin")

    def end_sweep(self, sweep: Path, status: str) -> None:
        self._call(f"end {status}")


def test_a_run_is_told_or_a_warning_says_how_to_tell_it(tmp_path: Path) -> None:
    tracker, run = Flaky(), Run(tmp_path / "my run")
    tracker.away = True
    telling = Telling(tracker)
    telling.run(run)  # type: ignore[arg-type]
    assert telling.warning(run) == (  # type: ignore[arg-type]
        f"tracker=mlflow: http://host was not told of this run (Connection refused); it is whole in {run.folder}, and "
        f"the same command with 'run_dir=\"{run.folder}\"' resume=true tells what is missing"
    )
    tracker.away = False
    again = Telling(tracker)
    again.run(run)  # type: ignore[arg-type]
    assert again.warning(run) is None  # type: ignore[arg-type]
    assert tracker.calls == ["tell my run", "tell my run"]


def test_nobody_is_told_without_a_tracker(tmp_path: Path) -> None:
    telling = Telling(None, tmp_path)
    telling.begin()
    telling.run(Run(tmp_path / "0"))  # type: ignore[arg-type]
    telling.stop()
    assert telling.end([], 1) is None


def test_a_sweep_waits_once_for_a_tracker_that_is_away_and_catches_up(tmp_path: Path) -> None:
    tracker, runs = Flaky(), [Run(tmp_path / str(i)) for i in range(3)]
    telling = Telling(tracker, tmp_path)
    telling.begin()
    telling.run(runs[0])  # type: ignore[arg-type]
    tracker.away = True
    telling.run(runs[1])  # type: ignore[arg-type]
    telling.run(runs[2])  # type: ignore[arg-type]
    assert tracker.calls == ["begin", "tell 0", "tell 1"], "no try for job 2"
    tracker.away = False
    assert telling.end(runs, 0) is None  # type: ignore[arg-type]
    assert tracker.calls[3:] == ["begin", "tell 1", "tell 2", "end FINISHED"]


def test_a_sweep_that_was_not_told_says_so_once(tmp_path: Path) -> None:
    tracker, runs = Flaky(), [Run(tmp_path / str(i)) for i in range(3)]
    telling = Telling(tracker, tmp_path)
    telling.begin()
    telling.run(runs[0])  # type: ignore[arg-type]
    tracker.away = True
    telling.run(runs[1])  # type: ignore[arg-type]
    warning = telling.end(runs, 0)  # type: ignore[arg-type]
    assert warning is not None
    assert "was told of 1 of 3 runs (Connection refused); all lie whole in" in warning
    assert f"hydra.sweep.dir={tmp_path} resume=true" in warning
    assert tracker.calls[-1] == "begin", "what fails first ends it"


@pytest.mark.parametrize(("failed", "status"), [(0, "FINISHED"), (2, "FAILED")])
def test_a_sweep_ends_as_its_jobs_did(failed: int, status: str, tmp_path: Path) -> None:
    tracker = Flaky()
    telling = Telling(tracker, tmp_path)
    telling.begin()
    assert telling.end([], failed) is None
    assert tracker.calls == ["begin", f"end {status}"]
    telling.stop()
    assert tracker.calls[-1] == "end KILLED"


# --- Words ---


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ConnectionRefusedError(111, "Connection refused"), "Connection refused"),
        (RuntimeError("a (Caused by NewConnectionError('<x>: [Errno 111] Connection refused'))"), "Connection refused"),
        (RuntimeError("a\nb"), "a b"),
        (RuntimeError(""), "RuntimeError"),
        (RuntimeError("x" * 300), "x" * 199 + "…"),
        (RuntimeError("POST http://me:word@host/api failed"), "POST http://***@host/api failed"),
    ],
)
def test_what_went_wrong_in_short(error: Exception, said: str) -> None:
    assert in_short(error) == said


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("http://host:5000/x", "http://host:5000/x"),
        ("http://me:word@host:5000", "http://***@host:5000"),
        ("http://token@host", "http://***@host"),
        ("http://me:w@rd@host", "http://***@host"),
        ("postgresql+psycopg://me:w/rd@host/db", "postgresql+psycopg://***@host/db"),
        ("postgresql:///db?user=me&password=word&x=1", "postgresql:///db?user=me&password=***&x=1"),
        ("uri='http://a:b@c' and 'http://d:e@f'", "uri='http://***@c' and 'http://***@f'"),
        ("tracker.uri=http\\://me:word@host\\:5000", "tracker.uri=http\\://***@host\\:5000"),
        ("see recall@5 and http://host/a", "see recall@5 and http://host/a"),
    ],
)
def test_logins_are_left_out(text: str, kept: str) -> None:
    assert without_logins(text) == kept
    assert one_line(text) == kept
    assert AssayError(text).lines() == [kept]


# --- The record ---


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_record(tmp_path) is None
    assert where_told(tmp_path) is None
    for finished in (False, True):
        record = Record("sqlite:///x.db", "assay", "abc", finished)
        write_record(tmp_path, record)
        assert read_record(tmp_path) == record
        assert (where_told(tmp_path) is not None) is finished
    assert where_told(tmp_path) == "told mlflow at sqlite:///x.db: experiment assay, run abc"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"uri": 1, "experiment": "a", "run_id": "b"}', "\x00", '"x"'])
def test_a_damaged_record_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "mlflow.json").write_text(text)
    assert read_record(tmp_path) is None
