"""GS201 to GS203: documents without text. No chunk comes from them, so no run can find them."""

from __future__ import annotations

from assay.golden.lint.finding import Finding, count, finding
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject


def empty_documents(subject: Subject, setting: Setting) -> list[Finding]:
    """Unwinnable questions, questions that can't be won in full, and empty documents that harm nothing."""
    lost: list[str] = []
    short: list[str] = []
    needed: set[str] = set()
    for query_id, relevant in subject.relevant.items():
        gone = [doc for doc in relevant if doc in subject.empty]
        needed.update(gone)
        if gone:
            (lost if len(gone) == len(relevant) else short).append(f"{query_id}: {', '.join(gone)}")
    found = []
    if lost:
        message = f"{count(len(lost), 'question')} can't be won: every relevant document is empty (not indexed)"
        advice = 'give the documents their "text" (a title alone is not indexed), or take the questions out'
        found.append(finding("GS201", message, lost, advice))
    if short:
        message = f"{count(len(short), 'question')} can't reach recall 1: a relevant document is empty (not indexed)"
        advice = 'give the document its "text" (a title alone is not indexed), or take the judgement out'
        found.append(finding("GS202", message, short, advice))
    rest = [document.id for document in subject.golden.documents if document.id in subject.empty - needed]
    if rest:
        message = f"{count(len(rest), 'document')} without text, relevant to nothing"
        found.append(finding("GS203", message, rest, "fill or remove; they count as documents and are never found"))
    return found
