"""Per-query scores to draw from: built-in shapes, and those of real run folders."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
SIZE = 100_000  # queries of a built-in population; its own mean is the true one
DISCOUNTS = np.array([1.0, 0.631, 0.5, 0.431, 0.387, 0.0])  # nDCG of one relevant document at rank 1 to 5, or not there
METRICS = ("recall@5", "ndcg@10")
ENOUGH = 60  # queries of a real population


def built_in() -> dict[str, Scores]:
    """Shapes of a metric's per-query scores."""
    rng = np.random.default_rng(1)
    return {
        "binary .9": (rng.random(SIZE) < 0.9).astype(float),
        "binary .6": (rng.random(SIZE) < 0.6).astype(float),
        "recall of two": rng.binomial(2, 0.6, SIZE) / 2,
        "recall of three": rng.binomial(3, rng.beta(2, 1, SIZE)) / 3,
        "reciprocal ranks": 1.0 / rng.integers(1, 6, SIZE),
        "ndcg of one": DISCOUNTS[np.minimum(rng.geometric(0.5, SIZE) - 1, 5)],
        "ndcg-like": rng.beta(2, 1, SIZE),
    }


def built_in_pairs() -> dict[str, Scores]:
    """Shapes of the paired differences of two runs: most queries score the same in both."""
    rng = np.random.default_rng(2)

    def some(share: float, steps: Sequence[float], chances: Sequence[float]) -> Scores:
        drawn = rng.choice(np.array(steps), p=chances, size=SIZE)
        return np.where(rng.random(SIZE) < share, drawn, 0.0)

    return {
        "0/1, 5 % change": some(0.05, [-1.0, 1.0], [0.3, 0.7]),
        "0/1, 20 % change": some(0.2, [-1.0, 1.0], [0.4, 0.6]),
        "0/1, 10 %, all up": some(0.1, [1.0], [1.0]),
        "thirds, 20 % change": some(0.2, [-1.0, -2 / 3, -1 / 3, 1 / 3, 2 / 3, 1.0], [0.1, 0.1, 0.2, 0.3, 0.2, 0.1]),
        "ndcg of one, 40 % change": np.where(
            rng.random(SIZE) < 0.4, rng.choice(DISCOUNTS, SIZE) - rng.choice(DISCOUNTS, SIZE), 0.0
        ),
        "ndcg-like, all change": rng.beta(2, 1, SIZE) - rng.beta(2, 1.2, SIZE),
    }


def real_runs(folders: Sequence[Path]) -> dict[str, dict[str, Scores]]:
    """Per-query scores by metric of the run folders ``folders``, NaN where a query is in no mean."""
    found = {}
    for folder in folders:
        with (folder / "per_query.jsonl").open(encoding="utf-8") as file:
            rows = [json.loads(line)["metrics"] for line in file]
        found[str(folder)] = {
            name: np.array([np.nan if row.get(name) is None else row[name] for row in rows], dtype=np.float64)
            for name in METRICS
            if any(row.get(name) is not None for row in rows)
        }
    return found


def real_scores(runs: dict[str, dict[str, Scores]]) -> dict[str, Scores]:
    """The distinct populations among real runs' scores."""
    found: dict[str, Scores] = {}
    seen = set()
    for folder, metrics in runs.items():
        for name, values in metrics.items():
            scores = values[~np.isnan(values)]
            key = np.sort(scores).round(9).tobytes()
            if len(scores) >= ENOUGH and key not in seen:
                seen.add(key)
                found[f"{name} {Path(folder).name}"] = scores
    return found


def real_pairs(runs: dict[str, dict[str, Scores]], sets: dict[str, str]) -> dict[str, Scores]:
    """The distinct populations of differences between real runs on one golden set (``sets``: its name by folder)."""
    found: dict[str, Scores] = {}
    seen = set()
    for a, b in combinations(runs, 2):
        if sets[a] != sets[b]:
            continue
        for name in runs[a].keys() & runs[b].keys():
            change = runs[b][name] - runs[a][name]
            change = change[~np.isnan(change)]
            change[np.abs(change) < 1e-12] = 0.0
            key = np.sort(np.abs(change)).round(9).tobytes()
            if len(change) >= ENOUGH and change.any() and key not in seen:
                seen.add(key)
                found[f"{name} {Path(b).name} - {Path(a).name}"] = change
    return found


def golden_sets(folders: Sequence[Path]) -> dict[str, str]:
    """By folder, the golden set that the run was scored on."""
    hashes = {str(folder): json.loads((folder / "manifest.json").read_text())["hashes"] for folder in folders}
    return {
        folder: "-".join(str(found[part]) for part in ("corpus", "queries", "qrels"))
        for folder, found in hashes.items()
    }


def equal_runs(shape: str, sweeps: int, runs: int, queries: int, rng: np.random.Generator) -> Scores:
    """Scores (sweeps x runs x queries) of runs that are equally good: a query's difficulty is common to all of them."""
    ease = rng.beta(0.8, 0.5, (sweeps, 1, queries))
    size = (sweeps, runs, queries)
    if shape == "0/1":
        return (rng.random(size) < ease).astype(float)
    if shape == "recall of three":
        return rng.binomial(3, np.broadcast_to(ease, size)) / 3
    if shape == "ndcg of one":
        return DISCOUNTS[np.minimum(rng.geometric(np.broadcast_to(np.maximum(ease, 0.01), size)) - 1, 5)]
    if shape == "hardly any change":
        same = (rng.random((sweeps, 1, queries)) < 0.7).astype(float)
        return np.where(rng.random(size) < 0.04, 1.0 - same, same)
    raise ValueError(f"no shape {shape!r}")


SHAPES = ("0/1", "recall of three", "ndcg of one", "hardly any change")


def equal_runs_of(scores: Scores, sweeps: int, runs: int, queries: int, rng: np.random.Generator) -> Scores:
    """As ``equal_runs``, of a real run's ``scores``: each query's score, or in 3 of 10 cases another query's."""
    base = rng.choice(scores, (sweeps, 1, queries))
    other = rng.choice(scores, (sweeps, runs, queries))
    return np.where(rng.random((sweeps, runs, queries)) < 0.3, other, base)
