"""Fusion against ranx's: one test, since ranx compiles itself first. Where definitions part, the inputs stay away.

ranx gives what is absent 0 under ZMUV too, so there both lists have the same hits; it has no value for a constant list.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from assay.ranking import Hits
from assay.retrieval.fusion import rrf, weighted


def hits(found: dict[int, float]) -> Hits:
    order = sorted(found, key=lambda row: (-found[row], row))
    return Hits(np.array(order, np.int64), np.array([found[row] for row in order]), np.zeros(len(order), np.int64))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unsafe cast")  # numba's word on ranx's own code
@pytest.mark.parametrize("same", [False, True], ids=["lists overlap", "lists of the same hits"])
def test_as_ranx_has_it(same: bool) -> None:
    import ranx

    rng = random.Random(7)
    one: dict[str, dict[int, float]] = {}
    other: dict[str, dict[int, float]] = {}
    for i in range(60):
        rows = rng.sample(range(50), 20)
        one[f"q{i}"] = {row: rng.uniform(-1, 1) for row in rows}
        other[f"q{i}"] = {row: rng.uniform(0, 30) for row in (rows if same else rng.sample(range(50), 25))}

    def run_of(lists: dict[str, dict[int, float]]) -> ranx.Run:
        return ranx.Run({query: {str(row): score for row, score in found.items()} for query, found in lists.items()})

    def compare(theirs: ranx.Run, how: str) -> None:
        for query in one:
            lists = [hits(one[query]), hits(other[query])]
            ours = rrf(lists, [1, 1], 60) if how == "rrf" else weighted(lists, [0.3, 0.7], how)
            expected = dict(theirs[query])
            found = {str(row): score for row, score in zip(ours.rows.tolist(), ours.scores.tolist(), strict=True)}
            assert found.keys() == expected.keys()
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-6), (query, how)

    compare(ranx.fuse([run_of(one), run_of(other)], norm=None, method="rrf", params={"k": 60}), "rrf")
    for theirs, how in (("min-max", "min_max"), ("sum", "sum"), *([("zmuv", "z_score")] if same else [])):
        fused = ranx.fuse([run_of(one), run_of(other)], norm=theirs, method="wsum", params={"weights": (0.3, 0.7)})
        compare(fused, how)
