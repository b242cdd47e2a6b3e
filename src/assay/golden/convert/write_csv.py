"""To CSV, for a spreadsheet: a table of documents, and one of questions with a row a judgement and span."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.golden.convert.canonical import Canonical
from assay.golden.convert.csv_tables import DOCUMENTS, QUESTIONS
from assay.records import Query, Span

HEADER = (
    *("query_id", "question", "type", "answerable", "document_id", "grade", "quote", "start", "end", "group"),
    *("split", "metadata"),
)


def write_csv(golden: Canonical, folder: Path) -> list[str]:
    """What the format could not hold, a line each; two tables in ``folder``, with the mark that Excel needs for UTF-8."""
    spans: dict[tuple[str, str], list[Span]] = {}
    by_document: dict[str, list[Span]] = {}
    changes: dict[str, list[str]] = {}
    for span in golden.spans():
        spans.setdefault((span.query_id, span.doc_id), []).append(span)
        by_document.setdefault(span.doc_id, []).append(span)
        run = changes.setdefault(span.query_id, [])
        if not run or run[-1] != span.doc_id:
            run.append(span.doc_id)
    quotes: dict[Span, str] = {}
    with (folder / DOCUMENTS).open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "title", "text", "metadata"))
        for document in golden.documents():
            writer.writerow((document.id, document.title, document.text, _json(document.metadata)))
            for span in by_document.get(document.id, ()):
                quotes[span] = document.text[span.start : span.end]
    judged: dict[str, list[tuple[str, str, int]]] = {}
    for split in golden.splits():
        for row in golden.judgements(split):
            judged.setdefault(row.query_id, []).append((split, row.doc_id, row.grade))
    with (folder / QUESTIONS).open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for query in golden.queries():
            head = _head(query)
            metadata = _json(_beside(query))
            written: set[str] = set()
            for split, doc_id, grade in judged.get(query.id, [("", "", 1)]):
                # In every split that judges the pair the same rows stand; they are one span when read.
                # One split's rows have the spans: they belong to the pair, not to its judgement.
                own = spans.get((query.id, doc_id), []) if doc_id not in written else []
                written.add(doc_id)
                places: list[tuple[object, ...]] = [
                    (quotes[span], span.start, span.end, span.group or "") for span in own
                ]
                for place in places or [("", "", "", "")]:
                    writer.writerow((*head, doc_id, grade, *place, split, metadata))
    lost: list[str] = []
    empty = sum(1 for split in golden.splits() if next(golden.judgements(split), None) is None)
    if empty:
        lost.append(f"CSV can't hold {empty} splits without a judgement")
    # Rows follow the judgements, and a query's spans follow the rows.
    moved = sum(
        run != list(dict.fromkeys(doc_id for _, doc_id, _ in judged[query_id] if (query_id, doc_id) in spans))
        for query_id, run in changes.items()
    )
    if moved:
        lost.append(f"CSV can't hold the order of the spans of {moved:,} queries across documents")
    return lost


def _head(query: Query) -> tuple[str, str, str, str]:
    return (query.id, query.text, query.type or "", "true" if query.answerable else "false")


def _beside(query: Query) -> dict[str, Any]:
    """The metadata that no column of its own holds."""
    held = {"type"} if query.type else set()
    held |= set() if query.answerable else {"answerable"}
    return {key: value for key, value in query.metadata.items() if key not in held}


def _json(metadata: Mapping[str, Any]) -> str:
    return json.dumps(dict(metadata), ensure_ascii=False) if metadata else ""
