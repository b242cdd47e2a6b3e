"""The queries of a run as the JSON that the page's script reads: compact, bounded, and no way out of its element.

The page must open fast and stay below 15 MB for 10,000 queries. So rows are arrays, document ids are written once,
texts come from ``Segments``. Where the rows are too large still, less is written of each query, and at last nothing of
the mildest; ``notes`` say so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.golden import GoldenSet
from assay.records import Span
from assay.reports.html.asked import SHOWN, Asked, Lost, Result
from assay.reports.html.markup import Markup, clean
from assay.reports.html.segments import Segments

ROWS_BUDGET = 8_000_000  # bytes of JSON
TEXTS_BUDGET = 5_000_000
LEVELS = ((SHOWN, 20_000), (SHOWN, 1000), (5, 300), (3, 160), (1, 80))  # results a query, characters of its text
AROUND = 160  # characters on either side of evidence
OPENING = 320  # characters of a document without marked evidence
PASSAGE = 700  # characters of a chunk that came back
FIRST_RESULTS = 3  # whose texts are wanted before those of the results after them
TITLE = 160


@dataclass(frozen=True, slots=True)
class Island:
    """The JSON, how many queries it holds, and what was left out, in words."""

    text: Markup
    queries: int
    notes: tuple[str, ...]


def island(
    asked: Sequence[Asked], order: Sequence[int], names: Sequence[str], columns: int, golden: GoldenSet | None
) -> Island:
    """The queries ``asked``, in ``order`` (worst first), with their scores of ``names``, the first ``columns`` as columns."""
    notes = []
    titles = {document.id: document.title for document in golden.documents} if golden else {}
    for results, length in LEVELS:
        known = _Names(titles)
        rows = _json([_row(asked[i], names, golden, known, results, length) for i in order])
        if len(rows.encode()) + known.bytes <= ROWS_BUDGET:
            break
    else:
        known = _Names(titles)
        order, rows = _cut(asked, order, names, golden, known)
        notes.append(
            f"This page holds the worst {len(order):,} of {len(asked):,} queries; the run folder holds them all."
        )
    if results < SHOWN:
        notes.append(
            f"To keep this page small, {results} results a query and {length} characters of a query's text are shown."
        )
    segments = Segments({d.id: d.text for d in golden.documents} if golden else {}, TEXTS_BUDGET)
    if golden:
        for doc_id, start, end in _windows([asked[i] for i in order], golden, results):
            segments.want(doc_id, start, end)
        if segments.refused:
            notes.append(
                f"To keep this page small, {segments.refused:,} passages of milder queries are left out; "
                "assay explain shows them."
            )
    head = {
        "metrics": list(names),
        "columns": columns,
        "types": list(known.types),
        "causes": list(known.causes),
        "hasTexts": golden is not None,
        "documents": [
            [clean(doc_id), known.title(doc_id), segments.of(doc_id), segments.length(doc_id)]
            for doc_id in known.documents
        ],
    }
    return Island(Markup(f'{_json(head)[:-1]},"rows":{rows}}}'), len(order), tuple(notes))


class _Names:
    """Numbers for what is named often: documents, types, causes; ``bytes`` is about what the documents will take."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self.titles = titles
        self.documents: dict[str, int] = {}
        self.types: dict[str, int] = {}
        self.causes: dict[str, int] = {}
        self.bytes = 0

    def document(self, doc_id: str) -> int:
        if doc_id not in self.documents:
            self.documents[doc_id] = len(self.documents)
            self.bytes += len((doc_id + self.title(doc_id)).encode("utf-8", "replace")) + 12
        return self.documents[doc_id]

    def title(self, doc_id: str) -> str:
        return _shortened(self.titles.get(doc_id, ""), TITLE)

    def type(self, name: str | None) -> int:
        return -1 if name is None else self.types.setdefault(clean(name), len(self.types))

    def cause(self, name: str) -> int:
        return self.causes.setdefault(clean(name), len(self.causes))


