"""``filter=where`` from the command line to the run folder, on documents of two regions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.golden.write import GoldenParts, write_golden_set
from assay.records import Document, Judgement, Query

Assay = Callable[..., Any]


@pytest.fixture
def regions(tmp_path: Path) -> str:
    """Forty documents on leave, every second one for Kerala; q1 has a region, q2 has none."""
    documents = [
        Document(
            f"d{i:02}",
            f"Rule {i} about leave and holidays at work.",
            metadata={"region": ["kerala", "delhi"][i % 2], "year": 2000 + i, "from": f"2024-01-{1 + i % 28:02}"},
        )
        for i in range(40)
    ]
    queries = [
        Query("q1", "rule 4 about leave", metadata={"region": "kerala"}),
        Query("q2", "rule 7 about leave", metadata={}),
    ]
    judgements = [Judgement("q1", "d04", 1), Judgement("q1", "d05", 1), Judgement("q2", "d07", 1)]
    return str(write_golden_set(GoldenParts(documents, queries, {"test": judgements}, []), tmp_path / "regions"))


def rankings(run: Path) -> dict[str, list[str]]:
    lines = [json.loads(line) for line in (run / "per_query.jsonl").read_text(encoding="utf-8").splitlines()]
    return {line["query_id"]: [hit["doc_id"] for hit in line["ranking"]] for line in lines}


USUAL = ("run", "embedder=lsa", "cache=none", "threads=1")


def test_a_run_and_one_from_it(assay: Assay, regions: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    first = assay(
        *USUAL,
        f"dataset.path={regions}",
        "index=hnsw",
        "filter=where",
        "filter.where={region: {$query: region}}",
        "run_dir=a",
    )
    assert first.returncode == 0, first.stderr
    found = rankings(work / "a")
    assert len(found["q1"]) == 20
    assert {int(doc_id[1:]) % 2 for doc_id in found["q1"]} == {0}, "Kerala's alone"
    assert len(found["q2"]) == 40, "no condition without a region"
    assert "warning: filter.where removes 1 of 3 relevant documents (1 queries)" in first.stderr
    assert "1 of 2 queries have no 'region' in their metadata" in first.stderr
    missed = json.loads((work / "a" / "per_query.jsonl").read_text(encoding="utf-8").splitlines()[0])["missed"]
    assert [(miss["doc_id"], miss["cause"], miss["rank"]) for miss in missed] == [("d05", "filtered", None)]

    second = assay(
        "run", "--from", "a", 'filter.where="{year: {$gte: 2030}}"', "filter.mode=post", "run_dir=b", "cache=none"
    )
    assert second.returncode == 0, second.stderr
    saved = yaml.safe_load((work / "b" / "config.yaml").read_text(encoding="utf-8"))["filter"]
    assert saved["where"] == {"year": {"$gte": 2030}}, "an override replaces"
    assert {doc_id for ids in rankings(work / "b").values() for doc_id in ids} == {f"d{i}" for i in range(30, 40)}


def test_a_sweep_over_conditions_and_modes(assay: Assay, regions: str, tmp_path: Path) -> None:
    where = "filter.where={from: {$lte: 2024-01-05}},{region: delhi, year: {$lt: 2021}}"
    done = assay(
        *USUAL, "-m", f"dataset.path={regions}", "filter=where", where, "filter.mode=pre,post", "hydra.sweep.dir=s"
    )
    assert done.returncode == 0, done.stderr
    jobs = [tmp_path / "work" / "s" / str(i) for i in range(4)]
    found = [{doc_id for ids in rankings(job).values() for doc_id in ids} for job in jobs]
    assert found[0] == found[1] == {f"d{i:02}" for i in range(40) if i % 28 < 5}
    assert found[2] == found[3] == {f"d{i:02}" for i in range(1, 21, 2)}
    for before, after in ((0, 1), (2, 3)):
        metrics = [(jobs[i] / "metrics.json").read_bytes() for i in (before, after)]
        assert metrics[0] == metrics[1], "exact search gives the same in both modes"


@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        (
            ["filter.where={region: {$query: region}}", "filter.missing=error"],
            "filter.missing: error, and 1 of 2 queries",
        ),
        (["filter.where={year: {$gtt: 1}}"], "filter.where.year.$gtt: no such operator; did you mean $gt?"),
        ([], "filter.where: null holds no condition; give one such as"),
    ],
)
def test_refused_in_one_line(assay: Assay, regions: str, tmp_path: Path, overrides: list[str], line: str) -> None:
    refused = assay(*USUAL, f"dataset.path={regions}", "filter=where", *overrides, "run_dir=a")
    assert refused.returncode == 2
    assert refused.stderr.startswith(line)
    assert refused.stderr.count("\n") == 1
    assert not (tmp_path / "work" / "a").exists()
