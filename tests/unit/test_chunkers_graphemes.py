"""Grapheme boundaries of a whole text, asked one offset at a time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.chunkers.graphemes import Graphemes

CLUSTERS = {
    "letters": ["a", "b", " ", "ß"],
    "combining marks": ["e\u0301\u0302", "x", "o\u0308"],
    "crlf": ["a", "\r\n", "\n", "\r"],
    "crlf beyond ascii": ["é", "\r\n", "\n"],
    "hindi conjuncts": ["न", "म", "स्ते", " ", "क्ष", "त्रि", "य"],
    "tamil": ["த", "மி", "ழ்"],
    "thai": ["น้ำ", "ดี"],
    "hangul jamo": ["\u1112\u1161\u11ab", "\u1100\u1161", "가"],
    "zwj emoji": ["👨\u200d👩\u200d👧", "👍🏽", "☺\ufe0f", "1\ufe0f\u20e3"],
    "flags": ["🇮🇳", "🇩🇪", "🇫🇷", "a", "🇮🇳", "🇯"],
    "prepended": ["\u0600١", "x"],
    "half-width kana": ["ｶﾞ", "ｷ"],
    "nothing": [],
}


@pytest.mark.parametrize("clusters", CLUSTERS.values(), ids=CLUSTERS)
def test_offsets_move_to_the_ends_of_their_cluster(clusters: list[str]) -> None:
    graphemes = Graphemes("".join(clusters))
    at = 0
    for cluster in clusters:
        start, end = at, at + len(cluster)
        assert (graphemes.floor(start), graphemes.ceil(start)) == (start, start)
        for inside in range(start + 1, end):
            assert (graphemes.floor(inside), graphemes.ceil(inside)) == (start, end)
        at = end
    assert (graphemes.floor(at), graphemes.ceil(at)) == (at, at)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([c for clusters in CLUSTERS.values() for c in clusters if c[0] not in "\r\n🇯"])))
def test_clusters_stay_whole_in_any_company(clusters: list[str]) -> None:
    graphemes = Graphemes("".join(clusters))
    at = 0
    for cluster in clusters:
        at += len(cluster)
        assert graphemes.floor(at) == graphemes.ceil(at) == at


def test_a_long_row_of_flags_takes_one_pass() -> None:
    """350,000 flags in a row: counting back at each of them would take hours."""
    graphemes = Graphemes("🇮🇳" * 350_000)
    assert len(graphemes.starts) == 350_000
    assert graphemes.floor(699_999) == 699_998
