"""Runs in MLflow's own database: what lies there, told once, gone on with, a sweep's under one parent."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import pytest

from assay import factory
from assay.api import run as run_assay
from assay.config import models
from assay.errors import StageError
from assay.golden.write import GoldenParts, write_golden_set
from assay.records import Document, Judgement, Query
from assay.runs import files
from assay.runs.run import Run, load_run
from assay.trackers import Tracker
from assay.trackers.entries import entries_of
from assay.trackers.mlflow import installed
from assay.trackers.quiet import SETTINGS, quiet_mlflow
from assay.trackers.record import read_record, write_record

needs_mlflow = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("mlflow", "sqlalchemy", "alembic")),
    reason="the extra mlflow is not installed",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run on a set whose types and ids are unlike MLflow's names."""
    parts = GoldenParts(
        [Document("a", "leave", "thirty days of leave"), Document("b", "hotel", "a night in a hotel")],
        [
            Query("q1", "days of leave", "look/up?"),
            Query("q2", "hotel night", "केरल"),
            Query("q3", "parking", answerable=False),
        ],
        {"test": [Judgement("q1", "a", 1), Judgement("q2", "b", 1)]},
    )
    base = tmp_path_factory.mktemp("made")
    golden = write_golden_set(parts, base / "set")
    quick = ["embedder=lsa", "cache=none", "threads=1", "evaluation.ks=[1,5]", "retriever.depth=10"]
    return run_assay([*quick, f"dataset.path='{golden}'"], run_dir=base / "run").folder


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of MLflow's that holds nothing: to make one takes seconds."""
    file = tmp_path_factory.mktemp("empty") / "mlflow.db"
    with quiet_mlflow():
        from mlflow import MlflowClient

        MlflowClient(f"sqlite:///{file}").search_experiments()
    return file


