"""Lint of a golden set: what is wrong or odd about it, and what to do. One kind of finding a module.

``lint`` holds a set that could be read against itself and against the run that it is meant for; ``CODES`` lists
every code that it can give. What keeps a set from being read is ``reading_faults``.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.golden.golden_set import GoldenSet
from assay.golden.lint.empty import empty_documents
from assay.golden.lint.faults import reading_faults, unknown_ids
from assay.golden.lint.finding import CODES, SEVERITIES, SHOWN_PLACES, Finding, Severity
from assay.golden.lint.grades import grade_counts, grade_scale
from assay.golden.lint.language import languages
from assay.golden.lint.marks import mistyped, unlabelled
from assay.golden.lint.overlap import leaks
from assay.golden.lint.positives import more_than_k, type_claims
from assay.golden.lint.repeated import repeated_questions
from assay.golden.lint.saturation import saturation
from assay.golden.lint.setting import Reading, Setting
from assay.golden.lint.short import short_documents
from assay.golden.lint.size import Shown, size, what_it_shows
from assay.golden.lint.subject import Subject
from assay.golden.lint.truncation import cut_evidence
from assay.golden.lint.twins import twins
from assay.golden.lint.unanswerable import unanswerable_share

__all__ = [
    "CODES",
    "SEVERITIES",
    "SHOWN_PLACES",
    "Finding",
    "Reading",
    "Setting",
    "Severity",
    "Shown",
    "Subject",
    "grade_counts",
    "lint",
    "reading_faults",
    "what_it_shows",
]

RULES: tuple[Callable[[Subject, Setting], list[Finding]], ...] = (
    unlabelled,
    mistyped,
    empty_documents,
    twins,
    repeated_questions,
    unanswerable_share,
    type_claims,
    grade_scale,
    more_than_k,
    leaks,
    languages,
    saturation,
    short_documents,
    cut_evidence,
    size,
)


def lint(golden: GoldenSet | Subject, setting: Setting | None = None) -> list[Finding]:
    """What is wrong or odd about ``golden``: errors first, then warnings, then notes, each in the order of codes.

    A set that was loaded with ``on_unknown="drop"`` has the rows that were left out among its findings.
    """
    subject = golden if isinstance(golden, Subject) else Subject(golden)
    setting = setting or Setting()
    found = unknown_ids(subject.golden, setting.drop_unknown)
    for rule in RULES:
        found += rule(subject, setting)
    return sorted(found, key=lambda one: (SEVERITIES.index(one.severity), one.code))
