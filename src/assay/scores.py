"""Every number of a run: per-query scores, what was missed and why, and the body of metrics.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.abstaining import Thresholds
from assay.chunks import ChunkSet
from assay.config import Config
from assay.evaluation import (
    NEEDS_SPANS,
    Answer,
    QueryOutcome,
    abstention_block,
    advice,
    estimate,
    expand,
    floor_and_ceiling,
    parse,
    perfect_order,
    score_evidence,
    score_rankings,
    summarise,
)
from assay.evaluation.threshold import FOLDS
from assay.golden import GoldenSet
from assay.misses import Missed, Misses
from assay.ranking import Hits, document_order
from assay.records import Ranking
from assay.words import word_spans

if TYPE_CHECKING:
    from assay.results import Retrieved


HEADLINE_K = 5


@dataclass(frozen=True, slots=True)
class Scores:
    """Lists are in the order of ``golden.evaluated``; ``values[name][i]`` is NaN where query i is not in the mean."""

    summary: dict[str, Any]
    values: Mapping[str, NDArray[np.float64]]
    qrels: list[Mapping[str, int]]
    missed: list[list[Missed]]


def score_run(
    config: Config,
    golden: GoldenSet,
    chunks: ChunkSet,
    retrieved: Retrieved,
    rankings: Sequence[Ranking],
    kept: Sequence[Hits],
    thresholds: Thresholds,
) -> Scores:
    """Score ``rankings`` (after ``min_score``) and the chunk hits ``kept`` behind them."""
    queries, passages = golden.evaluated, chunks.passages
    qrels: list[Mapping[str, int]] = [golden.qrels.get(query.id, {}) for query in queries]
    answerable = [query.answerable for query in queries]
    families = config.evaluation.metrics
    names = expand(families if isinstance(families, str) else list(families), config.evaluation.ks)
    metrics = {name: parse(name) for name in names}
    from_index = {name for name, metric in metrics.items() if metric.family == "index_recall"}
    from_spans = {name for name, metric in metrics.items() if metric.family in NEEDS_SPANS}

    doc_ids = [ranking.doc_ids for ranking in rankings]
    plain = [name for name in names if name not in from_index and name not in from_spans]
    values = score_rankings(doc_ids, qrels, plain, answerable=answerable, query_ids=[q.id for q in queries])
    if golden.spans:
        texts = {document.id: document.text for document in golden.documents}
        values |= score_evidence(
            [extents(hits, passages) for hits in kept],
            [golden.spans.get(query.id, ()) for query in queries],
            [name for name in names if name in from_spans],
            answerable=answerable,
            text_of=texts.__getitem__,
            word_spans=word_spans,
        )
    for name in sorted(from_index):
        k = metrics[name].k
        if k in retrieved.index_recall:
            values[name] = retrieved.index_recall[k]

    most = max(config.evaluation.ks)
    misses = Misses(golden, chunks, retrieved, most)
    missed = [misses.of(i, ranking.doc_ids[:most], qrels[i]) for i, ranking in enumerate(rankings)]
    sizes = [
        golden.counts.documents - (config.evaluation.exclude_self and query.id in misses.places) for query in queries
    ]
    answers = [
        Answer(
            query.answerable,
            not ranking.documents,
            ranking.top_score,
            relevant_on_top(hits, passages, judged, most),
        )
        for query, ranking, hits, judged in zip(queries, rankings, retrieved.final, qrels, strict=True)
    ]
    full = [[chunks.documents[owner].id for owner in document_order(hits, passages)] for hits in retrieved.final]
    first = [[chunks.documents[owner].id for owner in document_order(hits, passages)] for hits in retrieved.hits]
    summary = summarise(
        answerable=answerable,
        unjudged=golden.counts.unjudged,
        types=[query.type for query in queries],
        values=values,
        bounds=floor_and_ceiling(qrels, sizes, plain),
        abstention=abstention_block(answers, thresholds.threshold) | cross_fit_block(thresholds),
        causes=[Counter(miss.cause for miss in each) for each in missed],
        reranking=ceiling(
            retrieved, first, full, qrels, [name for name in plain if metrics[name].family != "handled"], chunks
        ),
        advice=advice(
            [
                QueryOutcome(
                    frozenset(doc_id for doc_id, grade in qrels[i].items() if grade > 0),
                    doc_ids[i],
                    first[i],
                    {miss.doc_id: (miss.cause, miss.rank) for miss in missed[i]},
                )
                for i, query in enumerate(queries)
                if query.answerable
            ],
            HEADLINE_K if HEADLINE_K in config.evaluation.ks else most,
            golden.counts.documents,
            retrieved.handed is not None,
        ),
    )
    return Scores(summary, values, qrels, missed)


def cross_fit_block(thresholds: Thresholds) -> dict[str, Any]:
    """How the threshold was chosen, and what it is worth on queries that did not choose it; nothing where it was given."""
    chosen = thresholds.chosen
    if chosen is None:
        return {}
    return {
        "cross_fit": {
            "folds": FOLDS,
            "utility": chosen.utility,
            "utility_always_answer": chosen.always_answer,
            "utility_always_empty": chosen.always_empty,
        }
    }


def ceiling(
    retrieved: Retrieved,
    first: Sequence[Sequence[str]],
    final: Sequence[Sequence[str]],
    qrels: Sequence[Mapping[str, int]],
    names: Sequence[str],
    chunks: ChunkSet,
) -> dict[str, Any] | None:
    """What a perfect reranker would have scored on what was handed on; None without a reranker.

    Both are before ``min_score``: ``ceiling`` orders what was handed on by grade, ``before`` is the first stage's order.
    """
    if retrieved.handed is None:
        return None
    handed = [[chunks.documents[place].id for place in places] for places in retrieved.handed]
    perfect = [perfect_order(each, rest, judged) for each, rest, judged in zip(handed, first, qrels, strict=True)]
    orders = {"before": first, "after": final, "ceiling": perfect}
    scored = {what: score_rankings(order, qrels, names) for what, order in orders.items()}
    return {name: {what: estimate(scored[what][name]).mean for what in orders} for name in names}


def extents(hits: Hits, chunks: ChunkSet) -> list[tuple[str, int, int]]:
    """Document id, start and end of each hit, in order."""
    return [
        (chunks.documents[owner].id, start, end)
        for owner, start, end in zip(
            chunks.document[hits.rows].tolist(),
            chunks.start[hits.rows].tolist(),
            chunks.end[hits.rows].tolist(),
            strict=True,
        )
    ]


def relevant_on_top(hits: Hits, chunks: ChunkSet, judged: Mapping[str, int], k: int) -> bool:
    """Whether a relevant document is among the first ``k`` before ``min_score``."""
    return any(judged.get(chunks.documents[owner].id, 0) > 0 for owner in document_order(hits, chunks)[:k])
