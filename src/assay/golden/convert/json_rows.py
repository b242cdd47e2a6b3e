"""Documents, queries and spans of JSON Lines files, with what exporters do to them put right where it is plain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeGuard

from assay.golden.convert.intake import Intake
from assay.golden.convert.ledger import At
from assay.golden.convert.packed import packed_source
from assay.golden.faults import quoted
from assay.golden.jsonl import kind_of, read_rows
from assay.records import Document, Query, Span

DOCUMENT_KEYS = (("_id", "id", "doc_id", "docid", "document_id", "corpus-id"), ("text", "contents", "content", "body"))
QUERY_KEYS = (("_id", "id", "qid", "query_id", "query-id"), ("text", "query", "question"))


def read_documents(path: Path, intake: Intake) -> None:
    """Put each row of ``path`` into ``intake`` as a document."""
    for at, values in rows_of(path, intake, "documents"):
        take_document(at, values, intake)


def read_queries(path: Path, intake: Intake) -> None:
    """Put each row of ``path`` into ``intake`` as a query."""
    for at, values in rows_of(path, intake, "queries"):
        take_query(at, values, intake)


def read_spans(path: Path, intake: Intake) -> None:
    """Put each row of ``path`` into ``intake`` as an evidence span."""
    for at, values in rows_of(path, intake, "spans"):
        take_span(at, values, intake)


def rows_of(path: Path, intake: Intake, kind: str) -> Iterator[tuple[At, dict[str, Any]]]:
    """The rows of a JSON Lines file that are JSON objects; the others are noted as faults and counted."""
    for row in read_rows(packed_source(path), intake.faults):
        if row.values is None:
            intake.read[kind] += 1
            intake.left_out[kind] += 1
            continue
        yield At(str(path), row.line), row.values


def take_document(at: At, values: Mapping[str, Any], intake: Intake) -> None:
    """Put one row into ``intake``; keys that a document doesn't have go into its metadata."""
    id_key, text_key = (_first(keys, values) for keys in DOCUMENT_KEYS)
    found = as_id(values.get(id_key), intake)
    text, title = values.get(text_key), values.get("title")
    metadata = _metadata(values, {id_key, text_key, "title", "metadata"}, intake)
    if found is None:
        fault = _no_id(id_key, values)
    elif not isinstance(text, str):
        fault = f'no "{text_key}"' if text_key not in values else f'"{text_key}" is {kind_of(text)}'
        fault += "; a string is right"
    elif not isinstance(title, str | None):
        fault = f'"title" is {kind_of(title)}; a string is right'
    elif metadata is None:
        fault = f'"metadata" is {kind_of(values["metadata"])}; an object is right'
    else:
        intake.document(at, Document(found, text, title or "", metadata))
        return
    intake.read["documents"] += 1
    intake.refuse("documents", at, fault)


def take_query(at: At, values: Mapping[str, Any], intake: Intake) -> None:
    """Put one row into ``intake``; keys that a query doesn't have go into its metadata."""
    id_key, text_key = (_first(keys, values) for keys in QUERY_KEYS)
    found, text = as_id(values.get(id_key), intake), values.get(text_key)
    metadata = _metadata(values, {id_key, text_key, "metadata"}, intake)
    answerable = True if metadata is None else metadata.get("answerable", True)
    if found is None:
        fault = _no_id(id_key, values)
    elif not isinstance(text, str):
        fault = f'no "{text_key}"' if text_key not in values else f'"{text_key}" is {kind_of(text)}'
        fault += "; a string is right"
    elif metadata is None:
        fault = f'"metadata" is {kind_of(values["metadata"])}; an object is right'
    elif not isinstance(answerable, bool):
        fault = f'"answerable" is {kind_of(answerable)}; true or false is right, without quotes'
    else:
        intake.query(at, Query(found, text, answerable=answerable, metadata=metadata))
        return
    intake.read["queries"] += 1
    intake.refuse("queries", at, fault)


def take_span(at: At, values: Mapping[str, Any], intake: Intake) -> None:
    """Put one row into ``intake``."""
    query_id, doc_id = as_id(values.get("query-id"), intake), as_id(values.get("corpus-id"), intake)
    start, end, group = values.get("start"), values.get("end"), values.get("group")
    if query_id is None or doc_id is None:
        fault = 'no "query-id" or no "corpus-id"; both, as strings, are right'
    elif not is_whole(start) or not is_whole(end):
        fault = f'"start" is {kind_of(start)}, "end" {kind_of(end)}; whole numbers of code points are right'
    elif not isinstance(group, str | None):
        fault = f'"group" is {kind_of(group)}; a string is right'
    else:
        intake.span(at, Span(query_id, doc_id, start, end, group))
        return
    intake.read["spans"] += 1
    intake.refuse("spans", at, fault)


def as_id(value: object, intake: Intake) -> str | None:
    """``value`` as an id; whole numbers are written as strings and counted, anything else is None."""
    if isinstance(value, str):
        return value
    if is_whole(value):
        intake.count("{n} ids were numbers and are strings now")
        return str(value)
    return None


def is_whole(value: object) -> TypeGuard[int]:
    """Whether ``value`` is an integer, and not true or false."""
    return isinstance(value, int) and not isinstance(value, bool)


def _first(keys: tuple[str, ...], values: Mapping[str, Any]) -> str:
    return next((key for key in keys if key in values), keys[0])


def _no_id(key: str, values: Mapping[str, Any]) -> str:
    return (
        f'"{key}" is {kind_of(values[key])}; a string is right' if key in values else f'no "{key}"; a string is right'
    )


def _metadata(values: Mapping[str, Any], own: set[str], intake: Intake) -> dict[str, Any] | None:
    given = values.get("metadata")
    if not isinstance(given, dict | None):
        return None
    metadata = dict(given or {})
    for key, value in values.items():
        if key not in own and value is not None:
            where = key if key not in metadata else f"{key}_of_row"
            metadata[where] = value
            intake.count(f"{{n}} rows have a field {quoted(key)}: it is in their metadata now")
    return metadata
