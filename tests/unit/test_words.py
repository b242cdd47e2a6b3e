"""The word rule: what is one word, in which script; and the terms that lexical models get."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.words import terms, word_spans

WORDS = {
    "latin": ("The cat, again.", ["The", "cat", "again"]),
    "apostrophes": ("don't l’eau rock'n'roll 'quoted'", ["don't", "l’eau", "rock'n'roll", "quoted"]),
    "hyphens part": ("well-known state–art", ["well", "known", "state", "art"]),
    "numbers": ("3.14 1,000.50 1’000 v1.2.3", ["3.14", "1,000.50", "1’000", "v1.2.3"]),
    "arabic digits": ("٣٫١٤ ١٬٠٠٠", ["٣٫١٤", "١٬٠٠٠"]),
    "a stop after a number": ("In 2003. It, 5, 6", ["In", "2003", "It", "5", "6"]),
    "dots part letters": ("e.g. a.b", ["e", "g", "a", "b"]),
    "underscores part": ("snake_case", ["snake", "case"]),
    "symbols are none": ("C++ = € % … — 😀 ☺️", ["C"]),
    "combining marks": ("cafe\u0301 a\u0302\u0301b", ["cafe\u0301", "a\u0302\u0301b"]),
    "a lone mark is none": (" \u0301 x", ["x"]),
    "soft hyphen": ("Donau\u00addampfer", ["Donau\u00addampfer"]),
    "keycap": ("1\ufe0f\u20e3 key", ["1\ufe0f\u20e3", "key"]),
    "hindi": ("क्षत्रिय, नमस्ते दुनिया। ज़िंदगी", ["क्षत्रिय", "नमस्ते", "दुनिया", "ज़िंदगी"]),
    "hindi joiners": ("क्\u200dष र्\u200cक", ["क्\u200dष", "र्\u200cक"]),
    "tamil and bengali": ("தமிழ் মৌলিক", ["தமிழ்", "মৌলিক"]),
    "persian joiner": ("می\u200cروم", ["می\u200cروم"]),
    "arabic number sign": ("\u0600١٢ x", ["\u0600١٢", "x"]),
    "hebrew": ('צה"ל שלום', ['צה"ל', "שלום"]),
    "cyrillic": ("Привет, мир!", ["Привет", "мир"]),
    "hangul": ("한국어 \u1112\u1161\u11ab", ["한국어", "\u1112\u1161\u11ab"]),
    "han": ("漢字、々〇", ["漢", "字", "々", "〇"]),
    "kana": ("かなコーヒー", ["か", "な", "コ", "ー", "ヒ", "ー"]),
    "half-width kana": ("ｶﾞｷﾞ", ["ｶﾞ", "ｷﾞ"]),
    "thai": ("สวัสดี น้ำ", ["ส", "วั", "ส", "ดี", "น้ำ"]),
    "thai digits": ("ปี ๒๕๖๗", ["ปี", "๒๕๖๗"]),
    "scripts side by side": ("GPT模型v2です", ["GPT", "模", "型", "v2", "で", "す"]),
    "line separators": ("a\u2028b\u0085c\ufeffd\u200be", ["a", "b", "c", "d", "e"]),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("text", "words"), WORDS.values(), ids=WORDS)
def test_words_are_found_in_every_script(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == words


def test_offsets_are_code_points() -> None:
    assert word_spans("😀 ab, नमः") == [(2, 4), (6, 9)]


TERMS = {
    "case": ("Straße STRASSE İ", ["strasse", "strasse", "i\u0307"]),
    "final sigma": ("ΣΊΣΥΦΟΣ σίσυφος", ["σίσυφοσ", "σίσυφοσ"]),
    "decomposed is composed": ("cafe\u0301 café", ["café", "café"]),
    "one apostrophe": ("don’t don't", ["don't", "don't"]),
    "full width": ("ＡＢＣ　１２", ["abc", "12"]),
    "ligature": ("ﬁne", ["fine"]),
    "unseen characters": ("Donau\u00addampfer می\u200cروم", ["donaudampfer", "میروم"]),
    "a filler alone is none": ("\u3164 x", ["x"]),
    "devanagari stays whole": ("क्षत्रियों की", ["क्षत्रियों", "की"]),
    "nukta, both encodings": ("\u095b \u091c\u093c", ["\u091c\u093c", "\u091c\u093c"]),
    "bigrams": ("東京都", ["東", "東京", "京", "京都", "都"]),
    "no bigram over a gap": ("東、京 都", ["東", "京", "都"]),
    "no bigram with a word": ("東AI京", ["東", "ai", "京"]),
    "half-width kana": ("ｶﾞｷ", ["ガ", "ガキ", "キ"]),
    "thai": ("ดีมาก", ["ดี", "ดีม", "ม", "มา", "า", "าก", "ก"]),
}


@pytest.mark.parametrize(("text", "expected"), TERMS.values(), ids=TERMS)
def test_terms_have_one_spelling(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


# A virama only behind a consonant: elsewhere the ``regex`` package joins it with what follows.
ATOMS = [*"aé\u0301b'’.,3- \n\u00ad\u200c\u200d\ufe0f\u0600नकष\u093f\u093c\u0941তম漢か゛ーｶﾞกำ\u0e31"]
ATOMS += [*"가\u1100\u1161🇮👨שا١"]
ATOMS += ["क्", "ষ্", "த்"]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(ATOMS), max_size=30).map("".join))
def test_words_cover_letters_and_never_part_a_grapheme(text: str) -> None:
    spans = word_spans(text)
    boundaries = {0} | {match.end() for match in regex.finditer(r"\X", text)}
    flat = [offset for span in spans for offset in span]
    assert flat == sorted(flat)
    assert all(start < end for start, end in spans)
    assert boundaries.issuperset(flat)
    inside = {i for start, end in spans for i in range(start, end)}
    for match in regex.finditer(r"\X", text):
        if regex.match(r"\p{GCB=Prepend}*[\p{L}\p{N}--\p{GCB=Extend}--\p{GCB=SpacingMark}]", match[0], regex.V1):
            assert inside.issuperset(range(*match.span()))
