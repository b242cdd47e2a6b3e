"""What would help most, by hand."""

from __future__ import annotations

import pytest

from assay.evaluation import QueryOutcome, advice
from assay.reports.misses import advice_line


def outcome(
    relevant: str, ranking: str, candidates: str, missed: dict[str, tuple[str, int | None]] | None = None
) -> QueryOutcome:
    return QueryOutcome(frozenset(relevant), list(ranking), list(candidates), missed or {})


def changes(
    outcomes: list[QueryOutcome], k: int = 2, documents: int = 1000, reranker: bool = False
) -> dict[str, tuple[int | None, int, float]]:
    block = advice(outcomes, k, documents, reranker)
    return {one["change"]: (one["depth"], one["documents"], one["gain"]) for one in block["changes"]}


def test_a_reranker_is_worth_what_its_candidates_hold() -> None:
    """r at rank 3 of four candidates: a perfect reranker puts it first, recall@2 0 to 1, over two queries 0.5."""
    lost = outcome("r", "abr", "abrd", {"r": ("embedding", 3)})
    found = outcome("a", "ab", "ab")
    assert changes([lost, found]) == {"reranker": (20, 1, 0.5)}


def test_the_first_k_hold_no_more_than_k() -> None:
    """Three relevant below the first two: on top they fill two places, so recall@2 rises to 2/3."""
    lost = outcome("xyz", "abxyz", "abxyz", {d: ("embedding", r) for d, r in zip("xyz", (3, 4, 5), strict=True)})
    assert changes([lost])["reranker"] == (20, 3, pytest.approx(2 / 3))


def test_what_stays_keeps_its_place_behind() -> None:
    """a is relevant and first; r comes on top of it, and both fit into two places."""
    lost = outcome("ar", "abr", "abr", {"r": ("approximation", 1)})
    assert changes([lost])["approximation"] == (None, 1, 0.5)


def test_documents_that_no_candidate_list_holds_are_won_by_no_reranker() -> None:
    assert changes([outcome("r", "ab", "ab", {"r": ("embedding", 700)})]) == {}


@pytest.mark.parametrize(
    ("rank", "documents", "expected"),
    [(15, 1000, 20), (45, 1000, 50), (90, 1000, 100), (15, 39, None), (45, 99, None)],
)
def test_a_reranker_is_as_deep_as_needed_and_never_of_more_than_half_the_corpus(
    rank: int, documents: int, expected: int | None
) -> None:
    names = [f"d{i}" for i in range(100)]
    lost = QueryOutcome(frozenset({names[rank - 1]}), names, names, {names[rank - 1]: ("embedding", rank)})
    block = advice([lost], 5, documents, False)
    assert [one["depth"] for one in block["changes"]] == ([] if expected is None else [expected])


def test_causes_are_ordered_by_what_they_could_win() -> None:
    outcomes = [
        outcome("r", "ab", "ab", {"r": ("truncated", 9)}),
        outcome("rs", "ab", "ab", {"r": ("approximation", 1), "s": ("threshold", 2)}),
        outcome("rs", "sa", "sa", {"r": ("approximation", 1)}),
    ]
    block = advice(outcomes, 2, 1000, False)
    assert block["missed"] == 4
    assert block["metric"] == "recall@2"
    assert [(one["change"], one["documents"], round(one["gain"], 6)) for one in block["changes"]] == [
        ("approximation", 2, round((0.5 + 0.5) / 3, 6)),
        ("truncated", 1, round(1 / 3, 6)),
        ("threshold", 1, round(0.5 / 3, 6)),
    ]


def test_with_a_reranker_embedding_losses_are_beyond_it() -> None:
    lost = outcome("r", "ab", "abr", {"r": ("embedding", 30)})
    assert changes([lost], reranker=True) == {"embedding": (None, 1, 1.0)}


def test_what_min_score_removed_is_no_reranker_s_to_win() -> None:
    """t stood first and fell to the threshold: only r, third, is the reranker's, so it wins one of two queries."""
    removed = outcome("t", "", "tab", {"t": ("threshold", 1)})
    lost = outcome("r", "abr", "abrd", {"r": ("embedding", 3)})
    assert changes([removed, lost]) == {"reranker": (20, 1, 0.5), "threshold": (None, 1, 0.5)}


@pytest.mark.parametrize(
    ("has_reranker", "cause", "says"),
    [
        (False, "embedding", "1 of 1 misses stand within exact rank 20: a reranker of the first 20 documents"),
        (True, "reranker", "1 of 1 misses are lost by reranker: a better reranker, or none, could win"),
    ],
)
def test_the_sentence_tells_a_reranker_to_be_from_one_that_lost_documents(
    has_reranker: bool, cause: str, says: str
) -> None:
    block = advice([outcome("r", "abr", "abr", {"r": (cause, 3)})], 2, 1000, has_reranker)
    assert advice_line(block).startswith(says)


def test_what_a_reranker_could_win_by_order_alone_is_not_told_as_misses_within_its_reach() -> None:
    """b stands third of the first ten: not missed, and below k=2. r stands where no reranker of 20 sees it."""
    for relevant, missed in (("br", {"r": ("embedding", 30)}), ("b", {})):
        told = advice_line(advice([outcome(relevant, "acb", "acb", missed)], 2, 1000, False))
        assert told.startswith("By order alone, a reranker of the first 20 documents could win up to +")
        assert told.endswith("recall@2; no miss stands within exact rank 20.\n")


def test_nothing_missed_nothing_advised() -> None:
    assert advice([outcome("a", "a", "a")], 5, 1000, False) == {"metric": "recall@5", "missed": 0, "changes": []}
    assert advice([], 5, 1000, False)["changes"] == []
