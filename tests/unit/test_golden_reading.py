"""What must read well, what is counted, and what a set's hashes do and don't depend on."""

from __future__ import annotations

import json
import pickle
import random
import shutil
from pathlib import Path

import pytest

from assay.golden import Counts, GoldenSet, load_golden_set, write_golden_set
from assay.records import Document, Query, Span

DATASETS = Path(__file__).parents[2] / ".." / "shared" / "datasets"
HEADER = "query-id\tcorpus-id\tscore\n"


def save(folder: Path, corpus: str, queries: str, qrels: str, spans: str | None = None) -> Path:
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    files = {"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels/test.tsv": qrels, "spans.jsonl": spans}
    for name, content in files.items():
        if content is not None:
            (folder / name).write_bytes(content.encode())
    return folder


CORPUS = (
    '{"_id": "b", "title": "B", "text": "beta gamma", "metadata": {"year": 2020, "tags": ["x"]}}\n'
    '{"_id": "a", "text": "alpha"}\n'
    '{"_id": "c", "text": " \\n"}\n'
)
QUERIES = (
    '{"_id": "q2", "text": "beta?", "metadata": {"type": "lookup"}}\n'
    '{"_id": "q1", "text": "none?", "metadata": {"answerable": false}}\n'
    '{"_id": "q3", "text": "later?"}\n'
)
QRELS = HEADER + "q2\tb\t2\nq2\ta\t0\nq1\ta\t0\n"
SPANS = (
    '{"query-id": "q2", "corpus-id": "b", "start": 5, "end": 10, "group": "g"}\n'
    '{"query-id": "q2", "corpus-id": "b", "start": 0, "end": 4, "group": "g"}\n'
    '{"query-id": "q3", "corpus-id": "a", "start": 0, "end": 5}\n'
)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return save(tmp_path / "small", CORPUS, QUERIES, QRELS, SPANS)


def test_a_set_is_read_whole(small: Path) -> None:
    golden = load_golden_set(small)
    q2, q1, q3 = golden.queries
    assert golden.name == "small"
    assert golden.path == small
    assert golden.documents == (
        Document("a", "alpha"),
        Document("b", "beta gamma", "B", {"year": 2020, "tags": ["x"]}),
        Document("c", " \n"),
    )
    assert q2 == Query("q2", "beta?", "lookup", True, {"type": "lookup"})
    assert q1 == Query("q1", "none?", None, False, {"answerable": False})
    assert q3 == Query("q3", "later?")
    assert golden.qrels == {"q2": {"a": 0, "b": 2}, "q1": {"a": 0}}
    assert golden.spans == {
        "q2": (Span("q2", "b", 5, 10, "g"), Span("q2", "b", 0, 4, "g")),
        "q3": (Span("q3", "a", 0, 5),),
    }
    assert golden.evaluated == (q2, q1)
    assert golden.counts == Counts(
        total=3,
        answerable=1,
        unanswerable=1,
        unjudged=1,
        documents=3,
        empty_documents=1,
        judgements=3,
        spans=3,
        dropped_judgements=0,
        dropped_spans=0,
    )


def test_a_split_has_its_own_judgements(small: Path) -> None:
    (small / "qrels" / "dev.tsv").write_text(HEADER + "q3\ta\t1\n")
    golden = load_golden_set(small, split="dev")
    assert [query.id for query in golden.evaluated] == ["q1", "q3"]
    assert golden.qrels == {"q3": {"a": 1}}
    assert golden.counts.unjudged == 1


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"], ids=["no BOM", "BOM"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("tail", [b"", b"\n", b"\r\n \n\n"], ids=["no last end", "end", "blank lines"])
def test_ways_to_write_the_same_files_read_the_same(small: Path, bom: bytes, end: bytes, tail: bytes) -> None:
    before = load_golden_set(small)
    for file in small.rglob("*.*"):
        file.write_bytes(bom + file.read_bytes().rstrip(b"\n").replace(b"\n", end) + tail)
    assert load_golden_set(small) == before


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0c", "\x1c", "\r", "\ufeff"])
def test_a_character_that_other_readers_cut_at_stays_inside_its_string(tmp_path: Path, mark: str) -> None:
    text = f"one{mark}two"
    raw = text if ord(mark) > 0x20 else json.dumps(text)[1:-1]
    doc_id = f"d{mark}" if mark != "\r" else "d"
    raw_id = doc_id if ord(mark) > 0x20 else json.dumps(doc_id)[1:-1]
    corpus = f'{{"_id": "{raw_id}", "text": "{raw}"}}\n'
    golden = load_golden_set(save(tmp_path, corpus, '{"_id": "q", "text": "?"}\n', f"{HEADER}q\t{doc_id}\t1\n"))
    assert golden.documents == (Document(doc_id, text),)
    assert golden.qrels == {"q": {doc_id: 1}}


