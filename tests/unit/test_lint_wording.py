"""How the wording of questions meets that of their documents: rare words, copied runs, scripts without spaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assay.golden.lint import Setting, Subject, lint
from assay.golden.lint.overlap import overlap
from assay.golden.lint.wording import Wording, spelled_words

GoldenOf = Callable[..., Any]


def codes(golden: Any) -> dict[str, tuple[str, ...]]:
    """Code to places of the findings about wording."""
    return {one.code: one.places for one in lint(golden, Setting()) if one.code in {"GS501", "GS502", "GS503"}}


def corpus(*own: str) -> dict[str, str]:
    """``own`` texts, and forty others that all say "the common words": these are in every document."""
    texts = [*own, *(f"filler{i}" for i in range(40))]
    return {f"d{i}": f"the common words {text}" for i, text in enumerate(texts)}


def test_the_share_of_rare_words_in_documents_and_evidence(golden_of: GoldenOf) -> None:
    #                          the common words gate opens seven
    #                                           17   22    28
    golden = golden_of(
        corpus("gate opens seven", "pump stops november"),
        {"q1": "the gate seven dawn zenith", "q2": "common pump words"},
        [("q1", "d0", 1), ("q2", "d1", 1)],
        spans=[("q1", "d0", 17, 21)],
    )
    found = overlap(Subject(golden))
    # q1 has the rare words gate, seven, dawn, zenith, two of them in d0, one in the evidence; q2 has pump, in d1.
    assert (found.questions, found.in_documents, found.in_evidence) == (2, (0.5 + 1.0) / 2, 0.25)
    assert found.copied == {}
    assert codes(golden) == {"GS501": ()}


def test_a_question_without_rare_words_says_nothing(golden_of: GoldenOf) -> None:
    golden = golden_of(corpus("gate"), {"q1": "the common words"}, [("q1", "d0", 1)])
    assert overlap(Subject(golden)).in_documents is None
    assert codes(golden) == {}


@pytest.mark.parametrize(
    ("question", "copied"),
    [
        ("tell me: the gate opens at SEVEN, please", "the gate opens at seven"),
        ("gate opens at", None),  # three words
        ("gate opens at all seven", None),  # not in a row
        ("at opens gate the seven", None),  # not in this order
        ("is it true that the common words the", None),  # four in a row, but in every document
    ],
)
def test_runs_of_four_words_one_of_them_rare(golden_of: GoldenOf, question: str, copied: str | None) -> None:
    golden = golden_of(corpus("the gate opens at seven"), {"q1": question}, [("q1", "d0", 1)])
    assert overlap(Subject(golden)).copied == ({"q1": copied} if copied else {})


@pytest.mark.parametrize(("copying", "code"), [(1, "GS503"), (2, "GS502")])
def test_a_fifth_of_the_questions_copying_is_many(golden_of: GoldenOf, copying: int, code: str) -> None:
    queries = {f"q{i}": "gate opens at seven" if i < copying else f"what about topic{i}" for i in range(10)}
    qrels = [(query, "d0", 1) for query in queries]
    found = codes(golden_of(corpus("the gate opens at seven"), queries, qrels))
    assert found == {code: tuple(f"q{i}: gate opens at seven" for i in range(copying))}


@pytest.mark.parametrize(
    ("document", "question", "copied"),
    [
        ("छुट्टी के लिए चार दिन पहले आवेदन करें", "क्या चार दिन पहले आवेदन करना है", "चार दिन पहले आवेदन"),
        ("年次有給休暇は四日前までに申請する", "有給休暇は四日前でいいか", "有 給 休 暇 は 四 日 前"),
        ("年次有給休暇は四日前までに申請する", "四日前まで", None),  # five characters are a word or two
        ("休假须提前四个工作日在门户中申请", "要提前四个工作日在哪里", "提 前 四 个 工 作 日 在"),
        ("ต้องยื่นใบลาล่วงหน้าสี่วัน", "ต้องยื่นใบลาเมื่อไร", "ต้ อ ง ยื่ น ใ บ ล า"),
        ("يجب تقديم الطلب قبل أربعة أيام", "هل يجب تقديم الطلب قبل السفر", "يجب تقديم الطلب قبل"),
        ("Der Antrag ist vier Tage vorher zu stellen", "wird der Antrag ist vier Tage", "der antrag ist vier tage"),
    ],
)
def test_copied_runs_in_other_languages(golden_of: GoldenOf, document: str, question: str, copied: str | None) -> None:
    golden = golden_of({"d0": document, "d1": "x"}, {"q1": question}, [("q1", "d0", 1)])
    assert overlap(Subject(golden)).copied == ({"q1": copied} if copied else {})


def test_rare_is_at_most_a_twentieth_of_the_documents() -> None:
    wording = Wording([f"all {'some' if i < 3 else ''} {'two' if i < 2 else ''} only{i}" for i in range(40)])
    row = wording.numbers("all some two only7 unknown")
    names = dict(zip(row.tolist(), spelled_words("all some two only7 unknown"), strict=True))
    features = wording.features(row)
    assert {names[number]: bool(rare) for number, rare in zip(features.tolist(), wording.is_rare(features), strict=True)} == {
        "all": False, "some": False, "two": True, "only7": True, "unknown": True,
    }  # fmt: skip
