"""Verbs, flags and streams as a user meets them: one line a fault, exit statuses, nothing heavy before it is needed."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

Assay = Callable[..., "subprocess.CompletedProcess[str]"]


def left(folder: Path) -> list[str]:
    """What lies in ``folder``."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["run", "chunker.size=64", "chunker.overlap=64"],
            "chunker.overlap: 64 with chunker.size 64 makes no progress; give an overlap of at most 63",
        ),
        (["run", "chunker.sze=3"], "chunker.sze: no such key (value '3'); did you mean chunker.size?"),
        (
            ["run", "hydra.launcher._target_=os.system"],
            "hydra.launcher._target_: 'os.system' names code to run; a config may only choose options by kind",
        ),
        (
            ["run", "dataset.path=no/such"],
            "dataset.path: no/such is no folder; give one that holds corpus.jsonl, queries.jsonl and qrels/test.tsv",
        ),
        (
            ["run", "embedder=st", "embedder.model=./no/such", "chunker=document"],
            "embedder.model: './no/such' is no folder; give a SentenceTransformer's folder or its name on the hub",
        ),
        (["rum"], "rum: no such command; did you mean run?"),
    ],
)
def test_a_fault_is_one_line(assay: Assay, tmp_path: Path, arguments: list[str], line: str) -> None:
    """As a process: status 2, one line on stderr, nothing on stdout, nothing in the working directory."""
    done = assay(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line + "\n")
    assert left(tmp_path / "work") == []


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["run", "--experimental-rerun", "x.pickle"], "--experimental-rerun: refused; it unpickles a file"),
        (["run", "--experimental-rerun=x.pickle"], "--experimental-rerun: refused; it unpickles a file"),
        (["run", "hydra.run.dir=x"], "hydra.run.dir: can't be set (hydra.run.dir=x); a run's folder is run_dir=…"),
        (["run", "--config-path", "x"], "--config-path: refused; use --config-dir DIR"),
        (["run", "--config-name=x"], "--config-name: refused; put your own values into conf/config.yaml"),
        (["run", "--shell-completion", "install=bash"], "--shell-completion: refused; use assay completion bash"),
        (["run", "--json"], "--json: refused; "),
        (["run", "--cfgg", "job"], "--cfgg: no such flag of assay run; did you mean --cfg?"),
        (["run", "-x"], "-x: no such flag of assay run; see assay run --help"),
        (["run", "--cfg"], "--cfg: needs a value, such as --cfg job"),
        (["run", "--cfg", "jbo"], "--cfg: 'jbo' is not one of job, hydra, all"),
        (["run", "--info=nope"], "--info: 'nope' is not one of all, config, "),
        (["run", "--config-dir", "nope"], "--config-dir: nope is no folder; "),
        (["run", "--resolve"], "--resolve: needs --cfg, "),
        (["run", "--cfg", "job", "seed=x"], "seed: 'x' is not allowed; give a whole number of at least 0"),
        (["run", "--help", "chunker.sze=1"], "chunker.sze: no such key"),
        (["run", "--cfg", "job", "--package", "nope"], "package 'nope' not found in config"),
        (["score"], "assay score: the following arguments are required: --run, --qrels; see assay score --help"),
        (["score", "--nope"], "assay score: "),
        (["nonsense"], "nonsense: no such command; commands: run, "),
        (["Run"], "Run: no such command; did you mean run?"),
    ],
)
def test_wrong_use(inside: Callable[..., Any], work: Path, arguments: list[str], line: str) -> None:
    said = inside(*arguments)
    assert said.status == 2
    assert said.out == ""
    assert said.err.startswith(line)
    assert said.err.count("\n") == 1
    assert left(work) == []


def test_faults_before_anything_is_made(inside: Callable[..., Any], work: Path, small_set: Path) -> None:
    """What only the run itself finds out is one line too, and no folder is left, not even the ones above."""
    for overrides, line in [
        (["dataset.split=dev"], f"{small_set}/qrels/dev.tsv: no such file; there is qrels/test.tsv"),
        (["index=ivf", "index.nlist=50"], "index.nlist: 50 cells need at least as many chunks, there are 4"),
        (["cache=disk", "cache.dir=/proc/nope"], "cache.dir: /proc/nope can't be used"),
        (["run_dir=/proc/nope"], "run_dir: /proc/nope can't be made"),
        (["run_dir=null"], "run_dir: null names no folder"),
    ]:
        said = inside("run", f"dataset.path={small_set}", "embedder=lsa", "cache=none", "run_dir=a/b/c", *overrides)
        assert said.status == 2
        assert said.err.startswith(line)
        assert said.err.count("\n") == 1, "warnings are held back when a run fails"
        assert left(work) == [], overrides


def test_debug_shows_the_traceback(inside: Callable[..., Any]) -> None:
    """With the same status and the same last line; in any place of the line."""
    for arguments in (["--debug", "run", "seed=x"], ["run", "--debug", "seed=x"], ["run", "seed=x", "--debug"]):
        said = inside(*arguments)
        assert said.status == 2
        assert said.err.startswith("Traceback (most recent call last):\n")
        assert said.err.endswith("\nseed: 'x' is not allowed; give a whole number of at least 0\n")


