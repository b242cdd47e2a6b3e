"""Writing a set and reading it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import DataError
from assay.golden import GoldenParts, load_golden_set, write_golden_set
from assay.records import Document, Judgement, Query, Span

PARTS = GoldenParts(
    documents=[
        Document("d2", "beta\u2028gamma", "B", {"year": 2020}),
        Document('d "1"', "alpha\r\n\tमराठी 𝄞"),
        Document("q1", ""),
    ],
    queries=[
        Query("q1", "alpha?", "lookup"),
        Query("q2", "nothing?", None, False),
        Query("q3", "beta?", metadata={"type": "lookup", "by": "hand"}),
    ],
    qrels={
        "test": [Judgement("q1", 'd "1"', 2), Judgement("q1", "d2", -1), Judgement("q3", "q1", 1)],
        "dev": [Judgement("q3", "d2", 1)],
    },
    spans=[Span("q1", 'd "1"', 0, 5, "g"), Span("q1", 'd "1"', 1, 5)],
)


def test_files_hold_what_the_layout_says(tmp_path: Path) -> None:
    folder = write_golden_set(PARTS, tmp_path / "set")
    assert (folder / "corpus.jsonl").read_bytes().decode() == (
        '{"_id": "d2", "title": "B", "text": "beta\\u2028gamma", "metadata": {"year": 2020}}\n'
        '{"_id": "d \\"1\\"", "text": "alpha\\r\\n\\tमराठी 𝄞"}\n'
        '{"_id": "q1", "text": ""}\n'
    )
    assert (folder / "queries.jsonl").read_bytes().decode() == (
        '{"_id": "q1", "text": "alpha?", "metadata": {"type": "lookup"}}\n'
        '{"_id": "q2", "text": "nothing?", "metadata": {"answerable": false}}\n'
        '{"_id": "q3", "text": "beta?", "metadata": {"type": "lookup", "by": "hand"}}\n'
    )
    assert (folder / "qrels" / "test.tsv").read_bytes().decode() == (
        'query-id\tcorpus-id\tscore\nq1\td "1"\t2\nq1\td2\t-1\nq3\tq1\t1\n'
    )
    assert (folder / "spans.jsonl").read_bytes().decode() == (
        '{"query-id": "q1", "corpus-id": "d \\"1\\"", "start": 0, "end": 5, "group": "g"}\n'
        '{"query-id": "q1", "corpus-id": "d \\"1\\"", "start": 1, "end": 5}\n'
    )
    assert sorted(file.name for file in folder.iterdir()) == [
        "corpus.jsonl",
        "qrels",
        "queries.jsonl",
        "spans.jsonl",
    ]


@pytest.mark.parametrize("split", ["test", "dev"])
def test_what_was_loaded_loads_equal_again(tmp_path: Path, split: str) -> None:
    first = load_golden_set(write_golden_set(PARTS, tmp_path / "one" / "set"), split=split)
    second = load_golden_set(write_golden_set(first, tmp_path / "two" / "set"), split=split)
    assert second == first
    assert second.hashes == first.hashes
    assert [document.id for document in second.documents] == ['d "1"', "d2", "q1"]
    assert second.documents[0].text == "alpha\r\n\tमराठी 𝄞"


def test_equal_sets_write_equal_bytes(tmp_path: Path) -> None:
    golden = load_golden_set(write_golden_set(PARTS, tmp_path / "set"))
    one, two = (write_golden_set(golden, tmp_path / name) for name in ("one", "two"))
    for name in ("corpus.jsonl", "queries.jsonl", "spans.jsonl", "qrels/test.tsv"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_a_folder_in_use_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(DataError, match="is there already and not an empty folder"):
        write_golden_set(PARTS, tmp_path)
    with pytest.raises(DataError, match="is there already"):
        write_golden_set(PARTS, tmp_path / "note.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["note.txt"]


def test_a_folder_that_can_not_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="can't be written"):
        write_golden_set(PARTS, tmp_path / "file" / "set")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (Document("a\tb", "x"), "an id can hold no tab or line break"),
        (Document(" ", "x"), "an empty id"),
        (Document("a", "\ud800"), "document 'a': can't be written as JSON (lone surrogate \\ud800"),
        (Document("a", "x\0"), "document 'a': can't be written as JSON (\\u0000 (NUL)"),
        (Document("\udc80", "x"), "lone surrogate \\udc80"),
        (Document("a", "x", "", {"k": float("nan")}), "document 'a': can't be written as JSON"),
        (Document("a", "x", "", {"k": {1, 2}}), "document 'a': can't be written as JSON"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(tmp_path: Path, document: Document, expected: str) -> None:
    with pytest.raises(DataError) as caught:
        write_golden_set(GoldenParts([document], [], {"test": []}), tmp_path / "set")
    assert expected in str(caught.value)
    assert not (tmp_path / "set" / "corpus.jsonl").exists()
