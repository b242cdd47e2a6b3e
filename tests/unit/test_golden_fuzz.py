"""Whatever the bytes are, a set loads or its faults are named; nothing else comes out."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.golden import load_golden_set, write_golden_set

FILES = {
    "corpus.jsonl": (
        b'{"_id": "d1", "title": "T", "text": "alpha \\u00e9 beta", "metadata": {"k": [1, 2.5, null]}}\n'
        b'{"_id": "d2", "text": "gamma"}\n'
    ),
    "queries.jsonl": (
        b'{"_id": "q1", "text": "alpha?", "metadata": {"type": "lookup"}}\n'
        b'{"_id": "q2", "text": "none?", "metadata": {"answerable": false}}\n'
    ),
    "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n",
    "spans.jsonl": b'{"query-id": "q1", "corpus-id": "d1", "start": 0, "end": 5, "group": "a"}\n',
}
TOKENS = [
    *(bytes([byte]) for byte in (0, 9, 10, 13, 32, 34, 44, 48, 58, 91, 92, 93, 123, 125, 0x80, 0xC3, 0xFF)),
    *(b"\\ud800", b"\\u0000", b"NaN", b"-1", b"1e999", b"true", b"null", b"9" * 30, b"[" * 5000),
    *(b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"{}", b"\t\t", b"\r\n\r\n", b'"_id": 5, '),
]
EDITS = st.lists(
    st.tuples(
        st.sampled_from(sorted(FILES)),
        st.integers(0, 200),
        st.integers(0, 12),
        st.one_of(st.just(b""), st.sampled_from(TOKENS), st.binary(max_size=4)),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=400, deadline=None)
@example(edits=[("corpus.jsonl", 0, 200, b"")])
@example(edits=[("qrels/test.tsv", 0, 200, b"")])
@given(edits=EDITS)
def test_mutated_files_load_or_name_their_faults(edits: list[tuple[str, int, int, bytes]]) -> None:
    files = dict(FILES)
    for name, at, gone, new in edits:
        content = files[name]
        at %= len(content) + 1
        files[name] = content[:at] + new + content[at + gone :]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "set"
        (folder / "qrels").mkdir(parents=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        for on_unknown in ("error", "drop"):
            golden, faults = None, []
            try:
                golden = load_golden_set(folder, on_unknown=on_unknown)  # type: ignore[arg-type]
            except AssayError as error:
                faults = error.lines()
            if golden is None:
                assert all(line.isprintable() for line in faults)
                assert any(name in faults[0] for name in FILES)
                continue
            counts = golden.counts
            assert counts.total == counts.answerable + counts.unanswerable + counts.unjudged
            assert golden.evaluated
            copy = load_golden_set(write_golden_set(golden, Path(temporary) / on_unknown / "set"))
            assert (copy.hashes, copy.evaluated) == (golden.hashes, golden.evaluated)
