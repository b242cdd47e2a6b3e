"""``evaluate``: denominators, orders, and what it refuses."""

from __future__ import annotations

import copy
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError
from assay.evaluation import evaluate, mean_interval

QRELS = {"q1": {"a": 1}, "q2": {"b": 1, "c": 1}, "q3": {"a": 1}, "none": {"a": 0}, "bare": {}}


def test_the_queries_are_those_of_the_judgements() -> None:
    got = evaluate({"q1": ["a"], "q2": ["x", "b"], "stray": ["a"], "none": ["a"]}, QRELS, ["recall@2", "mrr"])
    assert got.per_query == {
        "q1": {"recall@2": 1.0, "mrr": 1.0},
        "q2": {"recall@2": 0.5, "mrr": 0.5},
        "q3": {"recall@2": 0.0, "mrr": 0.0},  # the run lacks it
        "none": {"recall@2": None, "mrr": None},  # nothing to find
        "bare": {"recall@2": None, "mrr": None},
    }
    assert got.n == {"recall@2": 3, "mrr": 3}
    assert got.mean == {"recall@2": 0.5, "mrr": 0.5}
    assert got.ci95["mrr"] == mean_interval([1.0, 0.5, 0.0])


def test_scores_rank_highest_first_and_ties_by_id() -> None:
    scores = {"q": {"b": 0.5, "10": 0.5, "9": 0.5, "z": 0.7, "y": -1}}
    places = {doc: evaluate(scores, {"q": {doc: 1}}, "mrr").mean["mrr"] for doc in scores["q"]}
    assert places == {"z": 1.0, "10": 1 / 2, "9": 1 / 3, "b": 1 / 4, "y": 1 / 5}


def test_scores_that_differ_in_the_ninth_digit_are_no_tie() -> None:
    assert evaluate({"q": {"a": 0.5, "b": 0.5 + 1e-9}}, {"q": {"b": 1}}, "mrr").mean["mrr"] == 1.0


def test_numpy_scores_and_grades_are_numbers_too() -> None:
    got = evaluate({"q": {"a": np.float32(0.2), "b": np.float64(0.3)}}, {"q": {"a": np.int64(1)}}, "mrr")
    assert got.mean["mrr"] == 0.5


@pytest.mark.parametrize(
    ("rankings", "qrels", "metrics", "line"),
    [
        ({"q": ["a", "b", "a"]}, {"q": {"a": 1}}, "mrr", "query 'q': document 'a' is ranked twice"),
        (
            {"q": {"a": float("nan")}},
            {"q": {"a": 1}},
            "mrr",
            "query 'q', document 'a': score nan is not a finite",
        ),
        ({"q": {"a": float("inf")}}, {"q": {"a": 1}}, "mrr", "score inf"),
        ({"q": {"a": "0.5"}}, {"q": {"a": 1}}, "mrr", "score '0.5'"),
        ({"q": [1, 2]}, {"q": {"a": 1}}, "mrr", "document id 1 is a int, not a string"),
        ({"q": {1: 0.5}}, {"q": {"a": 1}}, "mrr", "document id 1 is a int, not a string"),
        ({"q": "ab"}, {"q": {"a": 1}}, "mrr", "a ranking is a sequence of document ids, not a str"),
        ({"q": {"a", "b"}}, {"q": {"a": 1}}, "mrr", "not a set"),
        ({}, {"q": {"a": 1.0}}, "mrr", "query 'q', document 'a': grade 1.0 is not an integer"),
        ({}, {"q": {7: 1}}, "mrr", "query 'q': document id 7 is a int"),
        ({}, {"q": {"a": 1}}, ["mr"], "no metric 'mr'; did you mean mrr?"),
        ({}, {"q": {"a": 1}}, ["handled@5"], "metric 'handled@5' needs a whole run"),
        ({}, {"q": {"a": 1}}, ["evidence_recall@2000w"], "needs a whole run"),
    ],
)
def test_refused_in_one_line(rankings: Any, qrels: Any, metrics: Any, line: str) -> None:
    with pytest.raises(AssayError) as fault:
        evaluate(rankings, qrels, metrics)
    assert line in fault.value.lines()[0]


def test_inputs_stay_as_they_were_and_may_be_frozen() -> None:
    rankings = {"q1": {"a": 0.5, "b": 0.9}, "q2": ["c"]}
    before = copy.deepcopy((rankings, QRELS))
    evaluate(MappingProxyType(rankings), MappingProxyType(QRELS), ["ndcg@10", "judged@10"])
    assert (rankings, QRELS) == before


def test_nothing_to_score_is_null() -> None:
    got = evaluate({}, {}, ["mrr"])
    assert (got.mean, got.ci95, got.n, got.per_query) == ({"mrr": None}, {"mrr": None}, {"mrr": 0}, {})
