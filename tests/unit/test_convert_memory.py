"""A conversion's memory grows with the number of ids, a few hundred bytes each, never with the texts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import resource, sys
from pathlib import Path
from assay.golden.convert import Options, convert
source, destination, format, to = sys.argv[1:]
convert(format, Path(source), Path(destination), Options(), to)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def source(folder: Path, documents: int) -> Path:
    """A set with texts of 1000 characters, a judgement a document, ten a query."""
    (folder / "qrels").mkdir(parents=True)
    words = " ".join(f"word{number}" for number in range(130))[:990]
    with (folder / "corpus.jsonl").open("w") as corpus, (folder / "qrels" / "test.tsv").open("w") as qrels:
        qrels.write("query-id\tcorpus-id\tscore\n")
        for number in range(documents):
            corpus.write(json.dumps({"_id": f"document-{number:07d}", "text": f"{number} {words}"}) + "\n")
            qrels.write(f"q{number // 10}\tdocument-{number:07d}\t1\n")
    queries = (json.dumps({"_id": f"q{number}", "text": f"question {number}"}) for number in range(documents // 10))
    (folder / "queries.jsonl").write_text("".join(f"{query}\n" for query in queries))
    return folder


def peak(*arguments: object) -> int:
    """The most memory that the conversion took, in bytes."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True, timeout=600
    )
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no peak memory of a process there")
@pytest.mark.parametrize("to", ["beir", "csv", "trec"])
def test_memory_is_that_of_the_ids(to: str, tmp_path: Path) -> None:
    small, large = 10_000, 100_000
    taken = {}
    for documents in (small, large):
        folder = source(tmp_path / str(documents), documents)
        taken[documents] = peak(folder, tmp_path / f"out{documents}", "beir", to)
    an_id = (taken[large] - taken[small]) / (large - small)
    # The texts alone are 1000 bytes a document; a million documents may take 400 MB.
    assert an_id < 350
    back = peak(tmp_path / f"out{large}", tmp_path / "back", to, "beir")
    assert back < taken[small] + 350 * large
