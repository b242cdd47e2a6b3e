"""What a comparison found: differences by metric, type and question, as values, a table and a JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.evaluation.intervals import LEVEL
from assay.evaluation.names import parse
from assay.evaluation.paired import BETTER, EFFECT_SIZE, WORSE, PairedDifference
from assay.evaluation.randomisation import ALPHA, permutations_for
from assay.evaluation.resampling import DRAWS
from assay.runs.run import Run
from assay.table import Table

SCHEMA_VERSION = 2
ABSENT = object()  # a config that has no such key, which is not the same as null


@dataclass(frozen=True, slots=True)
class Question:
    """A question that all the runs were asked."""

    query_id: str
    type: str | None
    text: str


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run by its ``label``; per question, in the comparison's order: its scores (NaN where in no mean) and the
    rank of its first relevant document (None where none came back)."""

    label: str
    run: Run
    values: Mapping[str, NDArray[np.float64]]
    first_relevant: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """A question whose score changed, and by what; ranks are of the first relevant document."""

    question: Question
    before: float
    after: float
    rank_before: int | None
    rank_after: int | None

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "query_id": self.question.query_id,
            "type": self.question.type,
            "text": self.question.text,
            "before": self.before,
            "after": self.after,
            "first_relevant_before": self.rank_before,
            "first_relevant_after": self.rank_after,
        }


@dataclass(frozen=True, slots=True)
class Pair:
    """Run ``b`` against run ``a`` (places in the comparison's runs).

    ``metrics`` holds differences whose p-values are corrected for the pairs that were compared on that metric.
    ``by_type``, ``up`` and ``down`` are of the comparison's first metric; the questions that moved most come first.
    """

    a: int
    b: int
    metrics: Mapping[str, PairedDifference]
    by_type: Mapping[str, PairedDifference]
    up: tuple[Moved, ...]
    down: tuple[Moved, ...]


@dataclass(frozen=True)
class Comparison:
    """Runs on one golden set, set against each other question by question.

    ``config`` holds, for each dotted key that differs, every run's value (``ABSENT`` where its config has no such
    key). ``baseline`` is the place of the run that all are held against, None for all pairs. ``notes`` are what a
    reader should know. Verdicts rest on the first metric.
    """

    runs: tuple[ComparedRun, ...]
    questions: tuple[Question, ...]
    metrics: tuple[str, ...]
    baseline: int | None
    pairs: tuple[Pair, ...]
    config: Mapping[str, tuple[Any, ...]]
    unfinished: tuple[str, ...]
    notes: tuple[str, ...]
    seed: int

    @property
    def family(self) -> str:
        """What the p-values are corrected for, in words."""
        pairs, metric = len(self.pairs), self.metrics[0]
        if pairs == 1:
            return f"one comparison, on {metric}"
        who = "all pairs" if self.baseline is None else f"all against {self.runs[self.baseline].label}"
        return f"{pairs} comparisons ({who}) on {metric}, Holm-corrected"

    @property
    def table(self) -> Table:
        """A row a pair of runs and metric: means, difference, interval, p-values, effect size, verdict, wins,
        ties, losses, n."""
        return Table.of([self._row(pair, name, found) for pair in self.pairs for name, found in pair.metrics.items()])

    def to_pandas(self) -> Any:
        """``table`` as a ``pandas.DataFrame``."""
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """``table`` as a ``polars.DataFrame``."""
        return self.table.to_polars()

    @property
    def queries(self) -> Table:
        """The questions, a row each: id, text, type, and every metric of every run (``recall@5 A``)."""
        return Table.of(
            [
                {"query_id": question.query_id, "text": question.text, "type": question.type}
                | {f"{name} {one.label}": _value(one.values[name][i]) for name in self.metrics for one in self.runs}
                for i, question in enumerate(self.questions)
            ]
        )

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(one.label for one in self.runs)} by {', '.join(self.metrics)}>"

    def _repr_html_(self) -> str:
        """Verdict, charts and tables, for a notebook."""
        from assay.notebook import comparison_face

        return comparison_face(self)

    def document(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        labels = [one.label for one in self.runs]
        first = self.metrics[0]
        return {
            "schema_version": SCHEMA_VERSION,
            "method": {
                "interval": "paired bootstrap, expanded percentiles, with one query won and one lost added",
                "level": LEVEL,
                "draws": DRAWS,
                "seed": self.seed,
                "test": "paired randomisation (sign flips of the queries' differences), two-sided",
                "permutations": permutations_for(len(self.pairs)),
                "effect_size": EFFECT_SIZE,
                "correction": "Holm",
                "family": {"metric": first, "comparisons": len(self.pairs), "in_words": self.family},
                "alpha": ALPHA,
                "verdict": f"better or worse where p_holm <= {ALPHA}; it rests on the family's metric. The other metrics "
                "are corrected the same way, each for itself; types are not tested",
            },
            "runs": [{"label": one.label, "path": str(one.run.folder)} for one in self.runs],
            "baseline": None if self.baseline is None else labels[self.baseline],
            "config": {
                key: {label: value for label, value in zip(labels, values, strict=True) if value is not ABSENT}
                for key, values in self.config.items()
            },
            "metrics": list(self.metrics),
            "differences": self.table.to_dicts(),
            "by_type": [
                {"type": kind} | self._row(pair, first, found, tested=False)
                for pair in self.pairs
                for kind, found in pair.by_type.items()
            ],
            "moved": [
                {
                    "run": labels[pair.b],
                    "against": labels[pair.a],
                    "metric": first,
                    "up": [one.document() for one in pair.up],
                    "down": [one.document() for one in pair.down],
                }
                for pair in self.pairs
            ],
            "per_query": [self._per_query(i, question) for i, question in enumerate(self.questions)],
            "unfinished": list(self.unfinished),
            "notes": list(self.notes),
        }

    def _row(self, pair: Pair, metric: str, found: PairedDifference, *, tested: bool = True) -> dict[str, Any]:
        low, high = found.ci95 or (None, None)
        told = {
            "p": found.p,
            "p_holm": found.p_corrected,
            "test": found.chance.how if found.chance else None,
            "permutations": found.chance.patterns if found.chance else None,
            "verdict": verdict(metric, found),
        }
        return {
            "run": self.runs[pair.b].label,
            "against": self.runs[pair.a].label,
            "metric": metric,
            "mean_against": found.mean_a,
            "mean": found.mean_b,
            "difference": found.difference,
            "low": low,
            "high": high,
            "effect_size": found.effect_size,
            **(told if tested else {}),
            "wins": found.wins,
            "ties": found.ties,
            "losses": found.losses,
            "n": found.n,
        }

    def _per_query(self, i: int, question: Question) -> dict[str, Any]:
        return {
            "query_id": question.query_id,
            "type": question.type,
            "text": question.text,
            "metrics": {name: {one.label: _value(one.values[name][i]) for one in self.runs} for name in self.metrics},
            "first_relevant": {one.label: one.first_relevant[i] for one in self.runs},
        }


def verdict(metric: str, found: PairedDifference) -> str:
    """The verdict in a word; having more of a ranking judged is no merit, so there it is ``higher`` or ``lower``."""
    if parse(metric).family == "judged":
        return {BETTER: "higher", WORSE: "lower"}.get(found.verdict, found.verdict)
    return found.verdict


def _value(score: float) -> float | None:
    return None if np.isnan(score) else float(score)
