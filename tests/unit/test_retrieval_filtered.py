"""Search under a filter: every kind in both modes against brute force, and who answered."""

from __future__ import annotations

import typing
from collections.abc import Iterator

import faiss
import numpy as np
import pytest

from assay.chunks import ChunkSet
from assay.config import models
from assay.embedders.base import unit
from assay.factory import make_index
from assay.filters import Allowed, Mode, Served
from assay.indexes.exact import pair_scores
from assay.indexes.parameters import heeds_selector
from assay.ranking import document_order
from assay.records import Document
from assay.retrieval import Bm25Retrieval, DenseRetrieval

MODELS = {model.model_fields["kind"].default: model for model in typing.get_args(typing.get_args(models.Index)[0])}
VARIANTS: list[tuple[str, dict[str, typing.Any]]] = [
    *((kind, {}) for kind in sorted(MODELS)),
    ("ivf", {"nlist": 12, "nprobe": 1}),
    ("ivfpq", {"opq": False}),
    ("fastscan", {"refine": "none"}),
    ("fastscan", {"refine": "sq8", "nprobe": 1}),
    ("rabitq", {"fast_scan": True}),
    ("rabitq", {"rotate": False, "nlist": 8, "nprobe": 2}),
    ("hnsw", {"m": 4, "ef_search": 8}),
    ("lsh", {"nbits": 32}),
    ("factory", {"spec": "OPQ8,IVF5,PQ8x4"}),
    ("factory", {"spec": "IVF5_HNSW4,SQ8,RFlat"}),
    ("factory", {"spec": "PQ8x4fs,RFlat"}),
    ("factory", {"spec": "IVF5,RQ2x4"}),
    ("factory", {"spec": "NSG8,Flat"}),
    ("factory", {"spec": "IMI2x3,Flat"}),
]
NO_SELECTOR = {"pq", "factory-spec=PQ8x4fs,RFlat", "factory-spec=IVF5,RQ2x4", "factory-spec=NSG8,Flat"}
DOCUMENTS, CHUNKS, DIM, DEPTH, K = 200, 3, 16, 20, 10
SHARES = {"3 %": 0.03, "30 %": 0.3, "95 %": 0.95, "none": 0.0, "all": 1.0}


def named(variant: tuple[str, dict[str, typing.Any]]) -> str:
    return "-".join([variant[0], *(f"{key}={value}" for key, value in variant[1].items())])


