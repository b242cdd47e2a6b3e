"""GS605 and GS606: documents that are one chunk whatever its size, so that chunk sizes can't differ on them."""

from __future__ import annotations

from assay.golden.lint.finding import Finding, count, finding
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject

MOST = 0.5


def short_documents(subject: Subject, setting: Setting) -> list[Finding]:
    """Documents with no more words than the smallest chunk that a sweep would try."""
    filled = [document.id for document in subject.golden.documents if document.id not in subject.empty]
    short = [doc for doc in filled if len(subject.wording.rows[subject.row[doc]]) <= setting.smallest_chunk]
    if not short:
        return []
    share = len(short) / len(filled)
    message = (
        f"{count(len(short), 'document')} ({share:.0%}) of at most {setting.smallest_chunk} words, "
        "one chunk whatever its size"
    )
    if share >= MOST:
        return [finding("GS605", message, short, "a sweep of chunk sizes means nothing here; try other choices")]
    return [finding("GS606", message, short, "read chunk sweeps with that in mind; evidence metrics tell more")]
