"""Four levels of sameness: a run folder against copies of it, each changed in one way."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import DataError
from assay.runs import files
from assay.runs.environment import environment_changes
from assay.runs.reproduce import BYTES, DIFFERENT, METRICS, RANKINGS, first_difference, number_changes, sameness
from assay.runs.run import load_run
from assay.runs.verify import disagreements

ROWS = [
    {"query_id": "q1", "text": "days off", "type": "lookup", "answerable": True, "metrics": {"mrr": 1.0},
     "ranking": [{"doc_id": "leave", "rank": 1, "score": 0.75, "grade": 2}, {"doc_id": "hotel", "rank": 2, "score": 0.5, "grade": None}], "missed": []},
    {"query_id": "q2", "text": "stolen machine", "type": None, "answerable": True, "metrics": {"mrr": 0.5},
     "ranking": [{"doc_id": "hotel", "rank": 1, "score": 0.25, "grade": None}, {"doc_id": "laptop", "rank": 2, "score": 0.125, "grade": 1}], "missed": []},
]  # fmt: skip
SUMMARY: dict[str, Any] = {
    "schema_version": 1,
    "queries": {"total": 2, "answerable": 2, "unanswerable": 0, "unjudged": 0},
    "metrics": {"mrr": {"mean": 0.75, "ci95": [0.5, 0.875], "n": 2}},
    "abstention": {"auroc": None, "risk_coverage": [[0.5, 0.0], [1.0, 0.0]]},
    "causes": {"embedding": 0},
}
Change = Callable[[list[dict[str, Any]], dict[str, Any]], object]


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """``make(name, change)`` writes the run folder whose rows and summary ``change`` changed."""

    def write(name: str, change: Change = lambda rows, summary: None) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        rows, summary = json.loads(json.dumps(ROWS)), json.loads(json.dumps(SUMMARY))
        change(rows, summary)
        trec = [
            f"{row['query_id']} Q0 {found['doc_id']} {place} {len(row['ranking']) - place + 1} assay\n"
            for row in rows
            for place, found in enumerate(row["ranking"], 1)
        ]
        (folder / "config.yaml").write_text("seed: 42\n")
        (folder / "run.trec").write_text("".join(trec))
        (folder / "per_query.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "metrics.json").write_text(json.dumps(summary))
        config = hashlib.sha256(b"seed: 42\n").hexdigest()
        (folder / "manifest.json").write_text(json.dumps({"hashes": {"config": config}}))
        (folder / "timings.json").write_text("{}")
        return folder

    return write


def swap(rows: list[dict[str, Any]], query: int) -> None:
    ranking = rows[query]["ranking"]
    ranking[0]["doc_id"], ranking[1]["doc_id"] = ranking[1]["doc_id"], ranking[0]["doc_id"]


LEVELS: dict[str, tuple[Change, int]] = {
    "nothing": (lambda rows, summary: None, BYTES),
    "the last bit of a score": (lambda rows, summary: rows[0]["ranking"][0].update(score=0.7500001), RANKINGS),
    "a mean by half the tolerance": (lambda rows, summary: summary["metrics"]["mrr"].update(mean=0.7500005), RANKINGS),
    "two documents": (lambda rows, summary: swap(rows, 0), METRICS),
    "a document less": (lambda rows, summary: rows[0]["ranking"].pop(), METRICS),
    "what a miss was put down to": (lambda rows, summary: summary["causes"].update(embedding=1), RANKINGS),
    "a point of the curve": (lambda rows, summary: summary["abstention"]["risk_coverage"].pop(), RANKINGS),
    "a mean by twice the tolerance": (lambda rows, summary: summary["metrics"]["mrr"].update(mean=0.750002), DIFFERENT),
    "an interval": (lambda rows, summary: summary["metrics"]["mrr"].update(ci95=[0.4, 0.875]), DIFFERENT),
    "a number for null": (lambda rows, summary: summary["abstention"].update(auroc=0.5), DIFFERENT),
    "a metric more": (lambda rows, summary: summary["metrics"].update(rprec={"mean": 1.0, "n": 2}), DIFFERENT),
}


@pytest.mark.parametrize(("change", "level"), LEVELS.values(), ids=LEVELS.keys())
def test_the_level_of_one_change(make: Callable[..., Path], change: Change, level: int) -> None:
    assert sameness(load_run(make("saved")), load_run(make("fresh", change))).level == level


def test_which_files_differ_and_which_numbers(make: Callable[..., Path]) -> None:
    saved = load_run(make("saved"))
    fresh = load_run(make("fresh", lambda rows, summary: summary["metrics"]["mrr"].update(mean=0.5)))
    found = sameness(saved, fresh)
    assert found.same_files == {"metrics.json": False, "per_query.jsonl": True, "run.trec": True}
    assert [(one.name, one.before, one.after) for one in found.numbers] == [("metrics.mrr.mean", 0.75, 0.5)]
    assert found.same_rankings


def test_the_queries_that_moved_most_come_first(make: Callable[..., Path]) -> None:
    def change(rows: list[dict[str, Any]], summary: dict[str, Any]) -> None:
        swap(rows, 0)
        rows[1]["ranking"].append({"doc_id": "canteen", "rank": 3, "score": 0.0, "grade": None})
        rows[1]["metrics"]["mrr"] = 0.0

    found = sameness(load_run(make("saved")), load_run(make("fresh", change)))
    assert found.moved_total == 2
    assert [(one.query_id, one.rank, one.doc_before, one.doc_after, one.before, one.after) for one in found.moved] == [
        ("q2", 3, None, "canteen", 0.5, 0.0),
        ("q1", 1, "leave", "hotel", 1.0, 1.0),
    ]


@pytest.mark.parametrize(
    ("before", "after", "rank"),
    [("", "", None), ("ab", "ab", None), ("ab", "ba", 1), ("ab", "ac", 2), ("ab", "a", 2), ("", "a", 1)],
)
def test_the_first_rank_that_differs(before: str, after: str, rank: int | None) -> None:
    assert first_difference(before, after) == rank


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400, "0.5", None, [0.5], {}])
def test_numbers_of_a_damaged_file_are_compared_without_a_crash(value: object) -> None:
    assert [one.name for one in number_changes({"a": 0.5}, {"a": value})][:1] == ["a"]


def test_a_folder_as_it_was_written_agrees_with_itself(make: Callable[..., Path]) -> None:
    assert disagreements(load_run(make("run"))) == []


def rewrite(name: str, old: str, new: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text((folder / name).read_text().replace(old, new, 1))


TAMPERED: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "a mean": (
        rewrite("metrics.json", "0.75", "0.8"),
        ["mrr: metrics.json has 0.8 over 2 queries, per_query.jsonl gives 0.75 over 2"],
    ),
    "a score": (
        rewrite("per_query.jsonl", '"mrr": 0.5', '"mrr": 1.0'),
        ["mrr: metrics.json has 0.75 over 2 queries, per_query.jsonl gives 1.0 over 2"],
    ),
    "a ranked document": (
        rewrite("run.trec", "q2 Q0 laptop", "q2 Q0 canteen"),
        ["run.trec and per_query.jsonl rank otherwise for 1 queries, first q2"],
    ),
    "a query of the TREC run": (
        lambda folder: (folder / "run.trec").write_text("q1 Q0 leave 1 2 assay\nq1 Q0 hotel 2 1 assay\n"),
        ["run.trec ranks 1 queries, per_query.jsonl 2, or in another order"],
    ),
    "the config": (
        rewrite("config.yaml", "42", "43"),
        ["config.yaml is not the one whose hash manifest.json has"],
    ),
    "a mark": (
        rewrite("per_query.jsonl", '"answerable": true', '"answerable": false'),
        ["metrics.json counts 2 answerable queries, per_query.jsonl holds 1"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("tamper", "told"), TAMPERED.values(), ids=TAMPERED.keys())
def test_files_that_contradict_each_other_are_named(
    make: Callable[..., Path], tamper: Callable[[Path], object], told: list[str]
) -> None:
    folder = make("run")
    tamper(folder)
    assert disagreements(load_run(folder)) == told


@pytest.mark.parametrize(
    ("name", "content"),
    [(name, content) for name in (files.TREC, files.TIMINGS, files.PER_QUERY) for content in (None, b"\xff{", b"q1 Q0 l")],
)  # fmt: skip
def test_a_file_that_is_gone_or_garbage_is_one_line(
    make: Callable[..., Path], name: str, content: bytes | None
) -> None:
    folder = make("run")
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    with pytest.raises(DataError, match=name) as told:
        disagreements(load_run(folder))
    assert len(told.value.lines()) == 1


def test_a_last_line_that_is_cut_off_is_seen(make: Callable[..., Path]) -> None:
    folder = make("run")
    whole = (folder / "run.trec").read_bytes()
    (folder / "run.trec").write_bytes(whole[:-3])  # still six columns: only the tag is short
    with pytest.raises(DataError, match="its last line is cut off"):
        disagreements(load_run(folder))


def test_what_else_differs_between_two_manifests() -> None:
    before = {
        "threads": 8,
        "versions": {"numpy": "2.4.1", "torch": "2.6"},
        "machine": {"python": "3.11.7", "cpu_flags": ["avx", "avx2"], "release": "6.1"},
        "embedder": {"kind": "lsa", "dim": 256, "fit": "x"},
    }
    after = {
        "threads": 2,
        "versions": {"numpy": "2.4.6", "torch": "2.6", "scipy": "1.17"},
        "machine": {"python": "3.11.7", "cpu_flags": ["avx", "avx512f"], "release": "6.2"},
        "embedder": {"kind": "lsa", "dim": 64, "fit": "y"},
    }
    assert [(one.name, one.before, one.after) for one in environment_changes(before, after)] == [
        ("threads", 8, 2),
        ("numpy", "2.4.1", "2.4.6"),
        ("scipy", None, "1.17"),
        ("machine.cpu_flags", "avx2", "avx512f"),
        ("embedder.dim", 256, 64),
    ]
    assert environment_changes(before, before) == []


@pytest.mark.parametrize(
    "damaged", [{}, {"versions": [], "machine": 3, "embedder": None}, {"machine": {"cpu_flags": "avx"}}]
)
def test_a_manifest_without_parts_is_no_crash(damaged: dict[str, Any]) -> None:
    assert environment_changes(damaged, damaged) == []
