"""What is refused, what --drop-unknown leaves out, and that rows in are rows out plus rows named."""

from __future__ import annotations

import gzip
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError, DataError
from assay.golden import load_golden_set
from assay.golden.convert import Options, convert, packed
from assay.golden.convert.html_text import html_text
from assay.golden.convert.markup import elements, without_tags

GOOD: dict[str, list[dict[str, Any]]] = {
    "corpus.jsonl": [{"_id": "d1", "text": "alpha beta"}, {"_id": "d2", "text": "gamma"}],
    "queries.jsonl": [{"_id": "q1", "text": "a?"}, {"_id": "q2", "text": "b?", "metadata": {"answerable": False}}],
}


def beir(folder: Path, qrels: str = "query-id\tcorpus-id\tscore\nq1\td1\t1\n", **more: list[dict[str, Any]]) -> Path:
    (folder / "qrels").mkdir(parents=True)
    files = {**GOOD, **{f"{name}.jsonl": rows for name, rows in more.items()}}
    for name, rows in files.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    return folder


def lines_of(source: Path, destination: Path, **more: Any) -> list[str]:
    with pytest.raises(AssayError) as caught:
        convert("beir", source, destination, Options(**more))
    assert not destination.exists()
    assert [path.name for path in destination.parent.iterdir() if path.name.endswith(".partial")] == []
    return [line.replace(f"{source}/", "") for line in caught.value.lines()]


def test_ids_that_are_there_twice(tmp_path: Path) -> None:
    source = beir(
        tmp_path / "in",
        corpus=[*GOOD["corpus.jsonl"], {"_id": "d1", "text": "other"}],
        queries=[*GOOD["queries.jsonl"], {"_id": "q1", "text": "a?"}],
    )
    assert lines_of(source, tmp_path / "set") == [
        f"corpus.jsonl:3: document id 'd1' is there twice, first at {source}/corpus.jsonl:1; --drop-unknown leaves such rows out".replace(
            f"{source}/", ""
        ),
        f"queries.jsonl:3: query id 'q1' is there twice, first at {source}/queries.jsonl:1; --drop-unknown leaves such rows out".replace(
            f"{source}/", ""
        ),
    ]
    report = convert("beir", source, tmp_path / "set", Options(drop_unknown=True))
    assert {kind: (one.read, one.written, one.left_out) for kind, one in report.tallies.items()} == {
        "documents": (3, 2, 1),
        "queries": (3, 2, 1),
        "judgements": (1, 1, 0),
        "spans": (0, 0, 0),
    }
    assert load_golden_set(tmp_path / "set").documents[0].text == "alpha beta"


def test_dangling_rows_and_what_is_left_of_their_queries(tmp_path: Path) -> None:
    source = beir(
        tmp_path / "in",
        "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\tgone\t1\nq3\td1\t1\nq4\tgone\t2\nq4\td2\t0\n",
        queries=[*GOOD["queries.jsonl"], {"_id": "q4", "text": "d?"}],
        spans=[
            {"query-id": "q1", "corpus-id": "d1", "start": 0, "end": 5},
            {"query-id": "q1", "corpus-id": "gone", "start": 0, "end": 5},
            {"query-id": "q4", "corpus-id": "d2", "start": 0, "end": 5},
            {"query-id": "q1", "corpus-id": "d1", "start": 0, "end": 5},
        ],
    )
    faults = lines_of(source, tmp_path / "set")
    assert [line.split(":")[1] for line in faults[:3]] == ["3", "4", "5"]
    assert len(faults) == 6
    report = convert("beir", source, tmp_path / "set", Options(drop_unknown=True))
    assert (tmp_path / "set" / "left_out.txt").read_text().replace(f"{source}/", "").splitlines() == [
        "qrels/test.tsv:3: unknown document 'gone' (query 'q1', document 'gone')",
        "qrels/test.tsv:4: unknown query 'q3' (query 'q3', document 'd1')",
        "qrels/test.tsv:5: unknown document 'gone' (query 'q4', document 'gone')",
        "spans.jsonl:2: unknown document 'gone' (query 'q1', document 'gone')",
        "spans.jsonl:3: span 0 to 5 of query 'q4': document 'd2' is not judged relevant for it",
        "spans.jsonl:4: span 0 to 5 of query 'q1' is there twice",
        "split test: the query has no positive (query 'q4', document 'd2')",
    ]
    for tally in report.tallies.values():
        assert tally.read == tally.written + tally.left_out
    golden = load_golden_set(tmp_path / "set")
    assert (golden.qrels, golden.counts.unjudged) == ({"q1": {"d1": 1}}, 1)


