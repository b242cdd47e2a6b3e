"""What a condition may say, how it is saved, and what every malformed one is answered with."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from assay.config import models
from assay.filters.conditions import All, Asked, Compare, Exists, Not, Some
from assay.filters.language import WhereFault, mapping_of, parse


def test_what_a_condition_says() -> None:
    found = parse(
        {
            "region": "kerala",
            "year": {"$gte": 2020, "$lt": {"$query": "until"}},
            "$or": [{"public": True}, {"owner": {"$exists": False}}],
            "$not": {"tags": {"$in": ["old", None]}},
            "city": {"$not": {"$ne": {"$query": "town"}}},
        }
    )
    assert found == All(
        (
            Compare("region", "$eq", "kerala", "filter.where.region"),
            All(
                (
                    Compare("year", "$gte", 2020, "filter.where.year.$gte"),
                    Compare("year", "$lt", Asked("until"), "filter.where.year.$lt"),
                )
            ),
            Some((Compare("public", "$eq", True, "filter.where.$or[0].public"), Exists("owner", False))),
            Not(Compare("tags", "$in", ("old", None), "filter.where.$not.tags.$in")),
            Not(Compare("city", "$ne", Asked("town"), "filter.where.city.$not.$ne")),
        )
    )


@pytest.mark.parametrize(
    ("written", "saved"),
    [
        ({"b": 1, "a": {"$lt": 3, "$gt": 2.0}}, {"a": {"$gt": 2, "$lt": 3}, "b": 1}),
        ({"a": {"$eq": "x"}}, {"a": "x"}),
        ({"a": {"$eq": {"$query": "x"}}}, {"a": {"$query": "x"}}),
        ({"a": {"$not": {"$eq": "x"}}}, {"a": {"$not": {"$eq": "x"}}}),
        ({"a": {"$in": ("x", 1.5)}}, {"a": {"$in": ["x", 1.5]}}),
        ({"d": date(2024, 3, 1)}, {"d": "2024-03-01"}),
        ({"d": {"$gt": datetime(2024, 3, 1, 9, tzinfo=UTC)}}, {"d": {"$gt": "2024-03-01T09:00:00+00:00"}}),
        ("{a: 1, b: {$gte: 2020}}", {"a": 1, "b": {"$gte": 2020}}),
        # As JSON would read these words: nothing is a date, an octal, a time or a boolean by accident.
        (
            "{a: no, b: 2024-03-01, c: 01234, d: 12:30, e: 1e3, f: ~, g: 'true', h: true, i: -0.5, <<: 1}",
            {
                "<<": 1,
                "a": "no",
                "b": "2024-03-01",
                "c": "01234",
                "d": "12:30",
                "e": 1000,
                "f": None,
                "g": "true",
                "h": True,
                "i": -0.5,
            },
        ),
        ("region: केरल", {"region": "केरल"}),
    ],
)
def test_one_saved_form_for_all_ways_of_writing_it(written: Any, saved: dict[str, Any]) -> None:
    assert mapping_of(written) == saved
    assert list(mapping_of(written)) == sorted(saved)
    assert mapping_of(mapping_of(written)) == saved
    assert models.WhereFilter(where=written).where == saved


FAULTS: list[tuple[Any, str]] = [
    (5, "filter.where: 5 is no condition; give a mapping such as"),
    ({}, "filter.where: {} holds no condition"),
    ("", "filter.where: '' is no mapping; give one such as 'filter.where=\"{"),
    ("kerala", "filter.where: 'kerala' is no mapping"),
    ("{a: ", "filter.where: '{a: ' is no YAML (expected the node content"),
    ("{a: 1, a: 2}", "filter.where: '{a: 1, a: 2}' is no YAML (duplicate key 'a' at character 8)"),
    ("{a: &x 1, b: *x}", "(aliases are not allowed at character"),
    ("{a: !!str 1}", "(the tag tag:yaml.org,2002:str is not allowed at character 5)"),
    ("{a: !mine 1}", "(the tag !mine is not allowed"),
    ("{1: a}", "(key 1 is not text at character 2)"),
    ("a: 1\n---\nb: 1", "but found another document at character 6"),
    ("[" * 5000, "is no YAML (nested too deeply)"),
    ("x" * 100_001, "filter.where: 100001 characters are more than 100000"),
    ({1: "a"}, "filter.where.1: the key 1 is no text; put it in quotes"),
    ("{year: {'': 2020}}", "filter.where.year.: '' names no field"),
    ("{'': 2020}", "(if a shell took a $ word away, put the override in single quotes)"),
    ({" ": "a"}, "filter.where. : ' ' names no field"),
    ({"year": {"$gtt": 1}}, "filter.where.year.$gtt: no such operator; did you mean $gt?"),
    ({"year": {"$regex": "x"}}, "filter.where.year.$regex: no such operator; operators: $eq $ne $in"),
    ({"year": {"gte": 1}}, "filter.where.year.gte: no such operator; did you mean $gte?"),
    ({"a": {"b": 1}}, "filter.where.a.b: is no operator; write nested metadata with a dot: {a.b: …}"),
    ({"$oor": [{"a": 1}]}, "filter.where.$oor: no such operator; did you mean $or?"),
    ({"$gt": 1}, "filter.where.$gt: stands where a field is expected; give {FIELD: {$gt: …}}"),
    ({"$query": "a"}, "filter.where.$query: stands where a field is expected"),
    ({"$or": {"a": 1}}, "filter.where.$or: {'a': 1} is no list of conditions"),
    ({"$and": []}, "filter.where.$and: [] is no list of conditions"),
    ({"$or": [{"a": 1}, 3]}, "filter.where.$or[1]: 3 is no condition"),
    ({"$or": [{}]}, "filter.where.$or[0]: {} holds no condition"),
    ({"a": {"$or": [{"$gt": 1}]}}, "filter.where.a.$or: stands inside a field; give {$or: [{a: …}, {a: …}]}"),
    ({"$not": 3}, "filter.where.$not: 3 is no condition"),
    ({"a": {"$not": 3}}, "filter.where.a.$not: 3 is no operator; give one such as {$gt: 2020}, or use $ne"),
    ({"a": {}}, "filter.where.a: {} holds no condition"),
    ({"a": ["x", "y"]}, "filter.where.a: ['x', 'y'] is a list; give {$in: [x, y]}"),
    ({"a": {"$ne": ["x"]}}, "filter.where.a.$ne: ['x'] is a list; give {$nin: [x]}"),
    ({"a": {"$gt": [1]}}, "filter.where.a.$gt: [1] is a list; give one value"),
    ({"a": {"$gt": None}}, "filter.where.a.$gt: null has no order"),
    ({"a": {"$lte": True}}, "filter.where.a.$lte: true has no order"),
    ({"a": {"$in": "x"}}, "filter.where.a.$in: 'x' is no list"),
    ({"a": {"$in": [1, [2]]}}, "filter.where.a.$in[1]: [2] is not allowed"),
    ({"a": {"$in": [{"$query": 1}]}}, "filter.where.a.$in[0].$query: 1 names no field"),
    ("{a: {$gt: .nan}}", "filter.where.a.$gt: .nan is not allowed; give a finite number"),
    ("{a: -.inf}", "filter.where.a: -.inf is not allowed; give a finite number"),
    ({"a": {"$in": [{"$gt": 1}]}}, "filter.where.a.$in[0]: {'$gt': 1} is not allowed"),
    ({"a": {"$exists": 1}}, "filter.where.a.$exists: 1 is not allowed; give true or false"),
    ({"a": {"$exists": {"$query": "b"}}}, "filter.where.a.$exists: {'$query': 'b'} is not allowed"),
    ({"a": {"$query": 1}}, "filter.where.a.$query: 1 names no field"),
    ({"a": {"$query": "$b"}}, "filter.where.a.$query: '$b' names no field; give it without the $"),
    ({"a": {"$query": "b", "$gt": 1}}, "filter.where.a: {'$query': 'b', '$gt': 1} is no value"),
    ({"a": {"$gt": {"x": 1}}}, "filter.where.a.$gt: {'x': 1} is no value"),
    ({"a": float("nan")}, "filter.where.a: nan is not allowed; give a finite number"),
    ({"a": b"x"}, "filter.where.a: b'x' is not allowed"),
    ({"d": {"$gt": "2024-02-30"}}, "filter.where.d.$gt: '2024-02-30' is no date on the calendar"),
    ({"d": "2024-03-01T25:00"}, "filter.where.d: '2024-03-01T25:00' is no date on the calendar"),
    ({"a": "${seed}"}, "filter.where.a: '${seed}' holds an interpolation"),
    ({"_target_": "os.system"}, "filter.where._target_: names code to run"),
    ("{a._target_: 1}", "filter.where.a._target_: names code to run"),
    ({".".join("abcdefghijklmnopqrstuvwxyz"): 1}, "goes more than 20 levels deep"),
    ({"$or": [{"a": 1}] * 1001}, "filter.where.$or[1000].a: more than 1000 conditions"),
    ({"a": {"$in": list(range(10_001))}}, "filter.where.a.$in: more than 10000 values in lists"),
]


@pytest.mark.parametrize(("where", "message"), FAULTS, ids=[str(message)[:50] for _, message in FAULTS])
def test_one_line_says_what_is_wrong(where: Any, message: str) -> None:
    with pytest.raises(WhereFault) as caught:
        mapping_of(where)
    assert message in str(caught.value)
    assert str(caught.value).startswith("filter.where")


def test_depth_is_bounded() -> None:
    where: dict[str, Any] = {"a": 1}
    for _ in range(30):
        where = {"$not": where}
    with pytest.raises(WhereFault, match="lies more than 20 levels deep"):
        mapping_of(where)
    mapping_of({"$not": {"$not": {"$or": [{"a": {"$not": {"$not": {"$gt": 1}}}}]}}})


def test_equal_conditions_are_one_value_and_1_is_not_true() -> None:
    one = models.WhereFilter(where={"a": {"$eq": 1.0}, "b": 2})
    assert one == models.WhereFilter(where="{b: 2, a: 1}")
    assert hash(one) == hash(models.WhereFilter(where="{b: 2, a: 1}"))
    assert one != models.WhereFilter(where={"a": True, "b": 2})
