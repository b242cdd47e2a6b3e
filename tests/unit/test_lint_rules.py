"""Each finding of the lint on a set made for it, and silence on a set that is in order."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import GoldenSetError
from assay.golden import load_golden_set
from assay.golden.lint import CODES, RULES, Finding, Reading, Setting, lint, reading_faults
from assay.golden.lint.claims import claim_of

GoldenOf = Callable[..., Any]
PLAIN = Setting(english_only=False, ks=(1,), smallest_chunk=1)


def found(golden: Any, code: str, setting: Setting = PLAIN) -> Finding | None:
    """The finding ``code``, None where the lint doesn't give it."""
    return next((one for one in lint(golden, setting) if one.code == code), None)


def places(golden: Any, code: str, setting: Setting = PLAIN) -> tuple[str, ...]:
    """The places of the finding ``code``, which must be there."""
    one = found(golden, code, setting)
    assert one is not None, f"no {code}"
    return one.places


def filler(number: int) -> dict[str, str]:
    """Documents that share no word with anything."""
    return {f"f{i}": f"filler{i}a filler{i}b filler{i}c" for i in range(number)}


def order() -> tuple[dict[str, str], dict[str, str], list[tuple[str, str, int]], dict[str, str]]:
    """A set in order: 60 questions in other words than their documents, 9 of them unanswerable, one type."""
    documents = {f"d{i}": f"alpha{i} beta{i} gamma{i}" for i in range(60)}
    queries = {f"q{i}": f"what about topic{i}" for i in range(60)}
    return documents, queries, [(f"q{i}", f"d{i}", 1) for i in range(51)], {f"q{i}": "plain" for i in range(51)}


def test_a_set_in_order_has_no_finding(golden_of: GoldenOf) -> None:
    documents, queries, qrels, types = order()
    assert lint(golden_of(documents, queries, qrels, types=types), PLAIN) == []


def test_the_same_set_twice_gives_the_same_findings(golden_of: GoldenOf) -> None:
    documents, queries, qrels, _ = order()
    documents |= {"d60": "", "d61": documents["d1"]}
    one, other = (lint(golden_of(documents, queries, qrels), Setting()) for _ in range(2))
    assert one == other
    assert len(one) > 3


def test_errors_come_first_then_warnings_then_notes_by_code(golden_of: GoldenOf) -> None:
    golden = golden_of({"d1": "", "d2": "two words", "d3": "two words"}, {"q1": "who"}, [("q1", "d1", 1)])
    order_of = ["error", "warning", "note"]
    keys = [(order_of.index(one.severity), one.code) for one in lint(golden)]
    assert keys == sorted(keys)
    assert {key for key, _ in keys} == {0, 1, 2}


def test_unknown_ids_are_an_error_or_a_warning_as_asked(golden_of: GoldenOf) -> None:
    golden = golden_of({"d1": "one"}, {"q1": "who", "q2": "when"}, [("q1", "d1", 1), ("q2", "d1", 1)])
    file = golden.path / "qrels" / "test.tsv"
    file.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\tgone\t1\n")
    golden = load_golden_set(golden.path, on_unknown="drop")
    assert places(golden, "GS102") == ("qrels/test.tsv:3: unknown document 'gone' (query 'q2', document 'gone')",)
    asked = Setting(english_only=False, drop_unknown=True)
    assert found(golden, "GS102", asked) is None
    assert found(golden, "GS103", asked).severity == "warning"  # type: ignore[union-attr]


def test_faults_keep_their_lines_and_their_number() -> None:
    error = GoldenSetError(["corpus.jsonl:3: broken", "corpus.jsonl:9: broken too"], 31)
    one = reading_faults(error)
    assert (one.code, one.severity, one.total) == ("GS101", "error", 31)
    assert one.places == ("corpus.jsonl:3: broken", "corpus.jsonl:9: broken too")


