"""Main effects: what each swept knob does by itself, averaged over the values of all the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.evaluation.intervals import difference_intervals, exact_mean
from assay.evaluation.resampling import SEED, Matrix

ABSENT = "–"  # the value of a knob that a run's option doesn't have


@dataclass(frozen=True, slots=True)
class Level:
    """One value of a knob: the mean over all runs that have it, and how far that is from the knob's first value."""

    value: Any
    mean: float
    difference: float | None
    ci95: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Effect:
    """A knob, or knobs that always move together, and its values in the order of the runs."""

    knobs: tuple[str, ...]
    levels: tuple[Level, ...]

    @property
    def spread(self) -> float:
        """The largest mean of a value less the smallest."""
        means = [level.mean for level in self.levels]
        return max(means) - min(means)


def main_effects(scores: Matrix, settings: Sequence[Mapping[str, Any]], seed: int = SEED) -> tuple[Effect, ...] | str:
    """The effect of each knob in a full grid, largest first; else one clause that says why there is none.

    Parameters
    ----------
    scores
        Runs x queries, no NaN.
    settings
        Per run, the knobs that differ in the sweep, and their values; a knob that a run has not got counts as a
        value of its own. Knobs that always move together are one.
    """
    factors = _factors(settings)
    if not factors:
        return "no knob differs between the runs"
    cells = {tuple(levels[run] for levels in factors.values()) for run in range(len(settings))}
    full = 1
    for levels in factors.values():
        full *= max(levels) + 1
    if not len(cells) == len(settings) == full:
        return f"the {len(settings)} runs are no full grid ({full} would be) of {_listing(factors)}"
    effects = [_effect(knobs, levels, scores, settings, seed) for knobs, levels in factors.items()]
    return tuple(sorted(effects, key=lambda effect: -effect.spread))


def _factors(settings: Sequence[Mapping[str, Any]]) -> dict[tuple[str, ...], list[int]]:
    """By knob (or knobs that move together), the number of each run's value, in the order of their first appearance."""
    together: dict[tuple[int, ...], list[str]] = {}
    for knob in dict.fromkeys(knob for setting in settings for knob in setting):
        numbers: dict[str, int] = {}
        places = tuple(
            numbers.setdefault(repr(setting[knob]) if knob in setting else "", len(numbers)) for setting in settings
        )
        if max(places) > 0:
            together.setdefault(places, []).append(knob)
    return {tuple(knobs): list(places) for places, knobs in together.items()}


def _effect(
    knobs: tuple[str, ...], numbers: list[int], scores: Matrix, settings: Sequence[Mapping[str, Any]], seed: int
) -> Effect:
    own = np.array(numbers)
    per_query = np.stack([scores[own == number].mean(axis=0) for number in range(max(numbers) + 1)], axis=1)
    intervals = difference_intervals(per_query[:, 1:] - per_query[:, :1], seed)
    levels = []
    for number in range(max(numbers) + 1):
        setting = settings[numbers.index(number)]
        values = [setting.get(knob, ABSENT) for knob in knobs]
        found = intervals[number - 1] if number else None
        levels.append(
            Level(
                value=values[0] if len(values) == 1 else values,
                mean=exact_mean(per_query[:, number]),
                difference=found[0] if found else None,
                ci95=found[1:] if found else None,
            )
        )
    return Effect(knobs, tuple(levels))


def _listing(factors: Mapping[tuple[str, ...], list[int]]) -> str:
    return " x ".join(f"{'+'.join(knobs)} ({max(levels) + 1})" for knobs, levels in factors.items())
