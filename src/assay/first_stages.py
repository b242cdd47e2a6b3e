"""From a config to a first stage that is ready to be asked, and what measuring it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import factory
from assay.clock import SearchTimes, time_search
from assay.config import models
from assay.filters import search_notices
from assay.indexes.trained import build_parts
from assay.plugins import PluginRetrieval, PluginStage
from assay.ranking import Hits
from assay.retrieval import Bm25Retrieval, DenseRetrieval
from assay.retrieval.hybrid import HybridStage
from assay.retrieval.stage import DenseStage, FirstStage, LexicalStage
from assay.store import kept, key_of, key_of_parts, space_of_stage
from assay.store.found import FOUND_VERSION, Found, pack_found, unpack_found
from assay.store.stages import chunks_digest, digest_of, kept_index
from assay.trip import Trip
from assay.workbench import truncation


@dataclass(frozen=True, slots=True)
class Prepared:
    """A first stage over the run's queries; ``dense`` is its dense part, None without one.

    ``index_bytes`` is the size of the dense part's index. ``key`` is what its hits depend on besides depths, as plain
    values; None where nobody can tell.
    """

    stage: FirstStage
    dense: DenseStage | None
    index_bytes: int | None
    key: dict[str, Any] | None


def prepare(trip: Trip) -> Prepared:
    """The first stage that the config names, its index built, its queries embedded."""
    retriever = trip.config.retriever
    if isinstance(retriever, models.PluginRetriever):
        return Prepared(plugin(trip, retriever), None, None, None)
    allowed = None if trip.allowed is None else digest_of(*trip.allowed.masks, trip.allowed.of)
    key: dict[str, Any] = {"retriever": retriever.model_dump(mode="json", exclude={"depth"}), "allowed": allowed}
    if not isinstance(retriever, models.DenseRetriever):
        key |= {"chunks": chunks_digest(trip.chunks, trip.golden.hashes.corpus), "texts": key_of(*trip.texts, "").hex()}
    if isinstance(retriever, models.Bm25Retriever):
        return Prepared(lexical(trip, retriever), None, None, key)
    dense = nearest(trip)
    seed, mode, index = trip.config.seed, dense.mode, trip.config.index.model_dump(mode="json")
    key |= {
        "index": index,
        "seed": seed,
        "mode": mode,
        "faiss": build_parts(trip.config.index, dense.retrieval.vectors, seed),
    }
    key |= {"vectors": digest_of(dense.retrieval.vectors, dense.retrieval.owner), "queries": digest_of(dense.queries)}
    size = dense.retrieval.index.nbytes()
    if isinstance(retriever, models.HybridRetriever):
        stage = HybridStage(dense, lexical(trip, retriever), trip.chunks, retriever)
        return Prepared(stage, dense, size, key)
    return Prepared(dense, dense, size, key)


def search(trip: Trip, prepared: Prepared) -> list[Hits]:
    """The first stage's hits for every query: found before by an equal search, or now."""
    depth = max(trip.config.retriever.depth, trip.wanted)
    if prepared.key is None:
        return prepared.stage.retrieve(depth, trip.wanted)

    def make() -> Found:
        return Found(prepared.stage.retrieve(depth, trip.wanted), prepared.stage.state())

    def unpack(payload: bytes) -> Found:
        found = unpack_found(payload, len(trip.texts), len(trip.chunks))
        try:
            prepared.stage.restore(found.state)
        except (KeyError, TypeError) as error:
            raise ValueError("the state of another search") from error
        return found

    label = trip.model_label if prepared.dense is not None else trip.config.retriever.kind
    key = key_of_parts({**prepared.key, "depth": depth, "documents": trip.wanted, "version": FOUND_VERSION})
    space = space_of_stage("rankings", {"model": label}, label)
    return kept(trip.store, space, key, trip.counted["rankings"], make, pack_found, unpack).hits


