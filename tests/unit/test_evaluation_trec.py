"""TREC files: what is written reads back, here and elsewhere, and what is wrong is told by file:line."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError, DataError
from assay.runs.trec import decode_id, encode_id, read_qrels, read_trec, write_trec


def made(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_run_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    write_trec(path, {"q 1": ["b", "a%", "c\u00a0d"], "empty": [], "q2": ["a"]}, "my tag")
    assert path.read_bytes().decode() == (
        "q%201 Q0 b 1 3 my%20tag\nq%201 Q0 a%25 2 2 my%20tag\nq%201 Q0 c%C2%A0d 3 1 my%20tag\nq2 Q0 a 1 1 my%20tag\n"
    )
    assert read_trec(path) == {"q 1": ["b", "a%", "c\u00a0d"], "q2": ["a"]}


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_id_is_one_column_and_comes_back(text: str) -> None:
    column = encode_id(text)
    assert column.split() == [column]
    assert column.splitlines() == [column]
    assert column.isascii() or not any(c.isspace() for c in column)
    assert decode_id(column) == text == unquote(column)


@pytest.mark.parametrize("plain", ["d-1", "a/b?c=d", "दस्तावेज़", '"quoted"', "é+&"])
def test_an_id_that_needs_no_escape_gets_none(plain: str) -> None:
    assert encode_id(plain) == decode_id(plain) == plain


@pytest.mark.parametrize(
    ("column", "plain"),
    [
        ("a%20b", "a b"),
        ("%25", "%"),
        ("a%2Fb", "a%2Fb"),
        ("100%", "100%"),
        ("%c2%a0x", "\u00a0x"),
        ("%2520", "%20"),
    ],
)
def test_only_what_is_ever_encoded_is_decoded(column: str, plain: str) -> None:
    assert decode_id(column) == plain


def test_an_empty_id_cannot_be_written(tmp_path: Path) -> None:
    for rankings in ({"q": ["a", ""]}, {"": ["a"]}):
        with pytest.raises(AssayError, match="an empty id"):
            write_trec(tmp_path / "run.trec", rankings, "tag")


def test_the_order_is_by_score_then_id_whatever_the_rank_column_says(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        "run",
        "q Q0 low 1 -2.5e0 t\nq\tQ0\tb  2 0.5\tt\r\nq Q0 a 3 .5 t\n\nq2 Q0 x 1 1 t\nq Q0 top 9 7 t\n   \n",
    )
    assert read_trec(path) == {"q": ["top", "a", "b", "low"], "q2": ["x"]}


def test_a_byte_order_mark_is_no_part_of_an_id(tmp_path: Path) -> None:
    assert read_trec(made(tmp_path, "run", b"\xef\xbb\xbfq Q0 a 1 1 t\n")) == {"q": ["a"]}
    write_trec(tmp_path / "odd", {"\ufeffq": ["a"]}, "t")
    assert read_trec(tmp_path / "odd") == {"\ufeffq": ["a"]}


def test_only_ascii_white_space_parts_columns_of_other_tools(tmp_path: Path) -> None:
    path = made(tmp_path, "run", "q Q0 a\u00a0b 1 2 t\nq Q0 c\u2028d 2 1 t\n")
    assert read_trec(path) == {"q": ["a\u00a0b", "c\u2028d"]}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            "q Q0 a 1 1 t\nq Q0 a b 2 1 t\n",
            ":2: 7 columns; a TREC run has 6: query Q0 document rank score tag",
        ),
        ("q Q0 a 1 1\n", ":1: 5 columns"),
        ("q Q0 a 1 nan t\n", ":1: score 'nan' is not a finite number"),
        ("q Q0 a 1 -inf t\n", ":1: score '-inf' is not a finite number"),
        ("q Q0 a 1 high t\n", ":1: score 'high' is not a finite number"),
        ("q Q0 a 1 2 t\n\nq Q0 a 2 1 t\n", ":3: document 'a' is ranked twice for query 'q'"),
        (b"q Q0 a 1 2 t\nq Q0 \xff 2 1 t\n", ":2: not UTF-8 (byte 0xff)"),
    ],
)
def test_a_faulty_run(tmp_path: Path, content: str | bytes, fault: str) -> None:
    path = made(tmp_path, "run", content)
    with pytest.raises(DataError) as error:
        read_trec(path)
    assert error.value.lines()[0].startswith(f"{path}{fault}")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for read in (read_trec, read_qrels):
        with pytest.raises(DataError, match="No such file"):
            read(tmp_path / "nowhere")
        with pytest.raises(DataError, match="Is a directory"):
            read(tmp_path)


def test_judgements_of_trec_and_of_beir(tmp_path: Path) -> None:
    trec = made(tmp_path, "trec", "q1 0 d1 2\nq1 0 d2 -1\nq2\t0\td1\t0\n")
    beir = made(tmp_path, "beir", 'query-id\tcorpus-id\tscore\r\nq1\t"d 1\t2\r\nq1\td2\t-1\r\n\r\nq2\t"d 1\t0\r\n')
    assert read_qrels(trec) == {"q1": {"d1": 2, "d2": -1}, "q2": {"d1": 0}}
    assert read_qrels(beir) == {"q1": {'"d 1': 2, "d2": -1}, "q2": {'"d 1': 0}}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", ": no judgements in it"),
        ("query-id\tcorpus-id\tscore\n", ": no judgements in it"),
        (
            "q1\td1\t1\n",
            ":1: 3 columns; expected BEIR's header query-id<TAB>corpus-id<TAB>score, or TREC's 4 columns",
        ),
        ("q1 0 d1 1\nq1 d2 1\n", ":2: 3 columns; TREC judgements have 4: query 0 document grade"),
        ("query-id\tcorpus-id\tscore\nq 1 d1 1\n", ":2: 1 columns parted by tabs"),
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\t1\n", ":2: 4 columns parted by tabs"),
        ("query-id\tcorpus-id\tscore\n\td1\t1\n", ":2: an empty id"),
        ("q1 0 d1 1.0\n", ":1: grade '1.0' is not an integer"),
        ("q1 0 d1 nan\n", ":1: grade 'nan' is not an integer"),
        ("q1 0 d1 1\nq1 0 d1 1\n", ":2: document 'd1' is judged twice for query 'q1'"),
    ],
)
def test_faulty_judgements(tmp_path: Path, content: str, fault: str) -> None:
    path = made(tmp_path, "qrels", content)
    with pytest.raises(DataError) as error:
        read_qrels(path)
    assert error.value.lines()[0].startswith(f"{path}{fault}")
