"""Equal and nearly equal documents: who is found, and what it costs the judgements."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from assay.golden.lint import Setting, Subject, lint
from assay.golden.lint.near import SIMILAR, near_pairs
from assay.golden.lint.twins import twins
from assay.golden.lint.wording import Wording
from assay.records import Document

GoldenOf = Callable[..., Any]
LETTER = "the gate is open from seven to nine and closed at dusk in winter for all who have no key of their own"


def places(golden: Any) -> dict[str, tuple[str, ...]]:
    """Code to places of the findings about twins."""
    return {one.code: one.places for one in lint(golden) if one.code in {"GS204", "GS205", "GS206"}}


def shingles(text: str) -> set[tuple[str, ...]]:
    """Runs of five words, the plain way."""
    words = text.split()
    return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}


def jaccard(one: str, other: str) -> float:
    """Shared over all runs of five words, the plain way."""
    a, b = shingles(one), shingles(other)
    return len(a & b) / len(a | b) if a | b else 0.0


def test_one_gold_its_twin_not(golden_of: GoldenOf) -> None:
    documents = {
        "gold": LETTER,
        "copy": LETTER.upper().replace(" ", "\n"),  # case and white space make no difference
        "near": LETTER.rsplit(" ", 1)[0],  # 18 of the letter's 19 runs of five words
        "other": "nothing here is like the rest of them, not in five words running",
    }
    assert jaccard(documents["near"], LETTER) == pytest.approx(18 / 19)
    queries = {"q1": "when", "q2": "where", "q3": "why"}
    qrels = [("q1", "gold", 1), ("q2", "gold", 2), ("q2", "copy", 1), ("q2", "near", 0), ("q3", "other", 1)]
    assert places(golden_of(documents, queries, qrels)) == {
        "GS204": ("q1: gold = copy, ~ near",),  # of q2 the copy is relevant, and someone looked at the near one
        "GS205": ("copy = gold",),
        "GS206": ("copy ~ near (95%)",),
    }


def test_a_copy_that_is_judged_0_is_no_less_a_copy(golden_of: GoldenOf) -> None:
    golden = golden_of({"a": LETTER, "b": LETTER}, {"q1": "when"}, [("q1", "a", 1), ("q1", "b", 0)])
    assert places(golden)["GS204"] == ("q1: a = b",)


def test_families_are_shown_short(golden_of: GoldenOf) -> None:
    golden = golden_of({f"d{i}": LETTER for i in range(6)}, {"q1": "when"}, [("q1", "d0", 1)])
    assert places(golden) == {
        "GS204": ("q1: d0 = d1, = d2, = d3 and 2 more",),
        "GS205": ("d0 = d1 = d2 and 3 more",),
    }


def test_documents_without_words_are_equal_only_if_they_look_so(golden_of: GoldenOf) -> None:
    golden = golden_of({"a": "🙂", "b": "🙂 ", "c": "🙃", "d": "", "e": " "}, {"q1": "when"}, [("q1", "a", 1)])
    assert places(golden) == {"GS204": ("q1: a = b",), "GS205": ("a = b",)}


@pytest.mark.parametrize(
    "text",
    [
        "छुट्टी के लिए चार दिन पहले आवेदन करना होता है और मंज़ूरी सेतु में मिलती है।",
        "年次有給休暇は四日前までに申請してください。承認はポータルに表示されます。",
        "يجب تقديم طلب الإجازة قبل أربعة أيام من بدايتها وتظهر الموافقة في البوابة",
    ],
)
def test_twins_in_other_scripts(golden_of: GoldenOf, text: str) -> None:
    assert places(golden_of({"a": text, "b": text}, {"q1": "when"}, [("q1", "a", 1)]))["GS204"] == ("q1: a = b",)


def mutated(words: Sequence[str], changes: int, rng: random.Random) -> str:
    """The words with some replaced by new ones."""
    out = list(words)
    for at in rng.sample(range(len(out)), changes):
        out[at] = f"new{rng.random()}"
    return " ".join(out)


def test_near_pairs_are_those_of_plain_jaccard() -> None:
    rng = random.Random(7)
    texts = []
    for _ in range(40):
        base = [f"w{rng.randrange(4000)}" for _ in range(120)]
        texts += [mutated(base, changes, rng) for changes in (0, 1, 2, 4, 6)]
    expected = {
        (i, j): jaccard(texts[i], texts[j])
        for i in range(len(texts))
        for j in range(i + 1, len(texts))
        if jaccard(texts[i], texts[j]) >= SIMILAR
    }
    found = {(i, j): similarity for i, j, similarity in near_pairs(Wording(t.replace(".", "") for t in texts).rows)}
    assert len(expected) > 80
    assert found.keys() == expected.keys()
    assert all(found[pair] == pytest.approx(expected[pair]) for pair in found)


def test_a_thousand_versions_of_one_form_are_one_family_not_half_a_million_pairs() -> None:
    rng = random.Random(3)
    base = [f"w{i}" for i in range(200)]
    rows = Wording(mutated(base, 1, rng).replace(".", "") for _ in range(1000)).rows
    start = time.process_time()
    pairs = near_pairs(rows)
    assert time.process_time() - start < 10
    assert {row for i, j, _ in pairs for row in (i, j)} == set(range(1000))
    assert len(pairs) < 60_000


@pytest.mark.slow
def test_ten_thousand_documents_take_seconds() -> None:
    rng = np.random.default_rng(5)
    vocabulary = np.array([f"word{i}" for i in range(20_000)])
    texts = [" ".join(vocabulary[(rng.pareto(1.0, 300) * 20).astype(int) % 20_000]) for _ in range(9_900)]
    texts += [f"{texts[i]} and a little more" for i in range(100)]
    start = time.process_time()
    subject = Subject(_bare(texts))
    found = twins(subject, Setting())
    assert time.process_time() - start < 60
    assert [one.code for one in found] == ["GS206"]
    assert found[0].total == 100


def _bare(texts: Sequence[str]) -> Any:
    from pathlib import Path

    from assay.golden.documents import Corpus, Questions
    from assay.golden.load import _assemble
    from assay.golden.qrels import Qrels

    corpus = Corpus([Document(f"d{i:05}", text) for i, text in enumerate(texts)])
    return _assemble(Path("bare"), "test", corpus, Questions(), Qrels(), [], [], 0)
