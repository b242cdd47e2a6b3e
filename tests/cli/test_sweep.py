"""Sweeps as a user runs them: all jobs judged first, failures named, folders whole, resumed, equal bytes."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

QUICK = ("embedder=lsa", "cache=none", "progress=false", "evaluation.ks=[1,3]", "retriever.depth=10")

KINDS = {path.stem for path in (Path(__file__).parents[2] / "conf" / "index").glob("*.yaml")}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


def sweep(assay, small_set: Path, *overrides: str, folder: str = "sweep"):
    return assay("run", "-m", f"dataset.path={small_set}", *QUICK, f"hydra.sweep.dir={folder}", *overrides)


def board(folder: Path) -> list[dict[str, str]]:
    with (folder / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_grid_of_jobs_ends_in_a_leaderboard(assay, small_set: Path, work: Path) -> None:
    done = sweep(assay, small_set, "chunker.size=4,8", "chunker.overlap=0", "index=flat,hnsw")
    assert done.returncode == 0, done.stderr
    rows = board(work / "sweep")
    assert [(row["job"], row["chunker.size"], row["index"]) for row in rows] == [
        ("0", "4", "flat"),
        ("1", "4", "hnsw"),
        ("2", "8", "flat"),
        ("3", "8", "hnsw"),
    ]
    assert "chunker.overlap" not in rows[0], "only what differs is a column"
    for row in rows:
        run = json.loads((work / "sweep" / row["job"] / "metrics.json").read_text())
        assert float(row["recall@1"]) == run["metrics"]["recall@1"]["mean"]
    document = json.loads((work / "sweep" / "leaderboard.json").read_text())
    assert document[3]["config"] == {"chunker.size": 8, "index": "hnsw"}
    assert document[3]["metrics"]["index_recall@3"]["mean"] == 1.0
    with (work / "sweep" / "costs.csv").open(newline="") as file:
        costs = list(csv.DictReader(file))
    assert float(costs[0]["total_s"]) > 0
    assert int(costs[1]["index_bytes"]) > int(costs[0]["index_bytes"]), "hnsw holds links beside the vectors"
    assert not list((work / "sweep").rglob("*.log")), "no log files"
    assert not list((work / "sweep").rglob(".hydra")), "no copies of Hydra's own"
    assert not (work / "sweep" / "multirun.yaml").exists()
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "\x1b" not in done.stdout


def test_one_bad_config_ends_the_command_before_anything_runs(assay, small_set: Path, work: Path) -> None:
    done = sweep(assay, small_set, "chunker.size=32,0")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("chunker.size: 0 is not allowed")
    assert "job 1 of 2" in done.stderr
    assert not (work / "sweep").exists()


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("index=flat,nope", "index: 'nope' is no option"),
        ("dataset.path=nowhere", "dataset.path: nowhere is no folder"),
        ("run_dir=x", "run_dir: names the folder of one run"),
        ("hydra.sweeper._target_=os.system", "hydra.sweeper._target_: 'os.system' names code"),
        ("hydra.launcher._target_=os.system", "hydra.launcher._target_: 'os.system' names code"),
    ],
)
def test_what_a_sweep_refuses(assay, small_set: Path, work: Path, override: str, said: str) -> None:
    done = sweep(assay, small_set, override, "chunker.size=32,64")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert not (work / "sweep").exists()


def test_a_job_that_fails_on_the_data_hides_no_other(assay, small_set: Path, work: Path) -> None:
    done = sweep(assay, small_set, "index=ivf", "index.nlist=2,900,1")
    assert done.returncode == 1
    rows = board(work / "sweep")
    assert [bool(row["recall@1"]) for row in rows] == [True, False, True]
    assert "900 cells need at least as many chunks" in rows[1]["error"]
    assert "job 1 failed: index.nlist: 900" in done.stderr
    assert "failed" in done.stdout
    assert not (work / "sweep" / "1" / "metrics.json").exists()


def test_resume_redoes_only_what_is_missing(assay, small_set: Path, work: Path) -> None:
    overrides = ("chunker.size=4,6,8", "chunker.overlap=0")
    assert sweep(assay, small_set, *overrides).returncode == 0
    first = (work / "sweep" / "leaderboard.csv").read_bytes()
    untouched = (work / "sweep" / "0" / "metrics.json").stat().st_mtime_ns
    (work / "sweep" / "1" / "metrics.json").unlink()
    refused = sweep(assay, small_set, *overrides)
    assert refused.returncode == 2
    assert "already holds files" in refused.stderr
    assert sweep(assay, small_set, *overrides, "resume=true").returncode == 0
    assert (work / "sweep" / "leaderboard.csv").read_bytes() == first
    assert (work / "sweep" / "0" / "metrics.json").stat().st_mtime_ns == untouched
    # Another order on the command line finds the same jobs by their configs; a new one takes the next number.
    assert sweep(assay, small_set, "chunker.size=8,6,12,4", "chunker.overlap=0", "resume=true").returncode == 0
    assert [(row["job"], row["chunker.size"]) for row in board(work / "sweep")] == [
        ("0", "4"),
        ("1", "6"),
        ("2", "8"),
        ("3", "12"),
    ]


def test_equal_sweeps_write_equal_bytes(assay, small_set: Path, work: Path) -> None:
    for folder in ("one", "two"):
        assert sweep(assay, small_set, "index=flat,ivf,hnsw", folder=folder).returncode == 0
    for name in ("leaderboard.csv", "leaderboard.json"):
        assert (work / "one" / name).read_bytes() == (work / "two" / name).read_bytes()


def test_presets_sweep_with_the_flag_and_say_so_without(assay, small_set: Path, work: Path) -> None:
    without = assay("run", "experiment=index_types", f"dataset.path={small_set}", *QUICK)
    assert without.returncode == 2
    assert "add -m" in without.stderr
    done = sweep(assay, small_set, "experiment=index_types")
    assert done.returncode == 0, done.stderr
    assert {row["index"] for row in board(work / "sweep")} == KINDS


def test_sorted_by_the_metric_that_is_asked_for(assay, small_set: Path) -> None:
    done = sweep(assay, small_set, "chunker.size=4,8", "chunker.overlap=0", "--sort", "mrr")
    assert done.stdout.splitlines()[0].split()[:3] == ["job", "size", "mrr"]
    wrong = sweep(assay, small_set, "chunker.size=4,8", "chunker.overlap=0", "--sort", "mmr", folder="other")
    assert wrong.returncode == 2
    assert "did you mean mrr" in wrong.stderr


def test_from_a_saved_run_one_thing_changes(assay, small_set: Path, work: Path) -> None:
    base = assay(
        "run", f"dataset.path={small_set}", *QUICK, "chunker.size=7", "chunker.overlap=3", "seed=5", "run_dir=base"
    )
    assert base.returncode == 0, base.stderr
    again = assay("run", "--from", "base", "cache=none", "progress=false", "run_dir=again")
    assert again.returncode == 0, again.stderr
    assert (work / "base" / "config.yaml").read_bytes() == (work / "again" / "config.yaml").read_bytes()
    assert (work / "base" / "metrics.json").read_bytes() == (work / "again" / "metrics.json").read_bytes()
    other = assay("run", "--from", "base", "chunker=sentences", "cache=none", "progress=false", "run_dir=other")
    assert other.returncode == 0, other.stderr
    text = (work / "other" / "config.yaml").read_text()
    assert "size: 128" in text, "a group override brings that option's own defaults"
    assert "seed: 5" in text
    swept = assay(
        "run",
        "-m",
        "--from",
        "base/config.yaml",
        "index=glob(*)",
        "cache=none",
        "progress=false",
        "hydra.sweep.dir=swept",
    )
    assert swept.returncode == 0, swept.stderr
    assert {row["index"] for row in board(work / "swept")} == KINDS
    assert "size: 7" in (work / "swept" / "0" / "config.yaml").read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seed: !!python/object/apply:os.system [id]\n", "could not determine a constructor"),
        ("a: &x [1]\nb: *x\n", "aliases are not allowed"),
        ("seed: 1\nseed: 2\n", "duplicate key"),
        ("seed: ${oc.env:HOME}\n", "interpolation"),
        ("run_dir: /elsewhere\n", "run_dir does not belong"),
        ("chunker: {kind: tokens, _target_: os.system}\n", "_target_"),
        ("[]\n", "no mapping"),
    ],
)
def test_a_hostile_saved_config_is_one_line(assay, tmp_path: Path, text: str, said: str) -> None:
    saved = tmp_path / "config.yaml"
    saved.write_text(text)
    done = assay("run", "--from", str(saved))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_ctrl_c_leaves_whole_folders_and_says_how_to_go_on(small_set: Path, work: Path, tmp_path: Path) -> None:
    work.mkdir(exist_ok=True)
    sizes = ",".join(str(size) for size in range(3, 60))
    command = [sys.executable, "-m", "assay.cli", "run", "-m", f"dataset.path={small_set}", *QUICK, "chunker.overlap=0"]
    command += [f"chunker.size={sizes}", "hydra.sweep.dir=sweep"]
    with subprocess.Popen(
        command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as process:
        deadline = time.monotonic() + 120
        while not (work / "sweep" / "2" / "metrics.json").exists():
            assert time.monotonic() < deadline
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "resume=true" in stderr
    assert stderr.count("\n") == 1
    whole = [folder for folder in (work / "sweep").iterdir() if (folder / "metrics.json").exists()]
    assert 3 <= len(whole) < 57
    for folder in whole:
        assert json.loads((folder / "metrics.json").read_text())["schema_version"] == 1
        assert not (folder / ".unfinished").exists()


def test_a_status_is_gone_once_the_job_is_whole(assay, small_set: Path, work: Path) -> None:
    broken = small_set / "corpus.jsonl"
    text = broken.read_text()
    broken.write_text(text + "{\n")
    done = sweep(assay, small_set, "seed=1,2")
    assert done.returncode == 1
    assert "corpus.jsonl:5" in json.loads((work / "sweep" / "0" / "status.json").read_text())["error"]
    broken.write_text(text)
    assert sweep(assay, small_set, "seed=1,2", "resume=true").returncode == 0
    assert not (work / "sweep" / "0" / "status.json").exists()


def test_a_key_that_only_the_swept_options_have(assay, small_set: Path, work: Path) -> None:
    """``reranker.chunks`` is no key of the default, none; every job has an option that it is a key of."""
    swept = ("retriever.depth=50", "reranker=mmr,lexical", "reranker.chunks=all")
    done = sweep(assay, small_set, *swept)
    assert done.returncode == 0, done.stderr
    for number, kind in enumerate(("mmr", "lexical")):
        saved = (work / "sweep" / str(number) / "config.yaml").read_text()
        assert f"kind: {kind}\n" in saved
        assert "chunks: all\n" in saved
        told = json.loads((work / "sweep" / str(number) / "manifest.json").read_text())["overrides"]
        assert told[-2:] == [f"reranker={kind}", "reranker.chunks=all"]
    wrong = sweep(assay, small_set, "retriever.depth=50", "reranker=mmr,none", "reranker.chunks=all", folder="wrong")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("reranker.chunks: the chosen option of reranker has no such key")
    assert not (work / "wrong").exists()