def test_questions_without_a_judgement(golden_of: GoldenOf) -> None:
    golden = golden_of({"d1": "one"}, {"q1": "who", "q2": "when", "q3": "why"}, [("q1", "d1", 1)])
    marks: dict[str, dict[str, Any]] = {"q1": {}, "q2": {"answerable": True}, "q3": {"type": "No-Answer"}}
    rows = [{"_id": query, "text": "who", "metadata": mark} for query, mark in marks.items()]
    (golden.path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    golden = load_golden_set(golden.path)
    assert places(golden, "GS104") == ("q2",)
    assert places(golden, "GS105") == ("q3",)
    assert places(golden, "GS106") == ("q3",)


def test_empty_documents_by_what_they_cost(golden_of: GoldenOf) -> None:
    documents = {"full": "some text", "blank": " \n", "bom": "\ufeff", "spare": "", **filler(3)}
    qrels = [("q1", "blank", 1), ("q2", "full", 1), ("q2", "bom", 1), ("q3", "full", 1), ("q3", "spare", 0)]
    golden = golden_of(documents, {"q1": "a", "q2": "b", "q3": "c"}, qrels)
    assert places(golden, "GS201") == ("q1: blank",)
    assert places(golden, "GS202") == ("q2: bom",)
    assert places(golden, "GS203") == ("spare",)


def test_questions_there_twice(golden_of: GoldenOf) -> None:
    queries = {
        "q1": "How many DAYS?", "q2": "how many days", "q3": "who", "q4": "Who?", "q5": "when", "q6": "When",
        "q7": "why", "q8": "where",
    }  # fmt: skip
    qrels = [("q1", "d1", 1), ("q2", "d2", 1), ("q3", "d1", 1), ("q4", "d1", 2), ("q5", "d1", 1), ("q7", "d1", 1)]
    golden = golden_of({"d1": "one", "d2": "two"}, queries, qrels)
    assert places(golden, "GS301") == ("q1 = q2", "q5 = q6")  # q6 is unanswerable
    assert places(golden, "GS302") == ("q3 = q4",)


@pytest.mark.parametrize(
    ("unanswerable", "code"), [(0, "GS303"), (1, "GS304"), (2, None), (4, None), (5, "GS304"), (10, "GS304")]
)
def test_the_share_of_unanswerable_questions(golden_of: GoldenOf, unanswerable: int, code: str | None) -> None:
    queries = {f"q{i}": f"word{i}" for i in range(20)}
    qrels = [(f"q{i}", "d1", 1) for i in range(20 - unanswerable)]
    golden = golden_of({"d1": "one"}, queries, qrels)
    codes = {one.code for one in lint(golden, PLAIN)} & {"GS303", "GS304"}
    assert codes == ({code} if code else set())


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("multi_document", "several"), ("Multi-Hop", "several"), ("multi hop", "several"), ("comparison", "several"),
        ("lookup", "one"), ("single_hop", "one"), ("unanswerable", "none"), ("multilingual", None), ("", None),
        (None, None),
    ],
)  # fmt: skip
def test_what_a_type_promises(name: str | None, claim: str | None) -> None:
    assert claim_of(name) == claim


def test_positives_against_what_the_type_promises(golden_of: GoldenOf) -> None:
    qrels = [("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d1", 1), ("q2", "d2", 1), ("q3", "d1", 1), ("q3", "d2", 1)]
    types = {"q1": "multi_hop", "q2": "lookup", "q3": "comparison"}
    golden = golden_of({"d1": "one", "d2": "two"}, {"q1": "a", "q2": "b", "q3": "c"}, qrels, types=types)
    assert places(golden, "GS401") == ("q1 (multi_hop)",)
    assert places(golden, "GS402") == ("q2 (lookup): 2",)


def test_grades_above_four_and_more_relevant_documents_than_five(golden_of: GoldenOf) -> None:
    documents = filler(7)
    qrels = [("q1", f"f{i}", 1) for i in range(6)] + [("q2", f"f{i}", 1) for i in range(5)] + [("q2", "f6", 100)]
    golden = golden_of(documents, {"q1": "a", "q2": "b"}, qrels[:-1])
    assert found(golden, "GS403") is None
    assert places(golden, "GS404", Setting(ks=(5,))) == ("q1: 6",)
    assert found(golden, "GS404", Setting(ks=(10,))) is None
    assert places(golden_of(documents, {"q1": "a", "q2": "b"}, qrels), "GS403") == ("q2 f6: 100",)