def points(n: int, seed: int) -> np.ndarray:
    """Twelve clouds of unit vectors."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(12, DIM))
    return unit((centres[rng.integers(0, 12, n)] + 0.5 * rng.normal(size=(n, DIM))).astype(np.float32))


VECTORS, QUERIES = points(DOCUMENTS * CHUNKS, seed=0), points(6, seed=1)
OWNER = np.repeat(np.arange(DOCUMENTS), CHUNKS)
MASKS = [np.random.default_rng(5).permutation(DOCUMENTS) < share * DOCUMENTS for share in SHARES.values()]
# Six queries over five masks, so that a mask comes twice and not in order.
ALLOWED = Allowed(tuple(MASKS), np.array([2, 0, 1, 3, 4, 1]), {})


def retrieval_of(
    kind: str, vectors: np.ndarray = VECTORS, owner: np.ndarray = OWNER, **settings: object
) -> DenseRetrieval:
    metric = str(settings.get("metric", "cosine"))
    index, _ = make_index(MODELS[kind](**settings), vectors, 42, DEPTH)
    starts = np.arange(len(owner)) - np.searchsorted(owner, owner)
    documents = tuple(Document(f"d{i:03}", "x" * 50) for i in range(int(owner.max()) + 1))
    chunks = ChunkSet(documents, owner.astype(np.int64), starts, starts + 1, "none")
    return DenseRetrieval(chunks, np.arange(len(vectors)), vectors, index, metric)  # type: ignore[arg-type]


def brute(query: np.ndarray, mask: np.ndarray, vectors: np.ndarray = VECTORS) -> list[int]:
    """All allowed rows, best first, ties by row."""
    scores = np.where(mask[OWNER], pair_scores(query, vectors, "cosine"), -np.inf)
    order = np.lexsort((np.arange(len(vectors)), -scores))
    return [int(row) for row in order if scores[row] > -np.inf]


@pytest.fixture
def threads() -> Iterator[typing.Any]:
    before = faiss.omp_get_max_threads()
    yield faiss.omp_set_num_threads
    faiss.omp_set_num_threads(before)


@pytest.fixture(scope="module")
def built() -> dict[str, DenseRetrieval]:
    return {}


@pytest.mark.parametrize("mode", ["pre", "post"])
@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_every_kind_against_brute_force(
    variant: tuple[str, dict[str, typing.Any]], mode: Mode, built: dict[str, DenseRetrieval], threads: typing.Any
) -> None:
    name = named(variant)
    if name not in built:
        built[name] = retrieval_of(variant[0], **variant[1])
    search = built[name]
    found = search.retrieve(QUERIES, DEPTH, K, ALLOWED, mode)
    for i, (query, hits) in enumerate(zip(QUERIES, found, strict=True)):
        mask, rows = ALLOWED.mask(i), hits.rows.tolist()
        best = brute(query, mask)
        assert set(rows) <= set(best), "only what is allowed"
        assert len(rows) == len(set(rows)), "each once"
        assert len(rows) >= min(DEPTH, len(best)), "as many as there are"
        assert len(document_order(hits, search.chunks)) >= min(K, int(mask.sum()))
        assert rows == sorted(rows, key=best.index), "in exact order"
        assert np.array_equal(hits.scores.astype(np.float32), pair_scores(query, VECTORS[rows], "cosine"))
        if variant[0] == "flat" or (mode == "pre" and len(best) <= len(VECTORS) // 10):
            assert rows == best[: len(rows)], "exact search over what is allowed"
        assert set(search.served[i].tolist()) <= set(best)
    counts = search.filtered
    assert counts.queries == 6
    assert counts.nothing_allowed == 1
    assert counts.under_filled == 0
    assert search.unfilled.slots == 0
    if mode == "pre":
        assert counts.selective == (0 if variant[0] == "flat" else 1)
        assert counts.no_selector == (4 if name in NO_SELECTOR or variant[0] == "lsh" else 0)
        assert counts.grown == 0
    else:
        assert counts.selective == counts.no_selector == 0
        assert counts.grown > 0, "3 % of 20 chunks fill no 20 slots"

    recall = search.index_recall(QUERIES, [1, K], DEPTH, None, ALLOWED)
    for i, (query, served) in enumerate(zip(QUERIES, search.served, strict=True)):
        best = brute(query, ALLOWED.mask(i))[:K]
        share = len(set(served[:K].tolist()) & set(best)) / len(best) if best else 1
        assert recall[K][i] == pytest.approx(share), "against exact search under the same filter"
    if variant[0] == "flat":
        assert recall[K].min() == 1

    for count in (1, 2):
        threads(count)
        again = search.retrieve(QUERIES, DEPTH, K, ALLOWED, mode)
        assert [hits.rows.tolist() for hits in again] == [hits.rows.tolist() for hits in found]
        assert [hits.scores.tolist() for hits in again] == [hits.scores.tolist() for hits in found]
        alone = search.retrieve(QUERIES[2:3], DEPTH, K, Allowed((MASKS[1],), np.array([0]), {}), mode)
        assert alone[0].rows.tolist() == found[2].rows.tolist(), "a query's hits don't depend on its company"


@pytest.mark.parametrize("metric", ["ip", "l2"])
@pytest.mark.parametrize("mode", ["pre", "post"])
@pytest.mark.parametrize("kind", ["flat", "ivf", "hnsw", "sq8"])
def test_other_metrics(kind: str, mode: Mode, metric: str) -> None:
    search = retrieval_of(
        kind, (VECTORS * np.linspace(0.5, 2, len(VECTORS))[:, None]).astype(np.float32), metric=metric
    )
    found = search.retrieve(QUERIES, DEPTH, K, ALLOWED, mode)
    for i, hits in enumerate(found):
        scores = pair_scores(QUERIES[i], search.vectors, metric)  # type: ignore[arg-type]
        allowed = np.flatnonzero(ALLOWED.mask(i)[OWNER])
        best = allowed[np.lexsort((allowed, -scores[allowed]))][: len(hits)]
        assert len(hits) >= min(DEPTH, len(allowed))
        if kind == "flat" or len(allowed) <= 60:
            expected = best.tolist()
            assert hits.rows.tolist() == expected or mode == "post"
            assert kind != "flat" or hits.rows.tolist() == expected


def test_exact_search_gives_the_same_in_both_modes() -> None:
    search = retrieval_of("flat")
    pre, post = (search.retrieve(QUERIES, DEPTH, K, ALLOWED, mode) for mode in ("pre", "post"))
    assert [hits.rows.tolist() for hits in pre] == [hits.rows.tolist() for hits in post]


def scalar(*values: float) -> np.ndarray:
    """Vectors of one dimension: under ip a vector's value is its score for the query 1."""
    return np.array(values, np.float32)[:, None]


