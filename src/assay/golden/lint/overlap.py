"""GS501 to GS503: questions worded as the documents that answer them. Word matching then looks better than it is.

Two signs. The share of a question's rare words (in at most a twentieth of the documents) that its relevant
documents have; and runs of four words or more, one of them rare, that the question shares with such a document.
Questions written while looking at the text have both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.golden.lint.finding import Finding, count, finding
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject
from assay.golden.lint.wording import contained, spelled_words

LEAKING_SHARE = 0.5
COPYING_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Overlap:
    """Of the answerable questions with a rare word.

    ``in_documents`` is the mean share of a question's rare words found in its relevant documents, ``in_evidence``
    that in its evidence spans, over the questions that have some; None over no question. ``copied`` has the run
    of words that each copying question shares with a document.
    """

    questions: int
    in_documents: float | None
    in_evidence: float | None
    copied: dict[str, str]


def overlap(subject: Subject) -> Overlap:
    """How the wording of questions meets that of their documents and evidence."""
    wording, golden = subject.wording, subject.golden
    in_documents, in_evidence, copied = [], [], {}
    for query in subject.answerable:
        question = wording.numbers(query.text)
        relevant = [subject.row[doc] for doc in subject.relevant[query.id]]
        run = next((run for at in relevant if (run := wording.copied(question, at))), None)
        if run is not None:
            copied[query.id] = " ".join(spelled_words(query.text)[slice(*run)])
        features = wording.features(question)
        rare = features[wording.is_rare(features)]
        if not len(rare):
            continue
        there = np.zeros(len(rare), np.bool_)
        for at in relevant:
            there |= contained(rare, wording.features_of(at))
        in_documents.append(float(there.mean()))
        spans = golden.spans.get(query.id)
        if spans:
            texts = [subject.documents[span.doc_id].text[span.start : span.end] for span in spans]
            evidence = np.concatenate([wording.features(wording.numbers(text)) for text in texts])
            in_evidence.append(float(contained(rare, np.unique(evidence)).mean()))
    return Overlap(len(in_documents), _mean(in_documents), _mean(in_evidence), copied)


def leaks(subject: Subject, setting: Setting) -> list[Finding]:
    """Questions that give their documents away by their wording."""
    found = overlap(subject)
    findings = []
    if found.in_documents is not None and found.in_documents >= LEAKING_SHARE:
        evidence = f" ({found.in_evidence:.0%} in the evidence itself)" if found.in_evidence is not None else ""
        message = (
            f"{found.in_documents:.0%} of a question's rare words stand in its relevant documents{evidence}: "
            "matching words is enough, and the set is easier than real questions are"
        )
        advice = "compare with retriever=bm25; reword questions as people ask who have not seen the text"
        findings.append(finding("GS501", message, [], advice))
    if found.copied:
        share = len(found.copied) / len(subject.answerable)
        places = [f"{query_id}: {words}" for query_id, words in found.copied.items()]
        message = (
            f"{count(len(places), 'question')} ({share:.0%}) copy four or more words in a row from a relevant document"
        )
        code = "GS502" if share >= COPYING_SHARE else "GS503"
        findings.append(finding(code, message, places, "reword them, unless users would type just these words"))
    return findings


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
