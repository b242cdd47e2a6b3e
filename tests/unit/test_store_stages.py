"""Chunk sets, indexes, neighbours and rankings through the store and back; what only shapes the search is in no key."""

from __future__ import annotations

import typing
from dataclasses import replace

import faiss
import numpy as np
import pytest

from assay.chunkers import TokensChunker
from assay.chunks import ChunkSet, cut
from assay.config import models
from assay.factory import make_index
from assay.ranking import Hits
from assay.records import Document
from assay.store import Counted, MemoryStore, from_bytes, to_bytes
from assay.store.stages import (
    chunks_key,
    digest_of,
    exact_key,
    kept_index,
    pack_chunks,
    pack_hits,
    pack_lists,
    unpack_chunks,
    unpack_hits,
    unpack_lists,
)
from assay.words import word_spans

DOCUMENTS = (Document("d1", "one two three four five"), Document("d2", ""), Document("d3", "six seven"))


def chunk_set() -> ChunkSet:
    return cut(DOCUMENTS, TokensChunker(2, 1), word_spans, "title")


# Chunk sets


def test_a_chunk_set_comes_back() -> None:
    chunks = chunk_set()
    again = unpack_chunks(pack_chunks(chunks), DOCUMENTS)
    assert again.document.tolist() == chunks.document.tolist() == [0, 0, 0, 0, 2]
    assert again.start.tolist() == chunks.start.tolist()
    assert again.embedded_texts() == chunks.embedded_texts()
    assert again.context == "title"
    assert pack_chunks(again) == pack_chunks(chunks)
    nothing = cut((), TokensChunker(2, 1), word_spans, "none")
    assert len(unpack_chunks(pack_chunks(nothing), ())) == 0


def test_a_chunk_set_that_does_not_fit_is_refused() -> None:
    payload = pack_chunks(chunk_set())
    for documents in (DOCUMENTS[:2], (*DOCUMENTS, Document("d4", ""))):
        with pytest.raises(ValueError, match="another corpus"):
            unpack_chunks(payload, documents)
    arrays, meta = from_bytes(payload)
    for name, values in (
        ("document", [0, 0, 0, 0, 3]),
        ("document", [-1, 0, 0, 0, 2]),
        ("start", [-1, 4, 8, 14, 0]),
        ("end", [7, 13, 18, 23]),
        ("end", [7, 13, 7, 23, 9]),
        ("end", [7.0, 13.0, 18.0, 23.0, 9.0]),
    ):
        assert len(unpack_chunks(to_bytes(arrays, meta), DOCUMENTS)) == 5
        with pytest.raises(ValueError, match="chunks"):
            unpack_chunks(to_bytes({**arrays, name: np.array(values)}, meta), DOCUMENTS)
        with pytest.raises(ValueError, match=f"without {name}"):
            unpack_chunks(to_bytes({other: arrays[other] for other in arrays if other != name}, meta), DOCUMENTS)


def test_headings_and_parents_come_back() -> None:
    """Chunk i has contexts[context_of[i]] in front and lies in row parent[i] of the parents."""
    parents = cut(DOCUMENTS, TokensChunker(4, 0), word_spans, "title")
    found = replace(
        chunk_set(),
        context="headings",
        contexts=("", "Title > One", "Title > Zwei ü"),
        context_of=np.array([1, 1, 2, 2, 0]),
        parents=parents,
        parent=np.array([0, 0, 0, 1, 2]),
    )
    again = unpack_chunks(pack_chunks(found), DOCUMENTS)
    assert again.embedded_texts() == found.embedded_texts()
    assert again.contexts == found.contexts
    assert again.passages.embedded_texts() == parents.embedded_texts()
    assert again.parent.tolist() == [0, 0, 0, 1, 2]
    for name, values in (("context_of", [1, 1, 3, 2, 0]), ("parent", [0, 0, 0, 1, 3])):
        with pytest.raises(ValueError, match="outside"):
            unpack_chunks(pack_chunks(replace(found, **{name: np.array(values)})), DOCUMENTS)


def test_the_key_of_a_chunk_set() -> None:
    chunker = models.TokensChunker(size=64).model_dump()
    base = chunks_key("c", chunker, {"words": 1})
    assert base == chunks_key("c", dict(reversed(chunker.items())), {"words": 1})
    others = [
        chunks_key("d", chunker, {"words": 1}),
        chunks_key("c", chunker, {"words": 2}),
        chunks_key("c", chunker, {"model": "1"}),
        *(chunks_key("c", {**chunker, name: other}, {"words": 1}) for name, other in (("size", 65), ("overlap", 0))),
        chunks_key("c", {**chunker, "context": "none"}, {"words": 1}),
        chunks_key("c", {**chunker, "kind": "sentences"}, {"words": 1}),
    ]
    assert len({base, *others}) == 8