@pytest.mark.parametrize(
    "doc_id",
    ["a b", " a", "a ", '"a', '"a"', "'", "a,b", "a\\b", "q", "०१", "007", "7.0", "NaN", "#a", "a" * 5000],
)
def test_an_id_is_an_opaque_string(tmp_path: Path, doc_id: str) -> None:
    rows = [{"_id": doc_id, "text": "one"}, {"_id": f"{doc_id}!", "text": "two"}]
    corpus = "".join(json.dumps(row) + "\n" for row in rows)
    queries = '{"_id": "q", "text": "one?"}\n'
    golden = load_golden_set(save(tmp_path, corpus, queries, f"{HEADER}q\t{doc_id}\t1\nq\t{doc_id}!\t2\n"))
    assert golden.qrels == {"q": {doc_id: 1, f"{doc_id}!": 2}}


def test_ids_that_look_equal_are_not(tmp_path: Path) -> None:
    ids = ["1", "01", "1.0", "é", "e\u0301", "A", "a"]
    corpus = "".join(json.dumps({"_id": doc_id, "text": "x"}) + "\n" for doc_id in ids)
    golden = load_golden_set(save(tmp_path, corpus, '{"_id": "1", "text": "?"}\n', f"{HEADER}1\t1\t1\n"))
    assert [document.id for document in golden.documents] == ["01", "1", "1.0", "A", "a", "e\u0301", "é"]


def test_one_document_and_one_query_are_a_set(tmp_path: Path) -> None:
    golden = load_golden_set(
        save(tmp_path, '{"_id": "x", "text": ""}', '{"_id": "x", "text": "?"}', f"{HEADER}x\tx\t1")
    )
    assert golden.counts.documents == golden.counts.empty_documents == golden.counts.answerable == 1


def test_only_unanswerable_queries_are_a_set(tmp_path: Path) -> None:
    queries = '{"_id": "q", "text": "?", "metadata": {"answerable": false}}\n'
    golden = load_golden_set(save(tmp_path, '{"_id": "d", "text": "x"}\n', queries, HEADER))
    assert (golden.counts.unanswerable, golden.counts.total, golden.qrels) == (1, 1, {})


def test_a_line_of_five_megabytes_is_a_line(tmp_path: Path) -> None:
    text = "word " * 1_000_000
    corpus = json.dumps({"_id": "d", "text": text}) + "\n"
    spans = '{"query-id": "q", "corpus-id": "d", "start": 4999995, "end": 5000000}\n'
    queries = '{"_id": "q", "text": "?"}\n'
    golden = load_golden_set(save(tmp_path, corpus, queries, f"{HEADER}q\td\t1\n", spans))
    assert len(golden.documents[0].text) == 5_000_000


def test_offsets_are_code_points(tmp_path: Path) -> None:
    text = "𝄞é\u0301न\u0940"
    spans = f'{{"query-id": "q", "corpus-id": "d", "start": 0, "end": {len(text)}}}\n'
    corpus = json.dumps({"_id": "d", "text": text}) + "\n"
    golden = load_golden_set(save(tmp_path, corpus, '{"_id": "q", "text": "?"}\n', f"{HEADER}q\td\t1\n", spans))
    assert len(text) == golden.spans["q"][0].end == 5
    assert golden.documents[0].text == text


def test_keys_beyond_the_layout_are_left_alone(tmp_path: Path) -> None:
    corpus = '{"_id": "d", "text": "x", "url": "http://a", "n": [1, {"k": null}]}\n'
    queries = '{"_id": "q", "text": "?", "metadata": {"source": null}}\n'
    golden = load_golden_set(save(tmp_path, corpus, queries, "a\tb\tc\nq\td\t+1\n"))
    assert golden.documents == (Document("d", "x"),)
    assert golden.queries[0].metadata == {"source": None}


def test_one_passage_may_be_in_two_groups(small: Path) -> None:
    with (small / "spans.jsonl").open("a") as file:
        file.write('{"query-id": "q2", "corpus-id": "b", "start": 0, "end": 4, "group": "h"}\n')
        file.write('{"query-id": "q2", "corpus-id": "b", "start": 0, "end": 4}\n')
    assert [span.group for span in load_golden_set(small).spans["q2"]] == ["g", "g", "h", None]


