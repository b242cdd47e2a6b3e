"""The option ``semantic``, with vectors that a person can compare by eye; tokens are words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.chunkers import SemanticChunker, sentences_of, windows_of
from assay.chunkers.semantic import distances
from assay.words import word_spans

ANGLES = {"sun": 0, "rain": 20, "snow": 45, "cat": 100, "dog": 110, "nil": None}


def by_first_word(texts: Sequence[str]) -> NDArray[np.float32]:
    """A direction in the plane for the first word of each text; none for ``Nil``."""
    angles = [ANGLES[text.split()[0].casefold().rstrip(".")] for text in texts]
    found = [(0.0, 0.0) if a is None else (math.cos(math.radians(a)), math.sin(math.radians(a))) for a in angles]
    return np.array(found, np.float32).reshape(len(texts), 2)


def cut(text: str, size: int = 99, overlap: int = 0, threshold: float = 80, min_size: int = 1) -> list[str]:
    chunker = SemanticChunker(size, overlap, threshold, 0, min_size, by_first_word)
    return [text[piece.start : piece.end] for piece in chunker.pieces(text, word_spans)]


# Distances: 20, 25, 55 and 10 degrees.
WEATHER = "Sun one. Rain two three. Snow four. Cat five six. Dog seven."


@pytest.mark.parametrize(
    ("settings", "pieces"),
    [
        ({"threshold": 100}, [WEATHER]),
        # The 80th percentile of four distances lies between the two largest.
        ({"threshold": 80}, ["Sun one. Rain two three. Snow four.", "Cat five six. Dog seven."]),
        ({"threshold": 50}, ["Sun one. Rain two three.", "Snow four.", "Cat five six. Dog seven."]),
        # Nothing is below the smallest, which is not above itself.
        ({"threshold": 0}, ["Sun one.", "Rain two three.", "Snow four.", "Cat five six. Dog seven."]),
        # Nearest first: dog to cat, rain to sun; then snow (2 words) finds no room on its left (5 + 2 > 6).
        ({"threshold": 100, "size": 6}, ["Sun one. Rain two three.", "Snow four.", "Cat five six. Dog seven."]),
        # Too small, it joins the nearer neighbour that has room: rain (25 degrees), not cat (55).
        ({"threshold": 0, "min_size": 3}, ["Sun one. Rain two three. Snow four.", "Cat five six. Dog seven."]),
        ({"threshold": 0, "min_size": 3, "size": 5}, ["Sun one. Rain two three.", "Snow four.", "Cat five six. Dog seven."]),
        # The last sentences of the piece before, as many as fit into the overlap, and into the size.
        ({"overlap": 2}, ["Sun one. Rain two three. Snow four.", "Snow four. Cat five six. Dog seven."]),
        ({"overlap": 4}, ["Sun one. Rain two three. Snow four.", "Snow four. Cat five six. Dog seven."]),
        ({"overlap": 5}, ["Sun one. Rain two three. Snow four.", "Rain two three. Snow four. Cat five six. Dog seven."]),
        ({"overlap": 7}, ["Sun one. Rain two three. Snow four.", "Rain two three. Snow four. Cat five six. Dog seven."]),
        ({"overlap": 4, "size": 7}, ["Sun one. Rain two three. Snow four.", "Snow four. Cat five six. Dog seven."]),
    ],
)  # fmt: skip
def test_cuts(settings: dict[str, Any], pieces: list[str]) -> None:
    assert cut(WEATHER, **settings) == pieces


def test_equal_distances_are_packed_from_the_left() -> None:
    text = "Sun one. Sun two. Sun three. Sun four. Sun five."
    assert cut(text, size=4) == ["Sun one. Sun two.", "Sun three. Sun four.", "Sun five."]


def test_a_zero_vector_parts_nothing() -> None:
    text = "Sun one. Nil two. Cat three. Snow four."
    assert cut(text, threshold=60) == ["Sun one. Nil two. Cat three.", "Snow four."]
    assert cut("Nil one. Nil two. Nil three.", size=4, threshold=0) == ["Nil one. Nil two.", "Nil three."]


def test_a_long_sentence_is_cut_by_tokens() -> None:
    text = "Sun one. Rain 1 2 3 4 5 6. Snow two."
    assert cut(text, size=3) == ["Sun one.", "Rain 1 2", "3 4 5", "6.", "Snow two."]
    assert cut(text, size=3, overlap=1) == ["Sun one.", "Rain 1 2", "2 3 4", "4 5 6.", "Snow two."]


@pytest.mark.parametrize("text", ["Sun alone", "Sun alone.", "  Sun alone. \n", "Sun"])
def test_one_sentence_needs_no_vector(text: str) -> None:
    def never(texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError(f"asked for {texts}")

    (piece,) = SemanticChunker(9, 0, 80, 1, 1, never).pieces(text, word_spans)
    assert text[piece.start : piece.end] == text.strip()
    assert SemanticChunker(9, 0, 80, 1, 1, never).pieces(" \n ", word_spans) == []


def test_windows() -> None:
    text = " A bb. C dd!\n\nE ff "
    assert sentences_of(text) == ["A bb.", "C dd!", "E ff"]
    assert windows_of(text, 0) == ["A bb.", "C dd!", "E ff"]
    assert windows_of(text, 1) == ["A bb. C dd!", "A bb. C dd!\n\nE ff", "C dd!\n\nE ff"]
    assert windows_of(text, 9) == [text.strip()] * 3
    assert (sentences_of("A b"), windows_of("A b", 1), sentences_of(" \n"), windows_of("", 1)) == (["A b"], [], [], [])
    assert sentences_of("यह घर है। वह नदी है।") == ["यह घर है।", "वह नदी है।"]


def test_distances() -> None:
    vectors = np.array([[2, 0], [1, 0], [0, 3], [0, -1], [0, 0], [1, 1], [1, 1 + 1e-7]], np.float32)
    assert distances(vectors).tolist() == [0, 1, 2, 0, 0, 0]
    assert distances(vectors[:1]).tolist() == []


@pytest.mark.parametrize(
    "wrong", [{"threshold": 101}, {"threshold": -1}, {"buffer": -1}, {"min_size": 0}, {"min_size": 9}, {"overlap": 8}]
)
def test_settings_that_make_no_sense(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {"size": 8, "overlap": 0, "threshold": 80, "buffer": 1, "min_size": 4}
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        SemanticChunker(**(right | wrong), embed=by_first_word)


TOPICS = (
    "The weir regulates the river. The river feeds the weir pond. The weir gate opens when the river rises. "
    "Payroll pays salaries monthly. Salaries appear in payroll letters. Payroll letters list salaries and bonuses."
)


@pytest.mark.parametrize("retriever", ["dense", "bm25"])
def test_a_run_cuts_by_its_own_embedder(result_of: Any, retriever: str) -> None:
    chosen = ["chunker=semantic", "chunker.min_size=1", "chunker.buffer=0", f"retriever={retriever}"]
    documents = {"a": TOPICS, "b": "One sentence about payroll", "c": "…"}
    result = result_of(documents, {"q": "river weir"}, [("q", "a", 1)], *chosen)
    chunks = result.chunks
    assert [chunks.text(row) for row in chunks.rows_of(0)] == [TOPICS[: TOPICS.index(" Payroll pays")], TOPICS[TOPICS.index("Payroll pays") :]]  # fmt: skip
    assert [chunks.text(row) for row in chunks.rows_of(1)] == ["One sentence about payroll"]


def test_cuts_are_kept_for_the_embedder_that_made_them(result_of: Any) -> None:
    def cuts(*overrides: str) -> tuple[list[int], int]:
        result = result_of({"a": TOPICS}, {"q": "weir"}, [("q", "a", 1)], "chunker=semantic", *overrides)
        return result.chunks.end.tolist(), result.cache["chunks"].hits

    first, known = cuts()
    assert known == 0
    assert cuts("index.metric=ip") == (first, 1)
    assert cuts("embedder.dim=1")[1] == 0
    assert cuts("seed=7")[1] == 0
