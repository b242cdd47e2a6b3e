"""``python -m benchmarks.search``: what search costs around FAISS, and what one query costs.

100,000 clustered vectors of 384 dimensions, four chunks a document, 200 queries, 100 chunks a query. Against a bare
``faiss`` batch search of the same index stands all that is done with a first stage: proposals, ties, exact scores, ids,
and documents by their best chunks; below it the same with a record for each passage, as reports and files need them.
Single queries are timed with and without embedding.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import factory
from assay.chunks import ChunkSet
from assay.config import models
from assay.ranking import document_order, rank
from assay.records import Document
from assay.retrieval.dense import DenseRetrieval
from assay.threads import use_threads
from benchmarks.measuring import asked, in_turns, medians, tell

WIDTH, DEPTH, DOCUMENTS = 384, 100, 10
INDEXES: dict[str, Any] = {
    "flat": models.FlatIndex(),
    "hnsw": models.HnswIndex(),
    "ivf": models.IvfIndex(),
}


def vectors_of(count: int, seed: int, centres: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors of unit length around ``centres``, as texts of a few subjects lie."""
    rng = np.random.default_rng(seed)
    found = centres[rng.integers(0, len(centres), count)] + 0.6 * rng.normal(size=(count, WIDTH)) / np.sqrt(WIDTH)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def chunks_of(count: int) -> ChunkSet:
    """Four chunks of a hundred characters a document."""
    places = np.arange(count)
    documents = tuple(Document(f"d{place:07d}", "") for place in range(-(-count // 4)))
    return ChunkSet(documents, places // 4, places % 4 * 100, places % 4 * 100 + 100, "none")


def percentiles(work: Callable[[int], object], n: int) -> tuple[float, float]:
    """Milliseconds of the median and the 95th percentile of ``work(i)`` for all i."""
    for i in range(min(n, 10)):
        work(i)
    found = []
    for i in range(n):
        begin = time.perf_counter()
        work(i)
        found.append(1000 * (time.perf_counter() - begin))
    return statistics.median(found), float(np.percentile(found, 95))


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    given = asked("search", __doc__, argv, no_embedding={"action": "store_true", "help": "time no embedding"})
    count, asking = (10_000, 50) if given.small else (100_000, 200)
    use_threads(None)
    centres = np.random.default_rng(0).normal(size=(500, WIDTH)).astype(np.float32) / np.sqrt(WIDTH)
    vectors, queries = vectors_of(count, 1, centres), vectors_of(asking, 2, centres)
    chunks = chunks_of(count)

    import faiss

    embed = None if given.no_embedding else embedder()
    rows, figures = [["", "ms a batch", "x bare", "p50 ms", "p95 ms", "p50 with embedding", "p95", "recall@10"]], {}
    truth: list[Any] = []
    for kind, config in INDEXES.items():
        index, _ = factory.make_index(config, vectors, 42, DEPTH)
        retrieval = DenseRetrieval(chunks, np.arange(count), vectors, index, "cosine")
        bare: Any = faiss.IndexFlatIP(WIDTH) if kind == "flat" else index._faiss  # type: ignore[attr-defined]
        if kind == "flat":
            bare.add(vectors)

        def everything(retrieval: DenseRetrieval = retrieval) -> list[Any]:
            hits = retrieval.retrieve(queries, DEPTH, DOCUMENTS)
            return [[chunks.documents[place].id for place in document_order(found, chunks)] for found in hits]

        def records(retrieval: DenseRetrieval = retrieval) -> list[Any]:
            hits = retrieval.retrieve(queries, DEPTH, DOCUMENTS)
            return [rank(str(i), found, chunks, None) for i, found in enumerate(hits)]

        def raw(bare: Any = bare) -> object:
            return bare.search(queries, DEPTH)

        seconds = medians(in_turns({"bare": raw, "all": everything, "records": records}, given.rounds))
        alone = percentiles(
            lambda i, retrieval=retrieval: retrieval.retrieve(queries[i : i + 1], DEPTH, DOCUMENTS), asking
        )
        both = (
            percentiles(lambda i, retrieval=retrieval: retrieval.retrieve(embed(i), DEPTH, DOCUMENTS), min(50, asking))
            if embed
            else None
        )
        found = [set(hits.rows[:10].tolist()) for hits in retrieval.retrieve(queries, DEPTH, DOCUMENTS)]
        truth = truth or found
        recall = float(np.mean([len(a & b) / 10 for a, b in zip(found, truth, strict=True)]))
        figures[kind] = {
            "bare_s": seconds["bare"],
            "all_s": seconds["all"],
            "ratio": seconds["all"] / seconds["bare"],
            "records_s": seconds["records"],
            "records_ratio": seconds["records"] / seconds["bare"],
            "p50_ms": alone[0],
            "p95_ms": alone[1],
            "with_embedding_p50_ms": both[0] if both else None,
            "with_embedding_p95_ms": both[1] if both else None,
            "recall_at_10": recall,
        }
        one = figures[kind]
        rows.append([f"{kind}: bare faiss", f"{1000 * one['bare_s']:.1f}", "1.00", *[""] * 5])
        rows.append(
            [
                f"{kind}: ids of documents, exact scores",
                f"{1000 * one['all_s']:.1f}",
                f"{one['ratio']:.2f}",
                f"{alone[0]:.2f}",
                f"{alone[1]:.2f}",
                f"{both[0]:.1f}" if both else "",
                f"{both[1]:.1f}" if both else "",
                f"{recall:.3f}",
            ]
        )
        rows.append(
            [
                f"{kind}: as records with passages",
                f"{1000 * one['records_s']:.1f}",
                f"{one['records_ratio']:.2f}",
                *[""] * 5,
            ]
        )
    title = f"{asking} queries over {count} x {WIDTH}, {DEPTH} chunks each, ties, exact scores, ids and documents"
    tell(title, rows, figures, given)


def embedder() -> Callable[[int], NDArray[np.float32]]:
    """The default model, loaded: the vector of the i-th of some questions, shape (1, 384)."""
    from assay.embedders.sentence_transformer import SentenceTransformerModel

    model = SentenceTransformerModel(models.MiniLMEmbedder())
    model.embed_query("a question")
    return lambda i: model.embed_query(f"how many days of leave do {i} employees with a child get in a year")[None]


if __name__ == "__main__":
    main()