def test_dropped_rows_are_counted_and_listed(small: Path) -> None:
    with (small / "qrels" / "test.tsv").open("a") as file:
        file.write("q2\tnope\t1\nlost\tb\t1\nq3\tgone\t1\nq1\tgone\t1\n")
    with (small / "spans.jsonl").open("a") as file:
        file.write('{"query-id": "q3", "corpus-id": "gone", "start": 0, "end": 9999}\n')
        file.write('{"query-id": "lost", "corpus-id": "b", "start": 0, "end": 4}\n')
    # The span of q3 on "a" has no judgement behind it any more than before.
    spans = (small / "spans.jsonl").read_text().splitlines()
    (small / "spans.jsonl").write_text("\n".join(line for line in spans if '"corpus-id": "a"' not in line))
    golden = load_golden_set(small, on_unknown="drop")
    assert golden.dropped == (
        "qrels/test.tsv:5: unknown document 'nope' (query 'q2', document 'nope')",
        "qrels/test.tsv:6: unknown query 'lost' (query 'lost', document 'b')",
        "qrels/test.tsv:7: unknown document 'gone' (query 'q3', document 'gone')",
        "qrels/test.tsv:8: unknown document 'gone' (query 'q1', document 'gone')",
        "spans.jsonl:3: unknown document 'gone' (query 'q3', document 'gone')",
        "spans.jsonl:4: unknown query 'lost' (query 'lost', document 'b')",
    )
    counts = golden.counts
    assert (counts.dropped_judgements, counts.dropped_spans) == (4, 2)
    assert (counts.total, counts.answerable, counts.unanswerable, counts.unjudged) == (3, 1, 1, 1)
    assert (counts.judgements, counts.spans) == (3, 2)
    assert golden.qrels == {"q2": {"a": 0, "b": 2}, "q1": {"a": 0}}


def test_a_query_without_its_dropped_positives_is_unjudged(small: Path, tmp_path: Path) -> None:
    with (small / "qrels" / "test.tsv").open("a") as file:
        file.write("q3\tgone\t1\nq3\tc\t0\nq1\tgone\t1\n")
    (small / "spans.jsonl").unlink()
    golden = load_golden_set(small, on_unknown="drop")
    assert golden.counts.unjudged == 1
    assert [query.id for query in golden.evaluated] == ["q2", "q1"]
    assert golden.qrels == {"q2": {"a": 0, "b": 2}, "q1": {"a": 0}}
    assert golden.dropped == (
        "qrels/test.tsv:5: unknown document 'gone' (query 'q3', document 'gone')",
        "qrels/test.tsv:7: unknown document 'gone' (query 'q1', document 'gone')",
        "qrels/test.tsv:6: the query has no positive left (query 'q3', document 'c')",
    )
    assert (golden.counts.judgements, golden.counts.dropped_judgements) == (3, 3)
    assert load_golden_set(write_golden_set(golden, tmp_path / "copy")).hashes == golden.hashes


def test_a_set_travels_between_processes(small: Path) -> None:
    golden = load_golden_set(small)
    assert pickle.loads(pickle.dumps(golden)) == golden


def shuffle(file: Path, seed: int, keep_first: bool = False) -> None:
    lines = file.read_text().splitlines(keepends=True)
    head, rest = (lines[:1], lines[1:]) if keep_first else ([], lines)
    random.Random(seed).shuffle(rest)
    file.write_text("".join(head + rest))


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_documents_and_judgements_is_no_input(small: Path, seed: int) -> None:
    before = load_golden_set(small)
    shuffle(small / "corpus.jsonl", seed)
    shuffle(small / "qrels" / "test.tsv", seed, keep_first=True)
    after = load_golden_set(small)
    assert after == before
    assert list(after.qrels["q2"]) == list(before.qrels["q2"]) == ["a", "b"]


def test_the_order_of_keys_and_the_escapes_are_no_input(small: Path) -> None:
    before = load_golden_set(small)
    (small / "corpus.jsonl").write_text(
        '{"metadata": {"tags": ["x"], "year": 2020}, "text": "b\\u0065ta gamma", "title": "B", "_id": "b"}\n'
        '{"text":"alpha","_id":"a","title":"","metadata":{}}\n'
        '{"_id": "c", "text": " \\u000a"}\n'
    )
    assert load_golden_set(small).hashes == before.hashes


