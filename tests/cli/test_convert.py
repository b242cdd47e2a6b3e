"""``assay convert`` as a user types it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from assay.cli import VERBS, main
from assay.golden import load_golden_set

Assay = Callable[..., "CompletedProcess[str]"]
SHEET = (
    "question;document;quote\nWie viele Tage?;Jeder hat dreißig Tage Urlaub.;dreißig Tage\nWo?;Im Süden.;im Norden\n"
)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    (tmp_path / "sheet.csv").write_bytes(SHEET.encode("cp1252"))
    return tmp_path / "sheet.csv"


def test_a_spreadsheet_becomes_a_set_that_runs(assay: Assay, sheet: Path, tmp_path: Path) -> None:
    done = assay("convert", "csv", str(sheet), "set")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split("\n\n")[0] == "set: written as beir"
    assert "spans                2         1         1\n" in done.stdout
    assert "quote 'im Norden' of query 'q2' in document 'd2' is not in the text; no span was made" in done.stdout
    golden = load_golden_set(tmp_path / "work" / "set")
    assert golden.documents[0].text == "Jeder hat dreißig Tage Urlaub."
    usual = ("embedder=lsa", "cache=none", "threads=1", "progress=false", "run_dir=run")
    ran = assay("run", "dataset.path=set", *usual)
    assert ran.returncode == 0
    assert (tmp_path / "work" / "run" / "metrics.json").is_file()


def test_json_is_one_document(small_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (small_set / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tleave\t1\nq1\tgone\t1\n")
    assert (
        main(["convert", "beir", str(small_set), str(tmp_path / "out"), "--drop-unknown", "--to", "trec", "--json"])
        == 0
    )
    out, err = capsys.readouterr()
    assert err == ""
    document = json.loads(out)
    assert document["read"] == {"documents": 4, "queries": 4, "judgements": 2, "spans": 1}
    assert document["written"] == {"documents": 4, "queries": 4, "judgements": 1, "spans": 1}
    assert document["left_out"] == {"documents": 0, "queries": 0, "judgements": 1, "spans": 0}
    assert document["left_out_lines"] == [
        f"{small_set / 'qrels' / 'test.tsv'}:3: unknown document 'gone' (query 'q1', document 'gone')"
    ]
    assert document["notes"] == ["TREC can't hold 1 evidence spans"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        *("documents.trec", "left_out.txt", "qrels.txt", "topics.trec"),
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["xlsx", "a", "b"], "assay convert: argument FORMAT: invalid choice: 'xlsx'"),
        (["csv", "SHEET"], "assay convert csv: 1 paths; SRC DEST is right"),
        (["csv", "SHEET", "b", "c"], "assay convert csv: 3 paths; SRC DEST is right"),
        (["csv", "gone.csv", "b"], "gone.csv: no such file or folder; one that exists is right"),
        (["csv", "a\0b", "b"], "a\\x00b: "),
        (["trec", "b", "--docs", "SHEET"], "--topics is missing; --topics FILE is right"),
        (
            ["squad", "SHEET", "b", "--question", "x"],
            "assay convert squad: --question does nothing for this format; leave it out",
        ),
        (
            ["csv", "SHEET", "b", "--by", "article"],
            "assay convert csv: --by does nothing for this format; leave it out",
        ),
        (["csv", "SHEET", "b", "--to", "xml"], "assay convert: argument --to: invalid choice: 'xml'"),
        (["csv", "SHEET", "."], ".: is there already and not an empty folder; a new folder is right"),
        (["csv", "SHEET", "SHEET/b"], "SHEET/b: can't be written (Not a directory)"),
        (["squad", "SHEET", "b"], "SHEET:2: byte 0xdf is not utf-8; save the file as UTF-8"),
        (
            ["csv", ".", "b", "--question", "Frage"],
            "sheet.csv: no column 'Frage' (--question); there are 'question', 'document', 'quote'",
        ),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str], line: str, sheet: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(sheet.parent)
    assert main(["convert", *(argument.replace("SHEET", "sheet.csv") for argument in arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(line.replace("SHEET", "sheet.csv")), err
    assert [path.name for path in sheet.parent.iterdir()] == ["sheet.csv"]


def test_without_pyarrow_the_line_says_what_to_install(
    small_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for arguments in (["autorag", str(small_set)], ["beir", str(small_set)]):
        to = ["--to", "parquet"] if arguments[0] == "beir" else []
        assert main(["convert", *arguments, str(tmp_path / "out"), *to]) == 2
        assert (
            capsys.readouterr().err == "Parquet needs pyarrow, which is not installed: pip install 'assay[parquet]'\n"
        )
    assert not (tmp_path / "out").exists()


def test_help_names_the_formats(capsys: pytest.CaptureFixture[str]) -> None:
    assert "convert" in VERBS
    with pytest.raises(SystemExit) as caught:
        main(["convert", "--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("beir", "autorag", "--drop-unknown", "--qrels-ids", "--question"))