def _row(
    one: Asked, names: Sequence[str], golden: GoldenSet | None, known: _Names, results: int, length: int
) -> list[Any]:
    """A query as the script reads it; the script names the places of this list."""
    later = [found for found in one.results if found.rank > results and (found.grade or 0) > 0]
    spans = golden.spans.get(one.query_id, ()) if golden else ()
    return [
        clean(one.query_id),
        _shortened(one.text, length),
        known.type(one.type),
        int(one.answerable),
        int(one.abstained),
        _rounded(one.top_score),
        [_rounded(one.values.get(name)) for name in names],
        one.first_relevant or 0,
        one.relevant,
        one.returned,
        [
            [known.document(found.doc_id), found.rank, _rounded(found.score), found.stage, found.grade, *_chunk(found)]
            for found in (*(found for found in one.results if found.rank <= results), *later[:results])
        ],
        len(one.missed),
        [
            [known.document(lost.doc_id), lost.grade, known.cause(lost.cause), lost.rank or 0, *_chunk(lost)]
            for lost in one.missed[: 2 * results]
        ],
        [[known.document(span.doc_id), span.start, span.end] for span in spans[: 5 * results]],
    ]


def _cut(
    asked: Sequence[Asked], order: Sequence[int], names: Sequence[str], golden: GoldenSet | None, known: _Names
) -> tuple[list[int], str]:
    """As many of the worst queries as fit, at the least that is written of each."""
    kept, rows, size = [], [], 0
    for i in order:
        row = _json(_row(asked[i], names, golden, known, *LEVELS[-1]))
        size += len(row.encode()) + 1
        if size + known.bytes > ROWS_BUDGET:
            break
        kept.append(i)
        rows.append(row)
    return kept, f"[{','.join(rows)}]"


def _windows(asked: Sequence[Asked], golden: GoldenSet, results: int) -> Iterator[tuple[str, int, int]]:
    """The passages that the page shows, the most wanted first: evidence and first results, then the results after them."""
    for one in asked:
        spans = golden.spans.get(one.query_id, ())
        for span in spans:
            yield span.doc_id, span.start - AROUND, span.end + AROUND
        for lost in one.missed:
            if lost.start is not None and lost.end is not None:
                yield lost.doc_id, lost.start, min(lost.end, lost.start + PASSAGE)
            elif not _marked(lost.doc_id, spans):
                yield lost.doc_id, 0, OPENING
        for found in one.results:
            if (found.grade or 0) > 0 and not _marked(found.doc_id, spans):
                yield found.doc_id, 0, OPENING
        yield from _passages(one, 0, min(FIRST_RESULTS, results))
    for one in asked:
        yield from _passages(one, FIRST_RESULTS, results)


def _passages(one: Asked, first: int, last: int) -> Iterator[tuple[str, int, int]]:
    for found in one.results:
        if first < found.rank <= last and found.start is not None and found.end is not None:
            yield found.doc_id, found.start, min(found.end, found.start + PASSAGE)


def _marked(doc_id: str, spans: Sequence[Span]) -> bool:
    return any(span.doc_id == doc_id for span in spans)


def _chunk(found: Result | Lost) -> list[int | None]:
    return [] if found.start is None else [found.start, found.end]


def _shortened(text: str, length: int) -> str:
    return clean(text if len(text) <= length else text[:length] + "…")


def _rounded(value: float | None) -> float | int | None:
    """Four significant digits past the point at most, whole numbers without one: this is read by people."""
    if value is None:
        return None
    short = round(value, 4)
    return int(short) if short == int(short) else short


def _json(value: Any) -> str:
    """Compact JSON in which ``</script>``, ``<!--`` and line separators can't stand."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char, code in (
        ("<", "\\u003c"),
        (">", "\\u003e"),
        ("&", "\\u0026"),
        ("\u2028", "\\u2028"),
        ("\u2029", "\\u2029"),
    ):
        text = text.replace(char, code)
    return text