@pytest.mark.parametrize(("ks", "expected"), [((1, 2), None), ((1, 3), ("k = 3",)), ((3, 50), ("k = 3", "k = 50"))])
def test_cutoffs_of_a_tenth_of_the_corpus(
    golden_of: GoldenOf, ks: tuple[int, ...], expected: tuple[str, ...] | None
) -> None:
    golden = golden_of(filler(30), {"q1": "a"}, [("q1", "f1", 1)])
    one = found(golden, "GS604", Setting(ks=ks))
    assert (one.places if one else None) == expected
    if one and len(ks) == 2 and ks[1] == 50:
        assert "recall@3 0.10, recall@50 1.00" in one.message


@pytest.mark.parametrize(("short", "code"), [(0, None), (1, "GS606"), (2, "GS605"), (4, "GS605")])
def test_documents_shorter_than_the_smallest_chunk(golden_of: GoldenOf, short: int, code: str | None) -> None:
    documents = {f"d{i}": f"w{i} " * (8 if i < short else 9) for i in range(4)} | {"empty": ""}
    golden = golden_of(documents, {"q1": "a"}, [("q1", "d1", 1)])
    setting = Setting(smallest_chunk=8)
    codes = [one.code for one in lint(golden, setting) if one.code in {"GS605", "GS606"}]
    assert codes == ([code] if code else [])
    if code:
        assert places(golden, code, setting) == tuple(f"d{i}" for i in range(short))


def test_evidence_that_is_cut_off(golden_of: GoldenOf) -> None:
    #                     0         10        20        30
    text = "abcdefghij klmnopqrst uvwxyz 0123456789"
    spans = [("q1", "d1", 0, 10), ("q1", "d1", 11, 21), ("q2", "d1", 22, 39), ("q3", "d1", 10, 12)]
    qrels = [(query, "d1", 1) for query in ("q1", "q2", "q3")]
    golden = golden_of({"d1": text}, {"q1": "a", "q2": "b", "q3": "c"}, qrels, spans=spans)
    # Two chunks, 0 to 21 and 22 to 39; of the first 15 characters are read, of the second 24.
    reading = Reading(size=200, limit=128, pieces={"d1": [(0, 15), (22, 24)]})
    assert places(golden, "GS607", Setting(reading=reading)) == (
        "q1: d1 11 to 21 (6 of 10 unread)",
        "q2: d1 22 to 39 (14 of 17 unread)",  # the space between is no loss
    )
    whole = Reading(size=200, limit=128, pieces={"d1": [(0, 21), (18, 39)]})
    assert found(golden, "GS607", Setting(reading=whole)) is None
    assert found(golden, "GS608", Setting(reading=whole)) is None
    assert found(golden, "GS608", Setting(reading="it is not installed")).severity == "note"  # type: ignore[union-attr]


def test_few_questions_and_types_with_few(golden_of: GoldenOf) -> None:
    documents, queries, qrels, types = order()
    assert found(golden_of(documents, queries, qrels[:50], types=types), "GS701") is None
    few = found(golden_of(documents, queries, qrels[:49], types=types), "GS701")
    assert few is not None
    # (t[48, .975] + t[48, .8]) .30 / 7 = (2.0106 + 0.8490) .30 / 7 = 0.1226
    assert "49 answerable questions: a difference in recall@5 below 0.12" in few.message
    types |= {f"q{i}": "rare" if i < 9 else "enough" for i in range(19)}
    assert places(golden_of(documents, queries, qrels, types=types), "GS702") == ("rare: 9",)


def test_every_code_has_a_number_a_severity_and_a_meaning() -> None:
    assert all(code[:2] == "GS" and code[2:].isdigit() for code in CODES)
    assert {severity for severity, _ in CODES.values()} == {"error", "warning", "note"}
    assert list(CODES) == sorted(CODES)


def test_every_code_of_the_table_is_given_somewhere() -> None:
    import assay.golden.lint as package

    sources = "".join(path.read_text() for path in Path(package.__file__).parent.glob("*.py") if path.stem != "finding")
    assert {code for code in CODES if f'"{code}"' not in sources} == set()
    assert len(RULES) == len(set(RULES))
