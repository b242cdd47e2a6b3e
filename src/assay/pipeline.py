"""The whole trip of a run, in order:

golden set ─► chunks ─► first stage (vectors, index, search) ─► reranking ─► ranking ─► scores

Nothing here knows Hydra, the console or files. What a run needs comes from the workbench, what it found is
returned as a ``Result``; ``assay.runs`` writes that down.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay import plugins
from assay.abstaining import check_labels, thresholds_of
from assay.clock import Clock
from assay.config import Config
from assay.embedders.base import Embedder
from assay.filters import allowed_documents
from assay.first_stages import Prepared, measure, prepare, search
from assay.golden import without_own_judgements
from assay.notices import Warnings
from assay.ranking import Hits, above, rank, to_passages, top_score, without_document
from assay.records import Ranking
from assay.rerankers.base import Reranker
from assay.reranking import rerank
from assay.results import Reporter, Result, Retrieved
from assay.retrieval.fusion import min_score_note
from assay.scores import score_run
from assay.store import STAGES, Counted
from assay.threads import use_threads
from assay.trip import Trip
from assay.workbench import Workbench

FIRST_STAGE, RERANKED = 0, 1


def run(config: Config, bench: Workbench, reporter: Reporter) -> Result:
    """Do what ``config`` says.

    Raises
    ------
    AssayError
        What the config asks for can't be done on this data or this machine.
    """
    clock, warnings = Clock(), Warnings(reporter)
    use_threads(config.threads)
    with clock.stage("golden_set"):
        golden = bench.golden_set(config.dataset)
    warnings.about_golden_set(golden)
    if config.evaluation.exclude_self:
        golden, own = without_own_judgements(golden)
        warnings.about_own_judgements(golden, own)
    with clock.stage("filter"):
        allowed = allowed_documents(config.filter, golden.documents, golden.evaluated)
    warnings.about_filter(config, golden, allowed)
    check_labels(config, golden)
    if note := min_score_note(config):
        warnings.add(note)

    embedder = bench.embedder(config)
    embedder.check()
    with clock.stage("chunk"), reporter.stage("cut documents", golden.counts.documents) as done:
        counted = {stage: Counted() for stage in STAGES}
        chunks = bench.chunks(golden, config, embedder, counted["chunks"])
        done(golden.counts.documents)
    trip = Trip(config, bench, golden, chunks, embedder, allowed, clock, reporter, warnings, counted)
    reranker = bench.reranker(config, embedder, chunks)

    prepared = prepare(trip)
    with clock.stage("search"), reporter.stage("search", len(golden.evaluated)) as done:
        found = search(trip, prepared)
        done(len(golden.evaluated))
    measured = measure(trip, prepared)

    hits = [to_passages(each, chunks) for each in found]
    if config.evaluation.exclude_self:
        hits = [without_document(each, chunks, query.id) for each, query in zip(hits, golden.evaluated, strict=True)]
    reranked = rerank(trip, reranker, hits)

    with clock.stage("score"):
        final = RERANKED if reranker else FIRST_STAGE
        thresholds = thresholds_of(config, golden, reranked.hits, chunks.passages, final)
        kept = [above(each, least, final) for each, least in zip(reranked.hits, thresholds.each, strict=True)]
        rankings = rankings_of(reranked.hits, kept, trip, final)
        cut = config.filter.min_score is not None
        first_stage = rankings_of(hits, hits, trip, FIRST_STAGE) if reranker or cut else None
        before_cut = rankings_of(reranked.hits, reranked.hits, trip, final) if reranker and cut else None
        retrieved = Retrieved(
            stage=prepared.stage,
            fetched=[len(each) for each in found],
            hits=hits,
            final=reranked.hits,
            handed=reranked.handed,
            allowed=allowed,
            index_recall=measured.index_recall,
            seen_end=measured.seen_end,
            exclude_self=config.evaluation.exclude_self,
        )
        scores = score_run(config, golden, chunks, retrieved, rankings, kept, thresholds)
    warnings.about_scores(config, golden, scores)
    for line in bench.store(config.cache).troubles:
        warnings.add(line)
    embeds = (
        prepared.dense is not None
        or config.chunker.kind == "semantic"
        or (reranker is not None and reranker.uses_embedder)
    )
    embedder_used = trip.embedder if embeds else None
    return Result(
        config=config,
        golden=golden,
        chunks=chunks,
        rankings=rankings,
        first_stage=first_stage,
        reranked=before_cut,
        scores=scores,
        clock=clock,
        search=measured.search.reranked(reranked.milliseconds) if reranker else measured.search,
        build_seconds=clock.seconds.get("build_index"),
        index_bytes=prepared.index_bytes,
        cache=trip.counted,
        warnings=warnings.lines,
        identity=embedder_used.identity() if embedder_used else {},
        reranker=reranker.identity() if reranker else {},
        truncated_chunks=measured.truncated_chunks,
        unequal_bits=unequal_bits(config, prepared, embedder_used, reranker),
    )


def rankings_of(hits: Sequence[Hits], kept: Sequence[Hits], trip: Trip, final_stage: int) -> list[Ranking]:
    """The ranking of every query that the hits ``kept`` make, with the best score among all of its ``hits``."""
    passages = trip.chunks.passages
    return [
        rank(query.id, left, passages, top_score(found, final_stage))
        for query, found, left in zip(trip.golden.evaluated, hits, kept, strict=True)
    ]


def unequal_bits(config: Config, prepared: Prepared, embedder: Embedder | None, reranker: Reranker | None) -> list[str]:
    """Why another run of this config may come out with other bits; empty where it comes out with the same."""
    reasons = plugins.unequal_bits(config)
    if embedder is not None and embedder.kind != "plugin" and not embedder.promises_equal_bits():
        reasons.append("the embedding model runs on a device whose sums depend on the batch")
    if reranker is not None and reranker.kind != "plugin" and not reranker.promises_equal_bits():
        reasons.append("the reranker runs on a device whose sums depend on the batch")
    threads = getattr(config.index, "build_threads", 1)
    if threads > 1 and prepared.dense is not None:
        reasons.append(f"index.build_threads={threads} builds in an order that changes")
    return reasons
