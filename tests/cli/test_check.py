"""``assay check`` as a user types it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from rich.cells import cell_len

from assay.cli import main
from assay.composition import shipped_data
from assay.embedders.model_folder import MINILM_PACKAGE

Assay = Callable[..., "CompletedProcess[str]"]
Checked = tuple[int, str, str]
Check = Callable[..., Checked]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """``assay check`` in this process, from an empty folder: exit status, stdout, stderr."""
    work = tmp_path / "elsewhere"
    work.mkdir()
    monkeypatch.chdir(work)

    def call(*arguments: str | Path) -> Checked:
        status = main(["check", *map(str, arguments)])
        out, err = capsys.readouterr()
        return status, out, err

    return call


def document_of(checked: Checked) -> dict[str, Any]:
    """The one JSON document on stdout."""
    assert checked[2] == ""
    document: dict[str, Any] = json.loads(checked[1])
    return document


def codes(document: dict[str, Any]) -> set[str]:
    """The codes of a document's findings."""
    return {found["code"] for found in document["findings"]}


def test_a_small_set_in_a_process_of_its_own(assay: Assay, small_set: Path) -> None:
    done = assay("check", str(small_set), "--embedder", "lsa")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == f"{small_set} · qrels/test.tsv"
    # Four documents: even k = 1 is a quarter of them.
    assert "GS604  with 4 documents a random order already gets recall@1 0.25" in done.stdout
    assert "4 documents; 4 questions: 3 answerable, 1 not (25%)" in lines
    assert "4 judgements by grade: 0: 1, 2: 3; 1 evidence span" in lines
    assert max(map(cell_len, lines[1:])) <= 80
    assert "\x1b" not in done.stdout
    assert lines[-1].startswith("0 errors, ")


@pytest.mark.parametrize("name", ["handbook", "handbook_hi"])
def test_the_bundled_sets_have_no_errors(check: Check, name: str) -> None:
    status, out, err = check(name, "--embedder", "lsa")
    assert (status, err) == (0, "")
    assert f"{shipped_data() / name} · qrels/test.tsv" in out
    assert out.splitlines()[-1].startswith("0 errors, ")
    assert max(map(cell_len, out.splitlines()[1:])) <= 80


def test_the_default_embedder_is_for_english(check: Check) -> None:
    assert {"GS601", "GS602"} <= codes(document_of(check("handbook_hi", "--json")))
    assert not {"GS601", "GS602"} & codes(document_of(check("handbook_hi", "--json", "--embedder", "lsa")))


def test_the_json_document(check: Check, small_set: Path) -> None:
    document = document_of(check(small_set, "--json", "--embedder=lsa"))
    assert (document["good"], document["errors"], document["split"]) == (True, 0, "test")
    assert document["warnings"] == sum(found["severity"] == "warning" for found in document["findings"])
    assert document["counts"]["answerable"] == 3
    assert document["grades"] == {"0": 1, "2": 3}
    assert document["shows"]["all"] == {"n": 3, "recall@5": None, "mrr": None}
    assert set(document["shows"]["by_type"]) == {"lookup", "paraphrase"}
    saturated = next(found for found in document["findings"] if found["code"] == "GS604")
    assert saturated["places"] == ["k = 1", "k = 3", "k = 5", "k = 10"]
    assert saturated["total"] == 4
    assert saturated["advice"]


def test_strict_counts_warnings(check: Check, small_set: Path) -> None:
    assert check(small_set, "--embedder=lsa")[0] == 0
    status, out, _ = check(small_set, "--embedder=lsa", "--strict")
    assert status == 1
    assert out.rstrip().endswith("--strict counts warnings as errors")
    assert document_of(check(small_set, "--embedder=lsa", "--strict", "--json"))["good"] is False


