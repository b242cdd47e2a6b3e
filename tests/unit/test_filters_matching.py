"""What conditions mean for documents, as a table: MongoDB's meaning, with ISO dates as instants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.filters.columns import Columns
from assay.filters.dates import instant
from assay.filters.language import WhereFault, parse
from assay.filters.match import bound, matching
from assay.records import Document

DOCUMENTS: dict[str, dict[str, Any]] = {
    "kerala": {"region": "kerala", "year": 2020, "tags": ["a", "b"], "public": True, "d": "2024-03-01"},
    "delhi": {
        "region": "delhi",
        "year": 2023.5,
        "tags": ["c", None],
        "public": False,
        "d": "2024-03-01T09:30:00+05:30",
    },
    "nested": {"author": {"name": "Anna", "age": 40}, "author.city": "kochi", "year": "2020", "tags": []},
    "many": {"author": [{"name": "Anna"}, {"name": "Bob"}], "year": [1999, 2030], "region": None},
    "bare": {},
}


def names(where: dict[str, Any], metadata: dict[str, Any] | None = None) -> str:
    """The documents that meet ``where`` for a query with ``metadata``."""
    condition = bound(parse(where), metadata or {})
    if condition is None:
        return "no condition"
    mask = matching(condition, Columns([Document(name, "", metadata=data) for name, data in DOCUMENTS.items()]))
    assert mask.dtype == np.bool_
    return " ".join(name for name, good in zip(DOCUMENTS, mask, strict=True) if good)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"region": "kerala"}, "kerala"),
        ({"region": "Kerala"}, ""),
        ({"region": {"$ne": "kerala"}}, "delhi nested many bare"),
        ({"region": {"$in": ["kerala", "delhi", "goa"]}}, "kerala delhi"),
        ({"region": {"$in": []}}, ""),
        ({"region": {"$nin": []}}, "kerala delhi nested many bare"),
        ({"region": {"$nin": ["kerala"]}}, "delhi nested many bare"),
        # Nothing there and null are equal, but only null exists.
        ({"region": None}, "nested many bare"),
        ({"region": {"$ne": None}}, "kerala delhi"),
        ({"region": {"$in": [None, "delhi"]}}, "delhi nested many bare"),
        ({"region": {"$exists": True}}, "kerala delhi many"),
        ({"region": {"$exists": False}}, "nested bare"),
        # A list: any element; several operators may be met by several elements.
        ({"tags": "a"}, "kerala"),
        ({"tags": {"$ne": "a"}}, "delhi nested many bare"),
        ({"tags": {"$nin": ["a", "c"]}}, "nested many bare"),
        ({"tags": None}, "delhi many bare"),
        ({"tags": {"$exists": True}}, "kerala delhi nested"),
        ({"year": {"$gte": 2020, "$lte": 2021}}, "kerala many"),
        # Numbers with numbers, whole or not; text is no number, true is none.
        ({"year": 2020}, "kerala"),
        ({"year": 2020.0}, "kerala"),
        ({"year": "2020"}, "nested"),
        ({"year": {"$gt": 2020}}, "delhi many"),
        ({"year": {"$lt": 2020}}, "many"),
        ({"year": {"$lte": 2020}}, "kerala many"),
        ({"year": {"$gt": "2019"}}, "nested"),
        ({"public": True}, "kerala"),
        ({"public": 1}, ""),
        ({"public": {"$gte": 0}}, ""),
        # Nested, through lists, and a literal key with a dot.
        ({"author.name": "Anna"}, "nested many"),
        ({"author.name": "Bob"}, "many"),
        ({"author.city": "kochi"}, "nested"),
        ({"author.age": {"$gte": 40}}, "nested"),
        ({"author": {"$exists": True}}, "nested many"),
        ({"author": "Anna"}, ""),
        ({"author.name.first": {"$exists": True}}, ""),
        # Dates as instants: midnight UTC, an offset counted; never with other text.
        ({"d": "2024-03-01T00:00:00Z"}, "kerala"),
        ({"d": "2024-03-01T04:00Z"}, "delhi"),
        ({"d": {"$gt": "2024-03-01"}}, "delhi"),
        ({"d": {"$gte": "2024-03-01 00:00"}}, "kerala delhi"),
        ({"d": {"$lt": "2024-03-01T05:30:00+05:30"}}, ""),
        ({"d": {"$gt": "2024"}}, "kerala delhi"),
        ({"region": {"$gt": "2024-03-01"}}, ""),
        # Combined.
        ({"$or": [{"region": "delhi"}, {"author.name": "Bob"}]}, "delhi many"),
        ({"$and": [{"tags": "a"}, {"tags": "b"}]}, "kerala"),
        ({"$and": [{"tags": "a"}, {"tags": "c"}]}, ""),
        ({"$not": {"region": "kerala"}}, "delhi nested many bare"),
        ({"year": {"$not": {"$gt": 2020}}}, "kerala nested bare"),
        ({"$not": {"$or": [{"region": None}, {"public": False}]}}, "kerala"),
    ],
)
def test_conditions(where: dict[str, Any], expected: str) -> None:
    assert names(where) == expected


@pytest.mark.parametrize(
    ("where", "query", "expected"),
    [
        ({"region": {"$query": "r"}}, {"r": "delhi"}, "delhi"),
        ({"region": {"$query": "about.r"}}, {"about": {"r": "delhi"}}, "delhi"),
        ({"year": {"$gt": {"$query": "y"}}}, {"y": 2021}, "delhi many"),
        ({"region": {"$ne": {"$query": "r"}}}, {"r": "delhi"}, "kerala nested many bare"),
        # Lists are any of.
        ({"region": {"$query": "r"}}, {"r": ["delhi", "kerala"]}, "kerala delhi"),
        ({"region": {"$ne": {"$query": "r"}}}, {"r": ["delhi", "kerala"]}, "nested many bare"),
        ({"region": {"$in": {"$query": "r"}}}, {"r": ["delhi", None]}, "delhi"),
        ({"region": {"$in": {"$query": "r"}}}, {"r": "delhi"}, "delhi"),
        ({"region": {"$nin": {"$query": "r"}}}, {"r": ["delhi"]}, "kerala nested many bare"),
        # An empty list is a value: nothing is in it.
        ({"region": {"$in": {"$query": "r"}}}, {"r": []}, ""),
        ({"region": {"$query": "r"}}, {"r": []}, ""),
        ({"region": {"$in": [{"$query": "r"}, "kerala"]}}, {"r": "delhi"}, "kerala delhi"),
        ({"region": {"$in": ["kerala", {"$query": "r"}]}}, {"r": ["delhi", "nowhere"]}, "kerala delhi"),
        ({"region": {"$nin": [{"$query": "r"}, "kerala"]}}, {"r": "delhi"}, "nested many bare"),
        ({"region": {"$in": [{"$query": "r"}, "kerala"]}}, {}, "no condition"),
        ({"region": {"$in": [{"$query": "r"}, "kerala"]}, "tags": "a"}, {}, "kerala"),
        # A condition on what the query lacks is left out: never everything or nothing by accident.
        ({"region": {"$query": "r"}}, {}, "no condition"),
        ({"region": {"$query": "r"}}, {"r": None}, "no condition"),
        ({"region": {"$query": "r"}, "tags": "a"}, {}, "kerala"),
        ({"$or": [{"region": {"$query": "r"}}, {"public": False}]}, {}, "delhi"),
        ({"$or": [{"region": {"$query": "r"}}, {"year": {"$gt": {"$query": "y"}}}]}, {}, "no condition"),
        ({"$or": [{"$and": [{"region": {"$query": "r"}}]}, {"tags": "a"}]}, {}, "kerala"),
        ({"$not": {"region": {"$query": "r"}}}, {}, "no condition"),
        ({"$not": {"region": {"$query": "r"}, "public": True}}, {}, "delhi nested many bare"),
        ({"year": {"$gte": 2020, "$lt": {"$query": "y"}}}, {}, "kerala delhi many"),
        ({"year": {"$not": {"$lt": {"$query": "y"}}}}, {}, "no condition"),
    ],
)
def test_conditions_that_come_from_the_query(where: dict[str, Any], query: dict[str, Any], expected: str) -> None:
    assert names(where, query) == expected


@pytest.mark.parametrize(
    ("value", "operator", "message"),
    [
        ({"a": 1}, "$eq", "filter.where.year.$eq: 'y' holds {'a': 1}; a comparison takes text"),
        ([[1]], "$in", "filter.where.year.$in: 'y' holds [1]"),
        ([1, 2], "$gt", "filter.where.year.$gt: 'y' holds a list of 2; $gt takes one value"),
        (float("inf"), "$lt", "filter.where.year.$lt: 'y' holds inf"),
    ],
)
def test_a_value_of_the_query_that_no_comparison_takes(value: Any, operator: str, message: str) -> None:
    with pytest.raises(WhereFault) as caught:
        bound(parse({"year": {operator: {"$query": "y"}}}), {"y": value})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01", 0),
        ("1970-01-01T00:00:00.000001Z", 1),
        ("1970-01-01T05:30+05:30", 0),
        ("1970-01-01 00:00-0100", 3_600_000_000),
        ("1969-12-31T23:59:59", -1_000_000),
        ("0001-01-01T00:00+14:00", -62_135_596_800_000_000 - 14 * 3_600_000_000),
        ("9999-12-31T23:59:59-14:00", 253_402_300_799_000_000 + 14 * 3_600_000_000),
        ("2024-02-30", None),
        ("2024-1-1", None),
        ("20240101", None),
        ("2024-W09-5", None),
        ("2024-03-01T", None),
        ("२०२४-०३-०१", None),
        ("2024", None),
        ("", None),
    ],
)
def test_instants(text: str, expected: int | None) -> None:
    assert instant(text) == expected


def test_whole_numbers_beyond_float_precision_are_not_confused() -> None:
    documents = [Document(str(n), "", metadata={"n": n}) for n in (2**53, 2**53 + 1)]
    assert matching(parse({"n": 2**53 + 1}), Columns(documents)).tolist() == [False, True]
    assert matching(parse({"n": {"$gt": 2**53}}), Columns(documents)).tolist() == [False, True]
