"""Each cause of a miss, and which of two wins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.evaluation import CAUSES, MissFacts, cause_of

# k is 10. Everything went well up to the end: only min_score can have removed this document.
PLAIN = MissFacts(
    has_chunk=True,
    excluded_by_where=False,
    evidence_truncated=False,
    exact_rank=3,
    in_exact_candidates=True,
    in_first_stage=True,
    first_stage_rank=3,
    reranked=False,
    final_rank=3,
    has_reranker=False,
    k=10,
)
RERANKED = replace(PLAIN, has_reranker=True, reranked=True)

ROWS = [
    ("threshold", PLAIN, {}),
    ("threshold", PLAIN, {"exact_rank": 10, "first_stage_rank": 10}),  # rank k is within k
    ("not_indexed", PLAIN, {"has_chunk": False, "exact_rank": None, "first_stage_rank": None}),
    ("filtered", PLAIN, {"excluded_by_where": True}),
    ("truncated", PLAIN, {"evidence_truncated": True}),
    ("approximation", PLAIN, {"in_first_stage": False, "first_stage_rank": None}),
    ("approximation", PLAIN, {"exact_rank": 10, "first_stage_rank": 11}),
    ("embedding", PLAIN, {"exact_rank": 11, "first_stage_rank": 11}),
    ("embedding", PLAIN, {"exact_rank": None, "in_exact_candidates": False, "in_first_stage": False}),
    ("embedding", PLAIN, {"exact_rank": 11, "first_stage_rank": 4}),  # luck of the index, then min_score
    ("threshold", RERANKED, {}),
    ("threshold", RERANKED, {"exact_rank": 40, "first_stage_rank": 40, "final_rank": 10}),
    ("embedding", RERANKED, {"in_exact_candidates": False}),
    ("embedding", RERANKED, {"in_exact_candidates": False, "in_first_stage": False, "reranked": False}),
    ("approximation", RERANKED, {"in_first_stage": False, "first_stage_rank": None, "reranked": False}),
    ("depth", RERANKED, {"reranked": False, "first_stage_rank": 60, "final_rank": 60}),
    ("depth", RERANKED, {"reranked": False, "final_rank": 4}),
    ("reranker", RERANKED, {"final_rank": 11}),
    ("reranker", RERANKED, {"exact_rank": 40, "first_stage_rank": 40, "final_rank": 30}),
    ("not_indexed", RERANKED, {"has_chunk": False, "in_exact_candidates": False}),
]


@pytest.mark.parametrize(("cause", "base", "changes"), ROWS)
def test_cause(cause: str, base: MissFacts, changes: dict[str, object]) -> None:
    assert cause_of(replace(base, **changes)) == cause


def test_every_cause_occurs() -> None:
    assert {cause for cause, _, _ in ROWS} == set(CAUSES)


@pytest.mark.parametrize("base", [PLAIN, RERANKED])
def test_the_first_that_holds_wins(base: MissFacts) -> None:
    """Everything went wrong at once; put right one by one, the causes come in their order."""
    wrong = replace(
        base,
        has_chunk=False,
        excluded_by_where=True,
        evidence_truncated=True,
        exact_rank=99,
        in_exact_candidates=False,
        in_first_stage=False,
        first_stage_rank=None,
    )
    order = []
    for right in ({"has_chunk": True}, {"excluded_by_where": False}, {"evidence_truncated": False}, {}):
        order.append(cause_of(wrong))
        wrong = replace(wrong, **right)
    assert order == ["not_indexed", "filtered", "truncated", "embedding"]


def test_the_order_is_that_of_the_trip() -> None:
    assert CAUSES == (
        "not_indexed",
        "filtered",
        "truncated",
        "approximation",
        "embedding",
        "depth",
        "reranker",
        "threshold",
    )