def nearest(trip: Trip) -> DenseStage:
    """Embed chunks and queries, and build the index over the vectors."""
    trip.fit()
    vectors = trip.scaled(trip.document_vectors(trip.chunks.embedded_texts()))
    queries = trip.scaled(trip.query_vectors())
    index_config = trip.config.index
    indexed = np.flatnonzero(np.any(vectors, axis=1)) if index_config.metric != "l2" else np.arange(len(vectors))
    if len(indexed) < len(vectors):
        trip.warnings.add(f"{len(vectors) - len(indexed)} chunks have a zero vector and can't be found")
        vectors = np.ascontiguousarray(vectors[indexed])
    with (
        trip.clock.stage("build_index"),
        trip.reporter.stage(f"build index ({index_config.kind})", len(indexed)) as done,
    ):
        seed, depth = trip.config.seed, trip.config.retriever.depth
        trained = kept_index(trip.store, index_config, vectors, seed, trip.counted["indexes"], trip.model_label)
        index, notes = factory.make_index(index_config, vectors, seed, depth, trained)
        done(len(indexed))
    for note in notes:
        trip.warnings.add(note)
    retrieval = DenseRetrieval(trip.chunks, indexed, vectors, index, index_config.metric)
    empty = sum(not retrieval.answers(query) for query in queries)
    if empty:
        trip.warnings.add(f"{empty} queries have a zero vector and get nothing back")
    mode = trip.config.filter.mode if isinstance(trip.config.filter, models.WhereFilter) else "pre"
    return DenseStage(retrieval, queries, trip.allowed, mode)


def plugin(trip: Trip, retriever: models.PluginRetriever) -> FirstStage:
    """Let a user's own retriever index every chunk."""
    with (
        trip.clock.stage("build_index"),
        trip.reporter.stage(f"build index ({retriever.name})", len(trip.chunks)) as done,
    ):
        stage = PluginStage(PluginRetrieval(trip.chunks, retriever), trip.texts, trip.allowed)
        done(len(trip.chunks))
    return stage


def lexical(trip: Trip, retriever: models.Bm25Retriever | models.HybridRetriever) -> LexicalStage:
    """Weigh the words of every chunk."""
    with (
        trip.clock.stage("build_index"),
        trip.reporter.stage("build index (bm25)", len(trip.chunks)) as done,
    ):
        bm25 = Bm25Retrieval(trip.chunks, retriever)
        done(len(trip.chunks))
    return LexicalStage(bm25, trip.texts, trip.allowed)


@dataclass(frozen=True, slots=True)
class Measured:
    """What measuring a first stage gave.

    ``index_recall`` is by cutoff, per query, empty where the search is exact; ``seen_end`` says per chunk where the
    embedding model stops reading, as an offset of its document.
    """

    index_recall: dict[int, NDArray[np.float64]]
    search: SearchTimes
    seen_end: NDArray[np.int64]
    truncated_chunks: int


def measure(trip: Trip, prepared: Prepared) -> Measured:
    """How near the index comes to exact search, how fast it is, what the model cuts off; to be called after the search."""
    dense, config = prepared.dense, trip.config
    recalls, seen_end, cut_off = dict[int, NDArray[np.float64]](), trip.chunks.end, 0
    if dense is not None:
        if dense.retrieval.unfilled.slots:
            trip.warnings.about_unfilled(config, dense.retrieval.unfilled)
        for note in search_notices(dense.retrieval.filtered, config.index.kind, trip.wanted):
            trip.warnings.add(note)
    with trip.clock.stage("measure"):
        if dense is not None and config.index.kind != "flat":
            counted = trip.counted["exact_neighbours"]
            truths = trip.bench.exact_answers(dense, max(config.evaluation.ks), trip.store, trip.model_label, counted)
            recalls = dense.index_recall(config.evaluation.ks, config.retriever.depth, truths)
        search = timed(trip, prepared)
        if dense is not None:
            seen_end, cut_off = truncation(trip.embedder, trip.chunks, trip.store, trip.counted["measured"])
    if cut_off:
        trip.warnings.add(
            f"{cut_off} of {len(trip.chunks)} chunks are longer than the model reads "
            f"({trip.embedder.identity().get('max_length')} tokens); "
            "it cuts off the rest, so a larger chunker.size measures truncation"
        )
    return Measured(recalls, search, seen_end, cut_off)


def timed(trip: Trip, prepared: Prepared) -> SearchTimes:
    """Latency of the first stage, one query at a time and all at once."""
    depth, texts, embedder = trip.config.retriever.depth, trip.texts, trip.embedder
    with_model = prepared.dense is not None and embedder.loaded()
    return time_search(
        lambda i: prepared.stage.ask(i, depth),
        lambda: prepared.stage.ask_all(depth),
        len(texts) if len(trip.chunks) else 0,
        (lambda i: embedder.embed_query(texts[i])) if with_model else None,
    )