def test_help_and_version(inside: Callable[..., Any]) -> None:
    bare, asked = inside(), inside("--help")
    assert (bare.status, asked.status) == (2, 0)
    assert bare.out == asked.out
    for word in ("run", "score", "--debug", "--version", "Exit status"):
        assert word in asked.out
    for verb in ("run", "score"):
        said = inside(verb, "--help") if verb == "run" else None
        assert said is None or said.status == 0
    try:
        installed = importlib.metadata.version("assay")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("assay is not installed here, so it has no version")
    assert inside("--version").out == f"assay {installed}\n"


def test_run_help_lists_groups_and_the_config(inside: Callable[..., Any], work: Path) -> None:
    (work / "conf/chunker").mkdir(parents=True)
    (work / "conf/chunker/mine.yaml").write_text("kind: tokens\nsize: 31\noverlap: 1\ncontext: none\n")
    said = inside("run", "--help", "chunker=mine")
    assert said.status == 0
    assert said.err == ""
    assert "index: factory, fastscan, flat, fp16, hnsw" in said.out
    assert "mine" in said.out
    assert "size: 31" in said.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--cfg", "job", "seed=7", "chunker=document"],
        ["seed=7", "--cfg", "job", "chunker=document"],
        ["seed=7", "chunker=document", "--cfg=job"],
        ["chunker=document", "-c", "job", "seed=7"],
    ],
)
def test_flags_and_overrides_in_any_order(inside: Callable[..., Any], work: Path, arguments: list[str]) -> None:
    said = inside("run", *arguments)
    assert (said.status, said.err) == (0, "")
    shown = yaml.safe_load(said.out)
    assert shown["seed"] == 7
    assert shown["chunker"] == {"kind": "document", "context": "title"}
    assert left(work) == []


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        (["--cfg", "job", "--package", "chunker"], "size: 128\n"),
        (["--cfg", "hydra"], "sweep:\n"),
        (["--cfg", "all"], "seed: 42\n"),
        (["--cfg", "job", "--resolve"], "run_dir: outputs/runs/2"),
        (["--info"], "Config search path"),
        (["--info", "searchpath"], "file://"),
        (["-i", "defaults-tree"], "chunker: tokens"),
        (["--info=plugins"], "AssaySweeper"),
        (["--hydra-help"], "hydra"),
    ],
)
def test_what_hydra_shows(assay: Assay, tmp_path: Path, flags: list[str], shown: str) -> None:
    """In a process of its own: Hydra's logging holds on to the streams that it met."""
    done = assay("run", *flags)
    assert (done.returncode, done.stderr) == (0, "")
    assert shown in done.stdout
    assert left(tmp_path / "work") == []


HEAVY = ("torch", "faiss", "sklearn", "sentence_transformers", "transformers", "pandas", "scipy")
ASK = """
import contextlib, io, sys
from assay.cli import main
for line in (["--help"], ["run", "--help"], ["run", "--cfg", "job"], ["run", "--info"], ["run", "chunker.size=abc"],
             ["run", "index=nope"], ["run", "dataset.path=nope"], ["run", "chunker._target_=x"], ["score"], ["rum"]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        status = main(line)
    print(status, *[name for name in HEAVY if name in sys.modules])
"""


def test_nothing_heavy_is_imported_before_it_is_needed(tmp_path: Path) -> None:
    path = os.pathsep.join(os.path.abspath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep))
    done = subprocess.run(
        [sys.executable, "-c", f"HEAVY = {HEAVY}\n{ASK}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.splitlines() == ["0", "0", "0", "0", "2", "2", "2", "2", "2", "2"], done.stderr


def test_a_reader_that_goes_away(assay: Assay, tmp_path: Path) -> None:
    """``assay run --info | head -1``: no complaint of Python's."""
    path = os.pathsep.join(os.path.abspath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep))
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m assay.cli run --info | head -1"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("redirect", "encoding"),
    [(">&-", "utf-8"), ("2>&-", "utf-8"), ("", "ascii")],
)
def test_any_streams(tmp_path: Path, small_set: Path, redirect: str, encoding: str) -> None:
    """A closed stream, or a terminal that can't show every character, is no reason to fail."""
    path = os.pathsep.join(os.path.abspath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep))
    run = f"run dataset.path={small_set} retriever=bm25 embedder=lsa cache=none run_dir=r"
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m assay.cli {run} {redirect}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "r/metrics.json").is_file()


def test_json_on_a_terminal_that_is_not_utf8(assay: Assay, tmp_path: Path) -> None:
    """Escaped, so nothing is lost."""
    (tmp_path / "run.trec").write_text("frage-ü Q0 d1 1 1.0 x\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("frage-ü 0 d1 1\n", encoding="utf-8")
    files = ("--run", str(tmp_path / "run.trec"), "--qrels", str(tmp_path / "qrels"))
    done = assay("score", *files, "--json", env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["per_query"]) == ["frage-ü"]