@pytest.mark.parametrize(
    ("name", "row", "fault"),
    [
        (
            "corpus",
            {"_id": "", "text": "x"},
            "corpus.jsonl:1: document id is '', an empty id; an id needs a visible character",
        ),
        (
            "corpus",
            {"_id": "a\tb", "text": "x"},
            "corpus.jsonl:1: document id is 'a\\tb'; an id can hold no tab or line break, since a qrels file can't name it",
        ),
        ("corpus", {"_id": 1.5, "text": "x"}, 'corpus.jsonl:1: "_id" is the number 1.5; a string is right'),
        ("corpus", {"_id": "x"}, 'corpus.jsonl:1: no "text"; a string is right'),
        ("corpus", {"_id": "x", "text": ["y"]}, 'corpus.jsonl:1: "text" is a list; a string is right'),
        ("corpus", {"_id": "x", "text": "y", "title": 5}, 'corpus.jsonl:1: "title" is the number 5; a string is right'),
        (
            "corpus",
            {"_id": "x", "text": "\ud800"},
            "corpus.jsonl:1: lone surrogate \\ud800 in a string; a pair or the character itself is right",
        ),
        ("corpus", {"_id": "x", "text": "a\0b"}, "corpus.jsonl:1: \\u0000 (NUL) in a string; text holds none"),
        ("queries", {"_id": "x", "text": " "}, "queries.jsonl:1: query 'x' has no words; a question is right"),
        (
            "queries",
            {"_id": "x", "text": "a", "metadata": {"type": 5}},
            "queries.jsonl:1: type 5 of query 'x' is not a string; one is right",
        ),
        (
            "queries",
            {"_id": "x", "text": "a", "metadata": {"answerable": "no"}},
            "queries.jsonl:1: \"answerable\" is the string 'no'; true or false is right, without quotes",
        ),
        (
            "spans",
            {"query-id": "q1", "corpus-id": "d1", "start": 5, "end": 5},
            "spans.jsonl:1: span 5 to 5 of query 'q1' can't be; 0 <= start < end <= 10, the characters of document 'd1', is right",
        ),
        (
            "spans",
            {"query-id": "q2", "corpus-id": "d1", "start": 0, "end": 5},
            "spans.jsonl:1: span 0 to 5 of query 'q2': the query is marked unanswerable; no span is right",
        ),
    ],
)
def test_rows_that_no_flag_passes_over(name: str, row: dict[str, Any], fault: str, tmp_path: Path) -> None:
    source = beir(tmp_path / "in", **{name: [row, *GOOD.get(f"{name}.jsonl", [])]})
    for drop in (False, True):
        assert lines_of(source, tmp_path / "set", drop_unknown=drop) == [fault]


def test_numbers_as_ids_and_other_fields_are_kept_and_said(tmp_path: Path) -> None:
    source = beir(
        tmp_path / "in",
        "query-id\tcorpus-id\tscore\nq1\t7\t1\n",
        corpus=[{"id": 7, "contents": "x", "url": "u", "metadata": {"url": "v"}}],
    )
    report = convert("beir", source, tmp_path / "set", Options())
    assert load_golden_set(tmp_path / "set").documents[0].metadata == {"url": "v", "url_of_row": "u"}
    assert report.notes == (
        "1 ids were numbers and are strings now",
        "1 rows have a field 'url': it is in their metadata now",
    )


