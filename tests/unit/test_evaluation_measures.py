"""Ranking metrics on rankings short enough to be scored by hand."""

from __future__ import annotations

import copy
from math import log2

import numpy as np
import pytest

from assay.errors import AssayError
from assay.evaluation import score_rankings


def one(name: str, ranking: str, grades: dict[str, int], answerable: bool = True) -> float:
    """The metric of a single ranking, written as a word of one-letter document ids."""
    return float(score_rankings([list(ranking)], [grades], [name], answerable=[answerable])[name][0])


# Relevant: b (grade 1), d (grade 3), z (grade 2, never returned). Judged not relevant: a (0), e (-1).
GRADES = {"b": 1, "d": 3, "z": 2, "a": 0, "e": -1}
IDEAL_2 = 3 / log2(2) + 2 / log2(3)
IDEAL_5 = IDEAL_2 + 1 / log2(4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recall@1", 0),
        ("recall@2", 1 / 3),
        ("recall@4", 2 / 3),
        ("recall@100", 2 / 3),
        ("precision@2", 1 / 2),
        ("precision@4", 2 / 4),
        ("precision@10", 2 / 10),  # five came back; the divisor stays 10
        ("hit@1", 0),
        ("hit@2", 1),
        ("mrr", 1 / 2),
        ("mrr@1", 0),
        ("mrr@2", 1 / 2),
        ("ndcg@1", 0),
        ("ndcg@2", (1 / log2(3)) / IDEAL_2),
        ("ndcg@5", (1 / log2(3) + 3 / log2(5)) / IDEAL_5),
        ("ndcg@100", (1 / log2(3) + 3 / log2(5)) / IDEAL_5),
        ("ndcg_exp@5", (1 / log2(3) + 7 / log2(5)) / (7 / log2(2) + 3 / log2(3) + 1 / log2(4))),
        ("map@2", (1 / 2) / 3),
        ("map@5", (1 / 2 + 2 / 4) / 3),
        ("rprec", 1 / 3),  # the first three hold one of three
        ("judged@1", 1),  # a: grade 0 is judged
        ("judged@3", 2 / 3),  # c is not
        ("judged@5", 4 / 5),  # e: a negative grade is judged
        ("judged@100", 4 / 5),  # of the five that came back
    ],
)
def test_a_b_c_d_e(name: str, value: float) -> None:
    assert one(name, "abcde", GRADES) == pytest.approx(value, abs=1e-15)


def test_recall_is_not_capped_where_more_are_relevant_than_k() -> None:
    assert one("recall@5", "abcdefghij", dict.fromkeys("abcdefghij", 1)) == 0.5


def test_the_ideal_is_of_what_could_have_come_back_not_of_what_did() -> None:
    assert one("ndcg@10", "a", {"a": 1, "b": 1}) == pytest.approx(1 / (1 + 1 / log2(3)), abs=1e-15)


def test_the_ideal_is_cut_at_k() -> None:
    assert one("ndcg@1", "a", {"a": 1, "b": 1, "c": 1}) == 1.0


def test_exponential_gain_weighs_a_swap_of_grades_more() -> None:
    assert one("ndcg@2", "ab", {"a": 1, "b": 3}) == pytest.approx(0.7967, abs=1e-4)
    assert one("ndcg_exp@2", "ab", {"a": 1, "b": 3}) == pytest.approx(0.7098, abs=1e-4)


def test_exponential_gain_does_not_overflow() -> None:
    assert one("ndcg_exp@2", "ba", {"a": 3000, "b": 2999}) == pytest.approx(
        (0.5 + 1 / log2(3)) / (1 + 0.5 / log2(3)), abs=1e-12
    )


def test_a_judged_negative_gains_nothing_and_costs_nothing_but_its_place() -> None:
    assert one("ndcg@2", "ab", {"a": -1, "b": 1}) == pytest.approx(1 / log2(3), abs=1e-15)


@pytest.mark.parametrize("name", ["recall@5", "precision@5", "hit@5", "mrr", "ndcg@5", "map@5", "rprec"])
def test_an_empty_ranking_scores_nothing(name: str) -> None:
    assert one(name, "", {"a": 1}) == 0.0


def test_judged_is_in_no_mean_where_nothing_came_back() -> None:
    assert np.isnan(one("judged@5", "", {"a": 1}))


@pytest.mark.parametrize("grades", [{}, {"a": 0}, {"a": -2}])
def test_a_query_without_a_relevant_document_is_in_no_mean(grades: dict[str, int]) -> None:
    for name in (
        "recall@5",
        "precision@5",
        "hit@5",
        "mrr",
        "mrr@5",
        "ndcg@5",
        "ndcg_exp@5",
        "map@5",
        "rprec",
    ):
        assert np.isnan(one(name, "ab", grades)), name
    assert np.isnan(one("judged@5", "ab", grades))


@pytest.mark.parametrize(
    ("ranking", "grades", "answerable", "value"),
    [
        ("ab", {"b": 1}, True, 1.0),
        ("abc", {"c": 1}, True, 0.0),  # past k = 2
        ("", {"b": 1}, True, 0.0),  # silence is no answer
        ("a", {}, False, 0.0),  # neither is junk
        ("", {}, False, 1.0),
        ("a", {"a": 0}, False, 0.0),
    ],
)
def test_handled(ranking: str, grades: dict[str, int], answerable: bool, value: float) -> None:
    assert one("handled@2", ranking, grades, answerable) == value


def test_handled_leaves_out_an_answerable_query_without_judgements() -> None:
    assert np.isnan(one("handled@2", "a", {}, True))


def test_queries_do_not_leak_into_each_other() -> None:
    scores = score_rankings(
        [["x"], ["a", "b"], [], ["b", "a"]],
        [{"y": 1}, {"b": 1}, {"a": 1}, {"b": 2, "a": 1}],
        ["mrr", "recall@1", "ndcg@2", "map@2"],
    )
    assert scores["mrr"].tolist() == [0, 0.5, 0, 1]
    assert scores["recall@1"].tolist() == [0, 0, 0, 0.5]
    assert scores["ndcg@2"].tolist() == [0, 1 / log2(3), 0, 1]
    assert scores["map@2"].tolist() == [0, 0.5, 0, 1]


def test_no_queries_give_empty_columns() -> None:
    assert score_rankings([], [], ["recall@5", "mrr", "ndcg@5"])["ndcg@5"].shape == (0,)


def test_a_document_ranked_twice_is_refused_by_query_and_name() -> None:
    with pytest.raises(AssayError, match=r"query 'q2': document 'b' is ranked twice"):
        score_rankings([["a"], ["b", "c", "b"]], [{"a": 1}, {}], ["mrr"], query_ids=["q1", "q2"])
    with pytest.raises(AssayError, match=r"query number 1: document 'a'"):
        score_rankings([["a", "a"]], [{"a": 1}], ["mrr"])


@pytest.mark.parametrize("name", ["evidence_recall@5", "index_recall@5", "handled@5"])
def test_what_a_ranking_does_not_hold_is_refused(name: str) -> None:
    with pytest.raises(AssayError, match=name):
        score_rankings([["a"]], [{"a": 1}], [name])


def test_inputs_stay_as_they_were() -> None:
    rankings, qrels = [["b", "a"], []], [{"a": 1, "b": 0}, {"c": 2}]
    before = copy.deepcopy((rankings, qrels))
    score_rankings(rankings, qrels, ["recall@5", "ndcg@5", "judged@5"])
    assert (rankings, qrels) == before
