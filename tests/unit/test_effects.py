"""Main effects of a grid's knobs by hand."""

from __future__ import annotations

import numpy as np
import pytest

from assay.evaluation.effects import main_effects

# size 64, 128 x index flat, hnsw; every query of a run scores the same
GRID = [{"size": size, "index": index} for size in (64, 128) for index in ("flat", "hnsw")]
SCORES = np.array([[0.5] * 8, [0.4] * 8, [0.8] * 8, [0.7] * 8])


def test_a_grid_of_two_by_two() -> None:
    effects = main_effects(SCORES, GRID)
    assert not isinstance(effects, str)
    assert [effect.knobs for effect in effects] == [("size",), ("index",)]  # the larger effect first
    size, index = effects
    assert [(level.value, level.mean) for level in size.levels] == [
        (64, pytest.approx(0.45)),
        (128, pytest.approx(0.75)),
    ]
    assert [level.difference for level in size.levels] == [None, pytest.approx(0.3)]
    assert [level.difference for level in index.levels] == [None, pytest.approx(-0.1)]
    assert size.spread == pytest.approx(0.3)
    low, high = size.levels[1].ci95 or (0, 0)
    assert low <= 0.3 <= high


def test_knobs_that_move_together_are_one() -> None:
    settings = [{"size": size, "overlap": size // 8, "seed": seed} for size in (64, 128) for seed in (1, 2)]
    effects = main_effects(SCORES, settings)
    assert not isinstance(effects, str)
    assert [effect.knobs for effect in effects] == [("size", "overlap"), ("seed",)]
    assert [level.value for level in effects[0].levels] == [[64, 8], [128, 16]]


def test_a_knob_that_a_run_has_not_got_is_a_value_of_its_own() -> None:
    effects = main_effects(SCORES[:2], [{"index": "flat"}, {"index": "hnsw", "index.m": 32}])
    assert not isinstance(effects, str)
    assert [level.value for level in effects[0].levels] == [["flat", "–"], ["hnsw", 32]]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (GRID[:3], "the 3 runs are no full grid (4 would be) of size (2) x index (2)"),
        ([*GRID[:3], GRID[0]], "the 4 runs are no full grid (4 would be) of size (2) x index (2)"),
        ([{}, {}], "no knob differs between the runs"),
        ([{"seed": 1}, {"seed": 1}], "no knob differs between the runs"),
    ],
)
def test_no_full_grid_has_none_and_says_so(settings: list[dict[str, object]], told: str) -> None:
    assert main_effects(SCORES[: len(settings)], settings) == told


def test_the_interval_is_of_paired_differences() -> None:
    rng = np.random.default_rng(2)
    easy = rng.random(100)  # queries differ widely, the two runs by .1 on each
    effects = main_effects(np.stack([easy * 0.8, easy * 0.8 + 0.1]), [{"k": 1}, {"k": 2}])
    assert not isinstance(effects, str)
    low, high = effects[0].levels[1].ci95 or (0, 0)
    assert 0.08 < low < 0.1 < high + 1e-9 < 0.12
