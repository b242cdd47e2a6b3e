"""GS401, GS402, GS404: how many documents are relevant, against the type's name and the cutoffs."""

from __future__ import annotations

from assay.golden.lint.claims import ONE, SEVERAL, claim_of
from assay.golden.lint.finding import Finding, count, finding
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject

HEADLINE_K = 5


def type_claims(subject: Subject, setting: Setting) -> list[Finding]:
    """Questions whose type's name promises several documents or one, and that have another number."""
    single, many = [], []
    for query in subject.answerable:
        number, claim = len(subject.relevant[query.id]), claim_of(query.type)
        if claim == SEVERAL and number == 1:
            single.append(f"{query.id} ({query.type})")
        elif claim == ONE and number > 1:
            many.append(f"{query.id} ({query.type}): {number}")
    found = []
    if single:
        message = f"{count(len(single), 'question')} of a type that promises several documents with one relevant"
        advice = "judge the others that the answer needs; if one holds it all, another type says so better"
        found.append(finding("GS401", message, single, advice))
    if many:
        message = f"{count(len(many), 'question')} of a type that promises one document with several relevant"
        advice = (
            "recall asks for all of them: if each answers alone, that is harsh; if all are needed, it is another type"
        )
        found.append(finding("GS402", message, many, advice))
    return found


def more_than_k(subject: Subject, setting: Setting) -> list[Finding]:
    """Questions with more relevant documents than recall@5 has room for."""
    k = HEADLINE_K
    over = [f"{query_id}: {len(relevant)}" for query_id, relevant in subject.relevant.items() if len(relevant) > k]
    if not over or k not in setting.ks:
        return []
    message = f"{count(len(over), 'question')} with more than {k} relevant documents: their recall@{k} can't reach 1"
    return [finding("GS404", message, over, "read recall against its ceiling, or use ndcg and a larger cutoff")]
