"""What ``assay check`` says: findings, each with a code that never changes its meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
SHOWN_PLACES = 10

CODES: dict[str, tuple[Severity, str]] = {
    "GS101": ("error", "a file or a row that can't be used as it is"),
    "GS102": ("error", "a judgement or a span names an id that doesn't exist"),
    "GS103": ("warning", "judgements or spans of ids that don't exist were left out, as asked"),
    "GS104": ("warning", "a question is marked answerable, and nothing is judged relevant to it"),
    "GS105": ("note", "questions without a judgement in this split"),
    "GS106": ("warning", "a question's type says unanswerable, its mark does not"),
    "GS201": ("error", "a question can't be won: all that is relevant to it is in empty documents"),
    "GS202": ("warning", "a relevant document is empty"),
    "GS203": ("note", "empty documents that are relevant to nothing"),
    "GS204": ("warning", "a relevant document has a twin that is not judged relevant"),
    "GS205": ("note", "documents with equal text"),
    "GS206": ("note", "documents with nearly equal text"),
    "GS301": ("warning", "one question is there twice, with other labels"),
    "GS302": ("note", "one question is there twice, with the same labels"),
    "GS303": ("warning", "no question is marked unanswerable"),
    "GS304": ("note", "the share of unanswerable questions is far from the advised one"),
    "GS401": ("warning", "a type promises several documents, and its question has one"),
    "GS402": ("note", "a type promises one document, and its question has several"),
    "GS403": ("warning", "grades out of proportion"),
    "GS404": ("note", "more relevant documents than a cutoff has room for"),
    "GS501": ("warning", "the questions are worded as their documents are"),
    "GS502": ("warning", "many questions copy a run of words from their documents"),
    "GS503": ("note", "some questions copy a run of words from their documents"),
    "GS601": ("warning", "documents in a language that the embedder was not made for"),
    "GS602": ("warning", "questions in a language that the embedder was not made for"),
    "GS603": ("warning", "questions in another script than their relevant documents"),
    "GS604": ("warning", "a cutoff that takes in a tenth of the corpus or more"),
    "GS605": ("warning", "most documents are shorter than the smallest chunk"),
    "GS606": ("note", "some documents are shorter than the smallest chunk"),
    "GS607": ("warning", "evidence in text that the embedder cuts off"),
    "GS608": ("note", "the embedder's limit could not be held against the evidence"),
    "GS701": ("warning", "few questions: only large differences can be shown"),
    "GS702": ("note", "types with few questions"),
}
"""Each code's severity and meaning. A code is never used for anything else; new findings get new codes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is odd about a golden set.

    ``places`` are ids, or ``file:line`` with what is wrong there; ``total`` is larger than their number where
    reading stopped naming them. ``advice`` says what to do.
    """

    code: str
    severity: Severity
    message: str
    places: tuple[str, ...]
    advice: str
    total: int

    def as_dict(self) -> dict[str, Any]:
        """As ``--json`` prints it, with every place."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "places": list(self.places),
            "total": self.total,
            "advice": self.advice,
        }


def finding(code: str, message: str, places: Sequence[str], advice: str, total: int | None = None) -> Finding:
    """The finding ``code`` with the severity that the code has."""
    return Finding(code, CODES[code][0], message, tuple(places), advice, len(places) if total is None else total)


def count(number: int, what: str, several: str | None = None) -> str:
    """``1 question``, ``1,200 questions``: a number and its noun."""
    return f"{number:,} {what if number == 1 else several or what + 's'}"
