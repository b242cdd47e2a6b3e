"""Rows that name ids which corpus.jsonl or queries.jsonl doesn't have: refused, or dropped and listed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from assay.golden.faults import Faults, quoted
from assay.golden.layout import Source


@dataclass(frozen=True, slots=True)
class References:
    """The ids that a row may name, and the rows left out so far.

    A file that gave no id at all is a fault already, and no row is called unknown on top of it.
    """

    queries: Collection[str]
    documents: Collection[str]
    drop: bool
    dropped: list[str] = field(default_factory=list)

    def resolve(self, query_id: str, doc_id: str, source: Source, line: int, faults: Faults) -> bool:
        """Whether both ids exist; where not, the row is added to ``dropped`` or to ``faults``."""
        unknown, homes = [], []
        if self.queries and query_id not in self.queries:
            unknown.append(f"unknown query {quoted(query_id)}{_near(query_id, self.queries)}")
            homes.append("queries.jsonl")
        if self.documents and doc_id not in self.documents:
            unknown.append(f"unknown document {quoted(doc_id)}{_near(doc_id, self.documents)}")
            homes.append("corpus.jsonl")
        if not unknown:
            return True
        what = " and ".join(unknown)
        if self.drop:
            self.dropped.append(f"{source.name}:{line}: {what} (query {quoted(query_id)}, document {quoted(doc_id)})")
        else:
            hint = f"an _id of {' and '.join(homes)} is right (dataset.on_unknown=drop leaves such rows out)"
            faults.add(source.at(line), f"{what}; {hint}")
        return False


def _near(unknown: str, known: Collection[str]) -> str:
    """A hint where only white space at the ends keeps the id from being known: ids are never stripped."""
    stripped = unknown.strip()
    return f" (there is {quoted(stripped)}, without the white space)" if stripped in known else ""
