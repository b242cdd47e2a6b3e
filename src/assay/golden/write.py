"""Writing a golden set: equal parts give equal bytes, and a set that was loaded loads equal again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.golden.faults import quoted
from assay.golden.fields import id_fault
from assay.golden.golden_set import GoldenSet
from assay.golden.jsonl import Refused, check_strings
from assay.records import Document, Judgement, Query, Span

QRELS_HEADER = "query-id\tcorpus-id\tscore"
# Legal inside a JSON string, but other readers cut lines there.
LINE_ENDERS = str.maketrans({mark: f"\\u{ord(mark):04x}" for mark in "\x85\u2028\u2029"})


@dataclass(frozen=True, slots=True)
class GoldenParts:
    """What a golden set is written from: ``qrels`` holds the judgements of each split by its name."""

    documents: Sequence[Document]
    queries: Sequence[Query]
    qrels: Mapping[str, Sequence[Judgement]]
    spans: Sequence[Span] = field(default=())


def write_golden_set(golden: GoldenSet | GoldenParts, folder: str | Path) -> Path:
    """The folder that now holds ``golden`` in BEIR's layout, each file in the order of its parts.

    A query's ``type`` and ``answerable`` are written into its metadata. ``corpus.jsonl`` is written last and
    by rename: a folder without it is not whole, and doesn't load.

    Raises
    ------
    DataError
        The folder holds something already, or a part can't be written (an id with a tab, metadata that is
        not JSON).
    """
    parts = _parts_of(golden) if isinstance(golden, GoldenSet) else golden
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder}: is there already and not an empty folder; a new folder is right")
    try:
        (folder / "qrels").mkdir(parents=True)
        if parts.spans:
            _write(folder / "spans.jsonl", (span_line(span) for span in parts.spans))
        for split, judgements in parts.qrels.items():
            _write(folder / "qrels" / f"{split}.tsv", _qrels_lines(judgements))
        _write(folder / "queries.jsonl", (query_line(query) for query in parts.queries))
        partial = folder / "corpus.jsonl.partial"
        _write(partial, (document_line(document) for document in parts.documents))
        partial.replace(folder / "corpus.jsonl")
    except OSError as error:
        raise DataError(f"{folder}: can't be written ({error.strerror or error})") from error
    return folder


def _parts_of(golden: GoldenSet) -> GoldenParts:
    judgements = [
        Judgement(query_id, doc_id, grade)
        for query_id, grades in golden.qrels.items()
        for doc_id, grade in grades.items()
    ]
    spans = [span for group in golden.spans.values() for span in group]
    return GoldenParts(golden.documents, golden.queries, {golden.split: judgements}, spans)


def _write(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(line + "\n")


def document_line(document: Document) -> str:
    """The line of ``corpus.jsonl``, without its end; DataError where the document can't be written."""
    row: dict[str, Any] = {"_id": _id(document.id)}
    if document.title:
        row["title"] = document.title
    row["text"] = document.text
    if document.metadata:
        row["metadata"] = dict(document.metadata)
    return _json(row, f"document {quoted(document.id)}")


def query_line(query: Query) -> str:
    """The line of ``queries.jsonl``; DataError where the query can't be written."""
    metadata = dict(query.metadata)
    if query.type is not None:
        metadata["type"] = query.type
    if not query.answerable:
        metadata["answerable"] = False
    row: dict[str, Any] = {"_id": _id(query.id), "text": query.text}
    if metadata:
        row["metadata"] = metadata
    return _json(row, f"query {quoted(query.id)}")


def span_line(span: Span) -> str:
    """The line of ``spans.jsonl``; DataError where the span can't be written."""
    row: dict[str, Any] = {
        "query-id": span.query_id,
        "corpus-id": span.doc_id,
        "start": span.start,
        "end": span.end,
    }
    if span.group is not None:
        row["group"] = span.group
    return _json(row, f"span of query {quoted(span.query_id)}")


def _qrels_lines(judgements: Iterable[Judgement]) -> Iterator[str]:
    yield QRELS_HEADER
    for judgement in judgements:
        yield f"{_id(judgement.query_id)}\t{_id(judgement.doc_id)}\t{judgement.grade}"


def _id(value: str) -> str:
    if (fault := id_fault(value)) is not None:
        raise DataError(f"an id {fault}")
    try:
        check_strings(value)
    except Refused as error:
        raise DataError(f"id {quoted(value)}: {error}") from error
    return value


def _json(row: Mapping[str, Any], what: str) -> str:
    try:
        check_strings(row)
        text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"{what}: can't be written as JSON ({error}); strings, finite numbers are right") from error
    return text.translate(LINE_ENDERS)
