"""Holm's correction by hand."""

from __future__ import annotations

import pytest

from assay.evaluation.holm import holm


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], []),
        ([0.03], [0.03]),
        # sorted .01 .02 .03 .04: times 4, 3, 2, 1 = .04 .06 .06 .04, none below one before it
        ([0.03, 0.01, 0.04, 0.02], [0.06, 0.04, 0.06, 0.06]),
        # Holm (1979), and p.adjust's help page: .01 .04 .03 .005
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.4, 0.6], [0.8, 0.8]),  # .4 times 2; then .6, but no less than .8
        ([0.7, 0.9], [1.0, 1.0]),
        ([0.02, 0.02, 0.02], [0.06, 0.06, 0.06]),
        ([0.02, None, 0.01], [0.02, None, 0.02]),  # a comparison that was not made is none of the family
    ],
)
def test_by_hand(values: list[float | None], expected: list[float | None]) -> None:
    assert holm(values) == [None if one is None else pytest.approx(one) for one in expected]


def test_a_larger_family_counts_those_that_are_not_shown() -> None:
    assert holm([0.001, 0.01], family=10) == [pytest.approx(0.01), pytest.approx(0.09)]
    assert holm([0.01, 0.02], family=1) == [pytest.approx(0.02), pytest.approx(0.02)]


def test_statsmodels_agrees() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="statsmodels is not installed")
    values = [0.001, 0.2, 0.012, 0.012, 0.9, 0.04]
    assert holm(values) == pytest.approx(list(multitest.multipletests(values, method="holm")[1]))
