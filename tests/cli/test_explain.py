"""``assay explain``: worst queries, and one query's whole story."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Inside = Callable[..., Any]


@pytest.fixture
def run(inside: Inside, small_set: Path, work: Path) -> str:
    """A run on the small set that misses two documents: one by the threshold, one by k."""
    done = inside(
        "run",
        f"dataset.path='{small_set}'",
        "embedder=lsa",
        "retriever=bm25",
        "cache=none",
        "run_dir=r",
        "evaluation.ks=[1]",
        "filter.min_score=2.0",
    )
    assert done.status == 0, done.err
    return "r"


def test_one_query_s_story_tells_the_cause_the_ranks_and_the_marked_span(inside: Inside, run: str) -> None:
    told = inside("explain", run, "--query", "q1")
    assert told.status == 0
    assert "q1 [lookup] how many days of annual leave" in told.out
    assert "leave (grade 2)" in told.out
    assert "[Everyone has thirty days of annual leave.] Unused" in told.out.replace("\n", " ")
    rows = [json.loads(line) for line in (Path(run) / "per_query.jsonl").read_text().splitlines()]
    for found in rows[0]["first_stage"]:
        assert f"{found['rank']:>4}  {found['doc_id']}" in told.out


def test_the_json_story_agrees_with_the_run_folder(inside: Inside, run: str) -> None:
    rows = {row["query_id"]: row for row in map(json.loads, (Path(run) / "per_query.jsonl").read_text().splitlines())}
    for query_id, row in rows.items():
        told = json.loads(inside("explain", run, "--query", query_id, "--json").out)
        assert told["metrics"] == row["metrics"]
        assert [one["doc_id"] for one in told["stages"][-1]["documents"]] == [one["doc_id"] for one in row["ranking"]]
        assert {one["doc_id"]: one["lost"] for one in told["gold"] if one["lost"]} == {
            miss["doc_id"]: miss for miss in row["missed"]
        }
    worst = json.loads(inside("explain", run, "--json").out)
    assert sum(worst["causes"].values()) == sum(len(row["missed"]) for row in rows.values()) > 0
    assert [one["query_id"] for one in worst["worst"]] == [q for q, row in rows.items() if row["missed"]]


def test_a_threshold_s_victim_shows_where_it_stood_before(inside: Inside, run: str) -> None:
    told = json.loads(inside("explain", run, "--json").out)
    lost = [one for story in told["worst"] for one in story["gold"] if one["lost"]]
    assert {one["lost"]["cause"] for one in lost} == {"threshold"}
    for one in lost:
        assert one["lost"]["rank"] == one["lost"]["first_stage_rank"] == one["lost"]["final_rank"] == 1
        assert one["rank"] is None
        assert one["lost"]["best_chunk"]["score"] < 2.0


def test_what_was_not_reranked_shows_no_score_beside_the_reranker_s(
    inside: Inside, small_set: Path, work: Path
) -> None:
    reranked = ["reranker=lexical", "reranker.depth=1", "retriever.depth=4", "evaluation.ks=[1]"]
    assert (
        inside("run", f"dataset.path='{small_set}'", "embedder=lsa", "cache=none", "run_dir=r", *reranked).status == 0
    )
    told = inside("explain", "r", "--query", "q2").out
    first, after = told.split("rank  reranked by lexical")
    assert "not reranked" not in first
    assert [line.endswith("not reranked") for line in map(str.rstrip, after.strip().splitlines()[1:])] == [
        False,
        True,
        True,
        True,
    ]


def test_a_reranker_s_ceiling_is_shown_where_nothing_is_missed(inside: Inside, small_set: Path, work: Path) -> None:
    told = inside("run", f"dataset.path='{small_set}'", "embedder=lsa", "cache=none", "run_dir=r", "reranker=lexical")
    assert "No relevant document was missed." in told.out
    assert "reranking  first stage  reranked  perfect order" in told.out


def test_scores_that_round_to_zero_have_no_sign(inside: Inside, small_set: Path, work: Path) -> None:
    rows = Path("r/per_query.jsonl")
    assert inside("run", f"dataset.path='{small_set}'", "embedder=lsa", "cache=none", "run_dir=r").status == 0
    row = json.loads(rows.read_text().splitlines()[0])
    row["ranking"][-1]["score"] = -1e-9
    rows.write_text(json.dumps(row) + "\n")
    told = inside("explain", "r", "--query", "q1").out
    assert "0.0000" in told
    assert "-0.0000" not in told


def test_an_ellipsis_says_that_there_is_more(inside: Inside, small_set: Path, work: Path) -> None:
    (small_set / "spans.jsonl").write_text('{"query-id": "q1", "corpus-id": "leave", "start": 9, "end": 41}\n')
    assert inside("run", f"dataset.path='{small_set}'", "embedder=lsa", "cache=none", "run_dir=r").status == 0
    told = inside("explain", "r", "--query", "q1").out
    assert "    Everyone [has thirty days of annual leave.] Unused days lapse in March.\n" in told


def test_an_unanswerable_query_says_whether_silence_was_kept(inside: Inside, run: str) -> None:
    assert "nothing came back, as it should" in inside("explain", run, "--query", "q4").out.replace("\n", " ")


def test_texts_of_another_corpus_are_not_shown(inside: Inside, run: str, small_set: Path) -> None:
    corpus = small_set / "corpus.jsonl"
    corpus.write_text(corpus.read_text().replace("thirty days", "forty days"))
    told = inside("explain", run, "--query", "q1")
    assert told.status == 0
    assert "no texts are shown: the golden set's corpus changed since this run" in told.out
    assert "forty" not in told.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no such folder"),
        (["r", "--query", "q9"], "'q9' is no evaluated query of r; give one such as q1, q2, q3"),
        (["r", "--worst", "0"], "--worst: 0 shows nothing"),
        (["r", "--dataset", "nowhere"], "--dataset: nowhere is no folder"),
        ([], "RUN"),
    ],
)
def test_wrong_use_is_one_line(inside: Inside, run: str, arguments: list[str], message: str) -> None:
    told = inside("explain", *arguments)
    assert told.status == 2
    assert told.out == ""
    assert message in told.err
    assert told.err.count("\n") == 1


def test_with_a_reranker_and_a_threshold_all_three_lists_are_shown(inside: Inside, small_set: Path, work: Path) -> None:
    set_up = (f"dataset.path='{small_set}'", "embedder=lsa", "cache=none", "retriever=bm25", "reranker=lexical")
    assert inside("run", *set_up, "run_dir=both", "evaluation.ks=[1,3]", "filter.min_score=100").status == 0
    told = json.loads(inside("explain", "both", "--query", "q1", "--json").out)
    assert [stage["name"] for stage in told["stages"]] == ["bm25", "reranked by lexical", "min_score 100"]
    assert [one["stage"] for one in told["stages"][0]["documents"]] == [0] * len(told["stages"][0]["documents"])
    assert told["stages"][1]["documents"][0]["stage"] == 1
    assert told["stages"][2]["documents"] == []
    (lost,) = [one["lost"] for one in told["gold"] if one["lost"]]
    assert (lost["cause"], lost["final_rank"]) == ("threshold", 1)
