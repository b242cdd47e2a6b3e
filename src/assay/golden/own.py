"""A golden set in which no query is judged on the document that bears its own id."""

from __future__ import annotations

from dataclasses import replace

from assay.golden.golden_set import GoldenSet


def without_own_judgements(golden: GoldenSet) -> tuple[GoldenSet, int]:
    """``golden`` less every judgement and span of a query's own document, and how many judgements that were.

    A query that loses all its positives so is not evaluated; it counts as unjudged. The hashes stay those of the files.
    """
    qrels = {
        query_id: {doc_id: grade for doc_id, grade in judged.items() if doc_id != query_id}
        for query_id, judged in golden.qrels.items()
    }
    left_out = sum(len(judged) for judged in golden.qrels.values()) - sum(len(judged) for judged in qrels.values())
    evaluated = tuple(
        query
        for query in golden.evaluated
        if not query.answerable or any(grade > 0 for grade in qrels.get(query.id, {}).values())
    )
    lost = len(golden.evaluated) - len(evaluated)
    counts = replace(golden.counts, answerable=golden.counts.answerable - lost, unjudged=golden.counts.unjudged + lost)
    spans = {
        query_id: tuple(span for span in found if span.doc_id != query_id) for query_id, found in golden.spans.items()
    }
    return replace(golden, qrels=qrels, spans=spans, evaluated=evaluated, counts=counts), left_out
