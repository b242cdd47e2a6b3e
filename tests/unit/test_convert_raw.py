"""Files as people have them: each reads as many documents, queries, judgements and spans as it holds."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import AssayError, GoldenSetError
from assay.golden import load_golden_set
from assay.golden.convert import Options, Report, convert
from assay.golden.convert.beir import read_qrels
from assay.golden.convert.grades import read_judgements
from assay.golden.convert.intake import Intake
from assay.golden.convert.trec_topics import read_topics
from assay.records import Span


@pytest.fixture
def raw(shared: Path) -> Path:
    return shared / "datasets" / "raw"


@pytest.fixture
def intake(tmp_path: Path) -> Iterator[Intake]:
    folder = tmp_path / "intake"
    folder.mkdir()
    made = Intake(folder, drop=True)
    yield made
    made.close()


def counts(report: Report) -> dict[str, tuple[int, int]]:
    """Read and written, of what there is."""
    return {kind: (tally.read, tally.written) for kind, tally in report.tallies.items() if tally.read}


def three(folder: Path, docs: str, topics: str, qrels: str, **more: object) -> Options:
    return Options(docs=folder / docs, topics=folder / topics, qrels=folder / qrels, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("qrels", ["cran.qrels", "cranqrel.crlf"])
def test_cranfield_in_smart_by_position(qrels: str, raw: Path, tmp_path: Path) -> None:
    options = three(raw / "cranfield", "cran.all.1400", "cran.qry", qrels, qrels_ids="positions")
    report = convert("trec", None, tmp_path / "set", options)
    assert counts(report) == {"documents": (1400, 1400), "queries": (225, 225), "judgements": (1837, 1837)}
    golden = load_golden_set(tmp_path / "set")
    assert golden.counts.empty_documents == 2
    assert golden.queries[2].id == "004"
    # Query 3 by position is the third entry, whose id is 004: 5, 6, 90, … and 485 of code -1 are its judgements.
    assert golden.qrels["004"] == {
        **dict.fromkeys(("5", "6", "90", "91", "119", "144", "181", "399"), 3),
        "485": -1,
    }
    assert golden.documents[0].metadata == {"author": "brenckman,m.", "source": "j. ae. scs. 25, 1958, 324."}


def test_cranfield_agrees_with_the_set_made_of_it(raw: Path, shared: Path, tmp_path: Path) -> None:
    options = three(raw / "cranfield", "cran.all.1400", "cran.qry", "cran.qrels", qrels_ids="positions")
    report = convert("trec", None, tmp_path / "set", options)
    ours, theirs = load_golden_set(tmp_path / "set"), load_golden_set(shared / "datasets" / "cranfield")
    assert [one.text for one in ours.queries] == [one.text for one in theirs.queries]
    assert {one.id: (one.title, one.text.strip()) for one in ours.documents} == {
        one.id: (one.title, one.text) for one in theirs.documents
    }
    assert [note.split(": ")[1] for note in report.notes[:2]] == [
        "field .A comes twice in entry '240'; taken as its text",
        "field .B comes twice in entry '240'; taken as its text",
    ]
    assert [sorted(ours.qrels[one.id]) for one in ours.queries] == [
        sorted(theirs.qrels[one.id]) for one in theirs.queries
    ]


def test_cranfield_by_id_is_refused_with_the_flag_that_is_right(raw: Path, tmp_path: Path) -> None:
    options = three(raw / "cranfield", "cran.all.1400", "cran.qry", "cran.qrels")
    with pytest.raises(GoldenSetError) as caught:
        convert("trec", None, tmp_path / "set", options)
    assert "unknown query '3'" in caught.value.lines()[0]
    assert "--qrels-ids positions" in caught.value.lines()[0]
    assert not (tmp_path / "set").exists()


def test_cranfield_in_trecs_formats(raw: Path, tmp_path: Path) -> None:
    folder = raw / "cranfield"
    options = three(folder, "cran.all.1400", "cran.qry.trec-format", "cran.qrels.trec-format")
    report = convert("trec", None, tmp_path / "set", options)
    assert counts(report) == {"documents": (1400, 1400), "queries": (225, 225), "judgements": (1836, 1836)}
    golden = load_golden_set(tmp_path / "set")
    assert golden.queries[0].text == (
        "what similarity laws must be obeyed when constructing aeroelastic models of heated high speed aircraft ."
    )
    assert [note.split(": ", 1)[1] for note in report.notes[-2:]] == [
        "<title> is left out: it says 'empty' in every topic",
        "<narr> is left out: it says 'empty' in every topic",
    ]
    documents = three(
        folder, "cran.all.1400.head300.trec-format", "cran.qry.trec-format", "cran.qrels.trec-format", drop_unknown=True
    )
    assert convert("trec", None, tmp_path / "head", documents).tallies["documents"].written == 300


@pytest.mark.parametrize("qrels", ["MED.REL", "MED.REL.OLD"])
def test_medline(qrels: str, raw: Path, tmp_path: Path) -> None:
    options = three(raw / "medline", "MED.head200.ALL", "MED.QRY", qrels, drop_unknown=True)
    report = convert("trec", None, tmp_path / "set", options)
    # 149 of the 696 are about the first 200 documents.
    assert counts(report) == {"documents": (200, 200), "queries": (30, 30), "judgements": (696, 149)}
    golden = load_golden_set(tmp_path / "set")
    assert golden.queries[0].text == "the crystalline lens in vertebrates, including humans."
    assert {grade for judged in golden.qrels.values() for grade in judged.values()} == {1}


def test_vaswani_names_or_counts_what_dangles(raw: Path, tmp_path: Path) -> None:
    folder = raw / "vaswani_trec"
    with pytest.raises(GoldenSetError) as caught:
        convert("trec", None, tmp_path / "set", three(folder, "doc-text.head500.trec", "query-text.trec", "qrels"))
    assert caught.value.total == 1989
    assert caught.value.lines()[0].startswith(f"{folder / 'qrels'}:1: unknown document '1239' (query '1', ")
    options = three(folder, "doc-text.head500.trec", "query-text.trec", "qrels", drop_unknown=True)
    report = convert("trec", None, tmp_path / "set", options)
    assert counts(report) == {"documents": (500, 500), "queries": (93, 93), "judgements": (2083, 94)}
    assert report.tallies["judgements"].left_out == 1989
    assert len((tmp_path / "set" / "left_out.txt").read_text().splitlines()) == 1989
    golden = load_golden_set(tmp_path / "set")
    assert (golden.counts.answerable, golden.counts.unjudged) == (47, 46)
    assert next(one for one in golden.documents if one.id == "2").text.startswith("an electronic analogue computer for")


def test_time_lists_documents_that_are_not_there(raw: Path, tmp_path: Path) -> None:
    options = three(raw / "time", "TIME.head60.ALL", "TIME.QUE", "TIME.REL", drop_unknown=True)
    report = convert("trec", None, tmp_path / "set", options)
    assert counts(report) == {"documents": (60, 60), "queries": (83, 83), "judgements": (324, 44)}
    lines = (tmp_path / "set" / "left_out.txt").read_text()
    # The collection begins with document 017.
    assert all(f"unknown document '{number}' " in lines for number in (1, 7, 8))
    golden = load_golden_set(tmp_path / "set")
    assert (
        golden.queries[0].text == "KENNEDY ADMINISTRATION PRESSURE ON NGO DINH DIEM TO STOP SUPPRESSING THE BUDDHISTS ."
    )
    assert golden.documents[0].id == "017"
    assert golden.documents[0].text.startswith(
        "THE ALLIES AFTER NASSAU IN DECEMBER 1960, THE U.S . FIRST\nPROPOSED TO HELP"
    )
    assert golden.documents[0].metadata == {"head": "01/04/63 PAGE 020"}


@pytest.mark.parametrize(("by", "documents"), [("paragraph", 240), ("article", 48)])
def test_xquad(by: str, documents: int, raw: Path, shared: Path, tmp_path: Path) -> None:
    source = raw / "squad_json" / "xquad.hi.json.gz"
    report = convert("squad", source, tmp_path / "set", Options(by=by))  # type: ignore[arg-type]
    assert counts(report) == {
        "documents": (documents, documents),
        "queries": (1190, 1190),
        "judgements": (1190, 1190),
        "spans": (1190, 1190),
    }
    assert report.notes == ()
    golden = load_golden_set(tmp_path / "set")
    texts = {one.id: one.text for one in golden.documents}
    answers = {
        question["id"]: question["answers"][0]["text"]
        for article in json.loads(gzip.decompress(source.read_bytes()))["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    }
    spans = {name: group[0] for name, group in golden.spans.items()}
    assert {name: texts[span.doc_id][span.start : span.end] for name, span in spans.items()} == answers
    if by == "article":
        theirs = load_golden_set(shared / "datasets" / "xquad_hi_article")
        assert golden.qrels == theirs.qrels
        assert {one.id: one.text for one in theirs.documents} == texts
        assert {name: (span.start, span.end) for name, span in spans.items()} == {
            name: (group[0].start, group[0].end) for name, group in theirs.spans.items()
        }


@pytest.mark.parametrize(
    ("name", "question", "more"),
    [
        ("topics.covid-round1.xml", "coronavirus origin", {"question", "narrative"}),
        ("topics.covid-round1-udel.xml", "coronavirus origin origin COVID-19", set()),
    ],
)
def test_covid_topics_in_two_dialects(name: str, question: str, more: set[str], raw: Path, intake: Intake) -> None:
    read_topics(raw / "trec_covid" / name, "utf-8", intake)
    assert (intake.read["queries"], intake.written["queries"], intake.faults.total) == (30, 30, 0)
    intake.close()
    rows = [json.loads(line) for line in (intake.folder / "queries.jsonl").read_text().splitlines()]
    assert (rows[0]["_id"], rows[0]["text"], set(rows[0].get("metadata", {}))) == ("1", question, more)


def test_covid_judgements(raw: Path, intake: Intake) -> None:
    rows = list(read_judgements(raw / "trec_covid" / "qrels.covid-round1.txt", intake))
    assert len(rows) == 8691
    assert (rows[0].query_id, rows[0].doc_id, rows[0].grade) == ("1", "010vptx3", 2)
    assert [sum(row.grade == grade for row in rows) for grade in (0, 1, 2)] == [6339, 1115, 1237]


def test_autorag(raw: Path, shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    report = convert("autorag", raw / "autorag_parquet", tmp_path / "set", Options())
    assert counts(report) == {"documents": (30, 30), "queries": (10, 10), "judgements": (10, 10)}
    ours, theirs = load_golden_set(tmp_path / "set"), load_golden_set(shared / "datasets" / "autorag_sample_en")
    assert ours.qrels == theirs.qrels
    assert [(one.id, one.text) for one in ours.documents] == [(one.id, one.text) for one in theirs.documents]
    assert ours.queries[1].metadata["generation_gt"] == ["As someone who uses quality Premium, I wish this was true."]


@pytest.mark.parametrize(
    ("name", "rows", "grades", "note"),
    [
        ("dbpedia_test.tsv", 3709, {0, 1, 2}, None),
        ("msmarco_test_no_header.head400.tsv", 400, {1, 2, 3}, "no header line; read as query, document, grade"),
        ("pg_test_header_only.tsv", 0, set(), "holds no judgement"),
    ],
)
def test_beirs_qrels(name: str, rows: int, grades: set[int], note: str | None, raw: Path, intake: Intake) -> None:
    path = raw / "beir_tsv" / name
    found = list(read_judgements(path, intake))
    assert (len(found), {row.grade for row in found}, [row for row in found if row.fault]) == (rows, grades, [])
    assert intake.notes == ([] if note is None else [f"{path}: {note}"])
    read_qrels(path, intake)
    assert intake.read["judgements"] == rows == intake.left_out["judgements"]


def test_arcd_names_unknown_queries_and_documents(raw: Path, tmp_path: Path) -> None:
    source = raw / "beir_arcd_dangling"
    with pytest.raises(GoldenSetError) as caught:
        convert("beir", source, tmp_path / "set", Options())
    assert caught.value.total == 653
    report = convert("beir", source, tmp_path / "set", Options(drop_unknown=True))
    assert counts(report) == {"documents": (255, 255), "queries": (50, 50), "judgements": (702, 49)}
    lines = (tmp_path / "set" / "left_out.txt").read_text("utf-8").splitlines()
    assert sum("unknown query" in line for line in lines) == 652
    assert sum("unknown document" in line for line in lines) == 18
    assert load_golden_set(tmp_path / "set").counts.answerable == 49


def test_chunking_evaluation_needs_its_documents(raw: Path, shared: Path, tmp_path: Path) -> None:
    source = raw / "chunking_evaluation" / "questions_df.csv"
    with pytest.raises(AssayError, match="column 'corpus_id' names documents whose texts are not there; --docs"):
        convert("csv", source, tmp_path / "set", Options())
    report = convert("csv", source, tmp_path / "set", Options(docs=shared / "datasets" / "chunking_evaluation"))
    assert counts(report) == {
        "documents": (5, 5),
        "queries": (472, 472),
        "judgements": (472, 472),
        "spans": (790, 790),
    }
    ours, theirs = load_golden_set(tmp_path / "set"), load_golden_set(shared / "datasets" / "chunking_evaluation")
    assert [one.text for one in ours.queries] == [one.text for one in theirs.queries]

    def places(spans: tuple[Span, ...]) -> list[tuple[str, int, int]]:
        return [(span.doc_id, span.start, span.end) for span in spans]

    assert [places(ours.spans[one.id]) for one in ours.queries] == [
        places(theirs.spans[one.id]) for one in theirs.queries
    ]
