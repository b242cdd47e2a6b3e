"""From quotes to spans: exactly, else by a normalising match mapped back to the source, else reported."""

from __future__ import annotations

import unicodedata

import pytest

from assay.golden.convert.quotes import Ambiguous, Finder, Place


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("one two three", "two", "two"),
        ("one  two\n three", "two three", "two\n three"),
        ("one two three", " two\tthree ", "two three"),
        ("no\u00a0break here", "no break", "no\u00a0break"),
        ("zero\u200bwidth", "zerowidth", "zero\u200bwidth"),
        ("zerowidth", "zero\u200bwidth", "zerowidth"),
        ("a so\u00adft hyphen", "soft", "so\u00adft"),
        ("he said “no” – twice", 'said "no" - twice', "said “no” – twice"),
        ("it's", "it’s", "it's"),
        ("an exam-\nple here", "example here", "exam-\nple here"),
        ("an exam-\n   ple here", "an example", "an exam-\n   ple"),
        ("a well-\nknown man", "well-known man", "well-\nknown man"),
        ("a well-known man", "well-known", "well-known"),
        ("2-\n3 is five", "2-3", None),
        ("eﬃcient", "efficient", "eﬃcient"),
        ("cafe\u0301 noir", "caf\u00e9", "cafe\u0301"),
        ("caf\u00e9 noir", "cafe\u0301", "caf\u00e9"),
        ("डिफ़ेन्स ने", unicodedata.normalize("NFC", "डिफ़ेन्स"), "डिफ़ेन्स"),
        ("한국어 문서", unicodedata.normalize("NFD", "한국어"), "한국어"),
        ("東京は日本\nの首都", "日本の首都", "日本\nの首都"),
        ("ภาษา\nไทย", "ภาษาไทย", "ภาษา\nไทย"),
        ("ﷺ العربية", "العربية", "العربية"),
        ("one two", "one Two", None),
        ("one two", "", None),
        ("one two", " \n ", None),
        ("", "x", None),
    ],
)
def test_places(text: str, quote: str, found: str | None) -> None:
    place = Finder(text).find(quote)
    if found is None:
        assert place is None
        return
    assert isinstance(place, Place)
    assert text[place.start : place.end] == found
    assert place.exact == (found == quote)


def test_several_places_are_ambiguous_and_named() -> None:
    found = Finder("aa a aa").find("aa")
    assert found == Ambiguous((Place(0, 2, True), Place(5, 7, True)), 2)
    found = Finder("a\nb, a b and a  b").find("a  b ")
    assert isinstance(found, Ambiguous)
    assert [(place.start, place.end) for place in found.places] == [(0, 3), (5, 8), (13, 17)]
    many = Finder("x" * 50).find("x")
    assert isinstance(many, Ambiguous)
    assert (len(many.places), many.total) == (10, 50)


def test_an_exact_match_wins_over_normalising_ones() -> None:
    assert Finder("a  b and a b").find("a b") == Place(9, 12, True)


def test_an_offset_settles_it_only_where_the_quote_is_there() -> None:
    finder = Finder("aa a aa")
    assert finder.find("aa", 5) == Place(5, 7, True)
    assert isinstance(finder.find("aa", 4), Ambiguous)
    assert finder.find(" a ", 3) == Place(2, 5, True)
    assert Finder("a\nb, a b and a  b").find("a   b", 13) == Place(13, 17, False)


def test_overlapping_places_count() -> None:
    found = Finder("abababa").find("aba")
    assert isinstance(found, Ambiguous)
    assert found.total == 3
