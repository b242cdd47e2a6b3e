"""The simulations behind intervals and verdicts, shortened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _benchmarks_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2]))


MARGIN = 0.01  # of a simulation, as it is allowed


@pytest.mark.parametrize("n", [50, 100, 200])
def test_means_are_covered(n: int) -> None:
    from benchmarks.intervals import WANTED, mean_coverage
    from benchmarks.populations import built_in

    rng = np.random.default_rng(42)
    found = {name: mean_coverage(scores, n, 1000, rng)["covers"] for name, scores in built_in().items()}
    assert {name: share for name, share in found.items() if share < WANTED - MARGIN} == {}


@pytest.mark.parametrize("n", [50, 100, 200])
def test_differences_are_covered_where_a_plain_bootstrap_falls_short(n: int) -> None:
    from benchmarks.intervals import WANTED, difference_coverage
    from benchmarks.populations import built_in_pairs

    rng = np.random.default_rng(42)
    found = {name: difference_coverage(scores, n, 1000, rng) for name, scores in built_in_pairs().items()}
    assert {name: one for name, one in found.items() if one["assay"]["covers"] < WANTED - MARGIN} == {}
    if n == 50:
        assert found["0/1, 5 % change"]["percentile"]["covers"] < WANTED - MARGIN
    for name, one in found.items():  # and it is not bought by width where most queries change
        if "all change" in name or "40 %" in name:
            assert one["assay"]["width"] < 1.08 * one["t"]["width"], name


@pytest.mark.parametrize("shape", ["0/1", "recall of three", "ndcg of one", "hardly any change"])
def test_equal_runs_are_hardly_ever_told_apart(shape: str) -> None:
    """In 100 sweeps, 5 % would be 5 and more than 13 has a chance of 1 in 1,000; uncorrected it is many more."""
    from benchmarks.populations import equal_runs
    from benchmarks.verdicts import errors

    found: Any = errors(equal_runs(shape, 100, 12, 50, np.random.default_rng(7)))
    assert max(found["baseline"], found["all pairs"], found["leader"]) <= 13
    if shape != "hardly any change":
        assert found["uncorrected"] > 13


@pytest.mark.slow
def test_the_family_wise_error_is_at_most_6_in_100() -> None:
    from benchmarks.verdicts import LIMIT, simulate

    for row in simulate(sizes=(50,), shapes=("recall of three",)):
        for way in ("baseline", "all pairs", "leader"):
            assert row[way]["upper"] <= LIMIT, (row["shape"], way)


def test_two_hundred_queries_and_twelve_runs_take_less_than_a_second() -> None:
    """All pairs of four metrics: 264 comparisons. Tens of times faster than the limit on an idle machine."""
    import time
    from itertools import combinations

    from assay.evaluation.paired import paired_differences

    scores = np.random.default_rng(1).integers(0, 4, (4, 12, 200)) / 3
    before, after = (
        np.stack([scores[m, pair[side]] for m in range(4) for pair in combinations(range(12), 2)], axis=1)
        for side in (0, 1)
    )
    start = time.process_time()
    assert len(paired_differences(before, after, family=66)) == 264
    assert time.process_time() - start < 3.0  # of CPU time, on a machine that does other things
