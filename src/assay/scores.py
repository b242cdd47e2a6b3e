"""Every number of a run: per-query scores, what was missed and why, and the body of metrics.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.chunks import ChunkSet
from assay.config import Config
from assay.evaluation import (
    NEEDS_SPANS,
    Answer,
    MissFacts,
    abstention_block,
    cause_of,
    expand,
    floor_and_ceiling,
    parse,
    score_evidence,
    score_rankings,
    summarise,
)
from assay.golden import GoldenSet
from assay.ranking import Hits, document_order
from assay.records import Query, Ranking, Span
from assay.words import word_spans

if TYPE_CHECKING:
    from assay.results import Retrieved


@dataclass(frozen=True, slots=True)
class Missed:
    """A relevant document that is not in the top max(ks): its grade, the stage that lost it, its exact rank."""

    doc_id: str
    grade: int
    cause: str
    rank: int | None


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
) -> Scores:
    """Score ``rankings`` (after ``min_score``) and the chunk hits ``kept`` behind them."""
    queries = golden.evaluated
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
            [extents(hits, chunks) for hits in kept],
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
    places = {document.id: place for place, document in enumerate(golden.documents)}
    missed = [
        missed_of(i, query, qrels[i], rankings[i], retrieved, golden, chunks, places, most)
        for i, query in enumerate(queries)
    ]
    sizes = [golden.counts.documents - (config.evaluation.exclude_self and query.id in places) for query in queries]
    answers = [
        Answer(
            query.answerable,
            not ranking.documents,
            ranking.top_score,
            relevant_on_top(hits, chunks, judged, most),
        )
        for query, ranking, hits, judged in zip(queries, rankings, retrieved.hits, qrels, strict=True)
    ]
    summary = summarise(
        answerable=answerable,
        unjudged=golden.counts.unjudged,
        types=[query.type for query in queries],
        values=values,
        bounds=floor_and_ceiling(qrels, sizes, plain),
        abstention=abstention_block(answers, config.filter.min_score),
        causes=Counter(miss.cause for misses in missed for miss in misses),
    )
    return Scores(summary, values, qrels, missed)


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


def missed_of(
    i: int,
    query: Query,
    judged: Mapping[str, int],
    ranking: Ranking,
    retrieved: Retrieved,
    golden: GoldenSet,
    chunks: ChunkSet,
    places: Mapping[str, int],
    k: int,
) -> list[Missed]:
    """The relevant documents of query ``i`` that are not in its top ``k``, best grade first, and what lost each."""
    top = set(ranking.doc_ids[:k])
    lost = sorted(
        (doc_id for doc_id, grade in judged.items() if grade > 0 and doc_id not in top),
        key=lambda d: (-judged[d], d),
    )
    if not lost:
        return []
    exact = retrieved.exact_ranks(i, [places[doc_id] for doc_id in lost])
    order = {document: at for at, document in enumerate(document_order(retrieved.hits[i], chunks), 1)}
    found = []
    for doc_id, rank in zip(lost, exact, strict=True):
        place = places[doc_id]
        spans = [span for span in golden.spans.get(query.id, ()) if span.doc_id == doc_id]
        facts = MissFacts(
            has_chunk=place in retrieved.indexed,
            excluded_by_where=False,
            evidence_truncated=bool(spans)
            and not any(read_by_model(span, place, chunks, retrieved.seen_end) for span in spans),
            exact_rank=rank,
            in_exact_candidates=place in order,
            in_first_stage=place in order,
            first_stage_rank=order.get(place),
            reranked=False,
            final_rank=order.get(place),
            has_reranker=False,
            k=k,
        )
        found.append(Missed(doc_id, judged[doc_id], cause_of(facts), rank))
    return found


def read_by_model(span: Span, place: int, chunks: ChunkSet, seen_end: NDArray[np.int64]) -> bool:
    """Whether any character of ``span`` lies in text that the embedding model reads."""
    return any(
        max(int(chunks.start[row]), span.start) < min(int(seen_end[row]), span.end) for row in chunks.rows_of(place)
    )
