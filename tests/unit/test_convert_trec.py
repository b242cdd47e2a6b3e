"""TREC's and SMART's dialects, each in a few lines a person can read."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.golden import GoldenSet, load_golden_set
from assay.golden.convert import Options, Report, convert

DOCS = "<DOC>\n<DOCNO> d1 </DOCNO>\n<TEXT>\nalpha\n</TEXT>\n</DOC>\n<DOC><DOCNO>d2</DOCNO>beta</DOC>\n"
TOPICS = "<top>\n<num> Number: 1\n<title> first\n<desc> Description:\nthe first\n</top>\n<top><num>2</num><title>second</title></top>\n"
QRELS = "1 0 d1 1\n2 0 d2 2\n"


def read(
    tmp_path: Path, docs: str = DOCS, topics: str = TOPICS, qrels: str = QRELS, **more: object
) -> tuple[GoldenSet, Report]:
    paths = []
    for name, content in (("docs", docs), ("topics", topics), ("qrels", qrels)):
        (tmp_path / name).write_text(content, encoding="utf-8", newline="")
        paths.append(tmp_path / name)
    options = Options(*paths, **more)  # type: ignore[arg-type]
    report = convert("trec", None, tmp_path / "set", options)
    return load_golden_set(tmp_path / "set"), report


def faults(tmp_path: Path, **parts: str) -> list[str]:
    with pytest.raises(AssayError) as caught:
        read(tmp_path, **parts)
    assert not (tmp_path / "set").exists()
    return [line.replace(f"{tmp_path}/", "") for line in caught.value.lines()]


def test_the_usual_three_files(tmp_path: Path) -> None:
    golden, report = read(tmp_path)
    assert [(one.id, one.text) for one in golden.documents] == [("d1", "alpha"), ("d2", "beta")]
    assert [(one.id, one.text, one.metadata) for one in golden.queries] == [
        ("1", "first", {"desc": "the first"}),
        ("2", "second", {}),
    ]
    assert golden.qrels == {"1": {"d1": 1}, "2": {"d2": 2}}
    assert report.notes == (f"{tmp_path / 'topics'}: the question is <title>; <desc> is in the metadata",)


def test_a_folder_is_searched_by_name(tmp_path: Path) -> None:
    for name, content in (
        ("docs.sgml", DOCS),
        ("topics.txt", TOPICS),
        ("qrels.txt", QRELS),
        ("README", "?"),
        ("stop.lst", "a"),
    ):
        (tmp_path / name).write_text(content)
    report = convert("trec", tmp_path, tmp_path / "set", Options())
    assert report.tallies["judgements"].written == 2
    assert f"{tmp_path}: files left out, since their names tell nothing: stop.lst" in report.notes


@pytest.mark.parametrize(
    ("topics", "texts"),
    [
        (
            '<topics><topic number="1"><query>a</query><question>b c</question></topic><topic number="2"><query>x</query></topic></topics>',
            ["a", "x"],
        ),
        (
            "<?xml version='1.0'?><topics><topic id='1' type='t'>\n<text>a &amp; b</text></topic><topic id='2'>plain</topic></topics>",
            ["a & b", "plain"],
        ),
        ("<top>\n<num>1<title>a\nb\n</top>\n<top>\n<num>2<title>AT&T <b>bold</b>\n</top>", ["a b", "AT&T"]),
        (
            "<TOP><NUM>1</NUM><TITLE>Topic: a</TITLE></TOP><TOP><NUM>2</NUM><TITLE><![CDATA[x < y & z]]></TITLE></TOP>",
            ["a", "x < y & z"],
        ),
        ("1\tone\n2\ttwo words\n", ["one", "two words"]),
        (".I 1\n.W\none\n line\n.I 2\n.A\nx\n.W\ntwo\n", ["one line", "two"]),
        ("*FIND      1\n\n A\n\nB .\n\n*FIND 2\n\nC\n\n*STOP\n\n", ["A B .", "C"]),
        ('{"_id": "1", "text": "a"}\n{"_id": 2, "text": "b"}\n', ["a", "b"]),
    ],
)
def test_topics_dialects(topics: str, texts: list[str], tmp_path: Path) -> None:
    golden, _ = read(tmp_path, topics=topics)
    assert [(one.id, one.text) for one in golden.queries] == [("1", texts[0]), ("2", texts[1])]


@pytest.mark.parametrize(
    ("qrels", "grades"),
    [
        ("1 0 d1 1\n2 0 d2 1\n", (1, 1)),
        ("  1\t\t0   d1 \t 3 \r\n\r\n2 Q0 d2 1\r\n", (3, 1)),
        ("1 d1 4\n2 d2 2 \n", (4, 2)),
        ("1 d1\n2 d2\n", (1, 1)),
        ("1 d1 0 0.000000\n2   d2  0   0.000000\n", (1, 1)),
        ("query-id\tcorpus-id\tscore\n1\td1\t2.0\n2\td2\t1\n", (2, 1)),
        ("1\td1\t2\n2\td2\t1\n", (2, 1)),
        ("\ufeff1 0 d1 1\n2 0 d2 1", (1, 1)),
        ("1 0.5 d1 2\n2 1  d2 1\n", (2, 1)),
    ],
)
def test_judgements_dialects(qrels: str, grades: tuple[int, int], tmp_path: Path) -> None:
    golden, _ = read(tmp_path, qrels=qrels)
    assert golden.qrels == {"1": {"d1": grades[0]}, "2": {"d2": grades[1]}}


def test_documents_elements_tags_and_entities(tmp_path: Path) -> None:
    docs = (
        "<doc><docno>d1</docno><headline>A <i>title</i>\nhere</headline><DATE>1999</DATE>\n"
        "<TEXT>\n<P>x &lt; y &amp; z, AT&T &unknown;</P>\n\n</TEXT><TEXT>more</TEXT></doc><DOC>\n<DOCNO>d2</DOCNO>\nbeta\n</DOC>"
    )
    golden, report = read(tmp_path, docs=docs)
    assert golden.documents[0].text == "x < y & z, AT&T &unknown;\n\nmore"
    assert (golden.documents[0].title, golden.documents[0].metadata) == ("A title here", {"date": "1999"})
    assert golden.documents[1].text == "beta"
    assert "2 tags within texts were taken out" in report.notes


def test_smart_by_id_and_by_position(tmp_path: Path) -> None:
    docs = ".I 010\n.T\nA\ntitle\n.A\nN.\n.W\nalpha\n  beta\n.I 020\n.W\n"
    topics = ".I 003\n.W\nfirst\n.I 001\n.W\nsecond\n"
    by_id, _ = read(tmp_path, docs, topics, "1 10 1\n3 020 2\n")
    assert by_id.qrels == {"003": {"020": 2}, "001": {"010": 1}}
    assert (by_id.documents[0].title, by_id.documents[0].text) == ("A title", "alpha\n  beta")
    (tmp_path / "other").mkdir()
    by_position, _ = read(tmp_path / "other", docs, topics, "1 2 1\n2 1 2\n", qrels_ids="positions")
    assert by_position.qrels == {"003": {"020": 1}, "001": {"010": 2}}


def test_lists_of_relevant_documents(tmp_path: Path) -> None:
    docs = "".join(f"*TEXT {number} 01/04/63 PAGE 020\n\nW{number}\n\n" for number in ("017", "018", "020")) + "*STOP\n"
    golden, report = read(tmp_path, docs, "*FIND 1\n\nA\n\n*FIND 2\n\nB\n\n", "1  17 18\n\n2 20\n")
    assert golden.qrels == {"1": {"017": 1, "018": 1}, "2": {"020": 1}}
    assert f"{tmp_path / 'qrels'}: 3 ids were found without regard to leading zeros" in report.notes


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        (
            {"qrels": "1 0 d1 nan\n2 0 d2 1\n"},
            "qrels:1: grade 'nan' is not an integer; one such as 0, 1 or 2 is right, > 0 for relevant",
        ),
        ({"qrels": "1 0 d1 1\n2 0 d2\n1 0 d2 0\n"}, "qrels:2: 3 columns; 4 are right: query 0 document grade"),
        (
            {"qrels": "1 0 d1 1\n1 0 d1 1\n2 0 d2 1\n"},
            "qrels:2: query '1' and document 'd1' are judged twice (grade 1 before, 1 here); --drop-unknown leaves such rows out",
        ),
        (
            {"qrels": "1 0 d1 1\n2 0 D2 1\n"},
            "qrels:2: unknown document 'D2' (query '2', document 'D2'); --drop-unknown leaves such rows out",
        ),
        (
            {"qrels": "1 0 d1 1\n2 0 d2 0\n"},
            "qrels:2: query '2' is judged in split 'test' but has no positive; a grade > 0, or a mark that it has no answer, is right (--drop-unknown leaves such rows out)",
        ),
        (
            {"qrels": "1 0 d1 9999999\n2 0 d2 1"},
            "qrels:1: grade 9999999 is absurd; an integer within 1,000,000 of 0 is right",
        ),
        (
            {"docs": DOCS + "<DOC><DOCNO>d1</DOCNO>x</DOC>"},
            "docs:8: document id 'd1' is there twice, first at docs:1; --drop-unknown leaves such rows out",
        ),
        ({"docs": DOCS + "<DOC>\n<DOCNO>d3</DOCNO>\ncut"}, "docs:8: no </DOC> up to the end of the file; one is right"),
        ({"docs": DOCS + "stray\n"}, "docs:8: 'stray' is in no document; <DOC> before it is right"),
        ({"docs": DOCS + "<DOC>x</DOC>"}, "docs:8: no <DOCNO>…</DOCNO> in the document; an id is right"),
        (
            {"docs": "hello\n"},
            "docs: opens with 'hello', not as documents do; <DOC>, .I or *TEXT, or a JSON object, is right at its head",
        ),
        ({"topics": "<top><num>1<title>a</top><top><num>2<title>"}, "topics:1: topic '2' has no end; </top> is right"),
        (
            {"topics": "<top><title>a</title></top>" + TOPICS},
            'topics:1: a topic without a number; <num>…, or number="…", is right',
        ),
        ({"topics": TOPICS + "<top><num>3</num></top>"}, "topics:8: query '3' has no words; a question is right"),
        ({"topics": "1\ta\n2 b\n"}, "topics:2: '2 b' is no topic; id<TAB>question, or <top>…</top>, is right"),
        (
            {"topics": "*FIND 1\n\nA\n*FIND 2\nB\n*STOP\nx\n"},
            "topics:7: 'x' is in no entry; a line .I ID, or *TEXT ID, before it is right",
        ),
        ({"topics": "a\0b"}, "topics:1: a NUL byte at column 2; text holds none"),
        (
            {"docs": ".I 1\nx\n.I d2\n.W\nbeta\n"},
            "docs:1: 'x' stands before any field (line 2); a line .W before it is right",
        ),
    ],
)
def test_faults_are_named(parts: dict[str, str], fault: str, tmp_path: Path) -> None:
    assert faults(tmp_path, **parts)[0] == fault


def test_entities_are_not_expanded_without_end(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n'
    golden, _ = read(
        tmp_path,
        topics=bomb
        + "<topics><topic number='1'><query>&b;&b;</query></topic><topic number='2'><query>x</query></topic></topics>",
    )
    assert golden.queries[0].text == "&b;&b;"
