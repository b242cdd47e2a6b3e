"""``tracker=mlflow`` as a user meets it: not installed, away, a sweep on a real server, and no login anywhere."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay import cli
from assay.runs import files
from assay.trackers.quiet import quiet_mlflow

QUICK = ("embedder=lsa", "cache=none", "progress=false", "threads=1", "evaluation.ks=[1,5]", "retriever.depth=10")


def there(*names: str) -> bool:
    return all(importlib.util.find_spec(name) is not None for name in names)


needs_mlflow = pytest.mark.skipif(not there("mlflow"), reason="the extra mlflow is not installed")
needs_database = pytest.mark.skipif(
    not there("mlflow", "sqlalchemy", "alembic"), reason="the extra mlflow is not installed"
)
needs_server = pytest.mark.skipif(
    not there("mlflow", "sqlalchemy", "alembic", "flask", "flask_cors", "aiohttp"),
    reason="the extra test-mlflow is not installed",
)


@pytest.mark.parametrize("multirun", [False, True])
def test_not_installed(
    multirun: bool, small_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """One line that names the extra, before anything runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "mlflow", None)
    words = ["run", *QUICK, f"dataset.path={small_set}", "tracker=mlflow"]
    words += ["-m", "seed=1,2", "hydra.sweep.dir=out"] if multirun else ["run_dir=out"]
    assert cli.main(words) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("tracker: ")
    assert "pip install 'assay[mlflow]'" in err
    assert not Path("out").exists()


def test_a_sweep_has_one_tracker(assay: Any, small_set: Path, tmp_path: Path) -> None:
    done = assay("run", "-m", *QUICK, f"dataset.path={small_set}", "tracker=mlflow,none", "hydra.sweep.dir=out")
    assert done.returncode == 2
    assert done.stderr.startswith("tracker: ")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "work" / "out").exists()


def test_a_printed_config_holds_no_login(assay: Any) -> None:
    done = assay("run", "--cfg", "job", "tracker=mlflow", "tracker.uri=http://me:word@host:5000")
    assert done.returncode == 0
    assert "uri: http://***@host:5000" in done.stdout
    assert "word" not in done.stdout + done.stderr


