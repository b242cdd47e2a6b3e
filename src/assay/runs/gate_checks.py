"""What a gate asks of a run, and what it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.evaluation.paired import PairedDifference
from assay.evaluation.randomisation import ALPHA
from assay.runs.run import Run

SCHEMA_VERSION = 1
Kind = Literal["min", "max_drop", "not_worse", "max_false_answers", "max_wrong_empty"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What the run is held against; rates and scores from 0 to 1.

    ``floors`` and ``max_drops`` are by metric, ``type_floors`` by type and metric.
    """

    floors: Mapping[str, float] = field(default_factory=dict)
    type_floors: Mapping[tuple[str, str], float] = field(default_factory=dict)
    max_drops: Mapping[str, float] = field(default_factory=dict)
    max_false_answers: float | None = None
    max_wrong_empty: float | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One condition: its limit, the figure held against it, over how many queries, and whether it was kept.

    ``value`` is the metric's mean or the rate; for ``max_drop`` and ``not_worse`` the baseline's mean less the run's,
    with ``difference`` (the run against the baseline) telling the rest; its p-value is one-sided, small where the run
    is worse. ``limit`` is None for ``not_worse``.
    """

    kind: Kind
    metric: str
    type: str | None
    limit: float | None
    value: float
    ci95: tuple[float, float] | None
    n: int
    passed: bool
    difference: PairedDifference | None = None

    @property
    def name(self) -> str:
        """What is asked, in words."""
        what = self.metric + (f" [{self.type}]" if self.type is not None else "")
        if self.kind == "min":
            return f"{what} >= {self.limit:g}"
        if self.kind == "max_drop":
            return f"{what} drop <= {self.limit:g}"
        if self.kind == "not_worse":
            return f"{what} not worse"
        return f"{what} <= {self.limit:g}"

    @property
    def reason(self) -> str:
        """Why it was kept or not, in words."""
        interval = "" if self.ci95 is None else f", 95 % {self.ci95[0]:.3f} to {self.ci95[1]:.3f}"
        if self.difference is None:
            return f"{self.metric} is {self.value:.4f} ({self.n} queries{interval})"
        one = self.difference
        told = (
            f"{self.metric} went from {one.mean_a:.4f} to {one.mean_b:.4f} (drop {self.value:.4f}{interval}, "
            f"{one.losses} queries down, {one.wins} up, {one.n} in all; one-sided p = {one.p_corrected:.4f}"
        )
        return told + (", Holm-corrected)" if self.kind == "not_worse" else f"; {self.significance})")

    @property
    def significance(self) -> str:
        """Whether the drop is beyond chance."""
        p = None if self.difference is None else self.difference.p_corrected
        return "" if p is None else "significant" if p <= ALPHA else "not significant"

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        one = self.difference
        return {
            "check": self.kind,
            "name": self.name,
            "metric": self.metric,
            "type": self.type,
            "limit": self.limit,
            "value": self.value,
            "ci95": None if self.ci95 is None else list(self.ci95),
            "n": self.n,
            "passed": self.passed,
            "reason": self.reason,
            "baseline_mean": None if one is None else one.mean_a,
            "mean": self.value if one is None else one.mean_b,
            "p": None if one is None else one.p,
            "p_holm": None if one is None else one.p_corrected,
            "effect_size": None if one is None else one.effect_size,
        }


@dataclass(frozen=True, slots=True)
class Gate:
    """All checks of a run, in the order in which they were asked for."""

    run: Run
    baseline: Run | None
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check was kept."""
        return all(check.passed for check in self.checks)

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        failed = [check for check in self.checks if not check.passed]
        if failed:
            return f"Gate failed: {len(failed)} of {len(self.checks)} checks."
        return f"Gate passed: {len(self.checks)} check{'s' if len(self.checks) > 1 else ''}."

    def document(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        return {
            "schema_version": SCHEMA_VERSION,
            "passed": self.passed,
            "run": str(self.run.folder),
            "baseline": None if self.baseline is None else str(self.baseline.folder),
            "method": {
                "min": "fails where the observed mean is below the limit",
                "max_drop": "fails where the observed drop of the mean is larger than the limit; p says whether it is "
                "beyond chance",
                "not_worse": "fails where a one-sided paired randomisation test finds the run worse (p_holm <= "
                f"{ALPHA}), Holm-corrected over the metrics tested",
                "alpha": ALPHA,
            },
            "checks": [check.document() for check in self.checks],
        }
