"""How often equal runs are told apart: ``python -m benchmarks.verdicts [RUN …]``.

Sweeps of 12 runs that are equally good, whose scores hang together within each query, are judged as ``assay compare``
judges them: all against the first with Holm's correction over 11 comparisons, all pairs with Holm's over 66, and as a
sweep's verdict does, the leader's comparisons out of all pairs. A sweep in which any two runs are told apart is a family-wise error. Run
folders add shapes of their own scores. Prints a table, and after it one JSON document.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from assay.evaluation.holm import holm
from assay.evaluation.intervals import mean_interval
from assay.evaluation.randomisation import ALPHA, sign_flip_tests
from benchmarks.populations import SHAPES, Scores, equal_runs, equal_runs_of, real_runs, real_scores

SWEEPS = 1000
RUNS = 12
SIZES = (50, 162)
LIMIT = 0.06
BLOCK = 250  # sweeps judged together


def errors(scores: Scores) -> dict[str, int]:
    """In how many of the sweeps (sweeps x runs x queries) any two runs are told apart, by way of comparing."""
    runs = scores.shape[1]
    pairs = list(combinations(range(runs), 2))
    found = {"baseline": 0, "all pairs": 0, "leader": 0, "uncorrected": 0}
    for start in range(0, len(scores), BLOCK):
        block = scores[start : start + BLOCK]
        change = np.concatenate([(block[:, b] - block[:, a]) for a, b in pairs])  # pairs x sweeps, queries
        chances = sign_flip_tests(change.T, family=len(pairs))
        p = np.array([one.p for one in chances if one]).reshape(len(pairs), len(block))
        for sweep in range(len(block)):
            every = holm(p[:, sweep].tolist())
            first = holm([p[i, sweep] for i, pair in enumerate(pairs) if pair[0] == 0])
            leader = int(block[sweep].mean(axis=1).argmax())
            led = [value for pair, value in zip(pairs, every, strict=True) if leader in pair]
            uncorrected = [p[i, sweep] for i, pair in enumerate(pairs) if pair[0] == 0]
            for name, values in (
                ("baseline", first),
                ("all pairs", every),
                ("leader", led),
                ("uncorrected", uncorrected),
            ):
                found[name] += any(value is not None and value <= ALPHA for value in values)
    return found


def upper_bound(count: int, of: int) -> float:
    """The upper end of the 95 % (Wilson) interval of a share."""
    found = mean_interval([1.0] * count + [0.0] * (of - count))
    assert found is not None
    return found[1]


def simulate(
    sweeps: int = SWEEPS,
    sizes: Sequence[int] = SIZES,
    real: dict[str, Scores] | None = None,
    shapes: Sequence[str] = SHAPES,
) -> list[dict[str, Any]]:
    """A row a shape and number of queries: the errors by way of comparing, and their upper bounds."""
    rows = []
    rng = np.random.default_rng(42)
    for n in sizes:
        for shape in (*shapes, *(real or {})):
            if real and shape in real:
                scores = equal_runs_of(real[shape], sweeps, RUNS, n, rng)
            else:
                scores = equal_runs(shape, sweeps, RUNS, n, rng)
            found = errors(scores)
            rows.append(
                {"shape": shape, "n": n, "sweeps": sweeps}
                | {name: {"rate": count / sweeps, "upper": upper_bound(count, sweeps)} for name, count in found.items()}
            )
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate and print."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.verdicts", description=__doc__)
    made.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="run folders whose scores are drawn from too")
    made.add_argument("--sweeps", type=int, default=SWEEPS)
    given = made.parse_args(arguments)
    rows = simulate(given.sweeps, real=real_scores(real_runs(given.runs)))
    ways = ("baseline", "all pairs", "leader", "uncorrected")
    print(f"Share of {given.sweeps} sweeps of {RUNS} equal runs in which any two are told apart (upper 95 % bound)\n")
    print(f"{'shape':<32}{'n':>5}" + "".join(f"{way:>18}" for way in ways))
    for row in rows:
        shown = [f"{row[way]['rate']:.3f} ({row[way]['upper']:.3f})" for way in ways]
        print(f"{row['shape'][:31]:<32}{row['n']:>5}" + "".join(f"{text:>18}" for text in shown))
    corrected = [row[way]["upper"] for row in rows for way in ways[:3]]
    print(f"\nlargest upper bound with correction: {max(corrected):.3f}; wanted: at most {LIMIT}\n")
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