# Indexes

MODELS = {model.model_fields["kind"].default: model for model in typing.get_args(typing.get_args(models.Index)[0])}
# A kind, settings of its build, and two settings of its search.
KINDS: list[tuple[str, dict[str, object], dict[str, object], dict[str, object]]] = [
    ("ivf", {}, {"nprobe": 1}, {"nprobe": 5}),
    ("hnsw", {}, {"ef_search": 5}, {"ef_search": 300}),
    ("hnswsq", {"code": "sq4"}, {"ef_search": 5}, {"ef_search": 300}),
    ("pq", {}, {"k_factor": 1}, {"k_factor": 9}),
    ("ivfpq", {}, {"nprobe": 1}, {"nprobe": 6, "k_factor": 2}),
    ("ivfpq", {"opq": False}, {"nprobe": 1}, {"nprobe": 6, "k_factor": 2}),
    ("fastscan", {}, {"nprobe": 1, "k_factor": 1}, {"nprobe": 6, "k_factor": 5}),
    ("fastscan", {"refine": "sq8"}, {"nprobe": 1, "k_factor": 1}, {"nprobe": 6, "k_factor": 5}),
    ("fastscan", {"refine": "none"}, {"nprobe": 1, "k_factor": 1}, {"nprobe": 6, "k_factor": 5}),
    ("rabitq", {}, {"nprobe": 1, "query_bits": 1}, {"nprobe": 6, "query_bits": 8}),
    ("rabitq", {"rotate": False, "fast_scan": True}, {"nprobe": 1, "query_bits": 1}, {"nprobe": 6, "query_bits": 8}),
    ("sq8", {}, {"k_factor": 1}, {"k_factor": 3}),
    ("sq4", {"uniform": True}, {"k_factor": 1}, {"k_factor": 3}),
    ("fp16", {}, {"k_factor": 1}, {"k_factor": 3}),
    ("lsh", {"nbits": 64}, {"k_factor": 1}, {"k_factor": 3}),
    ("factory", {"spec": "OPQ4,IVF6,PQ4x4,RFlat"}, {"search": "nprobe=1"}, {"search": "nprobe=6", "k_factor": 2}),
    ("factory", {"spec": "HNSW8,SQ8"}, {}, {"search": "efSearch=300"}),
]


