"""spans.jsonl: the passages that hold the evidence, in code points of a document's text, end exclusive."""

from __future__ import annotations

from assay.golden.documents import Corpus, Questions
from assay.golden.faults import Faults, quoted
from assay.golden.fields import Fields
from assay.golden.jsonl import read_rows
from assay.golden.layout import Source
from assay.golden.qrels import Qrels
from assay.golden.references import References
from assay.records import Span


def read_spans(
    source: Source,
    corpus: Corpus,
    questions: Questions,
    qrels: Qrels,
    references: References,
    faults: Faults,
) -> list[Span]:
    """The spans of ``source`` in file order, each within its document's text and on a relevant document.

    Queries of other splits keep their spans: relevance is checked only where this split judges the query.
    """
    first_lines: dict[Span, int] = {}
    for row in read_rows(source, faults):
        if row.values is None:
            continue
        fields = Fields(row.values, source.at(row.line), faults)
        span = _span(fields)
        if span is None:
            continue
        first = first_lines.setdefault(span, row.line)
        if first != row.line:
            fields.fault(f"the same span as on line {first}; each span once is right")
            continue
        if not references.resolve(span.query_id, span.doc_id, source, row.line, faults):
            del first_lines[span]
            continue
        length = corpus.lengths.get(span.doc_id)
        if length is not None and span.end > length:
            what = f"span {span.start} to {span.end} ends outside the {length} characters"
            fields.fault(f"{what} of document {quoted(span.doc_id)}; code points of its text are right")
        _check_relevance(span, questions, qrels, fields)
    return list(first_lines)


def _span(fields: Fields) -> Span | None:
    query_id, doc_id = fields.identifier("query-id"), fields.identifier("corpus-id")
    start, end = fields.offset("start"), fields.offset("end")
    group = fields.string("group") if "group" in fields.values else None
    if start is None or end is None:
        return None
    if start < 0 or end <= start:
        what = "starts before the text" if start < 0 else "is empty" if start == end else "is reversed"
        fields.fault(f"span {start} to {end} {what}; 0 <= start < end is right")
        return None
    if query_id is None or doc_id is None or (group is None and "group" in fields.values):
        return None
    return Span(query_id, doc_id, start, end, group)


def _check_relevance(span: Span, questions: Questions, qrels: Qrels, fields: Fields) -> None:
    query, document = f"query {quoted(span.query_id)}", f"document {quoted(span.doc_id)}"
    if span.query_id in questions.unanswerable:
        fields.fault(f"{query} is marked unanswerable and has a span; no such mark, or no span, is right")
        return
    judged = span.query_id in qrels.lines
    if not judged or span.doc_id in qrels.faulty.get(span.query_id, ()):
        return
    if qrels.grades.get(span.query_id, {}).get(span.doc_id, 0) <= 0:
        fields.fault(f"{document} is not judged relevant for {query}; a grade > 0 in the qrels file is right")
