"""What holds for every ranking and every judgement."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evaluation import evaluate, expand, parse
from assay.evaluation.bounds import score_bounds
from assay.evaluation.names import NEEDS_RUN

KS = [1, 2, 3, 5, 8, 13]
NAMES = [name for name in expand("all", KS) if parse(name).family not in NEEDS_RUN]
IDS = st.sampled_from([f"d{i}" for i in range(12)])
RANKING = st.lists(IDS, unique=True, max_size=12)
QREL = st.dictionaries(IDS, st.integers(-2, 4), max_size=12)
CASES = st.lists(st.tuples(RANKING, QREL), min_size=1, max_size=5)


@settings(max_examples=200, deadline=None)
@given(CASES)
def test_scores_are_within_0_and_1_and_below_their_ceiling(
    cases: list[tuple[list[str], dict[str, int]]],
) -> None:
    got = evaluate(
        {str(i): ranking for i, (ranking, _) in enumerate(cases)},
        {str(i): qrel for i, (_, qrel) in enumerate(cases)},
        NAMES,
    )
    ceilings = {name: top for name, (_, top) in score_bounds([qrel for _, qrel in cases], 12, NAMES).items()}
    for row, scores in enumerate(got.per_query.values()):
        for name, value in scores.items():
            assert value is None or 0.0 <= value <= 1.0
            assert value is None or name not in ceilings or value <= ceilings[name][row] + 1e-12
    for name, one in got.estimates.items():
        assert (one.n == 0) == (one.mean is None) == (one.ci95 is None), name
        if one.mean is not None and one.ci95 is not None:
            assert 0.0 <= one.ci95[0] <= one.mean <= one.ci95[1] <= 1.0


@settings(max_examples=200, deadline=None)
@given(RANKING, QREL)
def test_what_can_only_grow_with_k_grows(ranking: list[str], qrel: dict[str, int]) -> None:
    scores = evaluate({"q": ranking}, {"q": qrel}, NAMES).per_query["q"]
    for family in ("recall", "hit", "mrr", "map"):
        values = [scores[f"{family}@{k}"] or 0.0 for k in KS]
        assert values == sorted(values), family
    assert scores["mrr@13"] == scores["mrr"]  # no ranking is longer


@settings(max_examples=200, deadline=None)
@given(CASES, st.integers(0, 10**6))
def test_the_order_of_the_input_changes_no_bit(cases: list[tuple[list[str], dict[str, int]]], seed: int) -> None:
    rankings = {str(i): ranking for i, (ranking, _) in enumerate(cases)}
    qrels = {str(i): qrel for i, (_, qrel) in enumerate(cases)}
    rng = random.Random(seed)

    def shuffled(items: dict[str, object]) -> dict[str, object]:
        return dict(rng.sample(list(items.items()), len(items)))

    scored = {query: {doc: -float(place) for place, doc in enumerate(ranking)} for query, ranking in rankings.items()}
    first = evaluate(rankings, qrels, NAMES)
    again = evaluate(
        shuffled({query: shuffled(documents) for query, documents in scored.items()}),
        shuffled({query: shuffled(qrel) for query, qrel in qrels.items()}),
        NAMES,
    )
    assert first.estimates == again.estimates
    assert first.per_query == again.per_query


@settings(max_examples=200, deadline=None)
@given(RANKING, QREL)
def test_a_perfect_ranking_reaches_the_ceiling(ranking: list[str], qrel: dict[str, int]) -> None:
    perfect = sorted(qrel, key=lambda doc: -qrel[doc])
    scores = evaluate({"q": perfect}, {"q": qrel}, NAMES).per_query["q"]
    for name, (_, ceiling) in score_bounds([qrel], 12, NAMES).items():
        value = scores[name]
        assert value is None or abs(value - ceiling[0]) < 1e-12, name
