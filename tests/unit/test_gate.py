"""The gate on run folders whose numbers a person can follow, and the files it writes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from assay.errors import AssayError
from assay.gate_command import numbers, type_numbers
from assay.reports.gate_console import show_gate
from assay.reports.gate_files import junit, markdown
from assay.reports.text import console
from assay.runs.gate import gate
from assay.runs.gate_checks import Check, Gate, Limits

HALF = [1.0] * 10 + [0.0] * 10
TYPES = ["lookup"] * 10 + ["paraphrase"] * 10


@pytest.fixture
def half(scored_run: Any) -> Path:
    """recall@5 .5, and 1 of 2 types right; 20 answerable queries and one unanswerable that got an answer."""
    return scored_run(
        "half",
        {"recall@5": [*HALF, None], "ndcg@10": [*HALF, None]},
        types=[*TYPES, None],
        abstention={"false_answer_rate": 1.0, "wrong_empty_rate": 0.25},
    )


@pytest.mark.parametrize(
    ("limits", "passed"),
    [
        (Limits(floors={"recall@5": 0.5}), True),  # at the limit is kept
        (Limits(floors={"recall@5": 0.501}), False),
        (Limits(type_floors={("lookup", "recall@5"): 1.0}), True),
        (Limits(type_floors={("paraphrase", "recall@5"): 0.1}), False),
        (Limits(max_false_answers=1.0), True),
        (Limits(max_false_answers=0.99), False),
        (Limits(max_wrong_empty=0.25), True),
        (Limits(max_wrong_empty=0.2), False),
        (Limits(floors={"recall@5": 0.1, "ndcg@10": 0.9}), False),  # one that fails is enough
    ],
)
def test_limits_of_a_run_alone(half: Path, limits: Limits, passed: bool) -> None:
    assert gate(half, limits).passed is passed


def against(scored_run: Any, before: list[float], after: list[float], **limits: Any) -> Gate:
    baseline = scored_run("before", {"recall@5": before, "ndcg@10": before})
    run = scored_run("after", {"recall@5": after, "ndcg@10": after})
    return gate(run, Limits(**limits), baseline)


@pytest.mark.parametrize(
    ("after", "drop", "passed"),
    [
        ([1.0] * 9 + [0.0] * 11, 0.05, True),  # one query of 20 lost: a drop of .05, within .05
        ([1.0] * 9 + [0.0] * 11, 0.04, False),  # and beyond .04, though one query is no proof of anything
        ([1.0] * 12 + [0.0] * 8, 0.0, True),  # a gain
        (HALF, 0.0, True),
    ],
)
def test_an_observed_drop_beyond_its_limit_fails(
    scored_run: Any, after: list[float], drop: float, passed: bool
) -> None:
    found = against(scored_run, HALF, after, max_drops={"recall@5": drop})
    assert [check.metric for check in found.checks] == ["recall@5"]  # what has a limit is not tested besides
    assert found.passed is passed


def test_a_drop_says_whether_it_is_beyond_chance(scored_run: Any) -> None:
    check = against(scored_run, HALF, [0.0] * 5 + HALF[5:], max_drops={"recall@5": 0.1}).checks[0]
    assert check.difference is not None
    assert check.difference.p == 1 / 32  # five of five down, one-sided
    assert (check.value, check.significance) == (0.25, "significant")
    assert "drop 0.2500" in check.reason
    assert "5 queries down, 0 up, 20 in all; one-sided p = 0.0312; significant)" in check.reason


@pytest.mark.parametrize(
    ("lost", "gained", "passed"),
    [
        (6, 0, False),  # p = 1 / 64, twice that by Holm over two metrics
        (5, 0, True),  # p = 1 / 32, twice that is beyond .05
        (0, 8, True),
        (0, 0, True),
    ],
)
def test_a_baseline_alone_tests_the_headline_metrics(scored_run: Any, lost: int, gained: int, passed: bool) -> None:
    after = [0.0] * lost + HALF[lost:10] + [1.0] * gained + [0.0] * (10 - gained)
    found = against(scored_run, HALF, after)
    assert [(check.kind, check.metric) for check in found.checks] == [
        ("not_worse", "recall@5"),
        ("not_worse", "ndcg@10"),
    ]
    assert found.passed is passed
    if lost:
        p = [check.difference and (check.difference.p, check.difference.p_corrected) for check in found.checks]
        assert p == [(0.5**lost, 2 * 0.5**lost)] * 2


@pytest.mark.parametrize("value", [float("nan"), 1.5, "high"])
@pytest.mark.parametrize(
    ("block", "name", "limits"),
    [
        ("metrics", "recall@5", Limits(floors={"recall@5": 0.5})),
        ("abstention", "false_answer_rate", Limits(max_false_answers=0.5)),
    ],
)
def test_what_is_no_score_is_damage_and_no_failure(
    half: Path, value: Any, block: str, name: str, limits: Limits
) -> None:
    path = half / "metrics.json"
    metrics = json.loads(path.read_text(encoding="utf-8"))
    metrics[block][name] = {"mean": value, "ci95": None, "n": 3} if block == "metrics" else value
    path.write_text(json.dumps(metrics), encoding="utf-8")
    with pytest.raises(AssayError, match=f"{name} is .*damaged, run again"):
        gate(half, limits)


def test_a_small_p_is_no_zero(scored_run: Any) -> None:
    found = against(scored_run, [1.0] * 14 + [0.0] * 6, [0.0] * 20)
    out = io.StringIO()
    show_gate(found, console(out))
    assert "<0.001" in out.getvalue()
    assert "| &lt;0.001 |" in markdown(found)


def test_no_drop_is_no_negative_zero(scored_run: Any) -> None:
    found = against(scored_run, HALF, HALF)
    assert [str(check.value) for check in found.checks] == ["0.0", "0.0"]
    assert "(drop 0.0000, " in found.checks[0].reason


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (Limits(), "nothing to check"),
        (Limits(floors={"recall@7": 0.5}), r"'recall@7' is not in .*half; it has recall@5"),
        (Limits(floors={"recal@5": 0.5}), "did you mean recall@5"),
        (Limits(type_floors={("lokup", "recall@5"): 0.5}), r"no type 'lokup'; did you mean lookup\?"),
        (Limits(type_floors={("x", "recall@5"): 0.5}), "types: lookup, paraphrase"),
        (Limits(max_drops={"recall@5": 0.5}), "give --baseline RUN"),
    ],
)
def test_what_can_not_be_checked_is_refused(half: Path, limits: Limits, told: str) -> None:
    with pytest.raises(AssayError, match=told):
        gate(half, limits)


def test_a_rate_that_the_set_can_not_have_is_refused(scored_run: Any) -> None:
    run = scored_run("all", {"recall@5": HALF})
    with pytest.raises(
        AssayError, match=r"--max-false-answers: .*all has no false_answer_rate, .* no unanswerable query"
    ):
        gate(run, Limits(max_false_answers=0.5))


def test_another_golden_set_is_refused(scored_run: Any) -> None:
    a, b = scored_run("a", {"recall@5": HALF}), scored_run("b", {"recall@5": HALF}, hashes={"qrels": "x"})
    with pytest.raises(
        AssayError, match=r"b: scored on another golden set than .*a, so their numbers can't be compared"
    ):
        gate(b, Limits(), a)


ODD = "a<b>&\"'|`*_\x00\x1b\ud800\n@you [x](y)"


@pytest.fixture
def odd(scored_run: Any) -> Gate:
    """A type whose name tries everything."""
    run = scored_run("odd", {"recall@5": HALF}, types=[ODD] * 20)
    return gate(run, Limits(floors={"recall@5": 0.4}, type_floors={(ODD, "recall@5"): 0.9}))


def test_junit_is_xml_whatever_a_type_is_called(odd: Gate) -> None:
    suite = ElementTree.fromstring(junit(odd).encode("utf-8"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    good, bad = suite.iter("testcase")
    assert (good.get("name"), good.find("failure")) == ("recall@5 >= 0.4", None)
    assert bad.get("name") == "recall@5 [a<b>&\"'|`*_\n@you [x](y)] >= 0.9"
    failure = bad.find("failure")
    assert failure is not None
    assert failure.get("message", "").startswith("recall@5 is 0.5000 (20 queries, 95 % ")


def test_markdown_reads_no_type_as_markup(odd: Gate) -> None:
    text = markdown(odd)
    assert text.startswith("### ❌ Gate failed: 1 of 2 checks.\n")
    rows = [line for line in text.splitlines() if line.startswith("| ❌")]
    assert len(rows) == 1
    assert "a&lt;b&gt;&amp;\"'\\|\\`\\*\\_" in rows[0]
    assert "\\[x\\](y)" in rows[0]
    assert " @<!-- -->you" in rows[0]
    assert rows[0].replace("\\|", "").count("|") == 7
    text.encode("utf-8")


def test_the_document_is_plain_json(scored_run: Any) -> None:
    document = against(scored_run, HALF, [0.0] * 20, max_drops={"recall@5": 0.1}, floors={"recall@5": 0.5}).document()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["passed"] is False
    assert [(row["check"], row["limit"], row["passed"]) for row in document["checks"]] == [
        ("min", 0.5, False),
        ("max_drop", 0.1, False),
    ]
    assert (document["checks"][1]["baseline_mean"], document["checks"][1]["mean"]) == (0.5, 0.0)


def test_names_say_what_is_asked() -> None:
    kinds = [("min", "x", 0.5), ("min", None, 0.5), ("max_drop", None, 0.02), ("not_worse", None, None)]
    assert [Check(k, "mrr", t, limit, 0.1, None, 3, True).name for k, t, limit in kinds] == [  # type: ignore[arg-type]
        "mrr [x] >= 0.5",
        "mrr >= 0.5",
        "mrr drop <= 0.02",
        "mrr not worse",
    ]


def test_how_limits_are_written() -> None:
    assert numbers("--min", ["recall@5=0.8,mrr=.5", "ndcg@10=1"]) == {"recall@5": 0.8, "mrr": 0.5, "ndcg@10": 1.0}
    assert type_numbers(["a:b=c:recall@5=0.7"]) == {("a:b=c", "recall@5"): 0.7}


@pytest.mark.parametrize(
    "text",
    ["recall@5", "recall@5=", "=0.5", "recall@5=x", "recall@5=1.5", "recall@5=-0.1", "recall@5=nan", "a=1,a=1", ""],
)
def test_how_they_are_not(text: str) -> None:
    with pytest.raises(AssayError, match="assay gate: --min"):
        numbers("--min", [text])


@pytest.mark.parametrize(
    "text", ["recall@5=0.5", ":recall@5=0.5", "lookup:=0.5", "lookup:recall@5", "lookup:recall@5=2"]
)
def test_how_limits_of_types_are_not(text: str) -> None:
    with pytest.raises(AssayError, match="assay gate: --min-type"):
        type_numbers([text])
