"""The golden set that the intake wrote, read back by the writers of other formats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.records import Document, Judgement, Query, Span


@dataclass(frozen=True, slots=True)
class Canonical:
    """A folder in BEIR's layout that is known to be right; each file is read when it is asked for."""

    folder: Path

    def documents(self) -> Iterator[Document]:
        """The documents, one at a time."""
        for row in self._rows("corpus.jsonl"):
            yield Document(row["_id"], row["text"], row.get("title", ""), row.get("metadata", {}))

    def queries(self) -> Iterator[Query]:
        """The queries; their type and whether they are answerable stay in the metadata too."""
        for row in self._rows("queries.jsonl"):
            metadata = row.get("metadata", {})
            yield Query(row["_id"], row["text"], metadata.get("type"), metadata.get("answerable", True), metadata)

    def splits(self) -> list[str]:
        """Names of the splits."""
        return sorted(path.stem for path in (self.folder / "qrels").glob("*.tsv"))

    def judgements(self, split: str) -> Iterator[Judgement]:
        """The judgements of one split."""
        with (self.folder / "qrels" / f"{split}.tsv").open(encoding="utf-8", newline="\n") as file:
            next(file)
            for line in file:
                query_id, doc_id, grade = line.removesuffix("\n").split("\t")
                yield Judgement(query_id, doc_id, int(grade))

    def spans(self) -> Iterator[Span]:
        """The evidence spans."""
        for row in self._rows("spans.jsonl"):
            yield Span(row["query-id"], row["corpus-id"], row["start"], row["end"], row.get("group"))

    def _rows(self, name: str) -> Iterator[dict[str, Any]]:
        path = self.folder / name
        if not path.exists():
            return
        with path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                yield json.loads(line)
