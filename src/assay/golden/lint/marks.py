"""GS104 to GS106: questions whose marks and judgements disagree."""

from __future__ import annotations

from assay.golden.lint.claims import UNANSWERABLE, claim_of
from assay.golden.lint.finding import Finding, count, finding
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject


def unlabelled(subject: Subject, setting: Setting) -> list[Finding]:
    """GS104: explicitly answerable, but nothing relevant. GS105: simply without a judgement in this split."""
    golden = subject.golden
    evaluated = {query.id for query in golden.evaluated}
    left = [query for query in golden.queries if query.id not in evaluated]
    marked = [query.id for query in left if query.metadata.get("answerable") is True]
    plain = [query.id for query in left if query.metadata.get("answerable") is not True]
    found = []
    if marked:
        message = (
            f"{count(len(marked), 'question')} marked answerable without a relevant document in qrels/{golden.split}.tsv: "
            "not evaluated"
        )
        found.append(finding("GS104", message, marked, 'judge a document, or mark it "answerable": false'))
    if plain:
        message = f"{count(len(plain), 'question')} without a judgement in qrels/{golden.split}.tsv: not evaluated"
        advice = "nothing, if they belong to another split; else judge them, or mark those without an answer"
        found.append(finding("GS105", message, plain, advice))
    return found


def mistyped(subject: Subject, setting: Setting) -> list[Finding]:
    """GS106: the type says that there is no answer, the mark doesn't."""
    wrong = [query.id for query in subject.golden.queries if query.answerable and claim_of(query.type) == UNANSWERABLE]
    if not wrong:
        return []
    message = f"{count(len(wrong), 'question')} of a type that says unanswerable, not marked so"
    return [finding("GS106", message, wrong, 'the mark counts, not the type: add "answerable": false to the metadata')]
