"""A second run computes nothing, loads no model, and writes the same bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RESULTS = ("metrics.json", "per_query.jsonl", "run.trec")
Inside = Callable[..., Any]


def results(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in RESULTS}


def counted(folder: Path) -> dict[str, tuple[int, int]]:
    cache = json.loads((folder / "timings.json").read_text())["cache"]
    return {stage: (each["hits"], each["misses"]) for stage, each in cache.items() if each["hits"] or each["misses"]}


def test_a_reranker_s_scores_are_kept_and_its_warnings_told_again(
    inside: Inside, small_set: Path, work: Path, tiny_model: Path
) -> None:
    base = (f"dataset.path='{small_set}'", "embedder=st", f"embedder.model='{tiny_model}'", "chunker=document")
    rerank = ("reranker=late_interaction", "reranker.depth=3", "evaluation.ks=[1,3]", "cache.dir=store")
    done = [inside("run", *base, *rerank, f"run_dir={name}") for name in ("cold", "warm")]
    done.append(inside("run", *base, *rerank, "run_dir=none", "cache=none", "cache.dir=null"))
    assert [each.status for each in done] == [0, 0, 0], done[0].err
    assert results(work / "warm") == results(work / "cold") == results(work / "none")
    assert counted(work / "cold")["rerank_scores"] == (0, 12)
    assert counted(work / "warm")["rerank_scores"] == (12, 0)
    assert {misses for _, misses in counted(work / "warm").values()} == {0}
    told = [json.loads((work / name / "manifest.json").read_text())["warnings"] for name in ("cold", "warm", "none")]
    assert any("the texts of 12 of 12 pairs" in line for line in told[0]), told[0]
    assert told[0] == told[1] == told[2]

    fewer = inside("run", *base, *rerank, "reranker.depth=2", "run_dir=fewer")
    assert fewer.status == 0
    assert {misses for _, misses in counted(work / "fewer").values()} == {0}, "a smaller depth computes nothing"


@pytest.mark.parametrize(
    "changed",
    [
        "index.nprobe=2",
        "index.nprobe=3 filter.min_score=0.1",
        "evaluation.ks=[1,2]",
        "retriever.depth=50",
        "evaluation.metrics=[recall]",
    ],
)
def test_search_time_settings_rebuild_nothing(inside: Inside, small_set: Path, work: Path, changed: str) -> None:
    base = (f"dataset.path='{small_set}'", "embedder=lsa", "chunker.size=4", "chunker.overlap=0", "cache.dir=store")
    index = ("index=ivf", "index.nlist=4", "index.nprobe=1", "evaluation.ks=[1,3]")
    assert inside("run", *base, *index, "run_dir=first").status == 0
    done = inside("run", *base, *index, "run_dir=second", *changed.split())
    assert done.status == 0, done.err
    found = counted(work / "second")
    for stage in ("chunks", "document_vectors", "query_vectors", "indexes"):
        assert found[stage][1] == 0, stage
    assert found["indexes"] == (1, 0)


def test_a_build_setting_builds_anew_and_keeps_the_vectors(inside: Inside, small_set: Path, work: Path) -> None:
    base = (f"dataset.path='{small_set}'", "embedder=lsa", "chunker.size=4", "chunker.overlap=0", "cache.dir=store")
    assert inside("run", *base, "index=ivf", "index.nlist=4", "run_dir=first").status == 0
    assert inside("run", *base, "index=ivf", "index.nlist=3", "run_dir=second").status == 0
    assert counted(work / "second")["indexes"] == (0, 1)
    assert counted(work / "second")["document_vectors"][1] == 0


WITHOUT_TORCH = """
import sys
from assay.cli import main
status = main(sys.argv[1:])
heavy = sorted({"torch", "sentence_transformers", "transformers", "sklearn"} & set(sys.modules))
print("HEAVY", *heavy)
raise SystemExit(status)
"""


def test_a_warm_run_never_imports_torch(inside: Inside, small_set: Path, work: Path, tiny_model: Path) -> None:
    base = ["run", f"dataset.path='{small_set}'", "embedder=st", f"embedder.model='{tiny_model}'", "cache.dir=store"]
    base += ["reranker=late_interaction", "reranker.depth=3", "index=hnsw", "progress=false"]
    assert inside(*base, "run_dir=cold").status == 0
    warm = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, *base, "run_dir=warm"],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=work,
    )
    assert warm.returncode == 0, warm.stderr
    assert warm.stdout.rstrip().endswith("HEAVY"), warm.stdout[-200:]
    assert results(work / "warm") == results(work / "cold")
