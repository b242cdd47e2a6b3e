"""Evidence metrics on texts whose characters can be counted by eye."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay.errors import AssayError
from assay.evaluation import Extent, score_evidence
from assay.evaluation.evidence import within_budget
from assay.records import Span

#                 0         1         2         3
#                 0123456789012345678901234567890123456789
TEXTS = {"d": "aa bb cc dd ee ff gg hh ii jj kk ll mm", "e": "one two three four five", "empty": "  ..  "}


def words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+", text)]


def span(doc_id: str, start: int, end: int, group: str | None = None) -> Span:
    return Span("q", doc_id, start, end, group)


def one(name: str, hits: list[Extent], spans: list[Span], answerable: bool = True) -> float:
    scores = score_evidence(
        [hits], [spans], [name], answerable=[answerable], text_of=TEXTS.__getitem__, word_spans=words
    )
    return float(scores[name][0])


# The first hit covers 5 of the span's 10 characters, the second 3 more and 2 again, the third is elsewhere.
SPANS = [span("d", 10, 20)]
HITS: list[Extent] = [("d", 5, 15), ("d", 13, 18), ("e", 0, 4)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("evidence_recall@1", 5 / 10),
        ("evidence_recall@2", 8 / 10),
        ("evidence_recall@9", 8 / 10),
        ("evidence_precision@1", 5 / 10),
        ("evidence_precision@2", 8 / 13),  # d[5:18]; what two hits share is counted once
        ("evidence_precision@3", 8 / 17),  # and e[0:4], though no span is in it
        ("evidence_iou@1", 5 / 15),  # d[5:20]
        ("evidence_iou@2", 8 / 15),
        ("evidence_iou@3", 8 / 19),
    ],
)
def test_overlapping_hits(name: str, value: float) -> None:
    assert one(name, HITS, SPANS) == pytest.approx(value, abs=1e-15)


def test_ungrouped_spans_are_all_needed_and_shared_characters_count_once() -> None:
    spans = [span("d", 0, 10), span("d", 5, 15), span("e", 0, 5)]
    assert one("evidence_recall@1", [("d", 0, 15)], spans) == 15 / 20
    assert one("evidence_precision@1", [("d", 0, 15)], spans) == 1.0


def test_of_a_group_the_alternative_with_the_largest_covered_share_is_needed() -> None:
    spans = [span("d", 0, 20, "g"), span("e", 0, 4, "g"), span("d", 30, 34)]
    hits: list[Extent] = [("d", 0, 10), ("e", 0, 3)]  # half of the first, three quarters of the second
    assert one("evidence_recall@1", hits, spans) == 10 / 24
    assert one("evidence_recall@2", hits, spans) == 3 / 8
    assert one("evidence_precision@2", hits, spans) == 3 / 13


def test_of_equal_shares_the_first_in_the_golden_sets_order_is_needed() -> None:
    longer, shorter = span("d", 0, 20, "g"), span("e", 0, 4, "g")
    hits: list[Extent] = [("d", 0, 10), ("e", 0, 2)]
    extra = span("d", 30, 40)
    assert one("evidence_recall@2", hits, [longer, shorter, extra]) == 10 / 30
    assert one("evidence_recall@2", hits, [shorter, longer, extra]) == 2 / 14


def test_groups_choose_apart() -> None:
    spans = [span("d", 0, 4, "g"), span("e", 0, 4, "g"), span("d", 10, 14, "h"), span("e", 10, 14, "h")]
    assert one("evidence_recall@2", [("e", 0, 4), ("d", 10, 14)], spans) == 1.0


def test_no_hits_cover_nothing() -> None:
    for name in ("evidence_recall@5", "evidence_precision@5", "evidence_iou@5", "evidence_recall@2000w"):
        assert one(name, [], SPANS) == 0.0


def test_who_is_in_no_mean() -> None:
    assert np.isnan(one("evidence_recall@1", HITS, []))
    assert np.isnan(one("evidence_recall@1", HITS, SPANS, answerable=False))
    assert np.isnan(one("evidence_recall@1", HITS, [span("d", 3, 3)]))


@pytest.mark.parametrize(
    ("budget", "read"),
    [
        (1, [("d", 0, 2)]),
        (2, [("d", 0, 5)]),
        (3, [("d", 0, 9)]),  # the hit is read whole, its last space too, and the budget is used up
        (4, [("d", 0, 9), ("e", 0, 3)]),
        (6, [("d", 0, 9), ("e", 0, 13)]),
        (7, [("d", 0, 9), ("e", 0, 13), ("d", 3, 5)]),  # bb is read again, and counts again
        (99, [("d", 0, 9), ("e", 0, 13), ("d", 3, 9)]),
    ],
)
def test_a_reader_with_a_budget(budget: int, read: list[Extent]) -> None:
    hits: list[Extent] = [("d", 0, 9), ("e", 0, 13), ("d", 3, 9)]
    assert within_budget(hits, budget, TEXTS.__getitem__, words) == read


def test_a_hit_without_a_word_costs_nothing_but_is_not_read_on_an_empty_purse() -> None:
    hits: list[Extent] = [("empty", 0, 6), ("e", 0, 3), ("empty", 0, 6)]
    assert within_budget(hits, 1, TEXTS.__getitem__, words) == hits[:2]


def test_a_word_that_a_chunk_cuts_is_a_word_of_the_chunk() -> None:
    assert within_budget([("e", 1, 6), ("d", 0, 2)], 2, TEXTS.__getitem__, words) == [("e", 1, 6)]  # ne tw


def test_recall_at_a_budget() -> None:
    assert one("evidence_recall@3w", HITS, [span("d", 6, 14)]) == pytest.approx(8 / 8)  # c dd ee: d[5:14]
    assert one("evidence_recall@2w", HITS, [span("d", 6, 14)]) == pytest.approx(5 / 8)


def test_four_long_chunks_and_sixteen_short_ones_cost_a_reader_the_same() -> None:
    text = " ".join(f"w{i:03}" for i in range(400))
    texts = {"d": text}
    long: list[Extent] = [("d", 100 * 5 * i, 100 * 5 * (i + 1)) for i in range(4)]
    short: list[Extent] = [("d", 25 * 5 * i, 25 * 5 * (i + 1)) for i in range(16)]
    name = "evidence_recall@250w"
    scores = [
        score_evidence(
            [hits],
            [[span("d", 0, 2000 - 1)]],
            [name],
            answerable=[True],
            text_of=texts.__getitem__,
            word_spans=words,
        )[name][0]
        for hits in (long, short)
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)
    assert scores[0] == pytest.approx(250 / 400, abs=1e-3)


def test_only_evidence_metrics_are_read_from_spans() -> None:
    with pytest.raises(AssayError, match="recall@5"):
        one("recall@5", [], [])
