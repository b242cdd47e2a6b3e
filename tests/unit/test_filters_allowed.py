"""Which documents each query may get back, and what a user is told of it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from assay.config import models
from assay.errors import ConfigError
from assay.filters import Allowed, Served, allowed_documents, search_notices
from assay.records import Document, Query

DOCUMENTS = [
    Document("d1", "", metadata={"region": "de", "year": 2020}),
    Document("d2", "", metadata={"region": "in", "year": 2024}),
    Document("d3", "", metadata={"region": "in", "year": 2020, "team": {"name": "hr"}}),
]


def allowed(where: Any, *queries: dict[str, Any], **settings: Any) -> Allowed:
    asked = [Query(f"q{i}", "", metadata=metadata) for i, metadata in enumerate(queries, 1)]
    found = allowed_documents(models.WhereFilter(where=where, **settings), DOCUMENTS, asked)
    assert found is not None
    return found


def ids(found: Allowed, i: int) -> str:
    return " ".join(document.id for document, good in zip(DOCUMENTS, found.mask(i), strict=True) if good)


def test_no_filter_has_no_masks() -> None:
    assert allowed_documents(models.NoFilter(), DOCUMENTS, [Query("q1", "")]) is None


def test_a_mask_a_distinct_set_of_documents() -> None:
    found = allowed(
        {"region": {"$query": "region"}, "year": {"$gte": {"$query": "since"}}},
        {"region": "in", "since": 2021},
        {"region": "de"},
        {"region": "in", "since": 2021},
        {},
        {"region": ["in"], "since": 2022},
    )
    assert [ids(found, i) for i in range(5)] == ["d2", "d1", "d2", "d1 d2 d3", "d2"]
    assert found.of.tolist() == [0, 1, 0, 2, 0], "equal masks are one"
    assert len(found.masks) == 3
    assert found.missing == {"region": 1, "since": 2}
    assert found.notes == ()
    with pytest.raises(ValueError, match="read-only"):
        found.masks[0][0] = True


def test_1_is_not_true_and_not_text() -> None:
    documents = [Document(str(i), "", metadata={"v": value}) for i, value in enumerate([1, True, "1"])]
    queries = [Query(str(i), "", metadata={"v": value}) for i, value in enumerate([1, True, "1", 1.0])]
    found = allowed_documents(models.WhereFilter(where={"v": {"$query": "v"}}), documents, queries)
    assert found is not None
    assert [found.mask(i).tolist() for i in range(4)] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
        [True, False, False],
    ]


def test_missing_error_names_the_first_query_and_how_many() -> None:
    with pytest.raises(ConfigError) as caught:
        allowed({"region": {"$query": "region"}}, {"region": "de"}, {}, {"region": None}, missing="error")
    assert str(caught.value) == (
        "filter.missing: error, and 2 of 3 queries have no 'region' in their metadata (first: q2); add it, or give "
        "filter.missing=ignore"
    )
    allowed({"region": {"$query": "region"}}, {"region": "de"}, {"region": []}, missing="error")


def test_a_value_of_a_query_that_can_t_be_compared_names_the_query() -> None:
    with pytest.raises(ConfigError, match=r"^filter\.where\.region: query 'q2': 'region' holds \{'a': 1\}"):
        allowed({"region": {"$query": "region"}}, {"region": "de"}, {"region": {"a": 1}})


@pytest.mark.parametrize(
    ("where", "query", "notes"),
    [
        ({"regoin": None}, {}, ["filter.where: no document has 'regoin' in its metadata; did you mean 'region'?"]),
        (
            {"team.nam": None},
            {},
            ["filter.where: no document has 'team.nam' in its metadata; did you mean 'team.name'?"],
        ),
        ({"xyzzy": {"$exists": False}}, {}, ["filter.where: no document has 'xyzzy' in its metadata"]),
        (
            {"region": {"$query": "regoin"}},
            {"region": "de"},
            ["filter.where: no query has 'regoin' in its metadata; did you mean 'region'?"],
        ),
        ({"region": "fr"}, {}, ["filter.where lets no document through for 2 of 2 queries (first: q1)"]),
    ],
)
def test_notes(where: Any, query: dict[str, Any], notes: list[str]) -> None:
    assert list(allowed(where, query, query).notes) == notes


def test_how_a_search_went_in_words() -> None:
    assert search_notices(Served(queries=30), "hnsw", 10) == []
    assert search_notices(Served(queries=30, selective=7, fell_back=2, grown=4, under_filled=1), "hnsw", 10) == [
        "filter: 9 of 30 queries were answered by exact search over what is allowed, not by index=hnsw (7: at most a tenth "
        "of the chunks, or no more than the depth, is allowed; 2: the index left slots unfilled)",
        "filter.mode=post: the fetch of 4 of 30 queries was grown, since too little of it was allowed",
        "filter: 1 of 30 queries got fewer than 10 documents though more are allowed: those have no chunk in the index",
    ]


def test_a_large_corpus_with_many_bindings_takes_seconds() -> None:
    documents = [
        Document(f"{i:06}", "", metadata={"region": f"r{i % 50}", "day": f"2024-{1 + i % 12:02}-{1 + i % 28:02}"})
        for i in range(50_000)
    ]
    queries = [Query(str(i), "", metadata={"region": f"r{i % 50}"}) for i in range(200)]
    begin = time.perf_counter()
    where = {"region": {"$query": "region"}, "day": {"$gte": "2024-06-01"}}
    found = allowed_documents(models.WhereFilter(where=where), documents, queries)
    assert time.perf_counter() - begin < 10
    assert found is not None
    assert len(found.masks) == 50
    expected = [d.metadata["region"] == "r7" and d.metadata["day"] >= "2024-06-01" for d in documents]
    assert np.array_equal(found.mask(57), expected)