def test_faults_are_errors_with_file_and_line(check: Check, small_set: Path) -> None:
    with (small_set / "corpus.jsonl").open("a") as file:
        file.write('{"_id": "leave", "text": "again"}\n{"_id": 7, "text": "number"}\n')
    (small_set / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tleave\t0\nq2\thotel\tNaN\n")
    status, out, err = check(small_set)
    assert (status, err) == (1, "")
    told = " ".join(out.split())
    assert "GS101 5 faults in the files" in told
    for place in (
        "corpus.jsonl:5: id 'leave' is there twice",
        "corpus.jsonl:6: ",
        "test.tsv:2: query 'q1' is judged but",
    ):
        assert place in told
    document = document_of(check(small_set, "--json"))
    assert (document["good"], codes(document), document["counts"]) == (False, {"GS101"}, None)
    assert len(document["findings"][0]["places"]) == 5


def test_twenty_faults_are_named_then_counted(check: Check, small_set: Path) -> None:
    (small_set / "queries.jsonl").write_text("".join(f'{{"_id": "q{i}"}}\n' for i in range(31)))
    document = document_of(check(small_set, "--json"))
    assert (document["findings"][0]["total"], len(document["findings"][0]["places"])) == (31, 20)
    assert "and 11 more" in check(small_set)[1]


def test_unknown_ids_are_among_the_faults_of_a_set_that_has_others(check: Check, small_set: Path) -> None:
    with (small_set / "qrels" / "test.tsv").open("a") as file:
        file.write("q2\tgone\t1\nq2\thotel\tbad\n")
    assert document_of(check(small_set, "--json"))["findings"][0]["total"] == 2
    assert document_of(check(small_set, "--json", "--drop-unknown"))["findings"][0]["total"] == 1


def test_unknown_ids_are_named_and_the_rest_is_checked_all_the_same(check: Check, small_set: Path) -> None:
    with (small_set / "qrels" / "test.tsv").open("a") as file:
        file.write("q2\tgone\t1\n")
    document = document_of(check(small_set, "--json", "--embedder=lsa"))
    unknown = next(found for found in document["findings"] if found["code"] == "GS102")
    assert unknown["places"] == ["qrels/test.tsv:6: unknown document 'gone' (query 'q2', document 'gone')"]
    assert (document["good"], "GS604" in codes(document)) == (False, True)
    status, out, _ = check(small_set, "--embedder=lsa", "--drop-unknown")
    assert status == 0
    assert "GS103" in out


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["nowhere"], "nowhere: no such folder; give one that holds corpus.jsonl"),
        (["."], ".: holds no golden set; corpus.jsonl, queries.jsonl and qrels/test.tsv are right"),
        (["SET", "--split", "dev"], "--split: there is no qrels/dev.tsv in "),
        (["SET", "--embedder", "word2vec"], "embedder: 'word2vec' is no option"),
        (["SET", "--embedder", "a,b"], "--embedder: 'a,b' is no option"),
        (["SET", "--embedder", "st"], "embedder.model: null names no model"),
        (["SET", "--embedder", "lsa", "--model", "x"], "embedder.model: no such key of embedder=lsa"),
        (["SET", "--chunk-size", "0"], "chunker.size: 0 is not allowed"),
        (["SET", "--chunk-size", "many"], "assay check: argument --chunk-size: invalid int value"),
        (["SET", "--smallest-chunk", "0"], "assay check: --smallest-chunk 0: give a number of words"),
        (["SET", "--frobnicate"], "assay check: unrecognized arguments: --frobnicate"),
        ([], "assay check: the following arguments are required: DATASET"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(check: Check, small_set: Path, arguments: list[str], fault: str) -> None:
    status, out, err = check(*(str(small_set) if word == "SET" else word for word in arguments))
    assert (status, out) == (2, "")
    assert err.startswith(fault)
    assert err.count("\n") == 1


def test_the_folders_own_conf_says_what_is_meant(check: Check, small_set: Path) -> None:
    Path("conf").mkdir()
    Path("conf/config.yaml").write_text(
        "defaults:\n  - embedder: lsa\n  - retriever: bm25\nevaluation:\n  ks: [1, 2]\n"
    )
    document = document_of(check(small_set, "--json"))
    saturated = next(found for found in document["findings"] if found["code"] == "GS604")
    assert saturated["places"] == ["k = 1", "k = 2"]
    assert "GS608" not in codes(document)


def test_right_to_left_ids_and_joined_letters_come_out_whole(check: Check, small_set: Path) -> None:
    name = "می\u200cروم \u200fשלום क्\u200dष"
    with (small_set / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"_id": name, "text": ""}, ensure_ascii=False) + "\n")
    assert name in check(small_set, "--embedder=lsa")[1]


def test_evidence_past_the_limit_of_the_default_model(check: Check, small_set: Path) -> None:
    pytest.importorskip(MINILM_PACKAGE, reason="the default model's package is not installed")
    long = "word " * 400 + "the evidence"  # one token a word; minilm reads 254 besides its two own
    rows = [json.loads(line) for line in (small_set / "corpus.jsonl").read_text().splitlines()]
    rows[0]["text"] = long
    (small_set / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    spans = [
        {"query-id": "q1", "corpus-id": "leave", "start": start, "end": end} for start, end in ((0, 4), (2000, 2012))
    ]
    (small_set / "spans.jsonl").write_text("".join(json.dumps(span) + "\n" for span in spans))
    assert "GS607" not in codes(document_of(check(small_set, "--json")))
    document = document_of(check(small_set, "--json", "--chunk-size", "512"))
    cut = next(found for found in document["findings"] if found["code"] == "GS607")
    assert cut["places"] == ["q1: leave 2000 to 2012 (11 of 12 unread)"]
    assert "minilm reads 256 tokens" in cut["message"]


def test_a_model_that_is_not_there_leaves_a_note(check: Check, small_set: Path, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    document = document_of(check(small_set, "--json", "--embedder", "st", "--model", tmp_path / "model"))
    note = next(found for found in document["findings"] if found["code"] == "GS608")
    assert note["severity"] == "note"
    assert "holds no .safetensors weights" in note["message"]


def test_a_set_of_another_split(check: Check, small_set: Path) -> None:
    shutil.move(small_set / "qrels" / "test.tsv", small_set / "qrels" / "dev.tsv")
    status, out, _ = check(small_set, "--split", "dev", "--embedder=lsa")
    assert status == 0
    assert "qrels/dev.tsv" in out
