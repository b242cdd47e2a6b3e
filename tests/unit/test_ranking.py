"""Hits to the one ranking: order, stages, thresholds, documents once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.chunks import ChunkSet
from assay.ranking import (
    Hits,
    above,
    document_order,
    first_stage_hits,
    rank,
    shortest_decimals,
    top_score,
    without_document,
)
from assay.records import Document


def chunks(owners: list[int]) -> ChunkSet:
    documents = tuple(Document(f"d{i}", "x" * 99) for i in range(max(owners, default=-1) + 1))
    starts = np.arange(len(owners), dtype=np.int64)
    return ChunkSet(documents, np.array(owners, np.int64), starts, starts + 1, "none")


def hits(*found: tuple[int, float, int]) -> Hits:
    """Hits from (row, score, stage), as they stand."""
    rows, scores, stages = zip(*found, strict=True) if found else ((), (), ())
    return Hits(np.array(rows, np.int64), np.array(scores, np.float64), np.array(stages, np.int64))


@pytest.mark.parametrize(
    ("score", "shown"),
    [(0.1, 0.1), (0.7, 0.7), (1 / 3, 0.33333334), (-2.5, -2.5), (1e-8, 1e-8), (16777216, 16777216.0)],
)
def test_a_score_is_the_shortest_decimal_that_reads_back(score: float, shown: float) -> None:
    """As float64, float32's 0.1 would be 0.10000000149, and fail or pass thresholds that a person can't see."""
    assert shortest_decimals(np.array([score], np.float32)).tolist() == [shown]
    assert np.float32(shown) == np.float32(score)


@pytest.mark.parametrize(("threshold", "left"), [(None, 3), (0.69, 3), (0.7, 2), (0.71, 1), (0.9, 1), (0.91, 0)])
def test_min_score_keeps_what_reaches_it_and_drops_what_does_not(threshold: float | None, left: int) -> None:
    found = first_stage_hits(np.array([0, 1, 2]), np.array([0.69, 0.7, 0.9], np.float32))
    assert len(above(found, threshold, 0)) == left


def test_with_a_threshold_what_was_not_reranked_goes() -> None:
    found = hits((4, 0.2, 1), (5, 0.1, 1), (6, 0.99, 0))
    assert above(found, None, 1).rows.tolist() == [4, 5, 6]
    assert above(found, 0.15, 1).rows.tolist() == [4]
    assert top_score(found, 1) == 0.2
    assert top_score(found, 0) == 0.99
    assert top_score(hits((6, 0.99, 0)), 1) is None
    assert top_score(hits(), 0) is None


def test_a_ranking_has_each_document_once_with_its_hits_of_its_best_stage() -> None:
    found = hits((2, 0.3, 1), (0, 0.2, 1), (3, 0.1, 1), (1, 0.9, 0), (4, 0.8, 0))
    ranking = rank("q", found, chunks([0, 0, 1, 1, 2]), 0.3)
    assert [(d.doc_id, d.score, d.stage) for d in ranking.documents] == [("d1", 0.3, 1), ("d0", 0.2, 1), ("d2", 0.8, 0)]
    assert [[(p.start, p.score) for p in d.passages] for d in ranking.documents] == [
        [(2, 0.3), (3, 0.1)],
        [(0, 0.2)],
        [(4, 0.8)],
    ]
    assert ranking.top_score == 0.3
    assert rank("q", hits(), chunks([]), None).documents == ()


def test_one_document_can_be_left_out() -> None:
    found = hits((0, 3, 0), (1, 2, 0), (2, 1, 0))
    assert without_document(found, chunks([0, 1, 0]), "d0").rows.tolist() == [1]
    assert without_document(found, chunks([0, 1, 0]), "other").rows.tolist() == [0, 1, 2]
    assert without_document(hits(), chunks([0]), "d0").rows.tolist() == []


SCORES = st.lists(st.sampled_from([-1.0, 0.0, 0.1, 0.25, 0.3, 1.0]), min_size=0, max_size=30)


@given(SCORES, st.randoms(use_true_random=False))
def test_there_is_one_order_whatever_order_hits_arrive_in(scores: list[float], random: object) -> None:
    rows = list(range(len(scores)))
    owners = [row // 3 for row in rows]
    straight = first_stage_hits(np.array(rows, np.int64), np.array(scores, np.float32))
    random.shuffle(rows)
    shuffled = first_stage_hits(np.array(rows, np.int64), np.array([scores[row] for row in rows], np.float32))
    assert shuffled.rows.tolist() == straight.rows.tolist() == sorted(range(len(scores)), key=lambda r: (-scores[r], r))
    ranking = rank("q", straight, chunks(owners), None)
    assert len(set(ranking.doc_ids)) == len(ranking.doc_ids) == len(set(owners))
    best = {f"d{owner}": max(scores[row] for row in range(len(scores)) if owners[row] == owner) for owner in owners}
    assert list(ranking.doc_ids) == sorted(best, key=lambda d: (-best[d], int(d[1:])))
    assert document_order(straight, chunks(owners)) == [int(d[1:]) for d in ranking.doc_ids]
