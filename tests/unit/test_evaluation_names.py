"""Names of metrics: what parses, what expands, in which order, and what a typo is told."""

from __future__ import annotations

import pytest

from assay.errors import AssayError
from assay.evaluation import FAMILIES, HEADLINE, Metric, expand, in_order, parse


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("recall@5", Metric("recall", k=5)),
        ("mrr", Metric("mrr")),
        ("mrr@10", Metric("mrr", k=10)),
        ("rprec", Metric("rprec")),
        ("ndcg_exp@100", Metric("ndcg_exp", k=100)),
        ("evidence_recall@3", Metric("evidence_recall", k=3)),
        ("evidence_recall@2000w", Metric("evidence_recall", words=2000)),
    ],
)
def test_a_name_parses_and_is_written_back(name: str, metric: Metric) -> None:
    assert parse(name) == metric
    assert metric.name == name


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("recal@5", "no metric 'recal@5'; did you mean recall@5?"),
        ("Recall@5", "no metric 'Recall@5'; did you mean recall@5?"),
        ("P@10", "no metric 'P@10'; did you mean precision@10?"),
        ("recip_rank", "no metric 'recip_rank'; did you mean mrr?"),
        ("success@3", "no metric 'success@3'; did you mean hit@3?"),
        ("recall", "metric 'recall' needs a cutoff, for example recall@5"),
        ("recall@0", "no metric 'recall@0'; did you mean recall@5?"),
        ("recall@05", "no metric 'recall@05'; did you mean recall@5?"),
        ("recall@-1", "no metric 'recall@-1'; did you mean recall@5?"),
        ("recall@५", "no metric 'recall@५'; did you mean recall@5?"),
        ("rprec@5", "metric 'rprec@5' has no cutoff; write rprec"),
        ("recall@200w", "metric 'recall@200w': only evidence_recall has a budget in words; try recall@5"),
        ("zzzzzz", f"no metric 'zzzzzz'; the families are {', '.join(FAMILIES)}"),
        ("", f"no metric ''; the families are {', '.join(FAMILIES)}"),
    ],
)
def test_what_is_no_name_is_told_the_nearest(name: str, line: str) -> None:
    with pytest.raises(AssayError) as fault:
        parse(name)
    assert fault.value.lines() == [line]


def test_families_expand_in_the_fixed_order_whatever_order_was_asked() -> None:
    assert expand(["ndcg", "recall"], [5, 1, 5]) == ("recall@1", "recall@5", "ndcg@1", "ndcg@5")
    assert expand("mrr", [1, 3]) == ("mrr@1", "mrr@3", "mrr")
    assert expand(["rprec"], [1, 3]) == ("rprec",)
    assert expand(["evidence_recall"], [3]) == ("evidence_recall@3", "evidence_recall@2000w")


def test_all_is_every_family_and_holds_the_headline() -> None:
    names = expand("all", [1, 3, 5, 10])
    assert [family for family in FAMILIES if family in {parse(name).family for name in names}] == list(FAMILIES)
    assert set(HEADLINE) <= set(names)
    assert len(names) == len(set(names)) == 13 * 4 + 3  # rprec has no cutoff; mrr, rprec and 2000w stand alone
    assert names == tuple(in_order(names)) == tuple(in_order(reversed(names)))


@pytest.mark.parametrize(
    ("families", "line"),
    [
        (["recal"], "no metric 'recal'; did you mean recall?"),
        (["recall@7"], "'recall@7' has a cutoff; name the family, recall: the cutoffs are evaluation.ks"),
    ],
)
def test_what_is_no_family_is_refused(families: list[str], line: str) -> None:
    with pytest.raises(AssayError) as fault:
        expand(families, [5])
    assert fault.value.lines() == [line]
