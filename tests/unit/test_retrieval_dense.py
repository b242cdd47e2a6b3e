"""Dense retrieval on vectors that a person can read: over-fetch, ties, zero vectors, exact ranks, index recall."""

from __future__ import annotations

import numpy as np
import pytest

from assay.chunks import ChunkSet
from assay.config import models
from assay.embedders.base import unit
from assay.factory import make_index
from assay.ranking import Hits, document_order, rank
from assay.records import Document
from assay.retrieval import DenseRetrieval


def chunk_set(owners: list[int]) -> ChunkSet:
    """One-letter chunks; ``owners[i]`` is the document of chunk i, documents named d00, d01, …"""
    documents = tuple(Document(f"d{i:02d}", "x" * 50) for i in range(max(owners, default=-1) + 1))
    starts = [owners[:i].count(owner) for i, owner in enumerate(owners)]
    array = np.array(starts, np.int64)
    return ChunkSet(documents, np.array(owners, np.int64), array, array + 1, "none")


def retrieval(
    owners: list[int], vectors: np.ndarray, metric: str = "ip", config: models.Index | None = None
) -> DenseRetrieval:
    index, _ = make_index(config or models.FlatIndex(metric=metric), vectors, 42, 100)
    return DenseRetrieval(chunk_set(owners), np.arange(len(vectors)), vectors, index, metric)


def scalar(*values: float) -> np.ndarray:
    """Vectors of one dimension, so that under ip a vector's value is its score for the query 1."""
    return np.array(values, np.float32)[:, None]


ONE = np.ones((1, 1), np.float32)


def rows(hits: Hits) -> list[int]:
    return hits.rows.tolist()


def test_hits_come_by_score_and_equal_scores_by_id() -> None:
    found = retrieval([0, 1, 2, 3, 4], scalar(1, 5, 3, 5, 3)).retrieve(ONE, depth=5, documents=1)
    assert rows(found[0]) == [1, 3, 2, 4, 0]
    assert found[0].scores.tolist() == [5, 5, 3, 3, 1]
    assert found[0].stages.tolist() == [0] * 5


def test_more_chunks_are_fetched_until_enough_documents_are_there() -> None:
    """Document 0 fills the first 40 places; the fifth document is the 44th chunk."""
    owners = [0] * 40 + [1, 2, 3, 4]
    vectors = scalar(*range(100, 60, -1), 4, 3, 2, 1)
    found = retrieval(owners, vectors).retrieve(ONE, depth=5, documents=5)[0]
    assert document_order(found, chunk_set(owners)) == [0, 1, 2, 3, 4]
    enough = retrieval(owners, vectors).retrieve(ONE, depth=5, documents=1)[0]
    assert rows(enough) == [0, 1, 2, 3, 4], "no more than the depth where one document will do"


def test_all_is_seen_where_the_corpus_has_fewer_documents_than_asked() -> None:
    found = retrieval([0, 0, 1], scalar(3, 2, 1)).retrieve(ONE, depth=2, documents=10)[0]
    assert rows(found) == [0, 1, 2]


def test_a_document_counts_by_its_best_chunk() -> None:
    """By sum or by number of hits, document 1 would win."""
    owners = [0, 1, 1, 1, 1]
    found = retrieval(owners, scalar(9, 8, 8, 8, 8)).retrieve(ONE, depth=5, documents=2)[0]
    ranking = rank("q", found, chunk_set(owners), 9.0)
    assert ranking.doc_ids == ("d00", "d01")
    assert [document.score for document in ranking.documents] == [9, 8]
    assert [len(document.passages) for document in ranking.documents] == [1, 4]


def test_equal_documents_at_the_cutoff_go_by_id_however_many_are_equal() -> None:
    vectors = scalar(*[1.0] * 300)
    found = retrieval(list(range(300)), vectors).retrieve(ONE, depth=10, documents=10)[0]
    assert rows(found) == list(range(10))


@pytest.mark.parametrize("metric", ["cosine", "ip"])
def test_a_zero_query_gets_nothing_back_and_has_no_exact_rank(metric: str) -> None:
    dense = retrieval([0, 1], np.eye(2, dtype=np.float32), metric)
    zero, other = np.zeros(2, np.float32), np.array([1, 0], np.float32)
    found = dense.retrieve(np.stack([zero, other, zero]), depth=2, documents=2)
    assert [rows(hits) for hits in found] == [[], [0, 1], []]
    assert dense.exact_document_ranks(zero, [0, 1]) == [None, None]
    assert dense.exact_document_ranks(other, [0, 1]) == [1, 2]


def test_under_l2_a_zero_vector_has_a_place() -> None:
    dense = retrieval([0, 1], np.array([[3, 4], [0, 0]], np.float32), "l2")
    found = dense.retrieve(np.zeros((1, 2), np.float32), depth=2, documents=2)[0]
    assert rows(found) == [1, 0]
    assert found.scores.tolist() == [0, -25]


def test_an_empty_corpus_gives_nothing() -> None:
    dense = retrieval([], np.empty((0, 1), np.float32))
    assert [rows(hits) for hits in dense.retrieve(ONE, depth=3, documents=3)] == [[]]
    assert dense.retrieve(np.empty((0, 1), np.float32), depth=3, documents=3) == []
    assert dense.exact_document_ranks(ONE[0], []) == []
    assert dense.index_recall(ONE, [1], 3)[1].tolist() == [1]


@pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
def test_the_same_hits_and_scores_in_any_batch(metric: str) -> None:
    rng = np.random.default_rng(3)
    vectors = rng.integers(-1, 2, (400, 5)).astype(np.float32) + np.float32(0.25)
    queries = rng.integers(-1, 2, (30, 5)).astype(np.float32) + np.float32(0.25)
    if metric == "cosine":
        vectors, queries = unit(vectors), unit(queries)
    dense = retrieval(list(range(400)), vectors, metric)
    together = dense.retrieve(queries, 20, 10)
    for query, hits in zip(queries, together, strict=True):
        alone = dense.retrieve(query[None], 20, 10)[0]
        assert rows(alone) == rows(hits)
        assert np.array_equal(alone.scores, hits.scores)


def test_exact_ranks_of_documents_agree_with_the_ranking() -> None:
    rng = np.random.default_rng(4)
    owners = np.sort(rng.integers(0, 40, 200)).tolist()
    vectors = rng.integers(-2, 3, (200, 3)).astype(np.float32)
    vectors[~vectors.any(axis=1)] = 1
    dense = retrieval(owners, vectors)
    for query in rng.integers(-2, 3, (10, 3)).astype(np.float32) + np.float32(0.5):
        order = document_order(dense.retrieve(query[None], 200, 200)[0], dense.chunks)
        ranks = dense.exact_document_ranks(query, list(range(40)))
        assert ranks == [order.index(d) + 1 if d in order else None for d in range(40)]


def test_rows_left_out_of_the_index_keep_the_others_in_their_place() -> None:
    """Chunks 0 and 2 have no vector, so row 0 of the index is chunk 1."""
    vectors = scalar(1, 2)
    index, _ = make_index(models.FlatIndex(metric="ip"), vectors, 42, 100)
    dense = DenseRetrieval(chunk_set([0, 0, 1, 2]), np.array([1, 3]), vectors, index, "ip")
    assert rows(dense.retrieve(ONE, 5, 5)[0]) == [3, 1]
    assert dense.indexed_documents == {0, 2}
    assert dense.exact_document_ranks(ONE[0], [0, 1, 2]) == [2, None, 1]


class TestIndexRecall:
    """Twelve vectors on a line in two cells; a query at the border finds only its own cell with nprobe 1."""

    line = np.array([[x] for x in (0, 1, 2, 3, 4, 5, 50, 51, 52, 53, 54, 55)], np.float32)

    def recall(self, vectors: np.ndarray, query: float, nprobe: int) -> dict[int, float]:
        config = models.IvfIndex(metric="l2", nlist=2, nprobe=nprobe)
        dense = retrieval(list(range(len(vectors))), vectors, "l2", config)
        found = dense.index_recall(np.array([[query]], np.float32), [1, 4, 6, 8, 12], depth=12)
        return {k: float(value[0]) for k, value in found.items()}

    def test_against_brute_force(self) -> None:
        assert self.recall(self.line, 2.4, 1) == {1: 1, 4: 1, 6: 1, 8: 6 / 8, 12: 6 / 12}
        assert self.recall(self.line, 2.4, 2) == {1: 1, 4: 1, 6: 1, 8: 1, 12: 1}

    def test_at_the_border_neighbours_of_the_other_cell_are_lost(self) -> None:
        """Nearest of 27.4: 5, 50, 4, 51, 3, 52 …; its cell holds 0 to 5."""
        assert self.recall(self.line, 27.4, 1)[4] == 2 / 4
        assert self.recall(self.line, 27.4, 1)[6] == 3 / 6

    def test_what_scores_the_same_as_the_k_th_counts_as_one_of_them(self) -> None:
        """Exact search may name any 4 of 9 equal vectors, the index any other 4: nothing is lost."""
        equal = np.array([[0.0]] * 9 + [[50.0]] * 3, np.float32)
        assert self.recall(equal, 0.0, 1) == {1: 1, 4: 1, 6: 1, 8: 1, 12: 9 / 12}

    def test_a_k_past_the_corpus_asks_only_for_what_exists(self) -> None:
        assert self.recall(self.line[:7], 0.0, 2)[12] == 1

    @pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
    def test_exact_rows_are_those_of_a_full_sort(self, metric: str) -> None:
        rng = np.random.default_rng(6)
        vectors = rng.integers(-1, 2, (300, 4)).astype(np.float32) + np.float32(0.5 if metric != "l2" else 1000)
        vectors = unit(vectors) if metric == "cosine" else vectors
        dense = retrieval(list(range(300)), vectors, metric)
        for query in vectors[:8]:
            whole = dense.retrieve(query[None], 300, 1)[0]
            for k in (1, 7, 299, 300, 500):
                assert dense.exact_rows(query, k)[1].tolist() == whole.scores[:k].astype(np.float32).tolist()
                assert dense.exact_rows(query, k)[0].tolist() == whole.rows[:k].tolist()


def test_index_recall_is_about_the_search_that_was_served() -> None:
    """A narrow graph misses at first; where the search grew for more documents, what it grew to is judged."""
    rng = np.random.default_rng(3)
    vectors = unit(rng.normal(size=(600, 16)).astype(np.float32))
    queries = unit(rng.normal(size=(20, 16)).astype(np.float32))
    narrow = models.HnswIndex(metric="cosine", m=2, ef_construction=2, ef_search=1)
    dense = retrieval([i // 60 for i in range(600)], vectors, "cosine", narrow)
    hits = dense.retrieve(queries, depth=2, documents=8)
    assert min(map(len, hits)) > 2, "every search had to grow"
    recall = dense.index_recall(queries, [1], depth=2)[1]
    best = (vectors @ queries.T).max(axis=0)
    served = [float(found.scores[0]) >= score - 1e-6 for found, score in zip(hits, best, strict=True)]
    assert recall.tolist() == [float(one) for one in served]
    assert 0 < sum(served) < 20
