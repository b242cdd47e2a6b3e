"""Fusing lists of hits, by hand: ranks from 1, weights, ties, absent hits, constant and empty lists; two stages as one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.chunkers import DocumentChunker, TokensChunker
from assay.chunks import ChunkSet, cut
from assay.composition import compose
from assay.config import judge
from assay.config.models import Bm25Retriever, HybridRetriever
from assay.ranking import Hits, document_order
from assay.records import Document
from assay.retrieval import Bm25Retrieval
from assay.retrieval.fusion import NORMALISATIONS, absent_score, fuse, min_score_note, rrf, weighted
from assay.retrieval.hybrid import HybridStage
from assay.retrieval.stage import BestChunk, LexicalStage
from assay.words import word_spans


def hits(*found: tuple[int, float]) -> Hits:
    """(row, score) of each hit, best first."""
    rows, scores = [row for row, _ in found], [score for _, score in found]
    return Hits(np.array(rows, np.int64), np.array(scores, np.float64), np.zeros(len(found), np.int64))


def of(fused: Hits) -> list[tuple[int, float]]:
    return list(zip(fused.rows.tolist(), fused.scores.tolist(), strict=True))


NONE = hits()
DENSE = hits((3, 0.9), (1, 0.8), (7, 0.5))
WORDS = hits((1, 12.0), (9, 4.0))


def test_rrf_counts_ranks_from_1_and_absent_adds_nothing() -> None:
    expected = [(1, 1 / 62 + 1 / 61), (3, 1 / 61), (9, 1 / 62), (7, 1 / 63)]
    fused = rrf([DENSE, WORDS], [1, 1], 60)
    assert fused.rows.tolist() == [row for row, _ in expected]
    assert fused.scores.tolist() == pytest.approx([score for _, score in expected], rel=1e-7)
    assert fused.stages.tolist() == [0, 0, 0, 0]


def test_rrf_k_is_used() -> None:
    assert of(rrf([WORDS], [1], 0)) == [(1, 1.0), (9, 0.5)]
    assert of(rrf([WORDS], [1], 9)) == [(1, 0.1), (9, 0.09090909)]


@pytest.mark.parametrize("weights", [(1, 0), (0.25, 0), (1000, 0)])
def test_a_weight_of_0_takes_a_list_out(weights: tuple[float, float]) -> None:
    assert rrf([DENSE, WORDS], weights, 60).rows.tolist() == [3, 1, 7], "9 is in the other list alone"
    assert rrf([WORDS, DENSE], weights, 60).rows.tolist() == [1, 9]
    for name in NORMALISATIONS:
        assert weighted([DENSE, WORDS], weights, name).rows.tolist() == [3, 1, 7]


def test_weights_decide() -> None:
    one, other = hits((0, 9.0), (1, 1.0)), hits((1, 9.0), (0, 1.0))
    assert rrf([one, other], [2, 1], 60).rows.tolist() == [0, 1]
    assert rrf([one, other], [1, 2], 60).rows.tolist() == [1, 0]
    assert of(weighted([one, other], [3, 1], "min_max")) == [(0, 3.0), (1, 1.0)]
    assert of(weighted([one, other], [1, 3], "min_max")) == [(1, 3.0), (0, 1.0)]


def test_ties_go_by_row() -> None:
    assert rrf([hits((8, 2.0), (5, 1.0)), hits((5, 2.0), (8, 1.0))], [1, 1], 60).rows.tolist() == [5, 8]
    assert rrf([hits((9, 1.0)), hits((2, 1.0)), hits((4, 1.0))], [1, 1, 1], 60).rows.tolist() == [2, 4, 9]


def test_sums_that_are_equal_on_paper_are_equal() -> None:
    """1/66 + 1/99 = 1/72 + 1/88, though not in the last bit of a float64: ranks 6 and 39 against 12 and 28."""
    assert Fraction(1, 66) + Fraction(1, 99) == Fraction(1, 72) + Fraction(1, 88)
    assert 1 / 66 + 1 / 99 != 1 / 72 + 1 / 88
    first, second = list(range(100, 140)), list(range(200, 240))
    first[5] = second[38] = 8
    first[11] = second[27] = 4
    fused = rrf([hits(*((row, 0.0) for row in rows)) for rows in (first, second)], [1, 1], 60)
    assert fused.rows[:2].tolist() == [4, 8], "the tie goes by row"
    assert fused.scores[0] == fused.scores[1]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # dense: (0.9, 0.8, 0.5) becomes (1, 3/4, 0); words: (12, 4) becomes (1, 0)
        ("min_max", [(1, 1.75), (3, 1.0), (7, 0.0), (9, 0.0)]),
        # shares of 0.4 + 0.3 + 0 and of 8 + 0
        ("sum", [(1, 3 / 7 + 1), (3, 4 / 7), (7, 0.0), (9, 0.0)]),
        # mean 11/15, variance 26/900; mean 8, deviation 4; absent: -1 and (0.5 - 11/15) / deviation
        ("z_score", [(1, 0.392232), (3, -0.019419), (7, -2.372813), (9, -2.372813)]),
    ],
)
def test_normalisations(name: str, expected: list[tuple[int, float]]) -> None:
    if name == "z_score":
        deviation = (26 / 900) ** 0.5
        expected = [
            (1, (0.8 - 11 / 15) / deviation + 1),
            (3, (0.9 - 11 / 15) / deviation - 1),
            (7, (0.5 - 11 / 15) / deviation - 1),
            (9, (0.5 - 11 / 15) / deviation - 1),
        ]
    fused = weighted([DENSE, WORDS], [1, 1], name)
    assert fused.rows.tolist() == [row for row, _ in expected]
    assert fused.scores.tolist() == pytest.approx([score for _, score in expected], rel=1e-6)


@pytest.mark.parametrize(
    ("name", "alike", "single"),
    [("min_max", [1.0, 1.0], [1.0]), ("sum", [0.5, 0.5], [1.0]), ("z_score", [0.0, 0.0], [0.0])],
)
def test_constant_and_single_and_empty_lists(name: str, alike: list[float], single: list[float]) -> None:
    assert of(weighted([hits((4, 7.0), (2, 7.0))], [1], name)) == list(zip([2, 4], alike, strict=True))
    assert of(weighted([hits((4, -3.0))], [1], name)) == [(4, single[0])]
    assert of(weighted([NONE, NONE], [1, 1], name)) == []
    with_empty = weighted([NONE, DENSE], [1, 1], name)
    assert of(with_empty) == of(weighted([DENSE], [1], name)), "an empty list tells nothing of any hit"


def test_rrf_of_nothing() -> None:
    assert of(rrf([NONE, NONE], [1, 1], 60)) == []
    assert of(rrf([NONE, WORDS], [1, 1], 60)) == of(rrf([WORDS], [1], 60))


def test_negative_scores_are_normalised_like_any() -> None:
    """Under l2 a score is minus a squared distance."""
    assert of(weighted([hits((1, -2.0), (2, -4.0), (3, -6.0))], [1], "min_max")) == [(1, 1.0), (2, 0.5), (3, 0.0)]


def test_z_score_never_puts_an_absent_hit_above_one_that_is_there() -> None:
    """With 0, the mean, row 9 would win over rows 2 and 3, which its list at least returned."""
    fused = weighted([hits((1, 9.0), (2, 2.0), (3, 1.0)), hits((1, 1.0), (9, 0.5))], [1, 1], "z_score")
    assert fused.rows.tolist() == [1, 2, 3, 9]


@pytest.mark.parametrize("fusion", ["rrf", "weighted"])
def test_the_config_chooses(fusion: str) -> None:
    config = HybridRetriever(fusion=fusion, rrf_k=7, normalisation="sum", dense_weight=2.0, bm25_weight=0.5)
    expected = rrf([DENSE, WORDS], [2, 0.5], 7) if fusion == "rrf" else weighted([DENSE, WORDS], [2, 0.5], "sum")
    assert of(fuse([DENSE, WORDS], [2, 0.5], config)) == of(expected)
    assert absent_score([DENSE, WORDS], [2, 0.5], config) == 0


def test_what_is_in_no_list_has_the_least_of_every_list() -> None:
    config = HybridRetriever(fusion="weighted", normalisation="z_score")
    lists = [hits((1, 3.0), (2, 1.0)), hits((5, 8.0), (6, 6.0))]
    assert absent_score(lists, [1, 0.5], config) == -1.5


scored = st.dictionaries(st.integers(0, 30), st.floats(-1e6, 1e6, width=32), max_size=12)


@given(scored, scored, st.sampled_from(["rrf", *NORMALISATIONS]), st.floats(0.01, 10), st.floats(0.01, 10))
def test_every_hit_once_in_the_one_order(
    one: dict[int, float], other: dict[int, float], how: str, first: float, second: float
) -> None:
    lists = [hits(*sorted(found.items(), key=lambda item: (-item[1], item[0]))) for found in (one, other)]
    weights = [first, second]
    fused = rrf(lists, weights, 60) if how == "rrf" else weighted(lists, weights, how)
    assert set(fused.rows.tolist()) == set(one) | set(other)
    assert len(fused) == len(set(fused.rows.tolist()))
    assert np.isfinite(fused.scores).all()
    assert of(fused) == sorted(of(fused), key=lambda item: (-item[1], item[0]))
    assert fused.scores.tolist() == [float(str(np.float32(score))) for score in fused.scores.tolist()]
    places, scores = {row: place for place, row in enumerate(fused.rows.tolist())}, dict(of(fused))
    alone = sorted(set(one) - set(other), key=lambda row: (-one[row], row))
    for above, below in pairwise(alone):
        assert places[above] < places[below] or scores[above] == scores[below], "the other list says nothing of either"


class Listed:
    """A first stage over literal lists, exact ones longer than those it returns; documents as in ``chunks``."""

    def __init__(self, lists: list[Hits], exact: list[Hits]) -> None:
        self.lists, self.exact = lists, exact
        self.indexed_documents = frozenset({0, 1, 2, 3})

    def retrieve(self, depth: int, documents: int) -> list[Hits]:
        return [one.keep(np.arange(len(one)) < depth) for one in self.lists]

    def exact_hits(self, i: int, count: int) -> Hits:
        return self.exact[i].keep(np.arange(len(self.exact[i])) < count)

    def exact_document_ranks(self, i: int, documents: Sequence[int]) -> list[int | None]:
        raise AssertionError("ranks are those of the fused list")

    def best_chunks(self, i: int, documents: Sequence[int]) -> list[BestChunk | None]:
        return [(int(document), 9.0) if document in self.exact[i].rows else None for document in documents]


def documents_of(*texts: str) -> ChunkSet:
    return cut(tuple(Document(f"d{i}", text) for i, text in enumerate(texts)), DocumentChunker(), word_spans, "none")


def test_the_exact_ranking_is_fused_from_lists_as_long_as_those_of_the_run() -> None:
    """The index puts row 3 first, exact search row 0; at depth 2 row 2, third of exact search, is in no list."""
    chunks = documents_of("a", "b", "c", "d")
    dense = Listed([hits((3, 0.9), (1, 0.8))], [hits((0, 0.95), (3, 0.9), (2, 0.85), (1, 0.8))])
    words = Listed([hits((1, 5.0))], [hits((1, 5.0))])
    stage = HybridStage(dense, words, chunks, HybridRetriever())
    assert [one.rows.tolist() for one in stage.retrieve(2, 1)] == [[1, 3]]
    assert stage.exact_hits(0, 10).rows.tolist() == [0, 1, 3]
    assert stage.exact_hits(0, 10).scores.tolist() == pytest.approx([1 / 61, 1 / 61, 1 / 62], rel=1e-7)
    assert stage.exact_hits(0, 2).rows.tolist() == [0, 1]
    assert stage.exact_document_ranks(0, [3, 2, 1, 0]) == [3, None, 2, 1]
    assert stage.retrieve(3, 1)[0].rows.tolist() == [1, 3], "the index has no more"
    assert stage.exact_document_ranks(0, [3, 2, 1, 0]) == [3, 4, 2, 1], "exact search at depth 3 has row 2"


def test_the_best_chunk_of_what_is_in_no_list_is_the_one_by_embedding_then_by_words() -> None:
    chunks = documents_of("a", "b", "c", "d")
    dense = Listed([hits((3, 0.9))], [hits((3, 0.9), (0, 0.2))])
    words = Listed([hits((1, 5.0))], [hits((1, 5.0), (2, 1.0))])
    stage = HybridStage(dense, words, chunks, HybridRetriever())
    stage.retrieve(1, 1)
    first = float(str(np.float32(1 / 61)))
    assert stage.best_chunks(0, [0, 1, 2, 3]) == [(0, 0.0), (1, first), (2, 0.0), (3, first)]
    assert stage.best_chunks(0, [0]) == [(0, 0.0)]


def test_a_weight_of_0_drops_a_stage() -> None:
    chunks = documents_of("a", "b", "c", "d")
    dense, words = Listed([DENSE], [DENSE]), Listed([hits((1, 5.0), (0, 1.0))], [hits((1, 5.0), (0, 1.0))])
    stage = HybridStage(dense, words, chunks, HybridRetriever(dense_weight=0.0, bm25_weight=0.3))
    assert stage.retrieve(10, 3)[0].rows.tolist() == [1, 0]
    assert stage.exact_document_ranks(0, [0, 1, 2]) == [2, 1, None]


@pytest.mark.parametrize("documents", [1, 2, 3])
def test_real_lists_grow_each_by_itself(documents: int) -> None:
    """Document a fills every list with its four chunks; b and c come once two or three documents are wanted."""
    corpus = (Document("a", "v w v w v w v w"), Document("b", "v x"), Document("c", "w y"))
    chunks = cut(corpus, TokensChunker(2, 0), word_spans, "none")
    one = LexicalStage(Bm25Retrieval(chunks, Bm25Retriever(k1=1.2)), ["v w"])
    other = LexicalStage(Bm25Retrieval(chunks, Bm25Retriever(k1=0.1, b=0.0)), ["v w"])
    stage = HybridStage(one, other, chunks, HybridRetriever())
    (found,) = stage.retrieve(2, documents)
    assert len(document_order(found, chunks)) == documents
    assert of(stage.exact_hits(0, 100)) == of(found), "both lists are exact already"
    assert stage.indexed_documents == {0, 1, 2}


def config_of(*overrides: str) -> object:
    return judge(compose(["retriever=hybrid", *overrides]).job)


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["filter.min_score=0.02"], "never exceeds 0.03279"),
        (["filter.min_score=0.02", "retriever.rrf_k=0", "retriever.bm25_weight=0.5"], "never exceeds 1.5"),
        (["filter.min_score=0.5", "retriever.fusion=weighted"], "min_max makes the scores of every query alike"),
        (["filter.min_score=auto"], "filter.min_score=auto with retriever=hybrid: an rrf score"),
        ([], None),
        (["filter.min_score=0.02", "retriever=bm25"], None),
        (["filter.min_score=0.02", "reranker=lexical"], None),
    ],
)
def test_a_threshold_on_fused_scores_is_warned_of(
    overrides: list[str], said: str | None, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    note = min_score_note(config_of(*overrides))
    assert (note is None) if said is None else (said in str(note) and "not comparable across queries" in str(note))


CORPUS = {
    f"d{i}": f"{word} {word} report {other}" for i, (word, other) in enumerate(zip("abcdefgh", "hgfedcba", strict=True))
}


@pytest.mark.parametrize("fusion", ["rrf", "weighted"])
def test_a_run_fuses_what_two_runs_find(result_of, fusion: str) -> None:
    """Of documents of one chunk each: the ranking of ``hybrid`` is that of ``dense`` and of ``bm25``, fused."""
    queries, qrels = {"q1": "a report", "q2": "h h g"}, [("q1", "d7", 1), ("q2", "d0", 1)]
    usual = ("retriever.depth=3", "evaluation.ks=[1,2]", "chunker=document")
    both = [result_of(CORPUS, queries, qrels, *usual, f"retriever={kind}") for kind in ("dense", "bm25")]
    fused = result_of(CORPUS, queries, qrels, *usual, "retriever=hybrid", f"retriever.fusion={fusion}")
    for ranking, *alone in zip(fused.rankings, *(one.rankings for one in both), strict=True):
        lists = [hits(*((int(d.doc_id[1:]), d.score) for d in one.documents)) for one in alone]
        expected = fuse(lists, [1, 1], HybridRetriever(fusion=fusion))
        assert [(int(d.doc_id[1:]), d.score) for d in ranking.documents] == of(expected)
