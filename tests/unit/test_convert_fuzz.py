"""Whatever is done to the bytes of a source: it is read right, or its faults are lines; nothing else comes out."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.golden import GoldenParts, load_golden_set, write_golden_set
from assay.golden.convert import Options, convert
from assay.records import Document, Judgement, Query, Span

ROUNDS = 12
PARTS = GoldenParts(
    [Document("d1", "alpha é beta", "T", {"k": "v"}), Document("d2", "ग़म्मा “x”"), Document("d3", "y " * 40)],
    [Query("q1", "alpha é?", "lookup"), Query("q2", "none?", answerable=False), Query("3", "ग़म्मा?")],
    {"test": [Judgement("q1", "d1", 1), Judgement("q1", "d2", 0), Judgement("3", "d2", 2)]},
    [Span("q1", "d1", 0, 5), Span("3", "d2", 0, 3)],
)
ROWS = [
    {
        "question": "alpha?",
        "contexts": ["alpha é beta", "x"],
        "grade": 1,
        "quote": "é beta",
        "metadata": {"a": [1, 2.5]},
    },
    {"question": "none?", "answerable": False},
    {"question": "ग़?", "contexts": [{"id": 7, "text": "ग़म्मा"}], "grade": 2, "start": 0, "end": 2},
]
SQUAD = {
    "data": [
        {
            "title": "A",
            "paragraphs": [
                {
                    "context": "alpha é",
                    "qas": [{"id": "1", "question": "a?", "answers": [{"text": "é", "answer_start": 6}]}],
                },
                {"context": "b", "qas": [{"id": "2", "question": "b?", "is_impossible": True, "answers": []}]},
            ],
        }
    ]
}
SMART = ".I 1\n.T\nalpha\n.W\nalpha é\nbeta\n.I 2\n.W\ngamma\n"
Edit = Callable[[bytes, random.Random], bytes]


def truncated(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def flipped(data: bytes, chance: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 3, 10))):
        made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
    return bytes(made)


def inserted(*pieces: bytes) -> Edit:
    def edit(data: bytes, chance: random.Random) -> bytes:
        at = chance.randrange(len(data) + 1)
        return data[:at] + chance.choice(pieces) + data[at:]

    return edit


def replaced(pairs: list[tuple[bytes, bytes]]) -> Edit:
    def edit(data: bytes, chance: random.Random) -> bytes:
        there = [pair for pair in pairs if pair[0] in data] or [(data[:1], b"\xff")]
        old, new = chance.choice(there)
        return data.replace(old, new, chance.choice((1, -1)))

    return edit


def recoded(data: bytes, chance: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(
        chance.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig", "utf-7", "cp037")), "replace"
    )


def shuffled(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    chance.shuffle(lines)
    return b"\n".join(lines)


EDITS: dict[str, Edit] = {
    "truncated": truncated,
    "flipped": flipped,
    "NUL": inserted(b"\0", b"\\u0000", b"&#0;"),
    "marks": inserted(
        b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x80\xa8", b"\xc2\x85", b"\xed\xa0\x80", b"\\ud800", b"\r", b"\x1a"
    ),
    "encoding": recoded,
    "long": inserted(
        b"x" * 300_000, b"\n" * 20_000, b"\t" * 50_000, b'"' * 10_001, b"9" * 5000, b"<" * 9000, b"<a>" * 9000
    ),
    "deep": inserted(b"[" * 100_000, b'{"a":' * 20_000, b"[" * 70 + b"]" * 70),
    "numbers": replaced(
        [
            (b'"q1"', b"1"),
            (b'"d1"', b"-0"),
            (b'"1"', b"1e999"),
            (b"d1", b"01"),
            (b": 1", b": NaN"),
            (b": 1", b": true"),
            (b"\t1", b"\tNaN"),
            (b" 1", b" -1.5"),
            (b",1,", b",inf,"),
        ]
    ),
    "marks of form": replaced(
        [
            (b"\n", b"\r"),
            (b"\n", b"\r\n"),
            (b'"', b"'"),
            (b",", b";"),
            (b"\t", b" "),
            (b">", b""),
            (b"</", b"<"),
            (b".W", b".w"),
            (b"{", b"["),
        ]
    ),
    "order": shuffled,
    "twice": lambda data, chance: data + data,
    "nothing": lambda data, chance: chance.choice((b"", b"\n", b" ", b"\xef\xbb\xbf", b"\0", b"{}", b"[]", b"null")),
    "packed": lambda data, chance: (
        flipped(gzip.compress(data), chance) if chance.random() < 0.7 else gzip.compress(data)
    ),
}


def sources(format: str, folder: Path) -> tuple[Path | None, Options]:
    """A source of each format that is right; the files are below ``folder``."""
    folder.mkdir()
    if format in ("beir", "mteb", "csv", "trec"):
        first = write_golden_set(PARTS, folder.parent / f"{folder.name}-first")
        convert("beir", first, folder, Options(), {"mteb": "parquet"}.get(format, format))
        return folder, Options()
    if format == "smart":
        for name, content in (("docs", SMART), ("topics", SMART), ("qrels", "1 1 1\n1 2 -1\n2 2 3\n")):
            (folder / name).write_text(content, encoding="utf-8")
        return None, Options(folder / "docs", folder / "topics", folder / "qrels")
    if format == "squad":
        (folder / "dev.json").write_text(json.dumps(SQUAD, ensure_ascii=False, indent=1), encoding="utf-8")
        return folder / "dev.json", Options()
    if format == "jsonl":
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
        (folder / "rows.jsonl").write_text(lines, encoding="utf-8")
        return folder / "rows.jsonl", Options()
    if format == "autorag":
        import pyarrow
        import pyarrow.parquet

        corpus = [{"doc_id": one.id, "contents": one.text, "metadata": {"n": 1.5}} for one in PARTS.documents]
        qa = [{"qid": "1", "query": "a?", "retrieval_gt": [["d1", "d2"], ["d3"]], "generation_gt": ["x"]}]
        for name, rows in (("corpus", corpus), ("qa", qa)):
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{name}.parquet")
        return folder, Options()
    (folder / "a.md").write_text("# T\n\nalpha é", encoding="utf-8")
    (folder / "b.html").write_text("<title>T</title><p>x<p>y <!-- z -->", encoding="utf-8")
    (folder / "c.txt").write_text("alpha é\n", encoding="utf-8")
    return folder, Options()


def mutations(format: str, folder: Path) -> Iterator[tuple[str, Path, bytes]]:
    """Each edit of each file of the source, some of them with several draws."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for name, edit in EDITS.items():
        for draw in range(ROUNDS if name in ("truncated", "flipped") else 3):
            chance = random.Random(f"{format} {name} {draw}")
            path = files[draw % len(files)]
            yield name, path, edit(path.read_bytes(), chance)


