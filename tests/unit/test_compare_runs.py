"""Runs compared question by question: run folders of three questions, written out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import AssayError, DataError

# Question: (text, type, answerable), and its documents' grades.
QUESTIONS: dict[str, tuple[str, str | None, bool]] = {
    "q1": ("how many days off", "lookup", True),
    "q2": ("price of a night", "lookup", True),
    "q3": ("stolen machine", "paraphrase", True),
}
GRADES = {"q1": {"leave": 2}, "q2": {"hotel": 1}, "q3": {"laptop": 2}}
HASHES: dict[str, str | None] = {"corpus": "c0", "queries": "q0", "qrels": "r0", "spans": None}
Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """``make(name, {query: [documents]})`` writes a whole run folder; recall@1 and mrr follow from the ranking."""

    def write(name: str, rankings: dict[str, list[str]], **changed: Any) -> Path:
        questions = changed.get("questions", QUESTIONS)
        grades = changed.get("grades", GRADES)
        folder = tmp_path / name
        folder.mkdir(parents=True)
        rows = []
        for query, (text, kind, answerable) in questions.items():
            ranking, judged = rankings.get(query, []), grades.get(query, {})
            ranks = [rank for rank, doc in enumerate(ranking, 1) if judged.get(doc, 0) > 0]
            scores = {"recall@1": float(ranks[:1] == [1]), "mrr": 1 / ranks[0] if ranks else 0.0}
            rows.append(
                {
                    "query_id": query,
                    "text": text,
                    "type": kind,
                    "answerable": answerable,
                    "metrics": {m: scores[m] if answerable else None for m in changed.get("metrics", scores)},
                    "ranking": [
                        {"doc_id": doc, "rank": rank, "grade": judged.get(doc)} for rank, doc in enumerate(ranking, 1)
                    ],
                    "missed": [{"doc_id": d, "grade": g} for d, g in judged.items() if g > 0 and d not in ranking[:1]],
                }
            )
        metrics = {}
        for metric in rows[0]["metrics"]:
            values = [row["metrics"][metric] for row in rows if row["metrics"][metric] is not None]
            metrics[metric] = {"mean": sum(values) / len(values), "ci95": None, "n": len(values)}
        answerable = sum(row["answerable"] for row in rows)
        counts = {"total": len(rows), "answerable": answerable, "unanswerable": len(rows) - answerable, "unjudged": 0}
        hashes = HASHES | changed.get("hashes", {})
        (folder / "config.yaml").write_text(changed.get("config", "chunker:\n  kind: tokens\n  size: 64\nseed: 42\n"))
        (folder / "manifest.json").write_text(json.dumps({"assay_version": "0.1.0", "hashes": hashes}))
        (folder / "per_query.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "metrics.json").write_text(json.dumps({"schema_version": 1, "queries": counts, "metrics": metrics}))
        return folder

    return write


@pytest.fixture
def two(make: Make) -> tuple[Path, Path]:
    """q1 falls from rank 1 to 2, q2 rises from nowhere to 1, q3 stays."""
    return (
        make("first", {"q1": ["leave", "hotel"], "q2": ["canteen"], "q3": ["laptop"]}),
        make(
            "second",
            {"q1": ["hotel", "leave"], "q2": ["hotel"], "q3": ["laptop"]},
            config="chunker:\n  kind: sentences\n  size: 64\nindex:\n  kind: flat\nseed: 42\n",
        ),
    )


def test_differences_by_hand(two: tuple[Path, Path]) -> None:
    found = assay.compare(two, ["mrr", "recall@1"])
    rows = {row["metric"]: row for row in found.table.to_dicts()}
    mrr, recall = rows["mrr"], rows["recall@1"]
    assert mrr["mean_against"] == pytest.approx((1 + 0 + 1) / 3)
    assert mrr["mean"] == pytest.approx((1 / 2 + 1 + 1) / 3)
    assert mrr["difference"] == pytest.approx(0.5 / 3)
    assert (mrr["wins"], mrr["ties"], mrr["losses"], mrr["n"]) == (1, 1, 1, 3)
    assert (recall["difference"], recall["verdict"]) == (0.0, "can't tell")


def test_types_and_moves_are_of_the_first_metric(two: tuple[Path, Path]) -> None:
    pair = assay.compare(two, ["mrr"]).pairs[0]
    assert {kind: (one.n, one.difference) for kind, one in pair.by_type.items()} == {
        "lookup": (2, 0.25),
        "paraphrase": (1, 0.0),
    }
    up, down = pair.up[0], pair.down[0]
    assert len(pair.up) == len(pair.down) == 1
    assert (up.question.query_id, up.before, up.after, up.rank_before, up.rank_after) == ("q2", 0.0, 1.0, None, 1)
    assert (down.question.query_id, down.before, down.after, down.rank_before, down.rank_after) == (
        "q1",
        1.0,
        0.5,
        1,
        2,
    )


def test_the_largest_moves_come_first_and_of_equal_ones_those_that_came_nearer_the_top(make: Make) -> None:
    a = make("a", {"q1": ["x", "leave"], "q2": ["x", "y", "hotel"], "q3": ["x", "y", "z", "laptop"]})
    b = make("b", {"q1": ["leave"], "q2": ["hotel"], "q3": ["laptop"]})
    up = [[one.question.query_id for one in assay.compare([a, b], [name]).pairs[0].up] for name in ("mrr", "recall@1")]
    down = [
        [one.question.query_id for one in assay.compare([b, a], [name]).pairs[0].down] for name in ("mrr", "recall@1")
    ]
    assert up == down == [["q3", "q2", "q1"], ["q3", "q2", "q1"]]


def test_rows_in_another_order_are_paired_by_id(two: tuple[Path, Path]) -> None:
    expected = assay.compare(two, ["mrr"]).table
    lines = (two[1] / "per_query.jsonl").read_text().splitlines(keepends=True)
    (two[1] / "per_query.jsonl").write_text("".join(reversed(lines)))
    assert assay.compare(two, ["mrr"]).table == expected


def test_what_differs_in_the_configs_is_named_by_dotted_key(two: tuple[Path, Path]) -> None:
    assert assay.compare(two).document()["config"] == {
        "chunker": {"A": "tokens", "B": "sentences"},
        "index": {"B": "flat"},
    }


def test_the_document_holds_every_query(two: tuple[Path, Path]) -> None:
    document = assay.compare(two, ["mrr"]).document()
    assert document["per_query"][0] == {
        "query_id": "q1",
        "type": "lookup",
        "text": "how many days off",
        "metrics": {"mrr": {"A": 1.0, "B": 0.5}},
        "first_relevant": {"A": 1, "B": 2},
    }
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_another_baseline_turns_the_sign(two: tuple[Path, Path]) -> None:
    assert assay.compare(two, ["mrr"], baseline=1).pairs[0].metrics["mrr"].difference == pytest.approx(-0.5 / 3)
    assert assay.compare(two, ["mrr"], baseline=two[1]).pairs[0].a == 1
    alone = assay.compare([two[0]], ["mrr"], baseline=two[1])
    assert [one.run.folder for one in alone.runs] == [two[1], two[0]]


def test_a_table_becomes_a_data_frame_and_html(two: tuple[Path, Path]) -> None:
    pandas = pytest.importorskip("pandas")
    found = assay.compare(two)
    assert isinstance(found.to_pandas(), pandas.DataFrame)
    assert list(found.to_pandas()["metric"]) == list(found.metrics)
    assert "<table>" in found._repr_html_()


def test_a_query_with_a_value_in_one_run_only_is_left_out_and_said(two: tuple[Path, Path]) -> None:
    rows = [json.loads(line) for line in (two[1] / "per_query.jsonl").read_text().splitlines()]
    rows[2]["metrics"]["mrr"] = None
    (two[1] / "per_query.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = assay.compare(two, ["mrr"])
    assert found.pairs[0].metrics["mrr"].n == 2
    assert found.notes == ("mrr: 1 queries have a value in only one of A and B and are left out (2 compared)",)


def test_a_sweep_folder_gives_its_whole_runs_by_number(make: Make, tmp_path: Path) -> None:
    for number, top in (("10", "leave"), ("0", "hotel"), ("2", "leave")):
        make(f"sweep/{number}", {"q1": [top]})
    for folder in ("1", "notes", "007"):
        (tmp_path / "sweep" / folder).mkdir()
    found = assay.compare(tmp_path / "sweep", ["mrr"])
    assert [one.label for one in found.runs] == ["0", "2", "10"]
    assert [(pair.a, pair.b) for pair in found.pairs] == [(0, 1), (0, 2)]
    assert found.unfinished == ("1",)
    assert found.notes == ("unfinished, not compared: 1",)
    assert assay.compare(tmp_path / "sweep", baseline="10").baseline == 2
    assert len(assay.compare(tmp_path / "sweep", all_pairs=True).pairs) == 3


CHANGED_SETS: list[tuple[str, dict[str, Any], str]] = [
    (
        "text",
        {"hashes": {"queries": "x"}, "questions": QUESTIONS | {"q2": ("cost of a night", "lookup", True)}},
        "queries (corpus, qrels and spans are equal): text changed q2",
    ),
    (
        "gone and new",
        {
            "hashes": {"queries": "x", "qrels": "x"},
            "questions": {q: v for q, v in QUESTIONS.items() if q != "q3"} | {"q9": ("new", None, True)},
        },
        "queries and qrels (corpus and spans are equal): added q9; removed q3",
    ),
    (
        "marks",
        {
            "hashes": {"queries": "x", "qrels": "x"},
            "questions": QUESTIONS | {"q1": ("how many days off", "exact", True), "q3": ("stolen machine", "paraphrase", False)},
            "grades": GRADES | {"q3": {}},
        },
        "queries and qrels (corpus and spans are equal): answerable changed q3; type changed q1; judgements changed q3",
    ),
    (
        "a relevant document that nobody found",
        {"hashes": {"qrels": "x"}, "grades": GRADES | {"q2": {"hotel": 1, "hostel": 1}}},
        "qrels (corpus, queries and spans are equal): judgements changed q2",
    ),
    (
        "a grade of 0 that both returned",
        {"hashes": {"qrels": "x"}, "grades": GRADES | {"q1": {"leave": 2, "hotel": 0}}},
        "qrels (corpus, queries and spans are equal): judgements changed q1",
    ),
    (
        "a judgement of the question's own document, which a run may leave out",
        {"hashes": {"qrels": "x"}, "grades": GRADES | {"q3": {"laptop": 2, "q3": 1}}},
        "qrels (corpus, queries and spans are equal): no evaluated question changed its text, type or relevant documents",
    ),
    ("documents", {"hashes": {"corpus": "x"}}, "corpus (queries, qrels and spans are equal)"),
    ("spans", {"hashes": {"spans": "x"}}, "spans (corpus, queries and qrels are equal)"),
    (
        "nothing a run can see",
        {"hashes": {"queries": "x"}},
        "queries (corpus, qrels and spans are equal): no evaluated question changed its text, type or relevant documents",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("changed", "told"), [row[1:] for row in CHANGED_SETS], ids=[row[0] for row in CHANGED_SETS])
def test_another_golden_set_is_refused_and_the_change_named(make: Make, changed: dict[str, Any], told: str) -> None:
    rankings = {"q1": ["leave", "hotel"], "q2": ["canteen"], "q3": ["laptop"]}
    a, b = make("a", rankings), make("b", rankings, **changed)
    with pytest.raises(DataError) as refused:
        assay.compare([a, b])
    assert str(refused.value).endswith(f"it differs in {told}")
    hinted = "(--common compares the questions that are the same in both)" in str(refused.value)
    assert hinted == (not told.startswith("corpus"))
    assert str(refused.value).startswith(f"{b}: scored on another golden set than {a}")


def test_ten_changed_questions_are_named_and_the_rest_counted(make: Make) -> None:
    many = {f"q{i:02}": ("old", None, True) for i in range(13)}
    a = make("a", {}, questions=many)
    b = make("b", {}, questions=dict.fromkeys(many, ("new", None, True)), hashes={"queries": "x"})
    named = ", ".join(f"q{i:02}" for i in range(10))
    with pytest.raises(DataError, match=f"text changed {named} and 3 more$"):
        assay.compare([a, b])


def test_another_order_of_questions_is_another_set(make: Make) -> None:
    a = make("a", {})
    b = make("b", {}, questions=dict(reversed(QUESTIONS.items())), hashes={"queries": "x"})
    with pytest.raises(DataError, match=r"another order from q1$"):
        assay.compare([a, b])


def test_a_renamed_question_is_named_as_one(make: Make) -> None:
    renamed = {("q9" if query == "q3" else query): one for query, one in QUESTIONS.items()}
    a, b = (
        make("a", {}),
        make("b", {}, questions=renamed, grades=GRADES | {"q9": {"laptop": 2}}, hashes={"queries": "x"}),
    )
    with pytest.raises(DataError, match=r"it differs in queries \(.*\): renamed q3 to q9$"):
        assay.compare([a, b])


def test_the_common_questions_are_compared_when_asked_for(make: Make) -> None:
    """q1 stays, q2 changes its text, q3 its judgements, and q9 is new."""
    changed = {
        "q1": QUESTIONS["q1"],
        "q2": ("cost of a night", "lookup", True),
        "q3": QUESTIONS["q3"],
        "q9": ("new", None, True),
    }
    a = make("a", {"q1": ["x", "leave"], "q2": ["hotel"], "q3": ["laptop"]})
    b = make(
        "b",
        {"q1": ["leave"], "q2": ["hotel"], "q3": ["laptop"]},
        questions=changed,
        grades=GRADES | {"q3": {"laptop": 1}},
        hashes={"queries": "x", "qrels": "x"},
    )
    found = assay.compare([a, b], ["mrr"], common=True)
    assert [question.query_id for question in found.questions] == ["q1"]
    assert (found.pairs[0].metrics["mrr"].n, found.pairs[0].metrics["mrr"].difference) == (1, 0.5)
    assert found.notes == (
        f"{b}: another golden set than {a}; it differs in queries and qrels (corpus and spans are equal): "
        "added q9; text changed q2; judgements changed q3",
        f"compared over the one common question only (of 3 in {a})",
    )


def test_common_questions_are_common_to_all_of_the_runs(make: Make) -> None:
    a, b, c = (
        make(name, {}, questions={query: QUESTIONS[query] for query in asked}, hashes={"queries": name})
        for name, asked in (("a", ["q1", "q2", "q3"]), ("b", ["q1", "q2"]), ("c", ["q2", "q3"]))
    )
    assert [one.query_id for one in assay.compare([a, b, c], common=True).questions] == ["q2"]


def test_another_corpus_and_sets_without_a_common_question_are_refused_still(make: Make) -> None:
    a, corpus = make("a", {}), make("corpus", {}, hashes={"corpus": "x"})
    alien = make("alien", {}, questions={"q9": ("new", None, True)}, hashes={"queries": "x"})
    with pytest.raises(DataError, match=r"it differs in corpus"):
        assay.compare([a, corpus], common=True)
    with pytest.raises(DataError, match="no question in common"):
        assay.compare([a, alien], common=True)


def test_equal_sets_are_compared_whole_when_common_ones_are_asked_for(two: tuple[Path, Path]) -> None:
    assert assay.compare(two, common=True).table == assay.compare(two).table


def test_other_ways_of_measuring_are_refused(make: Make, two: tuple[Path, Path]) -> None:
    path = two[1] / "metrics.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"ci_method": "another"}))
    with pytest.raises(DataError, match=r"computed by another version .* \(ci_method 'another', against None\)"):
        assay.compare(two)


def many(make: Make, name: str, right: int, of: int = 20) -> Path:
    """A run of ``of`` questions, of which the first ``right`` have their document at rank 1, the rest nowhere."""
    questions = {f"q{i}": (f"question {i}", None, True) for i in range(of)}
    return make(
        name,
        {f"q{i}": ["d"] for i in range(right)},
        questions=questions,
        grades={query: {"d": 1} for query in questions},
    )


def test_all_against_a_baseline_are_one_family(make: Make) -> None:
    runs = [many(make, name, right) for name, right in (("a", 0), ("b", 6), ("c", 7), ("d", 1))]
    found = assay.compare(runs, ["mrr", "recall@1"])
    rows = {row["run"]: row for row in found.document()["differences"] if row["metric"] == "mrr"}
    # p is 2 / 2^6, 2 / 2^7 and 1 of three: Holm multiplies the smallest by 3, the next by 2
    assert {run: (row["p"], row["p_holm"]) for run, row in rows.items()} == {
        "B": (2 / 64, 4 / 64),
        "C": (2 / 128, 6 / 128),
        "D": (1.0, 1.0),
    }
    assert [rows[run]["verdict"] for run in "BCD"] == ["can't tell", "better", "can't tell"]
    method = found.document()["method"]
    assert method["family"]["comparisons"] == 3
    assert method["family"]["in_words"] == "3 comparisons (all against A) on mrr, Holm-corrected"


def test_all_pairs_are_a_larger_family(make: Make) -> None:
    runs = [many(make, name, right) for name, right in (("a", 0), ("b", 1), ("c", 8))]
    found = assay.compare(runs, ["mrr"], all_pairs=True)
    assert [(pair.a, pair.b, pair.metrics["mrr"].p_corrected) for pair in found.pairs] == [
        (0, 1, 1.0),
        (0, 2, 3 * 2 / 2**8),
        (1, 2, 2 * 2 / 2**7),
    ]
    assert found.family == "3 comparisons (all pairs) on mrr, Holm-corrected"


def test_a_baseline_by_the_name_of_its_folder(make: Make) -> None:
    runs = [many(make, name, right) for name, right in (("a", 0), ("b", 6))]
    assert assay.compare(runs, baseline="b").baseline == 1
    with pytest.raises(DataError, match="nowhere: no such folder"):
        assay.compare(runs, baseline="nowhere")


def test_types_are_shown_and_not_tested(two: tuple[Path, Path]) -> None:
    row = assay.compare(two, ["mrr"]).document()["by_type"][0]
    assert (row["type"], row["n"], row["difference"]) == ("lookup", 2, 0.25)
    assert not {"p", "p_holm", "verdict"} & row.keys()


def test_the_seed_is_the_callers(make: Make) -> None:
    runs = [many(make, name, right, 40) for name, right in (("a", 12), ("b", 30))]
    first, again, other = (assay.compare(runs, ["mrr"], seed=seed).document() for seed in (1, 1, 2))
    assert first == again != other
    assert first["method"]["seed"] == 1
    with pytest.raises(AssayError, match="seed: -1 is no seed"):
        assay.compare(runs, seed=-1)


def test_a_metric_that_a_run_lacks_is_named(make: Make) -> None:
    a, b = make("a", {}), make("b", {}, metrics=["mrr"])
    with pytest.raises(DataError, match=r"metric 'recall@1' is not in run B \(.*b\)"):
        assay.compare([a, b], ["recall@1"])
    assert assay.compare([a, b]).metrics == ("mrr",)
    with pytest.raises(AssayError, match="did you mean recall@1"):
        assay.compare([a, b], ["recal@1"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["first"], "one run alone"),
        (["first", "nowhere"], "no such folder"),
        (["sweep", "first"], "is a sweep folder; give it alone"),
        (["sweep"], "holds 1 whole run;"),
        (["empty", "first"], "holds no metrics.json"),
        ([], "nothing: one run alone"),
    ],
)
def test_too_few_or_wrong_folders(make: Make, tmp_path: Path, arguments: list[str], told: str) -> None:
    make("first", {})
    make("sweep/0", {})
    (tmp_path / "sweep" / "1").mkdir()
    (tmp_path / "empty").mkdir()
    with pytest.raises(AssayError, match=told):
        assay.compare([tmp_path / name for name in arguments])


def edit(name: str, old: str, new: str) -> Callable[[Path], object]:
    def damage(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return damage


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no config": (lambda f: (f / "config.yaml").unlink(), "config.yaml: cannot be read"),
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "manifest.json: cannot be read"),
    "no rows": (lambda f: (f / "per_query.jsonl").unlink(), "per_query.jsonl: cannot be read"),
    "no metrics": (lambda f: (f / "metrics.json").unlink(), "holds no metrics.json"),
    "half a config": (lambda f: (f / "config.yaml").write_text("chunker: {kind"), "config.yaml:1: "),
    "half a manifest": (lambda f: (f / "manifest.json").write_text('{"hashes": {'), "manifest.json: no JSON"),
    "half a row": (lambda f: (f / "per_query.jsonl").write_bytes((f / "per_query.jsonl").read_bytes()[:-9]), "no JSON lines"),
    "a row gone": (
        lambda f: (f / "per_query.jsonl").write_text((f / "per_query.jsonl").read_text().split("\n")[0] + "\n"),
        "1 rows, while metrics.json counts 3",
    ),
    "half the metrics": (lambda f: (f / "metrics.json").write_text('{"schema_version": 1'), "metrics.json: no JSON"),
    "bytes": (lambda f: (f / "per_query.jsonl").write_bytes(b"\xff\xfe\x00"), "no JSON lines"),
    "another version": (edit("metrics.json", '"schema_version": 1', '"schema_version": 9'), "a newer assay wrote it"),
    "no counts": (edit("metrics.json", '"answerable": 3', '"answerable": "3"'), "queries.answerable is '3'"),
    "no mean": (edit("metrics.json", '"mean"', '"average": 1, "moan"'), "metrics.recall@1 is not a mean"),
    "a text for a score": (edit("per_query.jsonl", '"mrr": 1.0', '"mrr": "1.0"'), "per_query.jsonl:1: .*not a number from 0"),
    "NaN": (edit("per_query.jsonl", '"mrr": 1.0', '"mrr": NaN'), "per_query.jsonl:1: .*not a number from 0"),
    "a score above 1": (edit("per_query.jsonl", '"mrr": 1.0', '"mrr": 1e308'), "per_query.jsonl:1: .*not a number from 0"),
    "a wrong rank": (edit("per_query.jsonl", '"rank": 2', '"rank": 7'), "rank 7 stands at place 2"),
    "a row twice": (edit("per_query.jsonl", '"query_id": "q2"', '"query_id": "q1"'), "query 'q1' stands twice"),
    "another question": (edit("per_query.jsonl", '"query_id": "q2"', '"query_id": "q9"'), "query 'q9' is not in its golden"),
    "no type": (edit("per_query.jsonl", '"type"', '"kind"'), "'type' is missing"),
    "no hashes": (edit("manifest.json", '"hashes"', '"hushes"'), "holds no hashes"),
    "a list": (lambda f: (f / "manifest.json").write_text("[]"), "no JSON object"),
}  # fmt: skip


@pytest.mark.parametrize(("damage", "told"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_folder_is_one_line(two: tuple[Path, Path], damage: Callable[[Path], object], told: str) -> None:
    damage(two[0])
    with pytest.raises(AssayError, match=told) as refused:
        assay.compare([two[1], two[0]])
    assert len(refused.value.lines()) == 1


def test_values_that_json_cannot_hold_come_out_as_text(make: Make) -> None:
    a, b = make("a", {}, config="seed: 2026-01-02\nx: .nan\n"), make("b", {}, config="seed: 1\nx: 1\n")
    assert assay.compare([a, b]).document()["config"] == {
        "seed": {"A": "2026-01-02", "B": 1},
        "x": {"A": "nan", "B": 1},
    }
