"""What each stage keeps in the store: its key, and its bytes there and back.

A key is the hash of everything that the result depends on. What shapes only the search is in no key of a build:

=================  ==========================================================  ======================================
stage              depends on                                                  does not depend on
=================  ==========================================================  ======================================
chunks             corpus, chunker config, tokenizer (semantic: the embedder)  everything after it
measured           chunks, tokenizer, document prompt, max length              index, retriever, ks
document_vectors   embedder identity, role; per text                           corpus, chunker (but for lsa: its fit)
query_vectors      embedder identity, role; per text                           everything else
indexes            vectors, build settings, seed, FAISS                        nprobe, ef_search, k_factor, query_bits,
                                                                               search, min_score, ks, depth, reranker
exact_neighbours   vectors, queries, metric, count, filter masks               index, ks below the count, min_score
rerank_scores      reranker identity; per query and passage                    depth, first stage, ks, min_score
rankings           all of the above that took part, depth, filter, ks          min_score (it cuts what is kept)
=================  ==========================================================  ======================================

Functions named ``unpack_…`` raise a ValueError where the bytes are not of their form; ``kept`` then computes anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.chunks import ChunkSet
from assay.config.models import Index as IndexConfig
from assay.indexes.base import Vectors
from assay.indexes.trained import Build, Trained, build_parts, from_faiss_bytes, to_faiss_bytes
from assay.ranking import Hits
from assay.records import Document
from assay.store.arrays import from_bytes, to_bytes
from assay.store.base import Counted, Store
from assay.store.keys import key_of_parts, space_of_stage
from assay.store.once import kept

CHUNKS_VERSION = MEASURED_VERSION = EXACT_VERSION = RANKINGS_VERSION = 1
_COUNTS = "counts"


def digest_of(*arrays: NDArray[Any] | None) -> str:
    """The hash of arrays: types, shapes and bytes; None is a value of its own."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(b"none;" if array is None else f"{array.dtype.str} {array.shape};".encode())
        if array is not None:
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data if array.size else b"")
    return digest.hexdigest()


# Chunk sets


def chunks_key(corpus: str, chunker: Mapping[str, Any], tokens: Mapping[str, Any]) -> str:
    """The key of a chunk set.

    ``corpus`` is the corpus's hash, ``chunker`` its config as plain values, ``tokens`` what counts tokens: the model's
    hash, or the word rule; for a chunker that reads vectors, the embedder's whole identity.
    """
    parts = {"version": CHUNKS_VERSION, "corpus": corpus, "chunker": dict(chunker), "tokens": dict(tokens)}
    return key_of_parts({**parts, "fields": [field.name for field in fields(ChunkSet)]})


def pack_chunks(chunks: ChunkSet) -> bytes:
    """A chunk set without its documents, which are the corpus's own."""
    arrays, meta = _taken_apart(chunks)
    return to_bytes(arrays, {"documents": len(chunks.documents), "values": meta})


def unpack_chunks(payload: bytes, documents: tuple[Document, ...]) -> ChunkSet:
    """The chunk set over ``documents``, the same corpus sorted by id."""
    arrays, meta = from_bytes(payload)
    if meta.get("documents") != len(documents) or not isinstance(meta.get("values"), dict):
        raise ValueError("chunks of another corpus")
    return _put_together(arrays, meta["values"], documents)


def chunks_digest(chunks: ChunkSet, corpus: str) -> str:
    """The hash of a chunk set: the corpus, every place in it, and what stands in front of each."""
    arrays, plain = _taken_apart(chunks)
    return key_of_parts(
        {"corpus": corpus, "arrays": {name: digest_of(each) for name, each in arrays.items()}, "plain": plain}
    )