@pytest.mark.parametrize("format", ["beir", "trec", "smart", "squad", "csv", "jsonl", "folder", "autorag", "mteb"])
def test_mutated_sources(format: str, tmp_path: Path) -> None:
    if format in ("autorag", "mteb"):
        pytest.importorskip("pyarrow")
    source, options = sources(format, tmp_path / "source")
    kind = {"smart": "trec"}.get(format, format)
    convert(kind, source, tmp_path / "good", options)
    tried = 0
    for name, path, content in mutations(format, tmp_path / "source"):
        good = path.read_bytes()
        path.write_bytes(content)
        for drop in (False, True):
            tried += 1
            destination = tmp_path / "set"
            chosen = Options(options.docs, options.topics, options.qrels, drop_unknown=drop)
            lines: list[str] = []
            try:
                report = convert(kind, source, destination, chosen)
            except AssayError as error:
                lines = error.lines()
            assert all(line.isprintable() and len(line) < 1500 for line in lines), (name, lines)
            assert destination.exists() == (not lines)
            if lines:
                continue
            for tally in report.tallies.values():
                assert tally.read == tally.written + tally.left_out
            judged = report.tallies["judgements"].written
            if judged:
                try:
                    golden = load_golden_set(destination)
                except AssayError as error:
                    lines = error.lines()
                else:
                    assert golden.counts.judgements == judged
                    assert golden.counts.documents == report.tallies["documents"].written
                # What was converted is a golden set; only one without a relevant document can't be loaded.
                assert not lines or "no query is evaluated" in lines[0], (name, content[:2000], lines)
            for one in sorted(destination.rglob("*"), reverse=True):
                one.rmdir() if one.is_dir() else one.unlink()
            destination.rmdir()
        path.write_bytes(good)
    assert tried >= 2 * (2 * ROUNDS + 3 * (len(EDITS) - 2))
    assert sorted(one.name for one in tmp_path.iterdir() if "partial" in one.name) == []


def test_whole_bytes_of_every_kind(tmp_path: Path) -> None:
    """Files of noise, under names that are right."""
    chance = random.Random(7)
    for draw in range(20):
        folder = tmp_path / str(draw)
        (folder / "qrels").mkdir(parents=True)
        for name in (
            "corpus.jsonl",
            "queries.jsonl",
            "qrels/test.tsv",
            "docs",
            "topics",
            "qrels.txt",
            "t.csv",
            "t.json",
            "a.html",
        ):
            buffer = io.BytesIO()
            buffer.write(chance.choice((b"", b"<", b"{", b"[", b".I 1\n", b"a,b\n", b"\x1f\x8b", b"\xff\xfe")))
            buffer.write(chance.randbytes(chance.choice((0, 10, 1000))))
            (folder / name).write_bytes(buffer.getvalue())
        trec = Options(folder / "docs", folder / "topics", folder / "qrels.txt")
        for kind, source, options in (
            ("beir", folder, Options()),
            ("trec", None, trec),
            ("squad", folder / "t.json", Options()),
            ("csv", folder / "t.csv", Options()),
            ("jsonl", folder / "t.json", Options()),
            ("mteb", folder, Options()),
        ):
            with pytest.raises(AssayError) as caught:
                convert(kind, source, tmp_path / "set", options)
            assert all(line.isprintable() for line in caught.value.lines())
