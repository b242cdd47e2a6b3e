"""What a sweep's verdict holds: its runs against the leader, and what can be said of the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.evaluation.effects import Effect
from assay.evaluation.power import POWER
from assay.evaluation.randomisation import ALPHA

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Contender:
    """One run, held against the leader.

    ``behind`` is the leader's mean less its own, with a 95 % paired interval; ``p`` is the paired randomisation test's
    and ``p_holm`` that corrected over all pairs. ``together`` says that it can't be told from the leader, which the
    leader itself can't either. ``questions_needed`` would show so large a difference with a probability of 80 %; None
    where more than 100,000. The costs are None where they were not measured.
    """

    job: str
    mean: float
    ci95: tuple[float, float]
    behind: float
    behind_ci95: tuple[float, float]
    p: float | None
    p_holm: float | None
    together: bool
    probability_best: float
    questions_needed: int | None
    p50_ms: float | None
    bytes: float | None


@dataclass(frozen=True, slots=True)
class SweepVerdict:
    """The runs of a sweep, best first, and what can be said of the best.

    ``optimism``, ``nested``: see ``best.Luck``; above 0, the optimism makes the leader's score look too good. ``shows``
    is the smallest difference between two runs of this sweep that the questions show with a probability of 80 %, at the
    level that the correction asks for; ``shows_alone`` that of two runs that were compared alone; both None where none
    of at most 1 can be shown. ``effects`` are None where ``no_effects`` says why.
    """

    metric: str
    n: int
    pairs: int
    contenders: tuple[Contender, ...]
    optimism: float
    nested: float | None
    cheapest_p50: str | None
    cheapest_bytes: str | None
    shows: float | None
    shows_alone: float | None
    effects: tuple[Effect, ...] | None
    no_effects: str | None
    notes: tuple[str, ...] = ()

    @property
    def leader(self) -> Contender:
        """The run with the highest mean."""
        return self.contenders[0]

    @property
    def together(self) -> tuple[Contender, ...]:
        """The leader and all that can't be told from it."""
        return tuple(one for one in self.contenders if one.together)

    def document(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        return {
            "schema_version": SCHEMA_VERSION,
            "metric": self.metric,
            "n": self.n,
            "leader": self.leader.job,
            "indistinguishable": [one.job for one in self.together],
            "runs": [
                {
                    "job": one.job,
                    "mean": one.mean,
                    "ci95": list(one.ci95),
                    "behind": one.behind,
                    "behind_ci95": list(one.behind_ci95),
                    "p": one.p,
                    "p_holm": one.p_holm,
                    "indistinguishable": one.together,
                    "probability_best": one.probability_best,
                    "questions_needed": one.questions_needed,
                    "p50_ms": one.p50_ms,
                    "bytes": one.bytes,
                }
                for one in self.contenders
            ],
            "optimism": self.optimism,
            "nested": self.nested,
            "cheapest": {"p50_ms": self.cheapest_p50, "bytes": self.cheapest_bytes},
            "smallest_difference": {"in_this_sweep": self.shows, "two_runs_alone": self.shows_alone, "power": POWER},
            "effects": None
            if self.effects is None
            else [
                {
                    "knobs": list(effect.knobs),
                    "spread": effect.spread,
                    "levels": [
                        {
                            "value": level.value,
                            "mean": level.mean,
                            "difference": level.difference,
                            "ci95": None if level.ci95 is None else list(level.ci95),
                        }
                        for level in effect.levels
                    ],
                }
                for effect in self.effects
            ],
            "no_effects": self.no_effects,
            "method": {
                "test": "paired randomisation (sign flips), two-sided",
                "correction": f"Holm over all {self.pairs} pairs, since the leader was picked by the same scores",
                "alpha": ALPHA,
                "probability_best": "share of paired bootstrap resamples in which the run leads, ties parted",
                "optimism": "mean over resamples of the picked run's score there less its score on all questions; above "
                "0, the leader's score looks too good by so much",
                "nested": "picked on a random half of the questions, scored on the other half, mean of 200 halvings",
                "effects": "mean over the other knobs; difference from the knob's first value, 95 % paired bootstrap",
            },
            "notes": list(self.notes),
        }
