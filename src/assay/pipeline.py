"""The whole trip of a run, in order:

golden set ─► chunks ─► embeddings ─► index ─► hits ─► ranking ─► scores

Nothing here knows Hydra, the console or files. What a run needs comes from the workbench, what it found is
returned as a ``Result``; ``assay.runs`` writes that down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay import factory
from assay.chunks import ChunkSet
from assay.clock import Clock, SearchTimes, time_search
from assay.config import Config, models
from assay.embedders.base import Embedder, Vectors, unit
from assay.golden import GoldenSet, without_own_judgements
from assay.notices import Warnings
from assay.ranking import Hits, above, rank, top_score, without_document
from assay.records import Ranking
from assay.results import Reporter, Result, Retrieved
from assay.retrieval import Bm25Retrieval, DenseRetrieval
from assay.scores import score_run
from assay.threads import use_threads
from assay.workbench import Counted, Workbench, embed_documents, embed_queries, truncation

FIRST_STAGE = 0


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
    embedder = bench.embedder(config)
    embedder.check()
    store = bench.store(config.cache)
    counted = {"chunks": Counted(), "document_vectors": Counted(), "query_vectors": Counted()}
    warnings.about_golden_set(golden)
    if config.evaluation.exclude_self:
        golden, own = without_own_judgements(golden)
        warnings.about_own_judgements(golden, own)

    with clock.stage("chunk"), reporter.stage("cut documents", golden.counts.documents) as done:
        chunks, known = bench.chunks(golden, config, embedder)
        done(golden.counts.documents)
        counted["chunks"].hits, counted["chunks"].misses = int(known), int(not known)

    if isinstance(config.retriever, models.Bm25Retriever):
        retrieved, search = lexical(config.retriever, config, golden, chunks, clock, reporter)
    else:
        with clock.stage("fit"):
            embedder = bench.fitted(config, embedder, chunks)
        with clock.stage("embed_chunks"), reporter.stage("embed chunks", len(chunks)) as done:
            vectors = embed_documents(embedder, chunks.embedded_texts(), store, counted["document_vectors"], done)
        with clock.stage("embed_queries"), reporter.stage("embed queries", len(golden.evaluated)) as done:
            queries = embed_queries(embedder, [q.text for q in golden.evaluated], store, counted["query_vectors"], done)
        retrieved, search = dense(config, bench, golden, chunks, embedder, vectors, queries, clock, reporter, warnings)

    with clock.stage("score"):
        if config.evaluation.exclude_self:
            retrieved = without_own(retrieved, golden, chunks)
        rankings, kept = rankings_of(retrieved.hits, config, golden, chunks)
        scores = score_run(config, golden, chunks, retrieved, rankings, kept)
    warnings.about_scores(config, golden, scores)
    return Result(
        config=config,
        golden=golden,
        chunks=chunks,
        rankings=rankings,
        scores=scores,
        clock=clock,
        search=search,
        build_seconds=retrieved.build_seconds,
        index_bytes=retrieved.index_bytes,
        cache=counted,
        warnings=warnings.lines,
        identity=embedder.identity() if isinstance(config.retriever, models.DenseRetriever) else {},
        truncated_chunks=retrieved.truncated_chunks,
        unequal_bits=unequal_bits(config, embedder),
    )


def unequal_bits(config: Config, embedder: Embedder) -> list[str]:
    """Why another run of this config may come out with other bits; empty where it comes out with the same."""
    if isinstance(config.retriever, models.Bm25Retriever):
        return []
    reasons = []
    if not embedder.promises_equal_bits():
        reasons.append("the embedding model runs on a device whose sums depend on the batch")
    if getattr(config.index, "build_threads", 1) > 1:
        reasons.append(
            f"index.build_threads={getattr(config.index, 'build_threads', 1)} builds in an order that changes"
        )
    return reasons


def dense(
    config: Config,
    bench: Workbench,
    golden: GoldenSet,
    chunks: ChunkSet,
    embedder: Embedder,
    vectors: Vectors,
    queries: Vectors,
    clock: Clock,
    reporter: Reporter,
    warnings: Warnings,
) -> tuple[Retrieved, SearchTimes | None]:
    """Build the index over ``vectors`` and search it for every query."""
    metric, depth, most = config.index.metric, config.retriever.depth, max(config.evaluation.ks)
    if metric == "cosine":
        vectors, queries = unit(vectors), unit(queries)
    indexed = np.flatnonzero(np.any(vectors, axis=1)) if metric != "l2" else np.arange(len(vectors))
    if len(indexed) < len(vectors):
        warnings.add(f"{len(vectors) - len(indexed)} chunks have a zero vector and can't be found")
        vectors = np.ascontiguousarray(vectors[indexed])
    with (
        clock.stage("build_index"),
        reporter.stage(f"build index ({config.index.kind})", len(indexed)) as done,
    ):
        index, notes = factory.make_index(config.index, vectors, config.seed, depth)
        done(len(indexed))
    for note in notes:
        warnings.add(note)
    retrieval = DenseRetrieval(chunks, indexed, vectors, index, metric)
    empty = sum(not retrieval.answers(query) for query in queries)
    if empty:
        warnings.add(f"{empty} queries have a zero vector and get nothing back")
    wanted = most + config.evaluation.exclude_self
    with clock.stage("search"), reporter.stage("search", len(queries)) as done:
        hits = retrieval.retrieve(queries, max(depth, wanted), wanted)
        done(len(queries))
    if config.index.kind != "flat" and retrieval.unfilled.slots:
        warnings.about_unfilled(config, retrieval.unfilled)
    with clock.stage("measure"):
        recalls = {}
        if config.index.kind != "flat":
            truths = bench.exact_answers(retrieval, queries, most)
            recalls = retrieval.index_recall(queries, config.evaluation.ks, depth, truths)
        search = time_search(retrieval, queries, depth, [q.text for q in golden.evaluated], embedder)
        seen_end, cut_off = truncation(embedder, chunks)
    if cut_off:
        warnings.add(
            f"{cut_off} of {len(chunks)} chunks are longer than the model reads ({_limit(embedder)} tokens); "
            "it cuts off the rest, so a larger chunker.size measures truncation"
        )
    return Retrieved(
        hits,
        retrieval.indexed_documents,
        lambda i, documents: retrieval.exact_document_ranks(queries[i], documents),
        recalls,
        seen_end,
        cut_off,
        clock.seconds["build_index"],
        index.nbytes(),
    ), search


def lexical(
    retriever: models.Bm25Retriever,
    config: Config,
    golden: GoldenSet,
    chunks: ChunkSet,
    clock: Clock,
    reporter: Reporter,
) -> tuple[Retrieved, SearchTimes | None]:
    """Weigh every chunk's words and score every query against them."""
    with clock.stage("build_index"), reporter.stage("build index (bm25)", len(chunks)) as done:
        bm25 = Bm25Retrieval(chunks, retriever)
        done(len(chunks))
    wanted = max(config.evaluation.ks) + config.evaluation.exclude_self
    texts = [query.text for query in golden.evaluated]
    with clock.stage("search"), reporter.stage("search", len(texts)) as done:
        hits = []
        for text in texts:
            hits.append(bm25.retrieve(text, max(retriever.depth, wanted), wanted))
            done(1)
    return Retrieved(
        hits,
        bm25.indexed_documents,
        lambda i, documents: bm25.exact_document_ranks(texts[i], documents),
        {},
        chunks.end,
        0,
        clock.seconds["build_index"],
        None,
    ), None