ONE = np.ones((1, 1), np.float32)


@pytest.mark.parametrize("mode", ["pre", "post"])
def test_equal_scores_at_the_cut_go_by_row(mode: Mode) -> None:
    """Every chunk scores 1; of the allowed odd documents the first three come back, however FAISS orders them."""
    search = retrieval_of("flat", scalar(*[1] * 50), np.arange(50), metric="ip")
    odd = np.arange(50) % 2 == 1
    found = search.retrieve(ONE, 3, 1, Allowed((odd,), np.array([0]), {}), mode)[0]
    assert found.rows.tolist() == [1, 3, 5]


@pytest.mark.parametrize("mode", ["pre", "post"])
def test_more_chunks_are_fetched_until_enough_allowed_documents_are_there(mode: Mode) -> None:
    """Document 0 fills the first 40 places, document 1 is not allowed: the third allowed one is the 44th chunk."""
    owner = np.array([0] * 40 + [1, 2, 3, 4])
    search = retrieval_of("flat", scalar(*range(100, 60, -1), 9, 3, 2, 1), owner, metric="ip")
    allowed = Allowed((np.array([True, False, True, True, True]),), np.array([0]), {})
    found = search.retrieve(ONE, 5, 3, allowed, mode)[0]
    assert document_order(found, search.chunks)[:3] == [0, 2, 3]
    assert search.retrieve(ONE, 5, 1, allowed, mode)[0].rows.tolist() == [0, 1, 2, 3, 4]


def test_a_document_without_a_chunk_in_the_index_is_under_filled() -> None:
    search = retrieval_of("flat", scalar(3, 2, 1), np.array([0, 1, 3]), metric="ip")
    search.retrieve(ONE, 5, 3, Allowed((np.array([True, False, True, True]),), np.array([0]), {}))
    assert search.filtered == Served(queries=1, under_filled=1)


def test_a_zero_vector_gets_nothing_and_is_not_counted() -> None:
    search = retrieval_of("flat", VECTORS)
    found = search.retrieve(np.zeros((1, DIM), np.float32), 5, 3, Allowed((MASKS[4],), np.array([0]), {}))
    assert len(found[0]) == 0
    assert search.filtered == Served()


def test_cells_that_hold_nothing_allowed_make_exact_search_answer() -> None:
    """Half the documents are allowed, and none of them lies in the one cell that is searched."""
    far = VECTORS @ QUERIES[0]
    by_document = far.reshape(DOCUMENTS, CHUNKS).max(axis=1)
    mask = by_document < np.median(by_document)
    allowed = Allowed((mask,), np.array([0]), {})
    search = retrieval_of("ivf", nlist=12, nprobe=1)
    for mode, counts in (("pre", Served(queries=1, fell_back=1)), ("post", Served(queries=1, grown=1))):
        rows = search.retrieve(QUERIES[:1], DEPTH, K, allowed, mode)[0].rows.tolist()  # type: ignore[arg-type]
        assert search.filtered == counts
        assert mode == "post" or rows == brute(QUERIES[0], mask)[:DEPTH]
        assert len(rows) == DEPTH


def test_post_ends_in_exact_search_where_growing_finds_too_little() -> None:
    """One document of 3,000 is allowed, the farthest: 32 times the depth comes nowhere near it."""
    vectors = np.sort(np.random.default_rng(0).uniform(1, 2, 3000).astype(np.float32))[::-1, None].copy()
    search = retrieval_of("flat", vectors, np.arange(3000), metric="ip")
    mask = np.arange(3000) == 2999
    assert search.retrieve(ONE, DEPTH, 1, Allowed((mask,), np.array([0]), {}), "post")[0].rows.tolist() == [2999]
    assert search.filtered == Served(queries=1, fell_back=1, grown=1)


def test_exact_rows_and_ranks_under_a_mask() -> None:
    """Values by row are 5 4 4 3 2; rows 0 and 3 are not allowed."""
    search = retrieval_of("flat", scalar(5, 4, 4, 3, 2), np.arange(5), metric="ip")
    mask = np.array([False, True, True, False, True])
    rows, scores = search.exact_rows(ONE[0], 2, mask)
    assert (rows.tolist(), scores.tolist()) == ([1, 2], [4, 4])
    assert search.exact_rows(ONE[0], 9, mask)[0].tolist() == [1, 2, 4]
    assert search.exact_rows(ONE[0], 9)[0].tolist() == [0, 1, 2, 3, 4]
    assert search.exact_rows(ONE[0], 9, np.zeros(5, np.bool_))[0].tolist() == []
    assert search.exact_rows(np.zeros(1, np.float32), 9, mask)[0].tolist() == []
    assert search.exact_document_ranks(ONE[0], [0, 1, 2, 3, 4], mask) == [None, 1, 2, None, 3]
    assert search.exact_document_ranks(ONE[0], [0, 1, 2, 3, 4]) == [1, 2, 3, 4, 5]
    assert search.exact_document_ranks(ONE[0], [1, 4], np.zeros(5, np.bool_)) == [None, None]
    allowed = Allowed((mask, np.ones(5, np.bool_)), np.array([1, 0, 1]), {})
    assert [each.tolist() for each in search.exact_answers(np.repeat(ONE, 3, axis=0), 2, allowed)] == [
        [5, 4],
        [4, 4],
        [5, 4],
    ]


