"""GS607 and GS608: evidence that the embedding model never reads, because the chunk is longer than its limit."""

from __future__ import annotations

from collections.abc import Sequence

from assay.golden.lint.finding import Finding, count, finding
from assay.golden.lint.setting import Reading, Setting
from assay.golden.lint.subject import Subject
from assay.records import Span


def cut_evidence(subject: Subject, setting: Setting) -> list[Finding]:
    """Evidence spans that lie, in part or whole, in text that is cut off."""
    if isinstance(setting.reading, str):
        message = f"evidence was not held against the limit of {setting.embedder}: {setting.reading}"
        return [finding("GS608", message, [], "make the embedder available, or choose another by --embedder")]
    if setting.reading is None:
        return []
    places = [
        f"{span.query_id}: {span.doc_id} {span.start} to {span.end} ({unread:,} of {span.end - span.start:,} unread)"
        for spans in subject.golden.spans.values()
        for span in spans
        if (unread := _unread(span, subject.documents[span.doc_id].text, setting.reading))
    ]
    if not places:
        return []
    size = (
        "a document a chunk" if setting.reading.size is None else f"chunks of {setting.reading.size} tokens and a title"
    )
    message = (
        f"{count(len(places), 'evidence span')} cut off: {setting.embedder} reads {setting.reading.limit} tokens, "
        f"less than {size}"
    )
    return [finding("GS607", message, places, "take smaller chunks (chunker.size), or a model that reads more")]


def _unread(span: Span, text: str, reading: Reading) -> int:
    """Visible code points of ``span`` that no chunk shows to the model."""
    pieces: Sequence[tuple[int, int]] = reading.pieces[span.doc_id]
    unread, at = 0, span.start
    for start, end in sorted(pieces):
        if end <= at:
            continue
        if start >= span.end:
            break
        unread += _visible(text[at : max(at, start)])
        at = max(at, end)
    return unread + _visible(text[at : span.end])


def _visible(text: str) -> int:
    return len("".join(text.split()))