def _taken_apart(chunks: ChunkSet, prefix: str = "") -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The fields of a chunk set that are arrays, and those that are plain; a chunk set inside it (parents) likewise."""
    arrays: dict[str, NDArray[Any]] = {}
    plain: dict[str, Any] = {}
    for field in fields(chunks):
        value = getattr(chunks, field.name)
        if field.name == "documents":
            continue
        if isinstance(value, ChunkSet):
            inner, plain[field.name] = _taken_apart(value, f"{prefix}{field.name}.")
            arrays |= inner
        elif isinstance(value, np.ndarray):
            arrays[prefix + field.name] = value
        else:
            plain[field.name] = list(value) if isinstance(value, tuple) else value
    return arrays, plain


def _put_together(
    arrays: Mapping[str, NDArray[Any]], plain: Mapping[str, Any], documents: tuple[Document, ...], prefix: str = ""
) -> ChunkSet:
    values: dict[str, Any] = {"documents": documents}
    for field in fields(ChunkSet):
        name = prefix + field.name
        if name in arrays:
            values[field.name] = arrays[name]
        elif field.name in plain:
            value = plain[field.name]
            inside = isinstance(value, dict)
            values[field.name] = (
                _put_together(arrays, value, documents, f"{name}.")
                if inside
                else tuple(value)
                if isinstance(value, list)
                else value
            )
        elif field.name != "documents":
            raise ValueError(f"chunks without {field.name}")
    chunks = ChunkSet(**values)
    _refuse_outside(chunks.document, len(chunks.document), len(documents))
    _refuse_outside(chunks.start, len(chunks.document))
    _refuse_outside(chunks.end, len(chunks.document))
    if (chunks.start > chunks.end).any():
        raise ValueError("chunks that end before they start")
    if chunks.context_of is not None:
        _refuse_outside(chunks.context_of, len(chunks.document), len(chunks.contexts))
    if chunks.parent is not None:
        _refuse_outside(chunks.parent, len(chunks.document), len(chunks.parents) if chunks.parents is not None else 0)
    return chunks


def _refuse_outside(places: Any, count: int, below: int | None = None) -> None:
    """Raise a ValueError unless ``places`` are ``count`` whole numbers from 0, all below ``below``."""
    if not isinstance(places, np.ndarray) or places.dtype != np.int64 or places.shape != (count,):
        raise ValueError("places of chunks are not one whole number a chunk")
    if count and (places.min() < 0 or (below is not None and places.max() >= below)):
        raise ValueError("chunks outside their documents")


# Indexes


def kept_index(store: Store, config: IndexConfig, vectors: Vectors, seed: int, counted: Counted, label: str) -> Trained:
    """What ``factory.make_index`` takes as ``trained``: the FAISS index from the store, or built now and kept.

    ``label`` tells a person which model made the vectors.
    """
    space = space_of_stage("indexes", {"model": label, "index": config.kind}, f"{label} {config.kind}")

    def trained(build: Build) -> tuple[Any, tuple[Any, ...]]:
        key = key_of_parts({"build": build_parts(config, vectors, seed), "vectors": digest_of(vectors)})
        return kept(store, space, key, counted, build, lambda made: to_faiss_bytes(made[0]), unpack)

    def unpack(payload: bytes) -> tuple[Any, tuple[Any, ...]]:
        built = from_faiss_bytes(payload)
        if built.ntotal != len(vectors) or built.d != vectors.shape[1]:
            raise ValueError("an index over other vectors")
        return built, ()

    return trained


# Lists of different lengths, one a query


def exact_key(vectors: str, queries: str, metric: str, count: int, allowed: str | None) -> str:
    """The key of exact neighbours; the three texts are digests, ``allowed`` that of the filter's masks."""
    parts = {"version": EXACT_VERSION, "vectors": vectors, "queries": queries, "metric": metric}
    return key_of_parts({**parts, "count": count, "allowed": allowed})


def pack_lists(columns: Mapping[str, Sequence[NDArray[Any]]], meta: Mapping[str, Any] | None = None) -> bytes:
    """Columns of equally long lists, one a query: ``{"rows": [of query 0, of query 1, …], "scores": […]}``."""
    counts = {tuple(len(each) for each in column) for column in columns.values()}
    if len(counts) != 1 or _COUNTS in columns:
        raise ValueError("columns of different lengths")
    arrays = {name: np.concatenate([*column]) if column else np.empty(0) for name, column in columns.items()}
    return to_bytes({**arrays, _COUNTS: np.array(counts.pop(), np.int64)}, meta)


def unpack_lists(
    payload: bytes, names: Sequence[str], queries: int
) -> tuple[dict[str, list[NDArray[Any]]], dict[str, Any]]:
    """What ``pack_lists`` wrote for so many queries: these columns, and the plain values."""
    arrays, meta = from_bytes(payload)
    counts = arrays.pop(_COUNTS, None)
    if counts is None or counts.dtype != np.int64 or counts.shape != (queries,) or (counts < 0).any():
        raise ValueError("lists of other queries")
    if set(arrays) != set(names) or any(array.shape != (int(counts.sum()),) for array in arrays.values()):
        raise ValueError("other columns")
    return {name: np.split(array, np.cumsum(counts)[:-1]) if queries else [] for name, array in arrays.items()}, meta


def pack_hits(hits: Sequence[Hits]) -> bytes:
    """The hits of every query."""
    columns = {name: [getattr(each, name) for each in hits] for name in ("rows", "scores", "stages")}
    return pack_lists(columns)


def unpack_hits(payload: bytes, queries: int, chunks: int) -> list[Hits]:
    """The hits of ``queries`` queries on ``chunks`` chunks."""
    columns, _ = unpack_lists(payload, ("rows", "scores", "stages"), queries)
    for rows in columns["rows"]:
        if len(rows) and not (rows.dtype == np.int64 and rows.min() >= 0 and rows.max() < chunks):
            raise ValueError("hits outside the chunks")
    return [Hits(*each) for each in zip(columns["rows"], columns["scores"], columns["stages"], strict=True)]
