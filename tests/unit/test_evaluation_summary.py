"""The body of metrics.json from four queries."""

from __future__ import annotations

import json
from math import nan
from typing import Any

import numpy as np
import pytest

from assay.evaluation import CAUSES, mean_interval, summarise
from assay.evaluation.bounds import Bound


def body(**changes: Any) -> dict[str, Any]:
    """Two lookups, one comparison, one unanswerable query without a type."""
    given: dict[str, Any] = {
        "answerable": [True, True, True, False],
        "unjudged": 3,
        "types": ["lookup", "lookup", "comparison", None],
        "values": {
            "mrr": np.array([1.0, 0.5, 0.0, nan]),
            "recall@10": np.array([1.0, 1.0, 0.0, nan]),
            "recall@5": np.array([1.0, 0.0, 0.0, nan]),
            "evidence_recall@5": np.array([nan, nan, nan, nan]),
        },
        "bounds": {"mrr": Bound(0.1, 1.0), "recall@5": Bound(0.05, 0.8)},
        "abstention": {"n_unanswerable": 1},
        "causes": [{}, {"embedding": 1}, {"embedding": 1, "depth": 2}, {}],
    }
    return summarise(**{**given, **changes})


def test_keys_come_in_a_fixed_order() -> None:
    got = body()
    assert list(got) == [
        "schema_version",
        "ci_method",
        "queries",
        "metrics",
        "macro_by_type",
        "bounds",
        "by_type",
        "abstention",
        "causes",
        "reranking",
        "advice",
    ]
    names = ["recall@5", "recall@10", "mrr", "evidence_recall@5"]
    assert list(got["metrics"]) == list(got["macro_by_type"]) == names
    assert list(got["bounds"]) == ["recall@5", "mrr"]
    assert list(got["by_type"]) == ["comparison", "lookup"]
    assert list(got["by_type"]["lookup"]["metrics"]) == names


def test_queries_add_up() -> None:
    assert body()["queries"] == {"total": 7, "answerable": 3, "unanswerable": 1, "unjudged": 3}


def test_means_say_their_n_and_interval() -> None:
    metrics = body()["metrics"]
    assert metrics["mrr"]["mean"] == 0.5
    assert metrics["mrr"]["n"] == 3
    assert metrics["mrr"]["ci95"] == list(mean_interval([1.0, 0.5, 0.0]) or ())
    assert metrics["evidence_recall@5"] == {"mean": None, "ci95": None, "n": 0}


def test_types() -> None:
    got = body()
    assert got["by_type"]["lookup"]["n"] == 2
    assert got["by_type"]["lookup"]["metrics"]["recall@5"]["mean"] == 0.5
    assert got["by_type"]["comparison"]["metrics"]["recall@5"]["mean"] == 0.0
    assert got["macro_by_type"] == {
        "recall@5": 0.25,
        "recall@10": 0.5,
        "mrr": 0.375,
        "evidence_recall@5": None,
    }


def test_a_type_without_a_value_is_not_in_the_macro_mean() -> None:
    got = body(types=["lookup", "lookup", "comparison", "unanswerable"])
    assert got["by_type"]["unanswerable"] == {
        "n": 1,
        "metrics": {name: {"mean": None, "ci95": None, "n": 0} for name in got["metrics"]},
        "causes": dict.fromkeys(CAUSES, 0),
    }
    assert got["macro_by_type"]["recall@5"] == 0.25


def test_bounds_and_causes() -> None:
    got = body()
    assert got["bounds"] == {
        "recall@5": {"floor": 0.05, "ceiling": 0.8},
        "mrr": {"floor": 0.1, "ceiling": 1.0},
    }
    assert list(got["causes"]) == list(CAUSES)
    assert got["causes"] == {**dict.fromkeys(CAUSES, 0), "embedding": 2, "depth": 2}
    assert got["by_type"]["lookup"]["causes"] == {**dict.fromkeys(CAUSES, 0), "embedding": 1}
    assert got["by_type"]["comparison"]["causes"] == {**dict.fromkeys(CAUSES, 0), "embedding": 1, "depth": 2}


def test_it_is_plain_json_without_nan() -> None:
    got = body()
    assert json.loads(json.dumps(got, allow_nan=False)) == got
    assert type(got["metrics"]["mrr"]["mean"]) is float
    assert type(got["queries"]["answerable"]) is int


def test_the_order_of_queries_changes_no_bit() -> None:
    rng = np.random.default_rng(0)
    values = rng.random(300)
    types = [None, "a", "b"] * 100
    made = set()
    for order in (np.arange(300), rng.permutation(300), rng.permutation(300)):
        made.add(
            json.dumps(
                body(
                    answerable=[True] * 300,
                    types=[types[i] for i in order],
                    values={"mrr": values[order]},
                    bounds={},
                    causes=[{}] * 300,
                )
            )
        )
    assert len(made) == 1


def test_no_query_at_all_is_null_and_not_nan() -> None:
    got = body(answerable=[], types=[], values={"mrr": np.array([])}, bounds={"mrr": Bound(None, None)}, causes=[])
    assert got["metrics"]["mrr"] == {"mean": None, "ci95": None, "n": 0}
    assert got["macro_by_type"] == {"mrr": None}
    json.dumps(got, allow_nan=False)


def test_an_unknown_cause_is_a_bug() -> None:
    with pytest.raises(ValueError, match="bad luck"):
        body(causes=[{}, {"bad luck": 1}, {}, {}])
