"""GS301 and GS302: questions that are there twice."""

from __future__ import annotations

from assay.golden.lint.finding import Finding, count, finding
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject
from assay.golden.lint.wording import spelled_words
from assay.records import Query


def repeated_questions(subject: Subject, setting: Setting) -> list[Finding]:
    """Evaluated questions of the same words, with other labels or with the same ones."""
    groups: dict[object, list[Query]] = {}
    for query in subject.golden.evaluated:
        groups.setdefault(tuple(spelled_words(query.text)) or query.text.strip(), []).append(query)
    differing: list[str] = []
    equal: list[str] = []
    for group in groups.values():
        if len(group) > 1:
            labels = {frozenset(subject.relevant.get(query.id, ())) for query in group}
            (differing if len(labels) > 1 else equal).append(" = ".join(query.id for query in group))
    found = []
    if differing:
        message = f"{count(len(differing), 'question')} asked more than once with different labels"
        advice = "no system can win both: give them the same labels, or words that tell them apart"
        found.append(finding("GS301", message, differing, advice))
    if equal:
        message = f"{count(len(equal), 'question')} asked more than once with the same labels"
        found.append(finding("GS302", message, equal, "keep one: a repeated question counts double in every mean"))
    return found