def test_a_mask_that_is_few_is_ranked_as_any_other() -> None:
    """Two of 600 chunks: their vectors are copied, and rows still mean the whole index."""
    search = retrieval_of("flat")
    for query, mask in zip(QUERIES, MASKS, strict=False):
        rows, scores = search.exact_rows(query, 7, mask)
        assert rows.tolist() == brute(query, mask)[:7]
        assert scores.tolist() == pair_scores(query, VECTORS[rows], "cosine").tolist()


def test_bm25_under_a_mask() -> None:
    texts = ["leave leave days", "leave days off", "hotel night", "leave at noon today please"]
    documents = tuple(Document(f"d{i}", text) for i, text in enumerate(texts))
    chunks = ChunkSet(documents, np.arange(4), np.zeros(4, np.int64), np.array([len(t) for t in texts]), "none")
    search = Bm25Retrieval(chunks, models.Bm25Retriever())
    everything = search.retrieve("leave", 10, 10)
    assert everything.rows.tolist() == [0, 1, 3]
    mask = np.array([False, True, True, True])
    found = search.retrieve("leave", 10, 10, mask)
    assert found.rows.tolist() == [1, 3]
    assert found.scores.tolist() == everything.scores[1:].tolist(), "the corpus's statistics stay"
    assert search.retrieve("leave", 1, 1, mask).rows.tolist() == [1]
    assert len(search.retrieve("leave", 10, 10, np.zeros(4, np.bool_))) == 0
    assert search.exact_document_ranks("leave", [0, 1, 2, 3], mask) == [None, 1, None, 2]


@pytest.mark.parametrize("variant", [v for v in VARIANTS if named(v) not in NO_SELECTOR and v[0] != "lsh"], ids=named)
def test_a_selector_of_all_rows_and_the_usual_effort_change_nothing(variant: tuple[str, dict[str, typing.Any]]) -> None:
    index = retrieval_of(variant[0], **variant[1]).index
    assert index.selects
    usual = [rows.tolist() for rows in index.propose(QUERIES, DEPTH)]
    assert [rows.tolist() for rows in index.propose(QUERIES, DEPTH, np.ones(len(VECTORS), np.bool_))] == usual
    assert [rows.tolist() for rows in index.propose(QUERIES, DEPTH, None, 1)] == usual
    assert [len(rows) for rows in index.propose(QUERIES, DEPTH, np.zeros(len(VECTORS), np.bool_))] == [0] * 6


@pytest.mark.parametrize(
    ("kind", "settings", "widest"),
    [("ivf", {"nlist": 12, "nprobe": 1}, 12), ("ivf", {"nlist": 12, "nprobe": 5}, 3), ("flat", {}, 1), ("sq8", {}, 1)],
)
def test_an_effort_reaches_every_row(kind: str, settings: dict[str, typing.Any], widest: int) -> None:
    index = retrieval_of(kind, **settings).index
    assert index.widest == widest
    assert [len(rows) for rows in index.propose(QUERIES, len(VECTORS), None, widest)] == [len(VECTORS)] * 6
    if widest > 1:
        assert min(len(rows) for rows in index.propose(QUERIES, len(VECTORS))) < len(VECTORS)


class Deaf(faiss.IndexFlat):  # type: ignore[misc]
    """A FAISS index that takes parameters and heeds none, as some kinds did before they learned to."""

    def search(self, query: np.ndarray, k: int, params: object = None) -> typing.Any:
        return super().search(query, k)


def test_an_index_that_ignores_a_selector_is_found_out() -> None:
    for made, heeds in ((faiss.IndexFlat(DIM), True), (Deaf(DIM), False), (faiss.IndexLSH(DIM, 32), False)):
        assert heeds_selector(made) is False, "an empty index has no row to tell by"
        made.add(VECTORS)
        assert heeds_selector(made) is heeds
