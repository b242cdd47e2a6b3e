"""GS403, and how grades are distributed."""

from __future__ import annotations

from collections import Counter

from assay.golden.lint.finding import Finding, finding
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject

LARGEST_USUAL = 4  # TREC's largest scale; gain is linear in the grade
SHOWN_GRADES = 5


def grade_counts(subject: Subject) -> dict[int, int]:
    """Number of judgements of each grade, rising."""
    found = Counter(grade for grades in subject.golden.qrels.values() for grade in grades.values())
    return dict(sorted(found.items()))


def grade_scale(subject: Subject, setting: Setting) -> list[Finding]:
    """Grades above four: gain is linear, so one such document outweighs all others of its question."""
    high = [
        f"{query_id} {doc}: {grade}"
        for query_id, grades in subject.golden.qrels.items()
        for doc, grade in grades.items()
        if grade > LARGEST_USUAL
    ]
    if not high:
        return []
    spread = ", ".join(f"{grade} ({number:,})" for grade, number in list(grade_counts(subject).items())[-SHOWN_GRADES:])
    message = f"grades above {LARGEST_USUAL}: {spread}; ndcg's gain is linear, so they outweigh all others"
    return [
        finding(
            "GS403", message, high, "use a scale such as 1 related, 2 answers, 3 answers fully; or read mrr and recall"
        )
    ]
