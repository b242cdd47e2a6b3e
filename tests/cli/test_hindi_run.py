"""``assay run experiment=hindi``: Hindi goes in and comes out whole, and words alone find a good half of the documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HANDBOOK_HI = Path(__file__).resolve().parents[2] / "data" / "handbook_hi"


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file. Split at line feeds only: texts may hold other line ends."""
    return [json.loads(line) for line in path.read_bytes().decode("utf-8").split("\n") if line]


@pytest.mark.parametrize("retriever", ["dense", "bm25"])
def test_a_hindi_run(inside: Callable[..., Any], work: Path, retriever: str) -> None:
    said = inside("run", "experiment=hindi", f"retriever={retriever}", "cache=none", "run_dir=hindi")
    assert (said.status, [line for line in said.err.splitlines() if not line.startswith("warning: ")]) == (0, [])

    metrics = json.loads((work / "hindi/metrics.json").read_text(encoding="utf-8"))
    queries = rows(HANDBOOK_HI / "queries.jsonl")
    assert metrics["queries"]["total"] == len(queries)
    # Chance is about 0.16; minilm, an English model, about 0.22.
    assert metrics["metrics"]["recall@5"]["mean"] > 0.4

    written = rows(work / "hindi/per_query.jsonl")
    assert [(row["query_id"], row["text"]) for row in written] == [(row["_id"], row["text"]) for row in queries]
    assert any("\u093c" in row["text"] for row in written), "no nukta left to lose"

    # No chunk begins with a vowel sign or another mark that was cut from its letter.
    texts = {row["_id"]: row["text"] for row in rows(HANDBOOK_HI / "corpus.jsonl")}
    starts = {
        texts[hit["doc_id"]][chunk["start"]] for row in written for hit in row["ranking"] for chunk in hit["chunks"]
    }
    assert starts
    assert [mark for mark in starts if "\u093a" <= mark <= "\u094f" or mark <= " "] == []

    # What the console names as worst is Hindi, letter by letter.
    texts_of = {row["query_id"]: row["text"] for row in written}
    named = [line.split()[0] for line in said.out.splitlines() if line.split()[:1] and line.split()[0] in texts_of]
    assert named
    told = " ".join(said.out.split())
    assert all(" ".join(texts_of[query].split()) in told for query in named)
