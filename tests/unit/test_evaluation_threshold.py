"""The threshold of abstention, against brute force and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from assay.evaluation.threshold import FOLDS, Scored, Utility, best_threshold, cross_fit, folds_of, worth


def test_worth_of_each_outcome() -> None:
    """A query is silent below the threshold; a relevant document counts only while the threshold leaves it."""
    plain = Utility()
    asked = Scored(True, 0.8, 0.6)
    assert [worth(asked, t, plain) for t in (0.5, 0.6, 0.7, 0.8, 0.9)] == [1, 1, -1, -1, 0]
    assert [worth(Scored(True, 0.8, None), t, plain) for t in (0.8, 0.81)] == [-1, 0]
    assert [worth(Scored(False, 0.8, None), t, plain) for t in (0.8, 0.81)] == [-1, 1]
    assert [worth(Scored(a, None, None), -np.inf, plain) for a in (True, False)] == [0, 1]


def test_two_groups_apart_are_parted_half_way() -> None:
    queries = [Scored(True, s, s) for s in (0.7, 0.8, 0.9)] + [Scored(False, s, None) for s in (0.1, 0.2, 0.3)]
    assert best_threshold(queries, Utility()) == 0.5


def test_equal_utilities_drop_least() -> None:
    assert best_threshold([Scored(True, s, s) for s in (0.4, 0.6)], Utility()) == 0.4


def test_nothing_but_unanswerable_queries_asks_for_silence() -> None:
    threshold = best_threshold([Scored(False, s, None) for s in (0.4, 0.6)], Utility())
    assert threshold == np.nextafter(0.6, 1)


@pytest.mark.parametrize("utility", [Utility(), Utility(1, -3, 0), Utility(2, -1, -0.5), Utility(1, 0, 0)])
@pytest.mark.parametrize("seed", range(10))
def test_the_best_threshold_is_as_good_as_any(seed: int, utility: Utility) -> None:
    rng = np.random.default_rng(seed)
    queries = []
    for _ in range(40):
        answerable, top = bool(rng.random() < 0.8), float(np.round(rng.normal(0.5, 0.2), 2))
        below = float(top - np.round(rng.random() * 0.3, 2)) if answerable and rng.random() < 0.7 else None
        queries.append(Scored(answerable, top if rng.random() < 0.95 else None, below))
    queries = [q if q.top is not None else Scored(q.answerable, None, None) for q in queries]

    def total(threshold: float) -> float:
        return sum(worth(query, threshold, utility) for query in queries)

    tried = np.linspace(-1, 2, 3001)
    assert total(best_threshold(queries, utility)) == pytest.approx(max(map(total, tried)))


def test_each_query_is_cut_by_what_the_others_chose() -> None:
    """Changing one query's own scores changes the thresholds of other folds, never its own."""
    rng = np.random.default_rng(1)
    queries = [Scored(True, s, s) for s in rng.normal(0.7, 0.1, 40)] + [
        Scored(False, s, None) for s in rng.normal(0.4, 0.1, 20)
    ]
    ids = [f"q{i:02d}" for i in range(60)]
    before = cross_fit(queries, ids, Utility(), 7)
    other = list(queries)
    other[45] = Scored(False, 5.0, None)
    after = cross_fit(other, ids, Utility(), 7)
    assert after.thresholds[45] == before.thresholds[45]
    assert after.threshold >= before.threshold
    assert before.utility > max(before.always_answer, before.always_empty)


def test_folds_are_even_and_know_ids_only() -> None:
    queries = [Scored(i % 5 != 0, 0.5, None) for i in range(53)]
    ids = [f"q{i}" for i in range(53)]
    fold = folds_of(queries, ids, 3)
    for answerable in (True, False):
        counts = np.bincount(fold[[q.answerable == answerable for q in queries]], minlength=FOLDS)
        assert counts.max() - counts.min() <= 1
    order = np.random.default_rng(0).permutation(53)
    moved = folds_of([queries[i] for i in order], [ids[i] for i in order], 3)
    assert np.array_equal(moved, fold[order])
    assert not np.array_equal(fold, folds_of(queries, ids, 4))


def test_scores_that_say_nothing_win_nothing_out_of_fold() -> None:
    """Where scores are noise, a threshold looks better than doing nothing on the queries that chose it, not on others."""
    gains, apparent = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        queries = [Scored(bool(i % 3), float(s), float(s) if i % 3 else None) for i, s in enumerate(rng.random(60))]
        ids = [f"q{i:02d}" for i in range(60)]
        fit = cross_fit(queries, ids, Utility(), seed)
        best = max(fit.always_answer, fit.always_empty)
        gains.append(fit.utility - best)
        apparent.append(np.mean([worth(query, fit.threshold, Utility()) for query in queries]) - best)
    assert np.mean(gains) < 0 < np.mean(apparent)
