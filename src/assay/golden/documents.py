"""corpus.jsonl and queries.jsonl: the two files that give ids their meaning."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.golden.faults import Faults, quoted
from assay.golden.fields import Fields, is_blank
from assay.golden.jsonl import Row, kind_of, read_rows
from assay.golden.layout import Source
from assay.records import Document, Query


@dataclass(frozen=True, slots=True)
class Corpus:
    """``documents`` in file order; ``lines`` has the line of every id seen, those of faulty rows too."""

    documents: list[Document] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Questions:
    """``queries`` in file order; ``lines`` as in ``Corpus``; ``unanswerable`` are the ids marked so."""

    queries: list[Query] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    unanswerable: set[str] = field(default_factory=set)


def read_corpus(source: Source, faults: Faults) -> Corpus:
    """The documents of ``source``, with their lengths in code points by id."""
    corpus = Corpus()
    before = faults.total
    for row in read_rows(source, faults):
        if row.values is None:
            _remember(row, corpus.lines)
            continue
        fields = Fields(row.values, source.at(row.line), faults)
        doc_id = _new_id(row, fields, corpus.lines)
        text = fields.string("text")
        title = fields.string("title", default="")
        metadata = fields.mapping("metadata")
        if doc_id is not None and text is not None and title is not None and metadata is not None:
            corpus.documents.append(Document(doc_id, text, title, metadata))
            corpus.lengths[doc_id] = len(text)
    if not corpus.documents and faults.total == before:
        faults.add(str(source.path), 'is empty; a line a document is right: {"_id": "d1", "text": "…"}')
    return corpus


def read_queries(source: Source, faults: Faults) -> Questions:
    """The queries of ``source``, all splits' together."""
    questions = Questions()
    before = faults.total
    for row in read_rows(source, faults):
        if row.values is None:
            _remember(row, questions.lines)
            continue
        fields = Fields(row.values, source.at(row.line), faults)
        query_id = _new_id(row, fields, questions.lines)
        text = fields.string("text")
        if text is not None and is_blank(text):
            fields.fault(f'"text" is {quoted(text)}, an empty query; a query needs words')
            text = None
        kind, answerable, metadata = None, True, fields.mapping("metadata")
        if metadata is not None:
            kind, answerable = _marks(metadata, fields)
        if query_id is not None and not answerable:
            questions.unanswerable.add(query_id)
        if query_id is not None and text is not None and metadata is not None:
            questions.queries.append(Query(query_id, text, kind, answerable, metadata))
    if not questions.queries and faults.total == before:
        faults.add(str(source.path), 'is empty; a line a query is right: {"_id": "q1", "text": "…"}')
    return questions


def _marks(metadata: dict[str, object], fields: Fields) -> tuple[str | None, bool]:
    inner = Fields(metadata, fields.where, fields.faults)
    kind = inner.string("type") if "type" in metadata else None
    answerable = metadata.get("answerable", True)
    if not isinstance(answerable, bool):
        fields.fault(f'"answerable" is {kind_of(answerable)}; true or false is right, without quotes')
        answerable = True
    return kind, answerable


def _new_id(row: Row, fields: Fields, lines: dict[str, int]) -> str | None:
    found = fields.identifier("_id")
    if found is None:
        _remember(row, lines)
    elif found in lines:
        fields.fault(f"id {quoted(found)} is there twice, first on line {lines[found]}; an id names one row")
        return None
    else:
        lines[found] = row.line
    return found


def _remember(row: Row, lines: dict[str, int]) -> None:
    if (likely := row.likely_id) is not None:
        lines.setdefault(likely, row.line)
