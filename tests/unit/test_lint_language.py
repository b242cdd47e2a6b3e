"""Which language a text is in, as far as counting tells, and what an English embedder is told about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assay.golden.lint import Setting, lint
from assay.golden.lint.scripts import is_unspaced, letters_by_script, main_script

GoldenOf = Callable[..., Any]

ENGLISH = "Slugs are collected in the evening, and boards that lie between the rows are turned at breakfast. " * 4
GERMAN = "Schnecken sammelt man am Abend ein, und Bretter zwischen den Reihen dreht man beim Frühstück um. " * 4
HINDI = "घोंघे शाम को पकड़े जाते हैं और कतारों के बीच रखे तख़्ते सुबह पलटे जाते हैं। "
JAPANESE = "ナメクジは夕方に集め、畝の間に置いた板は朝食のときに裏返します。"
ARABIC = "تُجمع البزاقات في المساء وتُقلب الألواح بين الصفوف عند الفطور."
THAI = "เก็บทากในตอนเย็น และพลิกแผ่นไม้ระหว่างแถวตอนอาหารเช้า"


@pytest.mark.parametrize(
    ("text", "script"),
    [
        (ENGLISH, "Latin"), (GERMAN, "Latin"), (HINDI, "Devanagari"), (JAPANESE, "Chinese or Japanese"),
        ("傍晚收集蛞蝓", "Chinese or Japanese"), (ARABIC, "Arabic"), (THAI, "Thai"), ("민달팽이", "Hangul"),
        ("слизни", "Cyrillic"), ("12:30 €!", None), ("", None), ("ᚠᚢᚦ", "another script"),
    ],
)  # fmt: skip
def test_the_script_of_most_letters(text: str, script: str | None) -> None:
    assert main_script(text) == script


def test_marks_digits_and_shared_letters_count_nowhere() -> None:
    assert letters_by_script("कि १२ a\u0301 ー 5") == {"Devanagari": 1, "Latin": 1}


@pytest.mark.parametrize(
    ("word", "unspaced"),
    [("日", True), ("ナ", True), ("ท", True), ("word", False), ("शब्द", False), ("한국", False), ("7", False)],
)
def test_scripts_without_spaces(word: str, unspaced: bool) -> None:
    assert is_unspaced(word) is unspaced


def found(golden: Any, english_only: bool = True) -> dict[str, tuple[str, ...]]:
    """Code to places of the findings about language."""
    setting = Setting(english_only=english_only)
    return {one.code: one.places for one in lint(golden, setting) if one.code in {"GS601", "GS602", "GS603"}}


def test_an_english_embedder_meets_other_languages(golden_of: GoldenOf) -> None:
    documents = {
        "ar": ARABIC,
        "de": GERMAN,
        "en": ENGLISH,
        "hi": HINDI,
        "ja": JAPANESE,
        "th": THAI,
        "empty": "",
        "n": "42",
    }
    queries = {"q1": "when are slugs collected", "q2": "घोंघे कब पकड़ें", "q3": "slugs कब पकड़े जाते हैं"}
    golden = golden_of(documents, queries, [("q1", "en", 1), ("q2", "hi", 1), ("q3", "hi", 1)])
    assert found(golden) == {
        "GS601": (
            "ar (Arabic)", "de (Latin script, not English)", "hi (Devanagari)", "ja (Chinese or Japanese)", "th (Thai)",
        ),
        "GS602": ("q2 (Devanagari)", "q3 (Devanagari)"),
    }  # fmt: skip
    assert found(golden, english_only=False) == {}


def test_a_foreign_name_in_english_is_no_other_language(golden_of: GoldenOf) -> None:
    golden = golden_of({"d": ENGLISH + "घोंघे"}, {"q1": "who is 山田 in the committee of the garden"}, [("q1", "d", 1)])
    assert found(golden) == {}


def test_short_texts_in_latin_script_are_not_judged(golden_of: GoldenOf) -> None:
    golden = golden_of({"d": "Tomas, Aylin, Ines: Vorstand"}, {"q1": "Vorstand"}, [("q1", "d", 1)])
    assert found(golden) == {}


def test_german_questions_are_told_together(golden_of: GoldenOf) -> None:
    queries = {f"q{i}": f"wann sammelt man Schnecken am Abend im Garten Nummer {i}" for i in range(10)}
    golden = golden_of({"d": ENGLISH}, queries, [(query, "d", 1) for query in queries])
    one = next(one for one in lint(golden) if one.code == "GS602")
    assert (one.places, one.total) == ((), 10)


def test_questions_that_cross_scripts(golden_of: GoldenOf) -> None:
    queries = {"q1": "ghonghe kab pakdein", "q2": "घोंघे कब", "q3": "slugs", "q4": "2026"}
    qrels = [("q1", "hi", 1), ("q2", "hi", 1), ("q3", "hi", 1), ("q3", "en", 1), ("q4", "hi", 1)]
    golden = golden_of({"hi": HINDI, "en": ENGLISH}, queries, qrels)
    assert found(golden, english_only=False) == {"GS603": ("q1: Latin, documents Devanagari",)}
