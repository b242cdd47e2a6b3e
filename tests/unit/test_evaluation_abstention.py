"""The abstention block on five queries that can be counted on a hand."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from assay.evaluation import Answer, abstention_block, auroc, risk_coverage
from assay.evaluation.abstention import auroc_interval


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
        "auroc_ci95",
        "base_rate",
        "risk_coverage",
    ]
    assert block["base_rate"] == 2 / 5
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


@pytest.mark.parametrize(("above", "below"), [(160, 33), (40, 10), (45, 8)])
@pytest.mark.parametrize("apart", [0.0, 0.9, 2.0])
def test_the_interval_of_auroc_covers_the_true_area(above: int, below: int, apart: float) -> None:
    """Normal scores that lie ``apart`` standard deviations apart have a known area: Phi(apart / sqrt 2)."""
    true = NormalDist().cdf(apart / 2**0.5)
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(1000):
        area = auroc(rng.normal(apart, 1, above).tolist(), rng.normal(0, 1, below).tolist())
        low, high = auroc_interval(area, above, below) or (1, 0)
        assert low <= (area or 0) <= high
        covered += low <= true <= high
    assert covered / 1000 >= 0.93


def test_a_perfect_area_has_an_interval_too() -> None:
    low, high = auroc_interval(1.0, 50, 8) or (0, 0)
    assert high == 1
    assert 0.7 < low < 0.95
    assert auroc_interval(0.0, 50, 8) == pytest.approx([0, 1 - low])
    assert auroc_interval(None, 50, 0) is None
