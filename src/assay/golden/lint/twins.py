"""GS204 to GS206: equal and nearly equal documents, above all where only one of two twins is relevant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.golden.lint.finding import Finding, count, finding
from assay.golden.lint.near import SIMILAR, near_pairs
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject

SHOWN_TWINS = 3


def twins(subject: Subject, setting: Setting) -> list[Finding]:
    """Twins that the judgements tell apart, and families of twins as such."""
    families = _equal(subject)
    near = _near(subject, [family[0] for family in families])
    return [*_half_judged(subject, families, near), *_equal_finding(families), *_near_finding(near)]


def _equal(subject: Subject) -> list[list[str]]:
    """Every document that has text, with those of the same words: most are alone."""
    families: dict[object, list[str]] = {}
    for document in subject.golden.documents:
        if document.id not in subject.empty:
            row = subject.wording.rows[subject.row[document.id]]
            families.setdefault(row.tobytes() if len(row) else document.text.strip(), []).append(document.id)
    return list(families.values())


def _near(subject: Subject, firsts: Sequence[str]) -> list[tuple[str, str, float]]:
    rows = [subject.wording.rows[subject.row[doc]] for doc in firsts]
    return [(firsts[i], firsts[j], similarity) for i, j, similarity in near_pairs(rows)]


def _half_judged(
    subject: Subject, families: Sequence[Sequence[str]], near: Sequence[tuple[str, str, float]]
) -> list[Finding]:
    family_of = {doc: family for family in families for doc in family}
    neighbours: dict[str, list[str]] = {}
    for one, other, _ in near:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    places = [
        place
        for query_id, relevant in subject.relevant.items()
        for doc in relevant
        if (place := _twins_left_out(query_id, doc, subject.golden.qrels[query_id], family_of, neighbours))
    ]
    if not places:
        return []
    message = f"{count(len(places), 'relevant document')} with a twin that is not judged relevant to the same question"
    advice = "a run that finds the twin is called wrong: judge the twin too (0 for a near one if it lacks the answer), or remove it"
    return [finding("GS204", message, places, advice)]


def _twins_left_out(
    query_id: str,
    doc: str,
    grades: Mapping[str, int],
    family_of: Mapping[str, Sequence[str]],
    neighbours: Mapping[str, Sequence[str]],
) -> str | None:
    """The twins of ``doc`` that are not relevant to the query; a near one that is judged 0 was looked at."""
    family = family_of.get(doc, ())
    equal = [twin for twin in family if twin != doc and grades.get(twin, 0) <= 0]
    close = [
        twin
        for first in neighbours.get(family[0] if family else doc, ())
        for twin in family_of[first]
        if twin not in grades
    ]
    if not equal and not close:
        return None
    both = [*(f"= {twin}" for twin in equal), *(f"~ {twin}" for twin in close)]
    more = f" and {len(both) - SHOWN_TWINS:,} more" if len(both) > SHOWN_TWINS else ""
    return f"{query_id}: {doc} {', '.join(both[:SHOWN_TWINS])}{more}"


def _equal_finding(families: Sequence[Sequence[str]]) -> list[Finding]:
    several = [family for family in families if len(family) > 1]
    if not several:
        return []
    copies = sum(len(family) - 1 for family in several)
    message = f"{count(copies, 'document')} with the same words as another"
    places = [
        " = ".join(family[:SHOWN_TWINS])
        + (f" and {len(family) - SHOWN_TWINS:,} more" if len(family) > SHOWN_TWINS else "")
        for family in several
    ]
    return [finding("GS205", message, places, "keep one of each: copies take up ranks that other documents could have")]


def _near_finding(near: Sequence[tuple[str, str, float]]) -> list[Finding]:
    if not near:
        return []
    message = f"{count(len(near), 'pair')} of documents that share {SIMILAR:.0%} or more of their runs of five words"
    places = [f"{one} ~ {other} ({similarity:.0%})" for one, other, similarity in near]
    advice = "versions of one text: keep the valid one, or judge each where the question tells them apart"
    return [finding("GS206", message, places, advice)]
