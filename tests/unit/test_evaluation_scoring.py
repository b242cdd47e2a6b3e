"""Scoring anybody's run: the document, the notes, the table, and runs that can't be meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from assay.errors import AssayError, DataError
from assay.evaluation import expand, parse
from assay.evaluation.names import NEEDS_RUN
from assay.scoring import DEFAULT_METRICS, Scored, score


def scored(folder: Path, run: str, qrels: str, metrics: list[str] | None = None) -> Scored:
    (folder / "run.trec").write_text(run, encoding="utf-8")
    (folder / "qrels.txt").write_text(qrels, encoding="utf-8")
    return score(folder / "run.trec", folder / "qrels.txt", metrics)


def test_the_document_and_its_notes(tmp_path: Path) -> None:
    got = scored(
        tmp_path,
        "q1 Q0 a 1 9 t\nstray Q0 a 1 9 t\nnone Q0 a 1 9 t\n",
        "q1 0 a 1\nq2 0 a 1\nnone 0 a 0\n",
        ["recall@1"],
    )
    document = got.document()
    assert document["metrics"]["recall@1"]["mean"] == 0.5
    assert document["metrics"]["recall@1"]["n"] == 2
    assert document["per_query"] == {
        "q1": {"recall@1": 1.0},
        "q2": {"recall@1": 0.0},
        "none": {"recall@1": None},
    }
    assert document["notes"] == [
        "judged but not in the run, scored 0: 1 (q2)",
        "in the run but not judged, ignored: 1 (stray)",
        "judged without a relevant document, in no mean: 1 (none)",
    ]
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_many_names_are_counted(tmp_path: Path) -> None:
    got = scored(tmp_path, "q0 Q0 a 1 1 t\n", "".join(f"q{i} 0 a 1\n" for i in range(8)), ["mrr"])
    assert got.notes() == ["judged but not in the run, scored 0: 7 (q1, q2, q3, q4, q5 and 2 more)"]


def test_the_default_metrics(tmp_path: Path) -> None:
    got = scored(tmp_path, "q Q0 a 1 1 t\n", "q 0 a 1\n")
    assert tuple(got.document()["metrics"]) == DEFAULT_METRICS
    assert not {parse(name).family for name in DEFAULT_METRICS} & NEEDS_RUN


def test_escapes_are_decoded(tmp_path: Path) -> None:
    got = scored(tmp_path, "my%20q Q0 50%25%20off 1 1 t\n", "query-id\tcorpus-id\tscore\nmy q\t50% off\t1\n", ["mrr"])
    assert got.document()["per_query"] == {"my q": {"mrr": 1.0}}


def test_ids_that_hold_escapes_of_their_own_are_met_as_they_stand(tmp_path: Path) -> None:
    got = scored(tmp_path, "q Q0 http://x/a%20b 1 1 t\n", "q 0 http://x/a%20b 1\n", ["mrr"])
    assert got.document()["per_query"] == {"q": {"mrr": 1.0}}


def test_a_run_of_ours_whose_ids_hold_escapes_is_still_decoded(tmp_path: Path) -> None:
    got = scored(
        tmp_path,
        "q Q0 a%2520b 1 2 t\nq Q0 a%20b 2 1 t\n",
        "query-id\tcorpus-id\tscore\nq\ta%20b\t1\nq\ta b\t0\n",
        ["mrr"],
    )
    assert got.document()["per_query"] == {"q": {"mrr": 1.0}}


def test_where_both_readings_meet_as_much_ids_are_decoded(tmp_path: Path) -> None:
    got = scored(tmp_path, "q Q0 a%20b 1 1 t\n", "query-id\tcorpus-id\tscore\nq\ta%20b\t1\nq\ta b\t0\n", ["mrr"])
    assert got.document()["per_query"] == {"q": {"mrr": 0.0}}


def test_a_run_that_returned_nothing_scores_0(tmp_path: Path) -> None:
    assert scored(tmp_path, "", "q 0 a 1\n", ["mrr"]).document()["metrics"]["mrr"]["mean"] == 0.0


def test_a_run_of_other_queries_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"run.trec: none of its queries is judged in .*qrels.txt: 'x1' here, 'q1'"):
        scored(tmp_path, "x1 Q0 a 1 1 t\n", "q1 0 a 1\n")


def test_judgements_without_a_relevant_document_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"qrels.txt: no grade above 0"):
        scored(tmp_path, "q Q0 a 1 1 t\n", "q 0 a 0\n")


@pytest.mark.parametrize("name", ["recal@1", "handled@5", "recall"])
def test_metrics_that_cannot_be_scored_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(AssayError, match=name):
        scored(tmp_path, "q Q0 a 1 1 t\n", "q 0 a 1\n", [name])


def test_the_table_fits_80_columns_and_stays_aligned(tmp_path: Path) -> None:
    ids = ["छुट्टी-के-दिन", "日本語の質問" * 3, "a" * 60, "tab\u2028line"]
    run = "".join(f"{i} Q0 a 1 1 t\n" for i in ids)
    names = [name for name in expand("all", [1, 100]) if parse(name).family not in NEEDS_RUN]
    lines = scored(tmp_path, run, "".join(f"{i} 0 a 1\n" for i in ids), names).table().splitlines()
    assert max(map(cell_len, lines)) <= 80
    blocks = "\n".join(lines).split("\n\n")
    for block in blocks[:-1]:
        assert len(block.splitlines()) == 5
        assert block.count("…") == 2  # the id of wide characters and the long one
        assert len({cell_len(line) for line in block.splitlines()}) == 1
    assert sum(block.count("recall@100") for block in blocks) == 2


def test_a_long_table_shows_the_first_queries_and_says_so(tmp_path: Path) -> None:
    ids = [f"q{i}" for i in range(60)]
    lines = (
        scored(tmp_path, "".join(f"{i} Q0 a 1 1 t\n" for i in ids), "".join(f"{i} 0 a 1\n" for i in ids), ["mrr"])
        .table()
        .splitlines()
    )
    assert lines[50].startswith("q49 ")
    assert lines[51] == "… and 10 more queries; --json has them all"


def test_a_missing_value_is_a_dash(tmp_path: Path) -> None:
    lines = scored(tmp_path, "q Q0 a 1 1 t\nn Q0 a 1 1 t\n", "q 0 a 1\nn 0 a 0\n", ["mrr"]).table().splitlines()
    assert lines[2].split() == ["n", "-"]
    assert lines[-1] == "note: judged without a relevant document, in no mean: 1 (n)"
