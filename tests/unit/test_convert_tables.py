"""CSV, TSV, Excel's export and JSON Lines of questions: dialects, columns, documents in cells, quotes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.errors import AssayError, GoldenSetError
from assay.golden import GoldenSet, load_golden_set
from assay.golden.convert import Options, Report, convert

SHEET = "question,document,grade,type\nWo?,Café Zürich,2,lookup\nWann?,Café Zürich,1,\nWann?,Morgen,0,\n"


def read(
    tmp_path: Path, content: str | bytes, name: str = "table.csv", docs: dict[str, str] | None = None, **flags: str
) -> tuple[GoldenSet, Report]:
    """The set that a table makes; ``docs`` are files of a folder, ``flags`` columns by role."""
    source = tmp_path / name
    source.write_bytes(content.encode() if isinstance(content, str) else content)
    folder = None
    if docs is not None:
        folder = tmp_path / "docs"
        folder.mkdir()
        for file, text in docs.items():
            (folder / file).write_text(text, encoding="utf-8")
    report = convert(
        "jsonl" if "json" in name else "csv", source, tmp_path / "set", Options(docs=folder, columns=flags)
    )
    return load_golden_set(tmp_path / "set"), report


def faults(tmp_path: Path, content: str | bytes, name: str = "table.csv", **flags: str) -> list[str]:
    """The lines of what is wrong, without the path."""
    with pytest.raises(AssayError) as caught:
        read(tmp_path, content, name, **flags)
    assert not (tmp_path / "set").exists()
    return [line.replace(f"{tmp_path / name}", "F") for line in caught.value.lines()]


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (SHEET.encode(), None),
        (SHEET.encode("utf-8-sig"), None),
        (SHEET.replace("\n", "\r\n").encode(), None),
        (SHEET.replace(",", ";").encode(), "F: cells are parted by semicolons"),
        (SHEET.replace(",", "\t").encode("utf-16"), "F: cells are parted by tabs"),
        (SHEET.replace(",", "\t").encode("utf-16-be").join([b"\xfe\xff", b""]), "F: cells are parted by tabs"),
        (SHEET.replace(",", "|").encode(), "F: cells are parted by bars"),
        (b"sep=;\r\n" + SHEET.replace(",", ";").encode(), None),
        (SHEET.replace("Café Zürich", '"Café Zürich"').encode(), None),
        (
            SHEET.replace(",", ";").encode("cp1252"),
            "F: is not UTF-8 (line 2) and was read as cp1252, Windows' Western European encoding",
        ),
        (SHEET.replace("\n", "\n\n").encode(), None),
        (SHEET.replace("grade,type", "Grade ,TYPE").encode(), None),
    ],
)
def test_dialects_and_encodings(content: bytes, note: str | None, tmp_path: Path) -> None:
    golden, report = read(tmp_path, content)
    assert [(one.id, one.text, one.type) for one in golden.queries] == [("q1", "Wo?", "lookup"), ("q2", "Wann?", None)]
    assert [(one.id, one.text) for one in golden.documents] == [("d1", "Café Zürich"), ("d2", "Morgen")]
    assert golden.qrels == {"q1": {"d1": 2}, "q2": {"d1": 1, "d2": 0}}
    notes = [one.replace(f"{tmp_path / 'table.csv'}", "F") for one in report.notes]
    assert notes[-1] == "F: 3 rows read"
    assert note is None or note in notes


def test_a_cell_may_hold_breaks_quotes_and_delimiters(tmp_path: Path) -> None:
    golden, _ = read(tmp_path, 'question,document\n"a, ""b""\nc?","x\r\ny"\nd?,z\n')
    assert [one.text for one in golden.queries] == ['a, "b"\nc?', "d?"]
    assert [one.text for one in golden.documents] == ["x\r\ny", "z"]


def test_tabs_without_quoting_keep_quotation_marks(tmp_path: Path) -> None:
    golden, report = read(tmp_path, 'question\tdocument\n"open?\ttext\nb?\t"more" text\n')
    assert [one.text for one in golden.queries] == ['"open?', "b?"]
    assert golden.documents[1].text == '"more" text'
    assert report.notes[0].endswith("cells are parted by tabs, without quoting")


def test_documents_from_a_folder_by_file_name_with_quotes(tmp_path: Path) -> None:
    golden, report = read(
        tmp_path,
        "Frage,Datei,Zitat\nWie lange?,leave.md,“thirty\u00a0days”\nWie lange?,leave,Unused days\nWas?,leave,nowhere\nWer?,leave,days\n",
        docs={"leave.md": '# Leave\n\nIt is "thirty days" long. Unused\ndays lapse.'},
        question="Frage",
        document="Datei",
        quote="Zitat",
    )
    text = golden.documents[0].text
    assert [text[span.start : span.end] for span in golden.spans["q1"]] == ['"thirty days"', "Unused\ndays"]
    assert golden.qrels == {"q1": {"leave.md": 1}, "q2": {"leave.md": 1}, "q3": {"leave.md": 1}}
    assert report.tallies["spans"].read == 4
    assert report.tallies["spans"].left_out == 2
    assert report.first_left_out == (
        f"{tmp_path / 'table.csv'}:4: quote 'nowhere' of query 'q2' in document 'leave.md' is not in the text; no span was made",
        f"{tmp_path / 'table.csv'}:5: quote 'days' of query 'q3' in document 'leave.md' is ambiguous, there 2 times "
        "(23 to 27, 42 to 46); no span was made",
    )
    assert "2 quotes were found by a normalising match" in report.notes
    assert "3 documents were found by their file's name" in report.notes


def test_offsets_alone_and_offsets_that_differ_from_the_quote(tmp_path: Path) -> None:
    golden, report = read(
        tmp_path,
        "question,document,quote,start,end\na?,d.txt,,4,7\nb?,d.txt,three,2,7\nc?,d.txt,one,0,2\nd?,d.txt,two,8,11\n",
        docs={"d.txt": "one two three two"},
    )
    assert {name: [(span.start, span.end) for span in group] for name, group in golden.spans.items()} == {
        "q1": [(4, 7)],
        "q2": [(8, 13)],
        "q3": [(0, 3)],
    }
    assert report.tallies["spans"].left_out == 1
    assert report.notes[1:] == (
        "1 quotes were not at their offset, and were found by their words",
        "1 offsets did not end where their quote does; the quote was taken",
    )


def test_ids_texts_and_marks(tmp_path: Path) -> None:
    golden, report = read(
        tmp_path,
        "qid,question,doc_id,text,title,answerable,comment\n7,a?,x,text x,X,yes,hm\n8,b?,,,,no,\n9,a?,x,text x,X,,\n10,c?,,,,,\n",
    )
    assert [(one.id, one.text, one.answerable) for one in golden.queries] == [
        *(("7", "a?", True), ("8", "b?", False), ("9", "a?", True), ("10", "c?", True)),
    ]
    assert golden.qrels == {"7": {"x": 1}, "9": {"x": 1}}
    assert golden.documents[0].title == "X"
    assert report.notes[0].endswith("columns left out: 'comment'")
    assert "1 rows have a question and no document: they judge nothing" in report.notes


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            "question,document,grade\na?,x,nan\n",
            "F:2: grade 'nan' is not an integer; one such as 0, 1 or 2 is right, > 0 for relevant",
        ),
        (
            "question,document,grade\na?,x,1.5\n",
            "F:2: grade '1.5' is not an integer; one such as 0, 1 or 2 is right, > 0 for relevant",
        ),
        (
            "question,document,grade\na?,x,\n",
            "F:2: grade '' is not an integer; one such as 0, 1 or 2 is right, > 0 for relevant",
        ),
        ("question,document\n ,x\n", "F:2: the question is ' '; words are right"),
        ("question,document\na?,x\nb?\n", "F:3: 1 cells where the header has 2 ('b?', …); as many are right"),
        ("question,document\na?,x,y\n", "F:2: 3 cells where the header has 2 ('a?', …); as many are right"),
        (
            "question,document\na?,x\na?,x\n",
            "F:3: query 'q1' and document 'd1' are judged twice (grade 1 before, 1 here); --drop-unknown leaves such rows out",
        ),
        (
            "question,document,type\na?,x,p\na?,y,r\n",
            "F:3: type 'r' of query 'q1' was 'p' at F:2; one of them is right",
        ),
        (
            "question,doc_id,text\na?,x,one\nb?,x,two\n",
            "F:3: document 'x' has another text or title than before; one text an id is right",
        ),
        ("question,document,answerable\na?,x,maybe\n", "F:2: answerable is 'maybe'; true or false is right"),
        (
            "question,document,answerable\na?,x,no\n",
            "F:2: query 'q1' and document 'd1' have grade 1, but the query is marked unanswerable; 0 is right",
        ),
        (
            "question,document,start,end\na?,x,-1,2\n",
            "F:2: start '-1' is not a whole number; a place in the text, in characters, is right",
        ),
        (
            "question,document,start,end\na?,x,0,2\n",
            "F:2: span 0 to 2 of query 'q1' can't be; 0 <= start < end <= 1, the characters of document 'd1', is right",
        ),
        ("question,document\na?,x\0y\n", "F:2: a NUL byte at column 5; text holds none"),
        (
            'question,document\na?,"x\nb?,y\n',
            "F:2: unexpected end of data; ',' between cells and quotation marks in pairs are right",
        ),
        ("question,question\na?,x\n", "F:1: column 'question' is there twice; each name once is right"),
        (
            "frage,document\na?,x\n",
            "F: no column is the question; --question COLUMN is right, one of 'frage', 'document'",
        ),
        ("question,answer\na?,x\n", "F: no column is the document; --document COLUMN is right"),
        (
            "question,doc_id\na?,x\n",
            "F: column 'doc_id' names documents whose texts are not there; --docs with a file or folder of them, or --text COLUMN, is right",
        ),
        ("", "F: is empty; a header line and a row a question are right"),
    ],
)
def test_rows_that_cant_be_used_are_named(content: str, fault: str, tmp_path: Path) -> None:
    assert faults(tmp_path, content) == [fault]


def test_damaged_utf8_is_not_called_cp1252(tmp_path: Path) -> None:
    content = "question,document\nä?,ö\nü?,x".encode()[:-3] + b"\xff,x\n"
    assert faults(tmp_path, content) == ["F:3: invalid UTF-8: byte 0xff at byte 3 of the line; save the file as UTF-8"]


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    assert faults(tmp_path, SHEET, question="Frage") == [
        "F: no column 'Frage' (--question); there are 'question', 'document', 'grade', 'type'"
    ]


def rows(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def test_other_tools_fields(tmp_path: Path) -> None:
    golden, _ = read(
        tmp_path,
        rows(
            {"user_input": "a?", "reference_contexts": ["one", "two"], "reference": "r"},
            {"user_input": "b?", "reference_contexts": ["two"]},
        ),
        "rows.jsonl",
    )
    assert golden.qrels == {"q1": {"d1": 1, "d2": 1}, "q2": {"d2": 1}}


def test_nested_fields_and_objects(tmp_path: Path) -> None:
    golden, _ = read(
        tmp_path,
        rows(
            {"id": 5, "question": "a?", "positive_ctxs": [{"passage_id": 7, "title": "T", "text": "one"}]},
            {"id": 6, "question": "b?", "positive_ctxs": [{"passage_id": 7, "title": "T", "text": "one"}]},
        ),
        "rows.jsonl",
    )
    assert golden.qrels == {"5": {"7": 1}, "6": {"7": 1}}
    assert (golden.documents[0].title, golden.documents[0].text) == ("T", "one")
    other, _ = read(
        tmp_path / "set",
        rows({"q": {"text": "a?"}, "hit": {"body": "x"}}),
        "x.jsonl",
        question="q.text",
        document="hit.body",
    )
    assert (other.queries[0].text, other.documents[0].text) == ("a?", "x")


def test_a_json_list_is_read_as_rows(tmp_path: Path) -> None:
    golden, _ = read(tmp_path, json.dumps([{"question": "a?", "context": "x"}], indent=2), "rows.json")
    assert golden.qrels == {"q1": {"d1": 1}}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            '{"question": "a?", "context": "x"}\n{"question": "a?"',
            "F:2: broken JSON at column 18 (Expecting ',' delimiter); one whole JSON object a line is right",
        ),
        ('{"question": "a?", "context": "x", "grade": NaN}\n', "F:1: NaN is not JSON; a finite number is right"),
        ('{"question": 5, "context": "x"}\n', "F:1: question is the number 5; a string is right"),
        ('{"question": "a?", "context": 5}\n', "F:1: the document is the number 5; its text is right"),
        (
            '{"question": "a?", "context": "x", "grade": null}\n',
            "F:1: grade is null; an integer is right, > 0 for relevant",
        ),
        ('{"question": "a?", "context": "x", "id": 1.5}\n', "F:1: the query's id is the number 1.5; a string is right"),
        ("[]", "F: is empty; a JSON object a line is right"),
        ("[5]", "F:1: an item is the number 5; an object is right"),
        ('[{"question": "a?", "context": "x"}', "F:1: broken JSON: the end of the file where ',' is right"),
        ("[" * 100_000, "F:1: JSON nested too deeply; at most 64 levels are right"),
    ],
)
def test_json_that_cant_be_used_is_named(content: str, fault: str, tmp_path: Path) -> None:
    assert faults(tmp_path, content, "rows.json") == [fault]


def test_faults_of_all_rows_are_gathered(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_text("question,document,grade\n" + "a?,x,bad\n" * 30)
    with pytest.raises(GoldenSetError) as caught:
        convert("csv", source, tmp_path / "set", Options())
    assert (len(caught.value.lines()), caught.value.lines()[-1]) == (21, "30 faults in all, 20 shown")


def test_a_later_row_may_leave_out_what_the_first_one_said(tmp_path: Path) -> None:
    golden, report = read(tmp_path, "question,document,type,answerable\na?,one,lookup,yes\na?,two,,\n")
    assert (golden.qrels, golden.queries[0].type) == ({"q1": {"d1": 1, "d2": 1}}, "lookup")
    assert any("every document is a single word" in note for note in report.notes)


def test_a_quote_is_looked_for_in_all_documents_of_its_row(tmp_path: Path) -> None:
    golden, report = read(
        tmp_path,
        rows({"question": "a?", "contexts": ["one two", "three four"], "quote": ["four", "one", "five"]}),
        "rows.jsonl",
    )
    assert [(span.doc_id, span.start, span.end) for span in golden.spans["q1"]] == [("d1", 0, 3), ("d2", 6, 10)]
    assert report.first_left_out == (
        f"{tmp_path / 'rows.jsonl'}:1: quote 'five' of query 'q1' in document 'd1' is not in the text; no span was made",
    )


def test_a_column_can_be_left_unread(tmp_path: Path) -> None:
    content = "question,document,score\na?,one two,0.83\n"
    assert faults(tmp_path, content)[0].startswith("F:2: grade '0.83' is not an integer")
    golden, report = read(tmp_path, content, grade="-")
    assert golden.qrels == {"q1": {"d1": 1}}
    assert report.notes[0].endswith("columns left out: 'score'")