def without_own(retrieved: Retrieved, golden: GoldenSet, chunks: ChunkSet) -> Retrieved:
    """``retrieved`` as if the document whose id equals the query's were not in the corpus."""
    places = {document.id: place for place, document in enumerate(golden.documents)}

    def exact_ranks(i: int, documents: Sequence[int]) -> list[int | None]:
        own = places.get(golden.evaluated[i].id)
        if own is None:
            return retrieved.exact_ranks(i, documents)
        first, *ranks = retrieved.exact_ranks(i, [own, *documents])
        return [rank - 1 if rank is not None and first is not None and first < rank else rank for rank in ranks]

    hits = [
        without_document(found, chunks, query.id) if query.id in places else found
        for query, found in zip(golden.evaluated, retrieved.hits, strict=True)
    ]
    return replace(retrieved, hits=hits, exact_ranks=exact_ranks)


def rankings_of(
    hits: list[Hits], config: Config, golden: GoldenSet, chunks: ChunkSet
) -> tuple[list[Ranking], list[Hits]]:
    """The final ranking of every query, and the hits that ``min_score`` left."""
    rankings, kept = [], []
    for query, found in zip(golden.evaluated, hits, strict=True):
        left = above(found, config.filter.min_score, FIRST_STAGE)
        rankings.append(rank(query.id, left, chunks, top_score(found, FIRST_STAGE)))
        kept.append(left)
    return rankings, kept


def _limit(embedder: Embedder) -> object:
    return embedder.identity().get("max_length")
