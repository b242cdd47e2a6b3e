"""How often 95 % intervals cover the true mean: ``python -m benchmarks.intervals [RUN …]``.

From each population of per-query scores 2,000 samples of n = 20, 50, 100 and 200 queries are drawn, and the interval of
each is asked whether it holds the population's mean; then the same with paired differences, beside intervals that assay
does not use. Run folders add their own scores, and the differences between those on one golden set. Prints a table,
and after it one JSON document.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.evaluation.intervals import difference_intervals, mean_interval, student_t
from assay.evaluation.resampling import resampled_means
from benchmarks.populations import Scores, built_in, built_in_pairs, golden_sets, real_pairs, real_runs, real_scores

SIZES = (20, 50, 100, 200)
SAMPLES = 2000
DRAWS = 2000  # resamples behind each interval of a difference; assay draws 10,000
WANTED = 0.93
Coverage = dict[str, float]


def mean_coverage(population: Scores, n: int, samples: int, rng: np.random.Generator) -> Coverage:
    """How often ``mean_interval`` covers, and how often it lies wholly below the mean (so that its upper side fails)."""
    mean = float(population.mean())
    ends = np.array([mean_interval(sample) for sample in rng.choice(population, (samples, n))])
    return {
        "covers": float(((ends[:, 0] <= mean) & (mean <= ends[:, 1])).mean()),
        "too_low": float((ends[:, 1] < mean).mean()),
        "width": float((ends[:, 1] - ends[:, 0]).mean()),
    }


def difference_coverage(population: Scores, n: int, samples: int, rng: np.random.Generator) -> dict[str, Coverage]:
    """The same for paired differences, by kind of interval: assay's, and the plain ones."""
    mean = float(population.mean())
    drawn = rng.choice(population, (n, samples))
    ends = {"assay": np.array([found[1:] for found in difference_intervals(drawn, draws=DRAWS) if found])}
    ends["percentile"] = np.quantile(resampled_means(drawn, 42, DRAWS), [0.025, 0.975], axis=0).T
    half = student_t(n - 1) * drawn.std(axis=0, ddof=1) / math.sqrt(n)
    ends["t"] = np.stack([drawn.mean(axis=0) - half, drawn.mean(axis=0) + half], axis=1)
    return {
        kind: {
            "covers": float(((both[:, 0] <= mean + 1e-12) & (mean <= both[:, 1] + 1e-12)).mean()),
            "too_low": float((both[:, 1] < mean - 1e-12).mean()),
            "width": float((both[:, 1] - both[:, 0]).mean()),
        }
        for kind, both in ends.items()
    }


def simulate(
    means: Mapping[str, Scores], pairs: Mapping[str, Scores], sizes: Sequence[int] = SIZES, samples: int = SAMPLES
) -> dict[str, Any]:
    """Coverage by kind of interval, population and n."""
    rng = np.random.default_rng(42)
    found: dict[str, Any] = {"mean": {}, "assay": {}, "percentile": {}, "t": {}}
    for name, population in means.items():
        found["mean"][name] = {n: mean_coverage(population, n, samples, rng) for n in sizes}
    for name, population in pairs.items():
        by_n = {n: difference_coverage(population, n, samples, rng) for n in sizes}
        for kind in ("assay", "percentile", "t"):
            found[kind][name] = {n: by_n[n][kind] for n in sizes}
    return found


def table(found: Mapping[str, Any], title: str, kinds: Sequence[str], sizes: Sequence[int] = SIZES) -> list[str]:
    """Coverage, a line a population; of many populations the worst and the middle."""
    lines = [f"{title:<36}" + "".join(f"{f'{kind} n={n}':>18}" for kind in kinds for n in sizes)]
    names = list(found[kinds[0]])
    if len(names) <= 20:
        for name in names:
            cells = [found[kind][name][n] for kind in kinds for n in sizes]
            shown = [f"{one['covers']:.3f} ({one['too_low']:.3f})" for one in cells]
            lines.append(f"{name[:35]:<36}" + "".join(f"{text:>18}" for text in shown))
        return lines
    columns = [np.array([found[kind][name][n]["covers"] for name in names]) for kind in kinds for n in sizes]
    for told, values in (
        (f"worst of {len(names)}", [f"{one.min():.3f}" for one in columns]),
        ("5 of 100 are below", [f"{np.quantile(one, 0.05):.3f}" for one in columns]),
        ("median", [f"{np.median(one):.3f}" for one in columns]),
        (f"below {WANTED}", [f"{int((one < WANTED).sum())}" for one in columns]),
        (f"below {WANTED - 0.01:.2f}", [f"{int((one < WANTED - 0.01).sum())}" for one in columns]),
    ):
        lines.append(f"{told:<36}" + "".join(f"{value:>18}" for value in values))
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate and print."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.intervals", description=__doc__)
    made.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="run folders whose scores are drawn from too")
    made.add_argument("--samples", type=int, default=SAMPLES)
    given = made.parse_args(arguments)
    parts = {"built-in": simulate(built_in(), built_in_pairs(), samples=given.samples)}
    if given.runs:
        runs = real_runs(given.runs)
        parts["real"] = simulate(real_scores(runs), real_pairs(runs, golden_sets(given.runs)), samples=given.samples)
    print("Coverage of 95 % intervals (in brackets: the interval lies wholly below the true mean)\n")
    for part, found in parts.items():
        print("\n".join(table(found, f"{part}, means", ("mean",))), end="\n\n")
        for kind in ("assay", "percentile", "t"):
            if found[kind]:
                print("\n".join(table(found, f"{part}, differences", (kind,))), end="\n\n")
        worst = sorted(found["mean"], key=lambda name: min(one["covers"] for one in found["mean"][name].values()))[:5]
        print("worst means:", "; ".join(worst))
        worst = sorted(found["assay"], key=lambda name: found["assay"][name][50]["covers"])[:5]
        print("worst differences at n = 50:", "; ".join(worst), end="\n\n")
    print(json.dumps(parts))


if __name__ == "__main__":
    main()
