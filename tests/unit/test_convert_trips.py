"""A golden set out into another format and back: what the format can hold is equal, what it can't is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.golden import GoldenParts, load_golden_set, write_golden_set
from assay.golden.convert import Options, Report, convert
from assay.records import Document, Judgement, Query, Span

NASTY = '=1+1\r\n"quoted", ‘x’;\ttab\n\n</TEXT></DOC> &amp; &lt; <b>bold</b> AT&T\u2028after\x85 end '
PARTS = GoldenParts(
    [
        Document("d1", "alpha beta gamma", "A title", {"author": "N. N.", "year": 1999, "tags": ["a", None]}),
        Document("d2", NASTY, "Über & <Tags>"),
        Document("[3]", ""),
        Document("../../x", "पैंथर्स की डिफ़ेन्स\u200d", metadata={"note": "two\nlines"}),
        Document("007", "\n leading and trailing \n"),
    ],
    [
        Query("q1", "alpha?", "lookup"),
        Query("q2", " spaced\nand broken ", metadata={"answerable": True, "source": "Description: x"}),
        Query("q3", "nothing?", "none", answerable=False),
        Query("q4", "Title: of another split", metadata={"k": {"deep": [1, 2.5]}}),
        Query("q5", 'not judged, "quoted"'),
        Query("0", "=cmd"),
    ],
    {
        "test": [
            Judgement("q1", "d1", 2),
            Judgement("q1", "d2", 0),
            Judgement("q2", "../../x", 1),
            Judgement("q3", "d1", 0),
            Judgement("0", "[3]", 1),
            Judgement("0", "007", -1),
        ],
        "dev": [Judgement("q1", "d1", 2), Judgement("q4", "d2", 1)],
    },
    [Span("q1", "d1", 0, 5), Span("q1", "d1", 6, 10, "g"), Span("q1", "d1", 11, 16, "g"), Span("q4", "d2", 4, 6)],
)


def there_and_back(parts: GoldenParts, to: str, folder: Path) -> tuple[Path, Path, Report]:
    """The first set, the last, and the report of the way out."""
    first = write_golden_set(parts, folder / "first")
    report = convert("beir", first, folder / "out", Options(), to)
    back = {"parquet": "mteb"}.get(to, to)
    convert(back, folder / "out", folder / "last", Options())
    return first, folder / "last", report


@pytest.mark.parametrize("to", ["beir", "csv", "parquet"])
def test_nothing_is_lost(to: str, tmp_path: Path) -> None:
    if to == "parquet":
        pytest.importorskip("pyarrow")
    first, last, report = there_and_back(PARTS, to, tmp_path)
    for split in ("test", "dev"):
        assert load_golden_set(first, split).hashes == load_golden_set(last, split).hashes
    assert report.notes == ()
    assert [one.id for one in load_golden_set(last).queries] == [one.id for one in PARTS.queries]


def test_a_beir_set_comes_out_with_the_same_bytes(tmp_path: Path) -> None:
    first, last, _ = there_and_back(PARTS, "beir", tmp_path)
    for name in ("corpus.jsonl", "queries.jsonl", "spans.jsonl", "qrels/test.tsv", "qrels/dev.tsv"):
        assert (first / name).read_bytes() == (last / name).read_bytes()


def test_trec_holds_texts_titles_strings_and_splits_and_names_the_rest(tmp_path: Path) -> None:
    first, last, report = there_and_back(PARTS, "trec", tmp_path)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        *("documents.trec", "qrels.dev.txt", "qrels.test.txt", "topics.trec"),
    ]
    assert sorted(report.notes) == [
        "TREC can't hold 'k' in the metadata of 1 queries",
        "TREC can't hold 'tags' in the metadata of 1 documents",
        "TREC can't hold 'year' in the metadata of 1 documents",
        "TREC can't hold 4 evidence spans",
    ]
    rows = {
        name: [json.loads(line) for line in (last / name).read_text("utf-8").split("\n") if line]
        for name in ("corpus.jsonl", "queries.jsonl")
    }
    assert [(row["_id"], row.get("title", ""), row["text"]) for row in rows["corpus.jsonl"]] == [
        (one.id, one.title, one.text) for one in PARTS.documents
    ]
    assert [(row["_id"], row["text"]) for row in rows["queries.jsonl"]] == [(one.id, one.text) for one in PARTS.queries]
    assert rows["corpus.jsonl"][0]["metadata"] == {"author": "N. N."}
    assert rows["corpus.jsonl"][3]["metadata"] == {"note": "two\nlines"}
    assert rows["queries.jsonl"][0]["metadata"] == {"type": "lookup"}
    assert rows["queries.jsonl"][1]["metadata"] == {"answerable": True, "source": "Description: x"}
    assert rows["queries.jsonl"][2]["metadata"] == {"type": "none", "answerable": False}
    for split in ("test", "dev"):
        assert (first / "qrels" / f"{split}.tsv").read_bytes() == (last / "qrels" / f"{split}.tsv").read_bytes()


def test_ids_with_white_space_are_encoded_for_trec_and_named(tmp_path: Path) -> None:
    parts = GoldenParts(
        [Document("a b", "one"), Document("50%", "two")], [Query("q 1", "?x")], {"dev": [Judgement("q 1", "a b", 1)]}
    )
    _, last, report = there_and_back(parts, "trec", tmp_path)
    assert report.notes == (
        "TREC can't hold 2 ids with white space, which are percent-encoded",
        "TREC can't hold the name of the one split 'dev', which reads as test,",
    )
    assert (last / "qrels" / "test.tsv").read_text() == "query-id\tcorpus-id\tscore\nq%201\ta%20b\t1\n"
    assert '"50%"' in (last / "corpus.jsonl").read_text()


def test_csv_names_the_order_of_spans_across_documents(tmp_path: Path) -> None:
    parts = GoldenParts(
        [Document("d1", "alpha beta"), Document("d2", "gamma")],
        [Query("q1", "x?")],
        {"test": [Judgement("q1", "d1", 1), Judgement("q1", "d2", 1)]},
        [Span("q1", "d1", 0, 5), Span("q1", "d2", 0, 5), Span("q1", "d1", 6, 10)],
    )
    _, last, report = there_and_back(parts, "csv", tmp_path)
    assert report.notes == ("CSV can't hold the order of the spans of 1 queries across documents",)
    assert {span for group in load_golden_set(last).spans.values() for span in group} == set(parts.spans)


@pytest.mark.parametrize("to", ["beir", "csv", "trec", "parquet"])
@pytest.mark.parametrize("name", ["xquad_hi_article", "squad2_dev_article", "cranfield", "autorag_sample_en"])
def test_real_sets(name: str, to: str, tmp_path: Path, shared: Path) -> None:
    if to == "parquet":
        pytest.importorskip("pyarrow")
    source = shared / "datasets" / name
    convert("beir", source, tmp_path / "out", Options(), to)
    convert({"parquet": "mteb"}.get(to, to), tmp_path / "out", tmp_path / "last", Options())
    first, last = load_golden_set(source), load_golden_set(tmp_path / "last")
    assert [(one.id, one.title, one.text) for one in first.documents] == [
        (one.id, one.title, one.text) for one in last.documents
    ]
    assert [(one.id, one.text) for one in first.queries] == [(one.id, one.text) for one in last.queries]
    assert first.hashes.qrels == last.hashes.qrels
    if to != "trec":
        assert first.hashes == last.hashes
