"""Each chunker on texts that a person can cut by hand.

Tokens are words here unless a test says otherwise; a piece is shown as the text it covers.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from assay.chunkers import (
    Chunker,
    DocumentChunker,
    Piece,
    RecursiveChunker,
    SentencesChunker,
    TokenOffsets,
    TokensChunker,
)
from assay.words import word_spans


def characters(text: str) -> Sequence[tuple[int, int]]:
    """A token a code point, white space too."""
    return [(i, i + 1) for i in range(len(text))]


def no_tokens(text: str) -> Sequence[tuple[int, int]]:
    return []


def cut(chunker: Chunker, text: str, offsets: TokenOffsets = word_spans) -> list[str]:
    return [text[piece.start : piece.end] for piece in chunker.pieces(text, offsets)]


@pytest.mark.parametrize(
    ("size", "overlap", "pieces"),
    [
        (3, 0, ["a b c", "d e f", "g"]),
        (3, 1, ["a b c", "c d e", "e f g"]),
        (3, 2, ["a b c", "b c d", "c d e", "d e f", "e f g"]),
        (7, 6, ["a b c d e f g"]),
        (6, 5, ["a b c d e f", "b c d e f g"]),
        (1, 0, ["a", "b", "c", "d", "e", "f", "g"]),
    ],
)
def test_token_windows(size: int, overlap: int, pieces: list[str]) -> None:
    assert cut(TokensChunker(size, overlap), "a b c d e f g") == pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("  «a» b, – c.\n", ["«a» b, –", "c."]),  # what has no token goes left, at the front right
        ("… !", ["… !"]),
        ("a b …", ["a b …"]),
        ("\ufeffa b c", ["\ufeffa b", "c"]),
        ("a\u2028b\u2028c", ["a\u2028b", "c"]),
    ],
)
def test_characters_without_a_token_belong_to_the_token_before(text: str, pieces: list[str]) -> None:
    assert cut(TokensChunker(2, 0), text) == pieces


@pytest.mark.parametrize("chunker", [TokensChunker(2, 1), SentencesChunker(2, 1), RecursiveChunker(2, 1)])
def test_a_text_without_tokens_is_one_piece(chunker: Chunker) -> None:
    assert chunker.pieces(" ☺☺☺ \n\n ☺☺ ", no_tokens) == [Piece(1, 10)]


def test_white_space_tokens_count_but_make_no_piece() -> None:
    assert cut(TokensChunker(3, 1), "ab" + " " * 20 + "cd ef", characters) == [
        "ab",
        "cd",
        "ef",
    ]  # "ab ", "cd ", "ef"


def test_white_space_that_carries_a_mark_is_kept() -> None:
    assert DocumentChunker().pieces("\n \u0301x \u0302 ", no_tokens) == [Piece(1, 6)]
    assert DocumentChunker().pieces(" x\u0600 ", no_tokens) == [Piece(1, 4)]


def test_several_tokens_at_one_character_count_each() -> None:
    def byte_tokens(text: str) -> Sequence[tuple[int, int]]:
        return [(i, i + 1) for i, c in enumerate(text) for _ in c.encode()]

    assert cut(TokensChunker(6, 0), "漢字か", byte_tokens) == ["漢字", "か"]
    assert cut(TokensChunker(2, 0), "漢a字", byte_tokens) == ["漢", "a", "字"]  # one grapheme is never cut


def test_a_token_that_points_back_is_counted_where_the_one_before_is() -> None:
    assert cut(TokensChunker(2, 0), "ab cd", lambda _: [(0, 2), (3, 5), (0, 0)]) == ["ab", "cd"]


def test_units_without_tokens_go_with_the_unit_before() -> None:
    assert cut(SentencesChunker(2, 0), "Ab cd. ☺. Ef gh.") == ["Ab cd. ☺.", "Ef gh."]
    assert cut(SentencesChunker(2, 0), "漢. ☺. X", lambda _: [(0, 1)] * 3 + [(6, 7)]) == ["漢. ☺.", "X"]


def test_text_before_the_first_token_goes_with_that_token() -> None:
    assert cut(TokensChunker(2, 0), "☺漢a", lambda _: [(1, 2)] * 3 + [(2, 3)]) == ["☺漢", "a"]
    assert cut(SentencesChunker(2, 0), "Ab cd. ☺ Ef gh ij.") == ["Ab cd.", "☺ Ef gh", "ij."]


def test_document_is_one_piece() -> None:
    assert DocumentChunker().pieces("\n a b\n\nc \n", no_tokens) == [Piece(2, 8)]


THREE = "One two three. Four five. Six seven eight nine."


@pytest.mark.parametrize(
    ("size", "overlap", "pieces"),
    [
        (9, 0, [THREE]),
        (5, 0, ["One two three. Four five.", "Six seven eight nine."]),
        (6, 2, ["One two three. Four five.", "Four five. Six seven eight nine."]),
        (5, 2, ["One two three. Four five.", "Six seven eight nine."]),  # no room for it
        (4, 1, ["One two three.", "Four five.", "Six seven eight nine."]),
        (3, 1, ["One two three.", "Four five. Six", "Six seven eight", "eight nine."]),  # too long: by tokens
    ],
)
def test_sentences_are_packed_whole(size: int, overlap: int, pieces: list[str]) -> None:
    assert cut(SentencesChunker(size, overlap), THREE) == pieces


NESTED = "Head\n\nOne two\nthree four. Five\n\nSix seven. Eight nine (ten eleven) twelve\n\nLast"


@pytest.mark.parametrize(
    ("size", "overlap", "pieces"),
    [
        (14, 0, [NESTED]),
        (
            7,  # paragraphs fit: 1, 5, 7, 1
            0,
            ["Head\n\nOne two\nthree four. Five", "Six seven. Eight nine (ten eleven) twelve", "Last"],
        ),
        (
            5,  # the third falls into sentences: 2, 5
            0,
            ["Head", "One two\nthree four. Five", "Six seven.", "Eight nine (ten eleven) twelve", "Last"],
        ),
        (
            4,  # the second into lines: 2, 3; the long sentence into words
            1,
            [
                "Head\n\nOne two",
                "three four. Five",
                "Six seven. Eight nine",
                "nine (ten eleven) twelve",
                "twelve\n\nLast",
            ],
        ),
    ],
)
def test_recursive_keeps_what_fits(size: int, overlap: int, pieces: list[str]) -> None:
    assert cut(RecursiveChunker(size, overlap), NESTED) == pieces


def test_recursive_cuts_a_long_word_by_tokens() -> None:
    """Its first part fills up the piece before."""
    assert cut(RecursiveChunker(4, 0), "ab abcdefghij", characters) == ["ab a", "bcde", "fghi", "j"]