@pytest.fixture
def first_run(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A copy of the run, in a working directory of its own whose name no URL would have."""
    work = tmp_path / "my 100 % केरल #work"
    work.mkdir()
    monkeypatch.chdir(work)
    return copied(made, Path("runs/first"))


@pytest.fixture
def run(first_run: Run, empty: Path) -> Run:
    """The same where the local database is there already."""
    Path("outputs/mlflow").mkdir(parents=True)
    shutil.copy(empty, "outputs/mlflow/mlflow.db")
    return first_run


def copied(made: Path, folder: Path) -> Run:
    shutil.copytree(made, folder)
    return load_run(folder)


def tracker(**keys: Any) -> Tracker:
    found = factory.make_tracker(models.MlflowTracker.model_validate(keys))
    assert found is not None
    return found


@pytest.fixture
def kept() -> Any:
    """What MLflow's own client finds: ``kept("assay")``, the experiment's runs, oldest first."""

    def call(experiment: str = "assay", uri: str | None = None) -> list[Any]:
        with quiet_mlflow():
            from mlflow import MlflowClient

            client = MlflowClient(uri or f"sqlite:///{Path('outputs/mlflow/mlflow.db').resolve()}")
            found = client.get_experiment_by_name(experiment)
            return client.search_runs([found.experiment_id], order_by=["attributes.start_time"]) if found else []

    return call


@needs_mlflow
def test_a_run_lies_in_the_local_database(first_run: Run, kept: Any, capfd: pytest.CaptureFixture[str]) -> None:
    run = first_run
    tracker().tell(run)
    assert capfd.readouterr() == ("", ""), "MLflow prints nothing"
    (found,) = kept()
    entries = entries_of(run)
    assert found.data.params == entries.params
    assert found.data.params["chunker.size"] == "128"
    assert found.data.metrics == {name: pytest.approx(value) for name, value in entries.metrics.items()}
    assert found.data.metrics["recall_at_1"] == run.metrics["metrics"]["recall@1"]["mean"]
    assert found.data.metrics["by_type/look_up_/recall_at_5"] == 1.0
    assert entries.tags.items() <= found.data.tags.items()
    assert found.data.tags["assay.config_hash"] == run.manifest["hashes"]["config"]
    assert found.data.tags["assay.qrels_hash"] == run.manifest["hashes"]["qrels"]
    assert (found.info.run_name, found.info.status) == ("first", "FINISHED")
    assert (found.info.start_time, found.info.end_time) == (entries.start, entries.end)
    record = read_record(run.folder)
    assert record is not None
    assert (record.uri, record.experiment, record.run_id, record.finished) == (
        "sqlite:///outputs/mlflow/mlflow.db",
        "assay",
        found.info.run_id,
        True,
    )


@needs_mlflow
def test_the_folder_s_files_lie_there_too(run: Run) -> None:
    (run.folder / "my notes.txt").write_text("not of the run")
    tracker().tell(run)
    (found,) = Path("outputs/mlflow/artifacts").glob("*/artifacts")
    assert sorted(path.name for path in found.iterdir()) == sorted(files.ALL)
    for name in files.ALL:
        assert (found / name).read_bytes() == (run.folder / name).read_bytes()
    assert sorted(path.name for path in Path().iterdir()) == ["outputs", "runs"], "nothing beside outputs/mlflow"


@needs_mlflow
def test_what_was_told_is_not_told_again(run: Run, made: Path, kept: Any) -> None:
    """Told twice it is there once; cut short it is gone on with; lost there it is told anew; another place is another."""
    tracker().tell(run)
    (run.folder / files.TREC).rename("aside")
    tracker().tell(run)  # nothing is read again
    Path("aside").rename(run.folder / files.TREC)
    (found,) = kept()
    record = read_record(run.folder)
    assert record is not None
    write_record(run.folder, type(record)(record.uri, record.experiment, record.run_id, finished=False))
    tracker().tell(run)
    assert [one.info.run_id for one in kept()] == [found.info.run_id]
    tracker(experiment="other").tell(run)
    assert len(kept("other")) == 1
    with quiet_mlflow():
        from mlflow import MlflowClient

        client = MlflowClient(f"sqlite:///{Path('outputs/mlflow/mlflow.db').resolve()}")
        client.delete_run(kept("other")[0].info.run_id)
    tracker(experiment="other").tell(run)
    assert len(kept("other")) == 1


@needs_mlflow
def test_a_sweep_s_runs_lie_under_one_parent(run: Run, made: Path, kept: Any) -> None:
    sweep = Path("sweep")
    one = tracker()
    one.begin_sweep(sweep)
    jobs = [copied(made, sweep / str(number)) for number in range(2)]
    one.tell(jobs[0], sweep)
    (sweep / "leaderboard.csv").write_text("job\n0\n")
    one.end_sweep(sweep, "KILLED")
    two = tracker()
    two.begin_sweep(sweep)
    assert next(found for found in kept() if found.info.run_name == "sweep sweep").info.status == "RUNNING"
    for job in jobs:
        two.tell(job, sweep)
    two.end_sweep(sweep, "FINISHED")
    by_name = {found.info.run_name: found for found in kept()}
    assert set(by_name) == {"sweep sweep", "job 0", "job 1"}
    assert len(kept()) == 3
    parent = by_name["sweep sweep"]
    assert parent.info.status == "FINISHED"
    for job in ("job 0", "job 1"):
        assert by_name[job].data.tags["mlflow.parentRunId"] == parent.info.run_id
    assert len(list(Path("outputs/mlflow/artifacts").glob(f"{parent.info.run_id}/artifacts/leaderboard.csv"))) == 1


@needs_mlflow
def test_a_job_whose_sweep_has_no_parent_is_left_for_later(run: Run) -> None:
    with pytest.raises(LookupError, match="no parent"):
        tracker().tell(run, Path("runs"))
    assert read_record(run.folder) is None


@needs_mlflow
def test_settings_and_streams_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "7")
    for name in set(SETTINGS) - {"MLFLOW_HTTP_REQUEST_TIMEOUT"}:
        monkeypatch.delenv(name, raising=False)
    before, streams, filters = dict(os.environ), (sys.stdout, sys.stderr), list(warnings.filters)
    with quiet_mlflow():
        assert os.environ["MLFLOW_DISABLE_TELEMETRY"] == "true"
        assert os.environ["MLFLOW_HTTP_REQUEST_TIMEOUT"] == "7", "the user's own stays"
    assert (dict(os.environ), (sys.stdout, sys.stderr), list(warnings.filters)) == (before, streams, filters)


@needs_mlflow
def test_from_python_a_tracker_that_is_away_is_a_warning(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    golden = made.parent / "set"
    with pytest.warns(
        UserWarning, match=r"http://\*\*\*@127\.0\.0\.1:9 was not told of this run \(Connection refused\)"
    ):
        found = run_assay(
            [
                *("embedder=lsa", "cache=none", "threads=1", "evaluation.ks=[1,5]", "retriever.depth=10"),
                *(f"dataset.path='{golden}'", "tracker=mlflow", "tracker.uri='http://me:word@127.0.0.1:9'"),
            ],
            run_dir=tmp_path / "whole",
        )
    assert found.metrics == load_run(made).metrics
    assert not any(b"word@" in path.read_bytes() for path in found.folder.iterdir())


# --- Not installed ---


def pretend_installed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``find_spec`` find ``name``, whether it is there or not."""
    monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setattr(sys.modules[name], "__spec__", importlib.util.spec_from_loader(name, None, origin="here"))


@pytest.mark.parametrize("name", ["mlflow", "sqlalchemy"])
def test_what_is_not_installed_is_named_before_anything_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("mlflow", "sqlalchemy", "alembic"):
        pretend_installed(module, monkeypatch)
    tracker().check()
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(StageError, match=rf"^tracker: .*{name} not installed; pip install 'assay\[mlflow\]'"):
        run_assay(["tracker=mlflow", "embedder=lsa"], run_dir=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_a_server_needs_no_database_here(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_installed("mlflow", monkeypatch)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    tracker(uri="http://127.0.0.1:9").check()
    with pytest.raises(StageError):
        tracker(uri="sqlite:///x.db").check()


def test_a_folder_of_that_name_is_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory often holds a folder mlflow, and Python would import it."""
    (tmp_path / "surely_not_installed").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert importlib.util.find_spec("surely_not_installed") is not None
    assert not installed("surely_not_installed")
    assert installed("numpy")


def test_where_runs_are_told_is_said_without_logins() -> None:
    assert tracker(uri="http://me:word@host:5000").place == "http://***@host:5000"
    assert tracker(uri="postgresql://me:word@host/runs").place == "postgresql://***@host/runs"
    assert tracker().place == "sqlite:///outputs/mlflow/mlflow.db"


def test_nobody_is_told_by_default() -> None:
    assert factory.make_tracker(models.NoTracker()) is None
