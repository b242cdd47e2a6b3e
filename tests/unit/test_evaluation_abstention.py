"""The abstention block on five queries that can be counted on a hand."""

from __future__ import annotations

import pytest

from assay.evaluation import Answer, abstention_block, auroc, risk_coverage


def test_three_answerable_and_two_unanswerable() -> None:
    answers = [
        Answer(answerable=True, abstained=False, top_score=0.9, relevant_on_top=True),
        Answer(answerable=True, abstained=False, top_score=0.6, relevant_on_top=False),
        Answer(answerable=True, abstained=True, top_score=0.3, relevant_on_top=True),
        Answer(answerable=False, abstained=False, top_score=0.6, relevant_on_top=False),
        Answer(answerable=False, abstained=True, top_score=None, relevant_on_top=False),
    ]
    block = abstention_block(answers, threshold=0.5)
    assert list(block) == [
        "n_unanswerable",
        "threshold",
        "correct_empty_rate",
        "false_answer_rate",
        "wrong_empty_rate",
        "auroc",
        "risk_coverage",
    ]
    assert block["n_unanswerable"] == 2
    assert block["threshold"] == 0.5
    assert block["correct_empty_rate"] == 1 / 2
    assert block["false_answer_rate"] == 1 / 2
    assert block["wrong_empty_rate"] == 1 / 3
    # Six pairs: .9 beats both; .6 ties and beats null; .3 loses to .6 and beats null.
    assert block["auroc"] == pytest.approx((2 + 1.5 + 1) / 6)
    # At .9: one, right. At .6: three, of which one is unanswerable and one found nothing. At .3: four.
    assert block["risk_coverage"] == [[1 / 5, 0.0], [3 / 5, 2 / 3], [4 / 5, 2 / 4]]


def test_rates_of_an_empty_group_are_null() -> None:
    answerable = Answer(answerable=True, abstained=False, top_score=1.0, relevant_on_top=True)
    block = abstention_block([answerable], None)
    assert block["n_unanswerable"] == 0
    assert (block["threshold"], block["correct_empty_rate"], block["false_answer_rate"]) == (None, None, None)
    assert (block["wrong_empty_rate"], block["auroc"]) == (0.0, None)
    unanswerable = Answer(answerable=False, abstained=True, top_score=None, relevant_on_top=False)
    block = abstention_block([unanswerable], 0.0)
    assert (block["threshold"], block["wrong_empty_rate"], block["auroc"]) == (0.0, None, None)
    assert block["risk_coverage"] == []


@pytest.mark.parametrize(
    ("above", "below", "area"),
    [
        ([3.0, 2.0], [1.0, 0.0], 1.0),
        ([0.0], [1.0], 0.0),
        ([1.0, 1.0], [1.0], 0.5),
        ([float("-inf")], [float("-inf")], 0.5),  # neither brought anything
        ([float("-inf"), 2.0], [1.0], 0.5),
        ([5.0, 1.0], [3.0, 3.0, 0.0], 4 / 6),
    ],
)
def test_area_under_the_curve(above: list[float], below: list[float], area: float) -> None:
    assert auroc(above, below) == pytest.approx(area)


def test_an_unanswerable_query_is_a_risk_whatever_stands_on_top() -> None:
    odd = Answer(answerable=False, abstained=False, top_score=-2.0, relevant_on_top=True)
    assert risk_coverage([odd]) == [[1.0, 1.0]]
