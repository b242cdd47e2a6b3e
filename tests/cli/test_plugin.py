"""Components of a user's own, as a user has them: a small installed package, chosen and swept over by the command line."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

CODE = '''
import numpy as np

class Letters:
    """How often each letter stands in a text."""
    deterministic = True
    def __init__(self, letters="abcdefghijklmnopqrstuvwxyz"): self.letters = letters
    def embed(self, texts, role): return np.array([[t.lower().count(c) for c in self.letters] for t in texts], float)

class Lines:
    """A piece a sentence, more or less."""
    def pieces(self, text):
        ends = [i + 1 for i, c in enumerate(text) if c == "."]
        return list(zip([0, *ends[:-1]], ends))

class Overlap:
    """Words in common."""
    def __init__(self, least=1): self.least = least
    def index(self, texts): self.bags = [set(text.lower().split()) for text in texts]
    def search(self, query, k):
        asked = set(query.lower().split())
        found = [(number, len(asked & bag)) for number, bag in enumerate(self.bags) if len(asked & bag) >= self.least]
        return sorted(found, key=lambda pair: -pair[1])[:k]

class Shortest:
    """Short texts first."""
    def scores(self, query, texts): return [-len(text) for text in texts]

class Broken:
    def embed(self, texts, role): raise ValueError("no\\nluck")
'''
ENTRY_POINTS = """
[assay.embedders]
letters = tiny:Letters
broken = tiny:Broken
[assay.chunkers]
lines = tiny:Lines
[assay.retrievers]
overlap = tiny:Overlap
[assay.rerankers]
shortest = tiny:Shortest
"""
QUICK = ("cache=none", "progress=false", "evaluation.ks=[1,3]", "retriever.depth=10")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(assay: Run, install: Callable[..., Path], small_set: Path) -> Run:
    """``assay run`` on the small golden set, with the package ``tiny`` installed."""
    path = os.pathsep.join([str(install("tiny", CODE, ENTRY_POINTS)), os.environ.get("PYTHONPATH", "")])

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return assay("run", f"dataset.path={small_set}", *QUICK, *arguments, env={"PYTHONPATH": path})

    return call


@pytest.fixture
def within(
    inside: Callable[..., Any], install: Callable[..., Path], small_set: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """``run``, but inside this process."""
    monkeypatch.syspath_prepend(str(install("tiny", CODE, ENTRY_POINTS)))
    monkeypatch.delitem(sys.modules, "tiny", raising=False)

    def call(*arguments: str) -> Any:
        return inside("run", f"dataset.path={small_set}", *QUICK, *arguments)

    return call


def board(folder: Path) -> list[dict[str, str]]:
    with (folder / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_sweep_over_a_users_own_components(run: Run, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "conf" / "embedder").mkdir(parents=True)
    (work / "conf" / "embedder" / "vowels.yaml").write_text(
        "kind: plugin\nname: letters\nparams: {letters: aeiou}\nnormalize: false\ntruncate_dim: null\n"
    )
    (work / "conf" / "embedder" / "letters.yaml").write_text("defaults: [plugin, _self_]\nname: letters\n")
    (work / "conf" / "chunker").mkdir()
    (work / "conf" / "chunker" / "lines.yaml").write_text("defaults: [plugin, _self_]\nname: lines\n")
    (work / "conf" / "retriever").mkdir()
    (work / "conf" / "retriever" / "overlap.yaml").write_text("defaults: [plugin, _self_]\nname: overlap\n")
    done = run(
        *("-m", "hydra.sweep.dir=sweep", "embedder=letters,vowels,lsa", "chunker=document,lines"),
        "retriever=dense,overlap",
    )
    assert done.returncode == 0, done.stderr
    rows = board(work / "sweep")
    assert len(rows) == 12
    assert all(row["recall@3"] for row in rows)
    configs = [yaml.safe_load((work / "sweep" / row["job"] / "config.yaml").read_text()) for row in rows]
    assert {str(config["embedder"].get("params")) for config in configs} == {"None", "{'letters': 'aeiou'}"}
    by_name = {
        tuple(config[group].get("name", config[group]["kind"]) for group in ("embedder", "chunker", "retriever")): row
        for config, row in zip(configs, rows, strict=True)
        if (config["embedder"].get("params") or {}) == {}
    }
    assert float(by_name["lsa", "document", "overlap"]["recall@3"]) == 1.0
    (query, *_) = (
        (work / "sweep" / by_name["lsa", "lines", "overlap"]["job"] / "per_query.jsonl").read_text().splitlines()
    )
    assert json.loads(query)["ranking"][0] == {
        "doc_id": "leave",
        "rank": 1,
        "score": 4.0,
        "stage": 0,
        "grade": 2,
        "chunks": [{"start": 0, "end": 41, "score": 4.0}, {"start": 42, "end": 69, "score": 3.0}],
    }


def test_a_run_with_all_four_says_what_it_used_and_can_be_started_from(run: Run, tmp_path: Path) -> None:
    work = tmp_path / "work"
    chosen = ["embedder=plugin", "embedder.name=letters", "+embedder.params.letters=etaoin", "chunker=plugin"]
    chosen += ["chunker.name=lines", "reranker=plugin", "reranker.name=shortest", "reranker.depth=2"]
    done = run(*chosen, "run_dir=first")
    assert done.returncode == 0, done.stderr
    manifest = json.loads((work / "first" / "manifest.json").read_text())
    assert manifest["embedder"]["distribution"] == "tiny 1.0"
    assert manifest["embedder"]["params"] == {"letters": "etaoin"}
    lines = [json.loads(line) for line in (work / "first" / "per_query.jsonl").read_text().splitlines()]
    assert {ranked["stage"] for line in lines for ranked in line["ranking"]} == {0, 1}
    assert all(line["ranking"][0]["score"] < 0 for line in lines), "minus the length of a text"
    again = run("--from", "first", "run_dir=second")
    assert again.returncode == 0, again.stderr
    assert (work / "second" / "metrics.json").read_bytes() == (work / "first" / "metrics.json").read_bytes()
    assert (work / "second" / "config.yaml").read_bytes() == (work / "first" / "config.yaml").read_bytes()
    other = run("--from", "first", "embedder.params.letters=xyz", "run_dir=third")
    assert other.returncode == 0, other.stderr
    assert yaml.safe_load((work / "third" / "config.yaml").read_text())["embedder"]["params"] == {"letters": "xyz"}


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["embedder=plugin"], "embedder.name: null names no plugin; give the name of an installed entry point"),
        (
            ["embedder=plugin", "embedder.name=leters"],
            "embedder.name: 'leters' is no installed plugin of the group assay.embedders; did you mean letters?; "
            "installed: broken, letters",
        ),
        (
            ["embedder=plugin", "embedder.name=broken"],
            "embedder.name: plugin 'broken' of tiny 1.0 failed in embed (ValueError: no luck)",
        ),
        (
            ["embedder=plugin", "embedder.name=letters", "embedder.params={n: 3}"],
            "embedder.name: plugin 'letters' of tiny 1.0 can't be made with embedder.params (TypeError: ",
        ),
        (
            ["embedder=plugin", "embedder.name=letters", "embedder.params.n=3"],
            "embedder.params.n: no such key (value '3'); add one that is not there yet with a plus: +embedder.params.n=3",
        ),
        (
            ["embedder=plugin", "embedder.name=letters", "embedder.params={a: {_target_: os.system}}"],
            "embedder.params.a._target_: 'os.system' names code to run",
        ),
    ],
    ids=["null", "unknown", "failing", "params", "key", "target"],
)
def test_what_goes_wrong_is_one_line(overrides: list[str], said: str, within: Callable[..., Any]) -> None:
    told = within(*overrides)
    assert told.status == 2
    (line,) = told.err.splitlines()
    assert line.startswith(said)


def test_debug_shows_where_the_plugin_failed(within: Callable[..., Any]) -> None:
    told = within("embedder=plugin", "embedder.name=broken", "--debug")
    assert told.status == 2
    assert "tiny.py" in told.err
    assert "ValueError: no\nluck" in told.err


def test_a_sweep_over_all_chunkers_leaves_plugins_out_by_name(run: Run, tmp_path: Path) -> None:
    done = run(
        "-m", "chunker=glob(*,exclude=[plugin,semantic,markdown,parent])", "embedder=lsa", "hydra.sweep.dir=sweep"
    )
    assert done.returncode == 0, done.stderr
    assert {row["chunker"] for row in board(tmp_path / "work" / "sweep")} == {
        "document",
        "recursive",
        "sentences",
        "tokens",
    }