@pytest.mark.parametrize(
    ("file", "old", "new", "changed"),
    [
        ("corpus.jsonl", '"_id": "c"', '"_id": "d"', "corpus"),
        ("corpus.jsonl", '"beta gamma"', '"beta gamma "', "corpus"),
        ("corpus.jsonl", '"title": "B"', '"title": "b"', "corpus"),
        ("corpus.jsonl", '"year": 2020', '"year": 2020.0', "corpus"),
        ("corpus.jsonl", '"year": 2020', '"year": "2020"', "corpus"),
        ("queries.jsonl", '"beta?"', '"Beta?"', "queries"),
        ("queries.jsonl", '"lookup"', '"other"', "queries"),
        ("queries.jsonl", '"later?"', '"later?", "metadata": {"answerable": true}', "queries"),
        ("qrels/test.tsv", "q2\tb\t2", "q2\tb\t1", "qrels"),
        ("qrels/test.tsv", "q1\ta\t0\n", "", "qrels"),
        ("spans.jsonl", '"start": 0, "end": 4', '"start": 0, "end": 3', "spans"),
        ("spans.jsonl", '"end": 4, "group": "g"', '"end": 4, "group": "h"', "spans"),
    ],
)
def test_a_change_of_content_changes_its_hash_and_no_other(
    small: Path, file: str, old: str, new: str, changed: str
) -> None:
    before = load_golden_set(small).hashes
    text = (small / file).read_text()
    assert text.count(old) == 1
    (small / file).write_text(text.replace(old, new))
    after = load_golden_set(small).hashes
    names = ("corpus", "queries", "qrels", "spans")
    assert [name for name in names if getattr(before, name) != getattr(after, name)] == [changed]


def test_the_order_of_queries_and_of_a_querys_spans_is_content(small: Path) -> None:
    before = load_golden_set(small).hashes
    for file, changed in (("queries.jsonl", "queries"), ("spans.jsonl", "spans")):
        lines = (small / file).read_text().splitlines(keepends=True)
        (small / file).write_text("".join([lines[1], lines[0], *lines[2:]]))
        after = load_golden_set(small).hashes
        assert getattr(after, changed) != getattr(before, changed)
        assert (after.corpus, after.qrels) == (before.corpus, before.qrels)


def test_without_spans_there_is_no_hash_of_them(small: Path) -> None:
    (small / "spans.jsonl").write_text("")
    assert load_golden_set(small).hashes.spans is None
    (small / "spans.jsonl").unlink()
    assert load_golden_set(small).hashes.spans is None


def numbers(golden: GoldenSet) -> tuple[int, ...]:
    counts = golden.counts
    positives = sum(grade > 0 for grades in golden.qrels.values() for grade in grades.values())
    zeros = counts.judgements - positives
    return (
        counts.documents,
        counts.total,
        positives,
        zeros,
        counts.unanswerable,
        counts.spans,
        counts.empty_documents,
    )


@pytest.mark.skipif(not DATASETS.is_dir(), reason="no ../shared/datasets beside this checkout")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cranfield", (1400, 225, 1612, 225, 0, 0, 2)),
        ("squad2_dev_passage", (646, 6078, 2910, 0, 3168, 5109, 0)),
        ("squad2_dev_article", (16, 1200, 600, 0, 600, 1067, 0)),
        ("chunking_evaluation", (5, 472, 472, 0, 0, 790, 0)),
        ("xquad_hi_article", (48, 1190, 1190, 0, 0, 1190, 0)),
        ("autorag_sample_en", (30, 10, 10, 0, 0, 0, 0)),
    ],
)
def test_real_collections_count_as_their_readme_says(name: str, expected: tuple[int, ...]) -> None:
    golden = load_golden_set(DATASETS / name)
    assert numbers(golden) == expected
    assert golden.counts.unjudged == 0


@pytest.mark.skipif(not DATASETS.is_dir(), reason="no ../shared/datasets beside this checkout")
def test_a_folder_with_dangling_judgements_loads_without_them(tmp_path: Path) -> None:
    raw = DATASETS / "raw" / "beir_arcd_dangling"
    (tmp_path / "qrels").mkdir()
    for name in ("corpus.jsonl", "queries.jsonl"):
        shutil.copy(raw / name, tmp_path / name)
    shutil.copy(raw / "test.tsv", tmp_path / "qrels" / "test.tsv")
    counts = load_golden_set(tmp_path, on_unknown="drop").counts
    assert (counts.documents, counts.total, counts.judgements) == (255, 50, 49)
    assert counts.unjudged == 50 - counts.answerable


def test_a_null_title_or_metadata_is_an_absent_one(tmp_path: Path) -> None:
    folder = tmp_path / "nulls"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "d", "text": "a", "title": null, "metadata": null}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "a", "metadata": null}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    golden = load_golden_set(folder)
    assert (golden.documents[0].title, golden.documents[0].metadata, golden.evaluated[0].type) == ("", {}, None)
