"""Every fault of a golden set: what is in the file, and the line that says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.errors import ConfigError, GoldenSetError
from assay.golden import load_golden_set

HEADER = b"query-id\tcorpus-id\tscore\n"
CORPUS = b'{"_id": "d1", "text": "alpha beta"}\n{"_id": "d2", "text": "gamma"}\n'
QUERIES = b'{"_id": "q1", "text": "alpha?"}\n{"_id": "q2", "text": "nothing?", "metadata": {"answerable": false}}\n'
QRELS = HEADER + b"q1\td1\t1\n"
SPAN = b'{"query-id": "q1", "corpus-id": "d1", "start": 0, "end": 5}\n'


def write(folder: Path, **files: bytes | None) -> Path:
    """A sound set of two documents and two queries, some of its files replaced or (None) left out."""
    contents = {"corpus": CORPUS, "queries": QUERIES, "qrels": QRELS, "spans": None} | files
    names = {name: f"{name}.jsonl" for name in contents} | {"qrels": "qrels/test.tsv"}
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        if content is not None:
            (folder / names[name]).write_bytes(content)
    return folder


def faults_of(folder: Path, **options: str) -> list[str]:
    with pytest.raises(GoldenSetError) as caught:
        load_golden_set(folder, **options)  # type: ignore[arg-type]
    return [line.removeprefix(f"{folder}/") for line in caught.value.lines()]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (b'{"_id": "d3", "text": "a"', "broken JSON at column 26 (Expecting ',' delimiter)"),
        (b"{'_id': 'd3'}", "broken JSON at column 2"),
        (b'{"_id": "d3", "text": "a"} {}', "broken JSON at column 28 (Extra data)"),
        (b'{"_id": "d3", "text": "a\tb"}', "broken JSON at column 25 (Invalid control character"),
        (b'["d3", "a"]', "the line is a list; a JSON object"),
        (b'"d3"', "the line is the string 'd3'; a JSON object"),
        (b"7", "the line is the number 7; a JSON object"),
        (b"null", "the line is null; a JSON object"),
        (b'{"_id": "d3", "text": "a", "text": "b"}', "key 'text' is given twice"),
        (b'{"_id": "d3", "text": "a", "metadata": {"k": 1, "k": 1}}', "key 'k' is given twice"),
        (
            b'{"_id": "d3", "text": "a", "metadata": {"k": ' + b"[" * 65 + b"]" * 65 + b"}}",
            "nested too deeply",
        ),
        (b"[" * 100_000, "JSON nested too deeply; at most 64 levels"),
        (b'{"_id": 3, "text": "a"}', '"_id" is the number 3; ids are strings, write "3" in quotes'),
        (b'{"_id": true, "text": "a"}', '"_id" is true; a string is right'),
        (b'{"_id": null, "text": "a"}', '"_id" is null; a string is right'),
        (b'{"_id": ["d3"], "text": "a"}', '"_id" is a list; a string is right'),
        (b'{"id": "d3", "text": "a"}', 'no "_id" (there is "id")'),
        (b'{"_id": "d3"}', 'no "text"; every row needs one'),
        (b'{"_id": "d3", "text": null}', '"text" is null; a string is right'),
        (b'{"_id": "d3", "text": 1.5}', '"text" is the number 1.5; a string is right'),
        (b'{"_id": "d3", "text": "a", "title": 5}', '"title" is the number 5; a string is right'),
        (b'{"_id": "d3", "text": "a", "metadata": []}', '"metadata" is a list; an object'),
        (b'{"_id": "d3", "text": "a", "metadata": "k"}', "\"metadata\" is the string 'k'; an object"),
        (b'{"_id": "d3", "text": "a", "metadata": {"k": NaN}}', "NaN is not JSON; a finite number"),
        (b'{"_id": "d3", "text": "a", "metadata": {"k": -Infinity}}', "-Infinity is not JSON"),
        (b'{"_id": "d3", "text": "a", "metadata": {"k": 1e999}}', "1e999 is not finite"),
        (b'{"_id": "d3", "text": "a", "metadata": {"k": 9223372036854775808}}', "does not fit 64 bits"),
        (b'{"_id": "d3", "text": "a", "metadata": {"k": ' + b"9" * 5000 + b"}}", "does not fit 64 bits"),
        (b'{"_id": "d2", "text": "a"}', "id 'd2' is there twice, first on line 2"),
        (b'{"_id": "", "text": "a"}', "\"_id\" is '', an empty id"),
        (b'{"_id": " \\u200b", "text": "a"}', "\"_id\" is ' \\u200b', an empty id"),
        (b'{"_id": "d\\t3", "text": "a"}', "an id can hold no tab or line break"),
        (b'{"_id": "d\\n3", "text": "a"}', "an id can hold no tab or line break"),
        (b'{"_id": "d3", "text": "caf\xe9 x"}', "invalid UTF-8: byte 0xe9 at byte 27 of the line"),
        (b'{"_id": "d3", "text": "\xed\xa0\x80"}', "invalid UTF-8: byte 0xed at byte 24"),
        (b'{"_id": "d3", "text": "a\0b"}', "a NUL byte at column 25"),
        (b'{"_id": "d3", "text": "a\\u0000b"}', "\\u0000 (NUL) in a string"),
        (b'{"_id": "d3", "text": "a\\ud800b"}', "lone surrogate \\ud800 in a string"),
        (b'{"_id": "d3", "text": "a", "metadata": {"\\udfff": 1}}', "lone surrogate \\udfff in a string"),
        (b'{"_id": "d3", "text": "a", "metadata": {"k": ["\\ud800"]}}', "lone surrogate \\ud800"),
    ],
)
def test_a_faulty_document_is_one_line(tmp_path: Path, row: bytes, expected: str) -> None:
    faults = faults_of(write(tmp_path, corpus=CORPUS + row + b"\n"))
    assert len(faults) == 1
    assert faults[0].startswith("corpus.jsonl:3: ")
    assert expected in faults[0]
    assert re.search("; .+", faults[0]), "what would be right follows what is wrong"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (b'{"_id": "q3", "text": ""}', "\"text\" is '', an empty query; a query needs words"),
        (b'{"_id": "q3", "text": " \\n\\u3000"}', "an empty query; a query needs words"),
        (b'{"_id": "q3", "text": "\\u200b"}', "an empty query; a query needs words"),
        (b'{"_id": "q3"}', 'no "text"; every row needs one'),
        (b'{"_id": 3, "text": "a"}', 'write "3" in quotes'),
        (b'{"_id": "q1", "text": "a"}', "id 'q1' is there twice, first on line 1"),
        (
            b'{"_id": "q3", "text": "a", "metadata": {"answerable": "false"}}',
            "\"answerable\" is the string 'false'",
        ),
        (
            b'{"_id": "q3", "text": "a", "metadata": {"answerable": 0}}',
            '"answerable" is the number 0; true or',
        ),
        (
            b'{"_id": "q3", "text": "a", "metadata": {"answerable": null}}',
            '"answerable" is null; true or false',
        ),
        (b'{"_id": "q3", "text": "a", "metadata": {"type": 5}}', '"type" is the number 5; a string is right'),
        (b'{"_id": "q3", "text": "a", "metadata": {"type": null}}', '"type" is null; a string is right'),
        (b'{"_id": "q3", "text": "a", "metadata": 5}', '"metadata" is the number 5; an object'),
        (b'{"_id": "q3", "text": "a" "x"}', "broken JSON at column 27"),
    ],
)
def test_a_faulty_query_is_one_line(tmp_path: Path, row: bytes, expected: str) -> None:
    faults = faults_of(write(tmp_path, queries=QUERIES + row + b"\n"))
    assert len(faults) == 1
    assert faults[0].startswith("queries.jsonl:3: ")
    assert expected in faults[0]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (b"q1\td2", "2 columns, not 3 cut by tabs; query-id<TAB>corpus-id<TAB>score is right"),
        (b"q1\td2\t1\t0", "4 columns, not 3 cut by tabs"),
        (b"q1 0 d2 1", "1 column (is it cut by spaces, not by tabs?), not 3"),
        (b"\td2\t1", "empty query id ''"),
        (b"q1\t \t1", "empty document id ' '"),
        (b"\t\t", "empty query id ''"),
        (b"q1\td2\t2.0", "grade '2.0' is not an integer"),
        (b"q1\td2\t0.5", "grade '0.5' is not an integer"),
        (b"q1\td2\tnan", "grade 'nan' is not an integer"),
        (b"q1\td2\t", "grade '' is not an integer"),
        (b"q1\td2\t1 ", "grade '1 ' is not an integer"),
        (b"q1\td2\t1_0", "grade '1_0' is not an integer"),
        ("q1\td2\t१".encode(), "is not an integer"),
        (b"q1\td2\t1000001", "grade '1000001' is absurd; an integer within 1,000,000 of 0 is right"),
        (b"q1\td2\t" + b"9" * 5000, "(5000 characters) is absurd"),
        (b"q1\td1\t1", "query 'q1' and document 'd1' are judged twice, first on line 2"),
        (b"q1\td1\t0", "are judged twice, first on line 2"),
        (b"q9\td1\t1", "unknown query 'q9'; an _id of queries.jsonl is right (dataset.on_unknown=drop"),
        (b"q1\td9\t1", "unknown document 'd9'; an _id of corpus.jsonl is right"),
        (
            b"q9\td9\t1",
            "unknown query 'q9' and unknown document 'd9'; an _id of queries.jsonl and corpus.jsonl",
        ),
        (b"q1\t d2\t1", "unknown document ' d2' (there is 'd2', without the white space)"),
        (b'"q1"\td2\t1', "unknown query '\"q1\"'"),
        (b"q2\td1\t1", "query 'q2' is marked unanswerable (queries.jsonl:2) but document 'd1' has grade 1"),
        (b"q1\td2\xff\t1", "invalid UTF-8: byte 0xff at byte 6 of the line"),
        (b"q1\td2\0\t1", "a NUL byte at column 6"),
    ],
)
def test_a_faulty_judgement_is_one_line(tmp_path: Path, row: bytes, expected: str) -> None:
    faults = faults_of(write(tmp_path, qrels=QRELS + row + b"\n"))
    assert len(faults) == 1
    assert faults[0].startswith("qrels/test.tsv:3: ")
    assert expected in faults[0]


@pytest.mark.parametrize(
    ("qrels", "expected"),
    [
        (
            b"q1\td1\t1\n",
            "qrels/test.tsv:1: no header line, this is a judgement; query-id<TAB>corpus-id<TAB>score",
        ),
        (b"q1\t0\td1\t1\n", "qrels/test.tsv:1: the header has 4 columns, not 3 cut by tabs; query-id<TAB>"),
        (b"q1 d1 1\n", "qrels/test.tsv:1: the header has 1 column (is it cut by spaces, not by tabs?)"),
        (
            b"corpus-id\tquery-id\tscore\nd1\tq1\t1\n",
            "qrels/test.tsv:1: the columns are swapped; query-id<TAB>",
        ),
        (b"", "qrels/test.tsv: is empty; the header query-id<TAB>corpus-id<TAB>score"),
        (HEADER + b"q1\td2\t0\nq1\td1\t-1\n", "qrels/test.tsv:2: query 'q1' is judged but has no positive"),
    ],
)
def test_a_faulty_qrels_file_says_what_it_lacks(tmp_path: Path, qrels: bytes, expected: str) -> None:
    assert faults_of(write(tmp_path, qrels=qrels))[0].startswith(expected)


@pytest.mark.parametrize("grade", [b"1.0", b"nan", b"2.5"])
def test_a_first_row_with_a_bad_grade_is_no_header(tmp_path: Path, grade: bytes) -> None:
    first, second = faults_of(write(tmp_path, qrels=b"q1\td1\t" + grade + b"\n"))
    assert "qrels/test.tsv:1: no header line" in first
    assert f"grade '{grade.decode()}' is not an integer" in second


def test_a_first_row_of_unknown_ids_is_no_header(tmp_path: Path) -> None:
    first, second = faults_of(write(tmp_path, qrels=b"q9\td1\t1\n"))
    assert "qrels/test.tsv:1: no header line" in first
    assert "qrels/test.tsv:1: unknown query 'q9'" in second


def test_a_query_with_a_faulty_row_is_not_said_to_lack_a_positive_as_well(tmp_path: Path) -> None:
    (fault,) = faults_of(write(tmp_path, qrels=HEADER + b"q1\td2\t0\nq1\td1\t1.0\n"))
    assert fault.startswith("qrels/test.tsv:3: grade '1.0'")


def test_a_span_on_a_faulty_judgement_is_not_said_to_lack_relevance_as_well(tmp_path: Path) -> None:
    span = b'{"query-id": "q1", "corpus-id": "d2", "start": 0, "end": 5}\n'
    (fault,) = faults_of(write(tmp_path, qrels=QRELS + b"q1\td2\t1.0\n", spans=span))
    assert fault.startswith("qrels/test.tsv:3: grade '1.0'")


def test_dropping_grade_zero_excuses_no_query_without_a_positive(tmp_path: Path) -> None:
    write(tmp_path, qrels=HEADER + b"q1\td2\t0\nq1\td9\t0\n")
    (fault,) = faults_of(tmp_path, on_unknown="drop")
    assert fault.startswith("qrels/test.tsv:2: query 'q1' is judged but has no positive")


def test_a_link_to_spans_that_are_gone_is_a_fault(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "spans.jsonl").symlink_to(tmp_path / "gone.jsonl")
    (fault,) = faults_of(tmp_path)
    assert fault.startswith("spans.jsonl: no such file; it should hold a line a span")


def test_a_first_row_of_known_ids_is_no_header(tmp_path: Path) -> None:
    first, second = faults_of(write(tmp_path, qrels=b"q1\td1\thigh\n"))
    assert "qrels/test.tsv:1: no header line" in first
    assert "grade 'high' is not an integer" in second


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            '"q1", "corpus-id": "d1", "start": 5, "end": 11',
            "span 5 to 11 ends outside the 10 characters of document",
        ),
        (
            '"q1", "corpus-id": "d1", "start": 5, "end": 3',
            "span 5 to 3 is reversed; 0 <= start < end is right",
        ),
        ('"q1", "corpus-id": "d1", "start": 5, "end": 5', "span 5 to 5 is empty"),
        ('"q1", "corpus-id": "d1", "start": -1, "end": 5', "span -1 to 5 starts before the text"),
        (
            '"q1", "corpus-id": "d1", "start": false, "end": 6',
            '"start" is false; a whole number of code points',
        ),
        ('"q1", "corpus-id": "d1", "start": 1, "end": 6.0', '"end" is the number 6.0; a whole number'),
        ('"q1", "corpus-id": "d1", "start": "1", "end": 6', "\"start\" is the string '1'; a whole number"),
        ('"q1", "corpus-id": "d1", "end": 6', 'no "start"; a span needs whole numbers'),
        ('"q1", "start": 1, "end": 6', 'no "corpus-id"; every row needs one'),
        (
            '1, "corpus-id": "d1", "start": 1, "end": 6',
            '"query-id" is the number 1; ids are strings, write "1"',
        ),
        (
            '"q1", "corpus-id": "d1", "start": 1, "end": 6, "group": 1',
            '"group" is the number 1; a string is right',
        ),
        (
            '"q9", "corpus-id": "d1", "start": 1, "end": 6',
            "unknown query 'q9'; an _id of queries.jsonl is right",
        ),
        (
            '"q1", "corpus-id": "d9", "start": 1, "end": 6',
            "unknown document 'd9'; an _id of corpus.jsonl is right",
        ),
        (
            '"q1", "corpus-id": "d2", "start": 1, "end": 5',
            "document 'd2' is not judged relevant for query 'q1'",
        ),
        ('"q2", "corpus-id": "d1", "start": 1, "end": 5', "query 'q2' is marked unanswerable and has a span"),
        (
            '"q1", "corpus-id": "d1", "start": 0, "end": 5',
            "the same span as on line 1; each span once is right",
        ),
        ('"q1", "corpus-id": "d1", "start": 0 "end": 5', "broken JSON at column 50"),
    ],
)
def test_a_faulty_span_is_one_line(tmp_path: Path, row: str, expected: str) -> None:
    line = ('{"query-id": ' + row + "}\n").encode()
    faults = faults_of(write(tmp_path, spans=SPAN + line))
    assert len(faults) == 1
    assert faults[0].startswith("spans.jsonl:2: ")
    assert expected in faults[0]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"corpus": b""}, "corpus.jsonl: is empty; a line a document is right"),
        ({"corpus": b"\xef\xbb\xbf\r\n\n"}, "corpus.jsonl: is empty"),
        ({"queries": b""}, "queries.jsonl: is empty; a line a query is right"),
        ({"corpus": None}, "corpus.jsonl: no such file; it should hold a line a document"),
        ({"queries": None}, "queries.jsonl: no such file; it should hold a line a query"),
        ({"qrels": None}, "qrels/test.tsv: no such file; it should open with query-id<TAB>"),
        ({"corpus": CORPUS.decode().encode("utf-16")}, "corpus.jsonl:1: is UTF-16; save the file as UTF-8"),
        (
            {"qrels": HEADER, "queries": b'{"_id": "q1", "text": "alpha?"}\n'},
            "qrels/test.tsv: no query is evaluated: of 1 queries none has a judgement > 0 here or is marked",
        ),
    ],
)
def test_a_file_that_is_missing_or_empty_is_one_line(
    tmp_path: Path, files: dict[str, bytes | None], expected: str
) -> None:
    faults = faults_of(write(tmp_path, **files))
    assert len(faults) == 1
    assert faults[0].startswith(expected)


def test_another_split_is_suggested(tmp_path: Path) -> None:
    write(tmp_path, qrels=None)
    (tmp_path / "qrels" / "dev.tsv").write_bytes(QRELS)
    assert faults_of(tmp_path) == ["qrels/test.tsv: no such file; there is qrels/dev.tsv (dataset.split=dev)"]


@pytest.mark.parametrize("split", ["", "..", "../corpus", "a\\b"])
def test_a_split_is_a_file_name(tmp_path: Path, split: str) -> None:
    assert faults_of(write(tmp_path), split=split)[0].startswith(f"qrels: split {split!r} is not the name")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    absent = tmp_path / "nope"
    assert faults_of(absent) == [f"{absent}: no such folder; a folder is right for a golden set"]
    file = write(tmp_path) / "corpus.jsonl"
    assert "is a file; the folder that holds corpus.jsonl is right" in faults_of(file)[0]
    assert "can't be read (File name too long)" in faults_of(tmp_path / ("x" * 300))[0]


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, corpus=None, qrels=None)
    for name in ("corpus.jsonl", "qrels/test.tsv", "spans.jsonl"):
        (tmp_path / name).mkdir()
    assert [fault.split(";")[0] for fault in faults_of(tmp_path)] == [
        "corpus.jsonl: is not a file",
        "qrels/test.tsv: is not a file",
        "spans.jsonl: is not a file",
    ]


def test_faults_of_all_files_come_together_in_reading_order(tmp_path: Path) -> None:
    write(
        tmp_path,
        corpus=CORPUS + b"{\n",
        queries=QUERIES + b"[]\n",
        qrels=QRELS + b"q1\td9\t1\n",
        spans=SPAN + b"5\n",
    )
    assert [fault.split(": ")[0] for fault in faults_of(tmp_path)] == [
        "corpus.jsonl:3",
        "queries.jsonl:3",
        "qrels/test.tsv:3",
        "spans.jsonl:2",
    ]


@pytest.mark.parametrize(
    "row",
    [b'{"_id": "d1", "text": "alpha beta"', b'{"_id": "d1", "text": 5}', b'{"_id": "d1", "text": "\xff"}'],
)
def test_a_document_that_can_not_be_read_is_not_called_unknown_as_well(tmp_path: Path, row: bytes) -> None:
    corpus = row + b'\n{"_id": "d2", "text": "gamma"}\n'
    assert [fault.split(": ")[0] for fault in faults_of(write(tmp_path, corpus=corpus, spans=SPAN))] == [
        "corpus.jsonl:1"
    ]


def test_the_first_twenty_faults_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    faults = faults_of(write(tmp_path, qrels=QRELS + b"".join(b"q1\tx%d\t1\n" % n for n in range(652))))
    assert len(faults) == 21
    assert faults[0].startswith("qrels/test.tsv:3: unknown document 'x0'")
    assert faults[-1] == "652 faults in all, 20 shown"


def test_a_long_value_is_cut_in_the_line_that_names_it(tmp_path: Path) -> None:
    (fault,) = faults_of(write(tmp_path, qrels=QRELS + b"q1\t" + b"x" * 10_000 + b"\t1\n"))
    assert "(10000 characters)" in fault
    assert len(fault) < 300


def test_on_unknown_is_one_of_two(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"dataset\.on_unknown: 'ignore'"):
        load_golden_set(write(tmp_path), on_unknown="ignore")  # type: ignore[arg-type]