@needs_mlflow
def test_a_server_that_is_away_loses_nothing(assay: Any, small_set: Path, tmp_path: Path) -> None:
    """Whole folders, status 0, one warning, and no login in what is printed or written."""
    work, away = tmp_path / "work", "tracker.uri=http://me:word@127.0.0.1:9"
    env = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0"}
    words = ["run", "-m", *QUICK[:2], *QUICK[3:], f"dataset.path={small_set}", "tracker=mlflow", away]
    done = assay(*words, "chunker.size=20,40", "hydra.sweep.dir=s", env=env)
    assert done.returncode == 0, done.stderr
    (told,) = [line for line in done.stderr.splitlines() if "tracker" in line]
    assert told == (
        "warning: tracker=mlflow: http://***@127.0.0.1:9 was told of 0 of 2 runs (Connection refused); all lie whole in "
        "s, and the same command with hydra.sweep.dir=s resume=true tells what is missing"
    )
    assert "job 0" in done.stdout, "the progress line with the overrides"
    for job in "01":
        assert {path.name for path in (work / "s" / job).iterdir()} == set(files.ALL)
    assert "word" not in done.stdout + done.stderr
    assert not any(b"word@" in path.read_bytes() for path in work.rglob("*") if path.is_file())


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A real MLflow server over a database and artifacts in ``folder``; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    command += ["--backend-store-uri", f"sqlite:///{folder / 'server.db'}"]
    command += ["--artifacts-destination", str(folder / "artifacts")]
    env = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env=env)
    try:
        for _ in range(1200):
            assert server.poll() is None, (folder / "server.log").read_text()
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{place}/health", timeout=5) as answer:
                if answer.status == 200:
                    break
            time.sleep(0.1)
        yield place
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@needs_server
@pytest.mark.slow
def test_a_sweep_on_a_real_server(assay: Any, small_set: Path, tmp_path: Path) -> None:
    """Params, metrics, tags and files of every run, under one parent; told once though the sweep is resumed."""
    sweep = tmp_path / "work" / "s"
    folder = tmp_path / "server"
    folder.mkdir()
    words = ["run", "-m", *QUICK, f"dataset.path={small_set}", "tracker=mlflow", "hydra.sweep.dir=s"]
    sizes = "chunker.size=20,40,60"
    with serving(folder) as place:
        words += [f"tracker.uri={place}", "tracker.experiment=bench"]
        done = assay(*words, sizes)
        assert done.returncode == 0, done.stderr
        assert "tracker" not in done.stderr
        assert f"told mlflow at {place}: experiment bench, run " in done.stdout
        (sweep / "1" / "mlflow.json").unlink()
        again = assay(*words, sizes, "resume=true")
        assert again.returncode == 0, again.stderr
        alone = assay("run", *QUICK, f"dataset.path={small_set}", "tracker=mlflow", f"tracker.uri={place}", "run_dir=r")
        assert alone.returncode == 0, alone.stderr
        with quiet_mlflow():
            from mlflow import MlflowClient

            client = MlflowClient(place)
            found = {
                name: client.search_runs([client.get_experiment_by_name(name).experiment_id])
                for name in ("bench", "assay")
            }
            parents = [run for run in found["bench"] if "mlflow.parentRunId" not in run.data.tags]
            jobs = [run for run in found["bench"] if "mlflow.parentRunId" in run.data.tags]
            listed = {run.info.run_id: {file.path for file in client.list_artifacts(run.info.run_id)} for run in jobs}
            board = {file.path for file in client.list_artifacts(parents[0].info.run_id)}
            fetched = Path(client.download_artifacts(jobs[0].info.run_id, files.METRICS, str(tmp_path)))
    assert [run.info.run_name for run in found["assay"]] == ["r"]
    assert [(run.info.run_name, run.info.status) for run in parents] == [("sweep s", "FINISHED")]
    assert board == {"leaderboard.csv", "leaderboard.json", "costs.csv", "verdict.json"}
    assert sorted(run.info.run_name for run in jobs) == ["job 0", "job 1", "job 1", "job 2"], "job 1's record was lost"
    for run in jobs:
        own = sweep / run.info.run_name.removeprefix("job ")
        assert run.info.status == "FINISHED"
        assert run.data.tags["mlflow.parentRunId"] == parents[0].info.run_id
        assert run.data.params["chunker.size"] == str(20 + 20 * int(own.name))
        means = json.loads((own / files.METRICS).read_text())["metrics"]
        assert run.data.metrics["recall_at_5"] == means["recall@5"]["mean"]
        hashes = json.loads((own / files.MANIFEST).read_text())["hashes"]
        assert run.data.tags["assay.config_hash"] == hashes["config"]
        assert run.data.tags["assay.corpus_hash"] == hashes["corpus"]
        assert listed[run.info.run_id] == set(files.ALL)
    job = sweep / jobs[0].info.run_name.removeprefix("job ")
    assert fetched.read_bytes() == (job / files.METRICS).read_bytes()


@needs_database
def test_an_interrupted_sweep_says_so(
    small_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The parent of a sweep that is stopped is not left running."""
    import assay.api as api
    import assay.sweep as sweep

    monkeypatch.chdir(tmp_path)
    real, calls = api.execute, []

    def stop_at_the_second(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(api, "execute", stop_at_the_second)
    words = ["run", "-m", *QUICK, f"dataset.path={small_set}", "chunker.size=20,40", "hydra.sweep.dir=s"]
    assert cli.main([*words, "tracker=mlflow"]) == 130
    sweep._interrupted.clear()
    assert "interrupted; 1 jobs are whole in s" in capfd.readouterr().err
    assert told(Path("s")) == {"sweep s": "KILLED", "job 0": "FINISHED"}
    assert cli.main([*words, "tracker=mlflow", "resume=true"]) == 0
    assert told(Path("s")) == {"sweep s": "FINISHED", "job 0": "FINISHED", "job 1": "FINISHED"}


def told(sweep: Path) -> dict[str, str]:
    """Names and statuses of the runs in the local database."""
    with quiet_mlflow():
        from mlflow import MlflowClient

        client = MlflowClient(f"sqlite:///{Path('outputs/mlflow/mlflow.db').resolve()}")
        runs = client.search_runs([client.get_experiment_by_name("assay").experiment_id])
        return {run.info.run_name: run.info.status for run in runs}