def clouds(n: int = 400, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    found = rng.normal(size=(12, 16))[rng.integers(12, size=n)] + 0.3 * rng.normal(size=(n, 16))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(("kind", "build", "first", "then"), KINDS)
def test_an_index_from_the_store_is_the_one_that_would_be_built(
    kind: str, build: dict[str, object], first: dict[str, object], then: dict[str, object]
) -> None:
    """Built for the first search settings, taken from the store for the others: proposals, notes and bytes of a fresh one."""
    store, counted, vectors, queries = MemoryStore(), Counted(), clouds(), clouds(20, seed=1)

    def index(search: dict[str, object]) -> tuple[typing.Any, tuple[str, ...]]:
        config = MODELS[kind](**build, **search)
        return make_index(config, vectors, 42, 20, kept_index(store, config, vectors, 42, counted, "a model"))

    index(first)
    assert counted.as_dict() == {"hits": 0, "misses": 1}
    for settings in (then, first):
        warm, warm_notes = index(settings)
        cold, cold_notes = make_index(MODELS[kind](**build, **settings), vectors, 42, 20)
        assert warm_notes == cold_notes
        assert (warm.size, warm.exact, warm.nbytes()) == (cold.size, cold.exact, cold.nbytes())
        for k in (1, 10, 100):
            got, expected = warm.propose(queries, k), cold.propose(queries, k)
            assert [rows.tolist() for rows in got] == [rows.tolist() for rows in expected]
        assert np.array_equal(faiss.serialize_index(warm._faiss), faiss.serialize_index(cold._faiss))
    assert counted.as_dict() == {"hits": 2, "misses": 1}


@pytest.mark.parametrize(
    "changed",
    [
        {"nlist": 7},
        {"train_size": 300},
        {"build_threads": 2},
        {"metric": "ip"},
    ],
)
def test_what_shapes_the_build_is_in_the_key(changed: dict[str, object]) -> None:
    store, counted, vectors = MemoryStore(), Counted(), clouds()
    for settings in ({}, changed):
        config = models.IvfIndex(**settings)
        make_index(config, vectors, 42, 20, kept_index(store, config, vectors, 42, counted, "a model"))
    assert counted.as_dict() == {"hits": 0, "misses": 2}


def test_other_vectors_another_seed_and_another_kind_make_another_index() -> None:
    store, counted = MemoryStore(), Counted()
    nudged = clouds()
    nudged[3, 5] = np.nextafter(nudged[3, 5], 2)
    for config, vectors, seed in (
        (models.IvfIndex(), clouds(), 42),
        (models.IvfIndex(), nudged, 42),
        (models.IvfIndex(), clouds(401), 42),
        (models.IvfIndex(), clouds(), 43),
        (models.PqIndex(), clouds(), 42),
    ):
        make_index(config, vectors, seed, 20, kept_index(store, config, vectors, seed, counted, "a model"))
    assert counted.as_dict() == {"hits": 0, "misses": 5}


def test_bytes_that_are_no_such_index_are_built_anew() -> None:
    store, counted, vectors = MemoryStore(), Counted(), clouds()
    config = models.IvfIndex()
    other = faiss.serialize_index(faiss.IndexFlat(16)).tobytes()
    for planted in (b"", b"not an index", other):
        trained = kept_index(store, config, vectors, 42, counted, "a model")
        make_index(config, vectors, 42, 20, trained)
        (blobs,) = store._blobs.values()
        (key,) = blobs
        blobs[key] = planted
    index, _ = make_index(config, vectors, 42, 20, kept_index(store, config, vectors, 42, counted, "a model"))
    assert index.size == 400
    assert counted.hits == 0


# Neighbours and rankings


def test_lists_come_back() -> None:
    rows = [np.array([3, 1]), np.array([], np.int64), np.array([2])]
    scores = [np.array([0.5, 0.25], np.float32), np.array([], np.float32), np.array([-1], np.float32)]
    payload = pack_lists({"rows": rows, "scores": scores}, {"k": 2})
    columns, meta = unpack_lists(payload, ("rows", "scores"), 3)
    assert [each.tolist() for each in columns["rows"]] == [[3, 1], [], [2]]
    assert [each.tolist() for each in columns["scores"]] == [[0.5, 0.25], [], [-1]]
    assert columns["scores"][0].dtype == np.float32
    assert meta == {"k": 2}
    assert unpack_lists(pack_lists({"rows": []}), ("rows",), 0) == ({"rows": []}, {})
    for names, queries in ((("rows",), 3), (("rows", "scores", "more"), 3), (("rows", "scores"), 2)):
        with pytest.raises(ValueError):
            unpack_lists(payload, names, queries)
    with pytest.raises(ValueError):
        pack_lists({"rows": rows, "scores": scores[:2]})


def test_hits_come_back() -> None:
    hits = [
        Hits(np.array([4, 0]), np.array([0.9, 0.1]), np.array([1, 0])),
        Hits(*(np.empty(0, t) for t in ("i8", "f8", "i8"))),
    ]
    again = unpack_hits(pack_hits(hits), 2, 5)
    for one, other in zip(hits, again, strict=True):
        assert (one.rows.tolist(), one.scores.tolist(), one.stages.tolist()) == (
            other.rows.tolist(),
            other.scores.tolist(),
            other.stages.tolist(),
        )
        assert [array.dtype for array in (other.rows, other.scores, other.stages)] == [np.int64, np.float64, np.int64]
    with pytest.raises(ValueError, match="outside"):
        unpack_hits(pack_hits(hits), 2, 4)


def test_digests_and_the_key_of_exact_neighbours() -> None:
    ones = np.ones((2, 3), np.float32)
    found = [digest_of(each) for each in (ones, ones.reshape(3, 2), ones.astype(np.float64), ones * 2, None, ones[:0])]
    assert len({*found, digest_of(ones, ones), digest_of()}) == 8
    assert digest_of(np.asfortranarray(ones)) == found[0]
    assert digest_of(np.float32([0.0])) != digest_of(np.float32([-0.0]))
    base = ("v", "q", "cosine", 10, None)
    keys = {exact_key(*base)}
    for place, other in enumerate(("w", "r", "l2", 11, "masks")):
        keys.add(exact_key(*base[:place], other, *base[place + 1 :]))
    assert len(keys) == 6
