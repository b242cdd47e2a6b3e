"""A second opinion, in one test since ranx compiles itself first: where definitions agree, to 1e-9."""

from __future__ import annotations

import random

import pytest

from assay.evaluation import evaluate

NAMES = {
    "recall@3": "recall@3",
    "precision@3": "precision@3",
    "hit@3": "hit_rate@3",
    "mrr": "mrr",
    "mrr@3": "mrr@3",
    "ndcg@3": "ndcg@3",
    "ndcg@10": "ndcg@10",
    "ndcg_exp@10": "ndcg_burges@10",
    "map@10": "map@10",
    "rprec": "r-precision",
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unsafe cast")  # numba's word on ranx's own code
def test_as_ranx_has_it() -> None:
    import ranx

    rng = random.Random(21)
    rankings: dict[str, list[str]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for i in range(520):
        documents = [f"d{j}" for j in rng.sample(range(40), 40)]
        judged = documents[: rng.choice([1, 2, 5, 20])]
        qrels[f"q{i}"] = {doc: rng.choice([0, 1, 2, 3]) for doc in judged} | {judged[0]: rng.choice([1, 2, 3])}
        rng.shuffle(documents)
        rankings[f"q{i}"] = documents[: rng.choice([0, 1, 2, 4, 15, 40])]

    run = ranx.Run(
        {
            query: {doc: float(len(ranking) - place) for place, doc in enumerate(ranking)} or {"nothing": 1.0}
            for query, ranking in rankings.items()
        }
    )
    ranx.evaluate(ranx.Qrels(qrels), run, list(NAMES.values()))
    mine = evaluate(rankings, qrels, list(NAMES)).per_query
    assert len(mine) == 520
    for query, scores in mine.items():
        for ours, their_name in NAMES.items():
            assert scores[ours] == pytest.approx(run.scores[their_name][query], abs=1e-9), (query, ours)
