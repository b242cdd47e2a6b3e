"""What a page holds of a run's queries: checked rows, worst first, texts within a budget."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.errors import DataError
from assay.reports.html import island as module
from assay.reports.html.asked import Asked, Lost, Result, asked_of, worst_first
from assay.reports.html.island import island
from assay.reports.html.segments import Segments
from assay.runs.run import Run


def one(query_id: str, ndcg: float | None = None, **other: Any) -> Asked:
    values = {
        "text": "text",
        "type": None,
        "answerable": True,
        "abstained": False,
        "top_score": 0.5,
        "values": {"ndcg@10": ndcg},
        "results": (),
        "returned": 1,
        "relevant_ranks": (),
        "relevant": 1,
        "missed": (Lost("d", 1, "embedding", 12, None, None),),
    }
    return Asked(query_id=query_id, **{**values, **other})


def test_worst_first() -> None:
    asked = [
        one("fine", 1.0, missed=(), relevant_ranks=(1,)),
        one("half", 0.5),
        one("answered", answerable=False, missed=()),
        one("late", 0.0, relevant_ranks=(40,)),
        one("lost-b", 0.0),
        one("lost-a", 0.0),
        one("empty", answerable=False, abstained=True, missed=()),
    ]
    order = [asked[i].query_id for i in worst_first(asked)]
    assert order == ["lost-a", "lost-b", "late", "half", "answered", "empty", "fine"]


def row(**changes: Any) -> dict[str, Any]:
    found = {
        "doc_id": "a",
        "rank": 1,
        "score": 0.5,
        "stage": 0,
        "grade": None,
        "chunks": [{"start": 0, "end": 9, "score": 0.5}],
    }
    base = {
        "query_id": "q",
        "text": "t",
        "type": None,
        "answerable": True,
        "abstained": False,
        "top_score": 0.5,
        "metrics": {"recall@5": 0.5},
        "ranking": [found, {**found, "doc_id": "b", "rank": 2, "grade": 2}],
        "missed": [{"doc_id": "c", "grade": 1, "cause": "embedding", "rank": 30}],
    }
    return base | changes


def read(folder: Path, *rows: dict[str, Any]) -> list[Asked]:
    (folder / "per_query.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    return list(asked_of(Run(folder), ["recall@5", "mrr"]))


def test_a_row_is_cut_to_what_a_page_needs(tmp_path: Path) -> None:
    found = {"doc_id": "x", "rank": 0, "score": 0.1, "stage": 0, "grade": None, "chunks": []}
    ranking = [{**found, "rank": rank, "grade": 1 if rank in (3, 40) else None} for rank in range(1, 51)]
    (asked,) = read(tmp_path, row(ranking=ranking, missed=[]))
    assert [result.rank for result in asked.results] == [*range(1, 11), 40]
    assert (asked.returned, asked.relevant_ranks, asked.first_relevant) == (50, (3, 40), 3)
    assert asked.values == {"recall@5": 0.5, "mrr": None}


@pytest.mark.parametrize(
    "damaged",
    [
        {"answerable": 1},
        {"text": None},
        {"top_score": "<script>"},
        {"ranking": {}},
        {"ranking": [{"doc_id": "a"}]},
        {"missed": [{"doc_id": "c", "grade": 1, "cause": 7, "rank": 1}]},
        {"metrics": {"recall@5": True}},
        {"top_score": float("inf")},
    ],
)
def test_a_damaged_row_is_named(tmp_path: Path, damaged: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=r"per_query\.jsonl:2: no row of a run"):
        read(tmp_path, row(), row(query_id="r") | damaged)


def test_segments_hold_each_character_once_and_keep_the_budget() -> None:
    segments = Segments({"d": "abcdefghij", "e": "x" * 100}, budget=60)
    assert segments.want("d", 2, 5)
    assert segments.want("d", 4, 8)  # c to h
    assert segments.want("d", 2, 8)
    assert segments.of("d") == [(2, "cdefgh")]
    assert not segments.want("e", 0, 100)
    assert segments.refused == 1
    assert segments.want("d", -5, 1)
    assert segments.of("d") == [(0, "a"), (2, "cdefgh")]
    assert not segments.want("unknown", 0, 1)
    assert (segments.length("d"), segments.length("unknown")) == (10, 0)


def test_the_evidence_and_its_surroundings_are_there(golden_of: Any) -> None:
    text = "é" * 300 + "EVIDENCE" + "ü" * 300
    golden = golden_of({"d": text}, {"q": "where"}, [("q", "d", 1)], spans=[("q", "d", 300, 308)])
    asked = one("q", 0.0, missed=(Lost("d", 1, "embedding", 12, None, None),))
    held = json.loads(island([asked], [0], ["ndcg@10"], 1, golden).text)
    (document,) = held["documents"]
    assert document[0] == "d"
    assert document[2] == [[140, "é" * 160 + "EVIDENCE" + "ü" * 160]]
    assert document[3] == 608
    assert held["rows"][0][13] == [[0, 300, 308]]
    assert held["hasTexts"] is True


def test_without_texts_it_says_so() -> None:
    held = json.loads(island([one("q", 0.0)], [0], ["ndcg@10"], 1, None).text)
    assert held["hasTexts"] is False
    assert held["documents"] == [["d", "", [], 0]]


@pytest.mark.parametrize(
    ("budget", "queries", "said"),
    [(1_000_000, 40, ""), (14_000, 40, "1 results a query|5 results a query|3 results a query"), (1500, None, "worst")],
)
def test_the_rows_keep_their_budget(
    monkeypatch: pytest.MonkeyPatch, budget: int, queries: int | None, said: str
) -> None:
    monkeypatch.setattr(module, "ROWS_BUDGET", budget)
    results = tuple(Result(f"document {i}", i, 0.5, 0, None, 0, 100) for i in range(1, 11))
    asked = [one(f"q{i}", 0.0, text="word " * 60, results=results, returned=10) for i in range(40)]
    held = island(asked, worst_first(asked), ["ndcg@10"], 1, None)
    assert len(json.dumps(json.loads(held.text)["rows"], separators=(",", ":"))) <= budget
    assert held.queries == (queries or held.queries)
    assert (held.queries < 40) == (queries is None)
    assert bool(held.notes) == bool(said)
    assert any(words in " ".join(held.notes) for words in said.split("|"))
