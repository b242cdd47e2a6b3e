"""What is handed to a reranker, the order after it, what a perfect one would make of it, and what the gate refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.chunks import ChunkSet
from assay.composition import compose
from assay.config import judge
from assay.errors import ConfigError, StageError
from assay.evaluation.reranking import perfect_order
from assay.factory import make_reranker
from assay.ranking import Hits, document_order, rank
from assay.records import Document
from assay.rerankers.order import handed, merged

# Documents a, b, c with two chunks each: rows 0 and 1 are a's, 2 and 3 b's, 4 and 5 c's.
DOCUMENTS = tuple(Document(name, "one two") for name in "abc")
CHUNKS = ChunkSet(DOCUMENTS, np.repeat(np.arange(3), 2), np.tile([0, 4], 3), np.tile([3, 7], 3), "none")
HITS = Hits(np.array([3, 2, 0, 5, 1]), np.array([0.9, 0.8, 0.7, 0.6, 0.5]), np.zeros(5, np.int64))


def new(*scores: float) -> np.ndarray:
    return np.array(scores, np.float32)


@pytest.mark.parametrize(
    ("depth", "which", "rows"),
    [
        (2, "all", [3, 2]),
        (4, "all", [3, 2, 0, 5]),
        (9, "all", [3, 2, 0, 5, 1]),
        (2, "best", [3, 0]),  # the best hit of b, then of a
        (9, "best", [3, 0, 5]),
    ],
)
def test_handed(depth: int, which: str, rows: list[int]) -> None:
    assert HITS.rows[handed(HITS, CHUNKS, depth, which)].tolist() == rows


def test_reranked_hits_stand_above_all_others_whatever_the_scores() -> None:
    result = merged(HITS, np.array([0, 2]), new(-5, -4))
    assert result.rows.tolist() == [0, 3, 2, 5, 1]
    assert result.scores.tolist() == [-4, -5, 0.8, 0.6, 0.5]
    assert result.stages.tolist() == [1, 1, 0, 0, 0]
    ranking = rank("q", result, CHUNKS, None)
    assert [(d.doc_id, d.stage, d.score, len(d.passages)) for d in ranking.documents] == [
        ("a", 1, -4, 1),
        ("b", 1, -5, 1),
        ("c", 0, 0.6, 1),
    ]


def test_equal_scores_stand_in_the_order_of_ids_and_not_of_the_first_stage() -> None:
    assert merged(HITS, np.arange(5), new(1, 1, 1, 1, 1)).rows.tolist() == [0, 1, 2, 3, 5]
    assert merged(HITS, np.arange(5), new(0.0, 2, -0.0, 2, 0.0)).rows.tolist() == [2, 5, 0, 1, 3]


def test_scores_are_the_shortest_decimals_of_their_float32() -> None:
    assert merged(HITS, np.array([0]), new(0.1)).scores[0] == 0.1


def test_no_hits_stay_no_hits() -> None:
    nothing = Hits(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64))
    positions = handed(nothing, CHUNKS, 5, "best")
    assert len(positions) == 0
    assert len(merged(nothing, positions, new())) == 0


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (new(1, float("nan")), r"^reranker: the score of hit 2 of 2 is nan \(1 such in all\)"),
        (new(float("-inf"), float("inf")), r"^reranker: the score of hit 1 of 2 is -inf \(2 such in all\)"),
        (new(1), r"^reranker: gave scores of shape \(1,\) for 2 hits"),
    ],
)
def test_scores_that_can_t_be_ranked(scores: np.ndarray, message: str) -> None:
    with pytest.raises(StageError, match=message):
        merged(HITS, np.array([0, 1]), scores)


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        ({"c": 1}, "cabxy"),
        ({"b": 1, "c": 2}, "cbaxy"),
        ({"b": 1, "c": 1}, "bcaxy"),  # equal grades: the first stage's order
        ({"a": 0, "b": -1}, "acbxy"),
        ({"y": 3}, "abcxy"),  # it was not handed, so no reranker can lift it
        ({}, "abcxy"),
    ],
)
def test_a_perfect_reranker(judged: dict[str, int], expected: str) -> None:
    assert "".join(perfect_order("abc", "abcxy", judged)) == expected
    assert "".join(perfect_order("abc", "xaybc", judged)[:3]) == expected[:3], "handed ones may stand anywhere in it"


def test_a_perfect_reranker_of_nothing() -> None:
    assert perfect_order([], ["x"], {"x": 1}) == ["x"]
    assert perfect_order([], [], {}) == []


def test_the_documents_handed_are_those_of_the_hits_handed() -> None:
    positions = handed(HITS, CHUNKS, 3, "all")
    assert document_order(HITS.keep(np.isin(np.arange(5), positions)), CHUNKS) == [1, 0]


def gate(*overrides: str) -> object:
    return judge(compose(list(overrides)).job)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            ["reranker=cross_encoder"],
            "reranker.model: null names no model; give a folder or a name on the hub, such as ",
        ),
        (["reranker=mmr", "retriever.depth=20"], "reranker.depth: 50 hits are more than are fetched; give at most "),
        (
            ["reranker=late_interaction", "embedder=lsa"],
            "reranker: late_interaction compares vectors of tokens, which ",
        ),
        (
            ["reranker=mmr", "reranker.trade_off=1.5"],
            "reranker.trade_off: 1.5 is not allowed; give a finite number from 0",
        ),
        (["reranker=lexical", "reranker.chunks=some"], "reranker.chunks: 'some' is not allowed; give one of best, all"),
        (
            ["reranker=cross_encoder", "reranker.model=m", "reranker.device=tpu"],
            "reranker.device: 'tpu' is no device; give auto, cpu",
        ),
        (
            ["reranker=cross_encoder", "reranker.model=m", "reranker.max_length=2"],
            "reranker.max_length: 2 is not allowed",
        ),
    ],
)
def test_the_gate(overrides: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as caught:
        gate(*overrides)
    assert str(caught.value).startswith(message)
    assert len(caught.value.lines()) == 1


def test_a_depth_as_deep_as_the_retriever_s_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gate("reranker=mmr", "retriever.depth=50")
    gate("reranker=lexical", "retriever=bm25", "embedder=lsa", "retriever.depth=20", "reranker.depth=20")


@pytest.mark.parametrize("kind", ["none", "cross_encoder", "late_interaction", "mmr", "lexical"])
def test_the_factory(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.factory import make_embedder

    monkeypatch.chdir(tmp_path)
    needed = ["reranker.model=m"] if kind == "cross_encoder" else []
    config = gate(f"reranker={kind}", *needed)
    made = make_reranker(config.reranker, make_embedder(config.embedder, 0), CHUNKS)  # type: ignore[attr-defined]
    assert (made.kind if made else "none") == kind