def test_ids_are_never_paths(tmp_path: Path) -> None:
    source = beir(
        tmp_path / "in",
        "query-id\tcorpus-id\tscore\n/etc/x\t../../x\t1\n",
        corpus=[{"_id": "../../x", "text": "x"}],
        queries=[{"_id": "/etc/x", "text": "y"}],
    )
    for to in ("beir", "csv", "trec"):
        convert("beir", source, tmp_path / to / "set", Options(), to)
        convert(to, tmp_path / to / "set", tmp_path / to / "back", Options())
        assert load_golden_set(tmp_path / to / "back").qrels == {"/etc/x": {"../../x": 1}}
        assert sorted(path.name for path in (tmp_path / to).iterdir()) == ["back", "set"]


def test_the_destination_must_be_absent_or_empty(tmp_path: Path) -> None:
    source = beir(tmp_path / "in")
    (tmp_path / "set").mkdir()
    convert("beir", source, tmp_path / "set", Options())
    before = sorted(path.name for path in (tmp_path / "set").rglob("*"))
    assert before == ["corpus.jsonl", "qrels", "queries.jsonl", "test.tsv"]
    for destination in (tmp_path / "set", source / "corpus.jsonl"):
        with pytest.raises(DataError, match="is there already and not an empty folder; a new folder is right"):
            convert("beir", source, destination, Options())
    assert sorted(path.name for path in (tmp_path / "set").rglob("*")) == before


def test_a_failure_leaves_nothing_not_even_folders(tmp_path: Path) -> None:
    source = beir(tmp_path / "in", corpus=[{"_id": 1.5, "text": "x"}])
    with pytest.raises(AssayError):
        convert("beir", source, tmp_path / "a" / "b" / "set", Options())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(AssayError):
        convert("beir", source, tmp_path / "empty", Options())
    assert list((tmp_path / "empty").iterdir()) == []


def test_an_interruption_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.golden.convert import intake

    source = beir(tmp_path / "in")
    stopped = intake.Intake.query

    def stop(self: intake.Intake, *arguments: Any) -> bool:
        stopped(self, *arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(intake.Intake, "query", stop)
    with pytest.raises(KeyboardInterrupt):
        convert("beir", source, tmp_path / "set", Options())
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cant_be_written(tmp_path: Path) -> None:
    source = beir(tmp_path / "in")
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(DataError, match="can't be written"):
        convert("beir", source, tmp_path / "closed" / "set", Options())


def test_packed_files_are_read_and_damage_is_named(tmp_path: Path) -> None:
    source = beir(tmp_path / "in")
    plain = (source / "corpus.jsonl").read_bytes()
    # Two members in one file, as gzip allows.
    (source / "corpus.jsonl.gz").write_bytes(gzip.compress(plain[:20]) + gzip.compress(plain[20:]))
    (source / "corpus.jsonl").unlink()
    convert("beir", source, tmp_path / "set", Options())
    assert (tmp_path / "set" / "corpus.jsonl").read_bytes() == plain
    (source / "corpus.jsonl.gz").write_bytes(gzip.compress(plain)[:-9])
    (line,) = lines_of(source, tmp_path / "other")
    assert line.startswith("corpus.jsonl.gz: is damaged as gzip after ")


@pytest.mark.parametrize(
    ("piece", "line"),
    [
        (b"\0", "corpus.jsonl.gz: unpacks to more than "),
        (b"\n", "corpus.jsonl.gz:1000001: more than 1,000,000 blank lines one after another, as no text has; "),
    ],
)
def test_a_bomb_is_refused_before_it_fills_anything(piece: bytes, line: str, tmp_path: Path) -> None:
    source = beir(tmp_path / "in")
    (source / "corpus.jsonl").unlink()
    with gzip.open(source / "corpus.jsonl.gz", "wb", compresslevel=6) as file:
        for _ in range(80):
            file.write(piece * (packed.MEBIBYTE // len(piece)))
    assert lines_of(source, tmp_path / "set")[-1].startswith(line)


@pytest.mark.parametrize(
    ("head", "what"),
    [(b"PK\x03\x04", "a zip archive or an Excel workbook"), (b"PAR1", "a Parquet file"), (b"%PDF-1.7", "a PDF")],
)
def test_other_kinds_of_files_are_told_apart(head: bytes, what: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(head + b"\0" * 50)
    with pytest.raises(DataError, match=f"x.csv: is {what}"):
        convert("csv", tmp_path / "x.csv", tmp_path / "set", Options())


def test_a_huge_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MAX_LINE", 1000)
    source = beir(tmp_path / "in", corpus=[{"_id": "d1", "text": "x" * 2000}])
    assert lines_of(source, tmp_path / "set") == [
        "corpus.jsonl:1: the line has more than 1,000 bytes; shorter ones are right"
    ]


def test_folders(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "x.txt").write_text("hidden")
    (folder / "b.md").write_text("intro\r\n# A *title* #\n\ntext\n", newline="")
    (folder / "sub" / "a.html").write_text(
        "<html><head><title>T &amp; t</title><style>p {}</style></head><body><h1>Head</h1><p>One\n  two<br>three"
        "<script>var x = '<p>';</script></p><table><tr><td>a<td>b</table></body></html>"
    )
    (folder / "sub" / "c.TXT").write_bytes("größe".encode("cp1252"))
    (folder / "d.pdf").write_bytes(b"%PDF")
    (folder / "empty.txt").write_bytes(b"")
    report = convert("folder", folder, tmp_path / "set", Options())
    rows = [json.loads(line) for line in (tmp_path / "set" / "corpus.jsonl").read_text().splitlines()]
    assert rows == [
        {"_id": "b.md", "title": "A *title*", "text": "intro\n# A *title* #\n\ntext\n"},
        {"_id": "empty.txt", "text": ""},
        {"_id": "sub/a.html", "title": "T & t", "text": "Head\n\nOne two\nthree\n\na b"},
        {"_id": "sub/c.TXT", "text": "größe"},
    ]
    assert [note.replace(str(folder), "F") for note in report.notes] == [
        "F/sub/c.TXT: is not UTF-8 (line 1) and was read as cp1252, Windows' Western European encoding",
        "F: 1 files of other kinds left out (1 .pdf): d.pdf",
        "no query in it: a corpus only; queries.jsonl and qrels/test.tsv are still to be written",
    ]
    (tmp_path / "none" / "in").mkdir(parents=True)
    with pytest.raises(AssayError, match="in: no document in it; one at least is right"):
        convert("folder", tmp_path / "none" / "in", tmp_path / "other", Options())


SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "A_title",
            "paragraphs": [
                {
                    "context": "The café is open. The bar is open.",
                    "qas": [
                        {
                            "id": "1",
                            "question": "What is open first?",
                            "is_impossible": False,
                            "answers": [
                                {"text": "café", "answer_start": 4},
                                {"text": "The café", "answer_start": 0},
                                {"text": "café", "answer_start": 4},
                            ],
                        },
                        {
                            "id": "2",
                            "question": "Who?",
                            "is_impossible": True,
                            "answers": [],
                            "plausible_answers": [{"text": "bar", "answer_start": 22}],
                        },
                    ],
                },
                {
                    "context": "Second paragraph, 😀 bar.",
                    "qas": [
                        {"id": "3", "question": "What?", "answers": [{"text": "bar", "answer_start": 99}]},
                        {"id": "4", "question": "Where?", "answers": [{"text": "nowhere", "answer_start": 0}]},
                    ],
                },
            ],
        }
    ],
}


@pytest.mark.parametrize("by", ["paragraph", "article"])
def test_squad_2_by_hand(by: str, tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text(json.dumps(SQUAD), encoding="utf-8")
    report = convert("squad", tmp_path / "dev.json", tmp_path / "set", Options(by=by))  # type: ignore[arg-type]
    golden = load_golden_set(tmp_path / "set")
    documents = ["A_title#0", "A_title#1"] if by == "paragraph" else ["A_title", "A_title"]
    assert golden.qrels == {"1": {documents[0]: 1}, "3": {documents[1]: 1}, "4": {documents[1]: 1}}
    assert (golden.counts.answerable, golden.counts.unanswerable) == (3, 1)
    shift = 0 if by == "paragraph" else len(SQUAD["data"][0]["paragraphs"][0]["context"]) + 2  # type: ignore[index]
    assert {
        name: [(span.doc_id, span.start, span.end, span.group) for span in group]
        for name, group in golden.spans.items()
    } == {
        "1": [(documents[0], 4, 8, "answer"), (documents[0], 0, 8, "answer")],
        "3": [(documents[1], 20 + shift, 23 + shift, "answer")],
    }
    assert golden.documents[0].title == "A title"
    assert set(report.notes) == {
        "1 answers are given twice for a question, and were taken once",
        "1 answers were not at their offset, and were found by their text",
    }
    assert report.first_left_out == (
        f"{tmp_path / 'dev.json'}:1: answer 'nowhere' of question '4' is not in the text; no span was made",
    )


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"version": "1.1"}, 'dev.json:1: no "data" in it; an object with a list "data" is right'),
        ({"data": [5]}, 'dev.json:1: article 1 is the number 5 without a list "paragraphs"; one is right'),
        ({"data": {"a": 1}}, "dev.json:1: broken JSON: '{' where '[' is right"),
        (
            {
                "data": [
                    {
                        "paragraphs": [
                            {
                                "context": "x",
                                "qas": [
                                    {
                                        "id": "1",
                                        "question": "a?",
                                        "is_impossible": True,
                                        "answers": [{"text": "x", "answer_start": 0}],
                                    }
                                ],
                            }
                        ]
                    }
                ]
            },
            "dev.json:1: a question of document 'article1#0': '1' is marked impossible and has answers; one of the two is right",
        ),
        (
            {
                "data": [
                    {
                        "paragraphs": [
                            {
                                "context": "x",
                                "qas": [{"id": "1", "question": "a?", "answers": [{"text": "x", "answer_start": "0"}]}],
                            }
                        ]
                    }
                ]
            },
            "dev.json:1: answer 'x' of question '1' needs a string \"text\" and a whole number \"answer_start\", not the string '0'",
        ),
        (
            {"data": [{"paragraphs": [{"context": 5, "qas": []}]}]},
            "dev.json:1: paragraph 0 of article 'article1' has no \"context\"; a string is right",
        ),
    ],
)
def test_squad_that_is_none(change: dict[str, Any], fault: str, tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text(json.dumps(change), encoding="utf-8")
    with pytest.raises(AssayError) as caught:
        convert("squad", tmp_path / "dev.json", tmp_path / "set", Options())
    assert caught.value.lines()[0].replace(f"{tmp_path}/", "") == fault


@pytest.mark.parametrize(
    ("markup", "title", "text"),
    [
        ("<p>a<p>b", "", "a\nb"),
        ("a <b>bold</b> &amp; &eacute; 1 < 2", "", "a bold & é 1 < 2"),
        ("<a title='x > y'>link</a><!-- gone --><script>if (a < b) {}</script>.", "", "link."),
        ("<title>T\n t</title><style>x</style>y<!-- never closed", "T t", "y<!-- never closed"),
        ("<script>never closed", "", "never closed"),
        ("<!DOCTYPE html><?php x ?>हिन्दी<br/>عربي", "", "हिन्दी\nعربي"),
    ],
)
def test_html(markup: str, title: str, text: str) -> None:
    assert html_text(markup) == (title, text)


@pytest.mark.parametrize(
    "piece", ["<!--", "<![CDATA[", "</", "<a", "<a b='", "&", "<!", "<script>", "<a>", "<TEXT>", "<DOCNO>"]
)
def test_broken_markup_takes_the_time_of_reading_it(piece: str) -> None:
    began = time.process_time()
    for read in (html_text, without_tags, elements):
        read(piece * (300_000 // len(piece)))
    assert time.process_time() - began < 10
