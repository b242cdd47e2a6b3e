"""The bundled three-question set, each value worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.runs.trec import read_qrels, read_trec
from assay.scoring import score

FOLDER = Path(__file__).parents[2] / "data/three_questions"
RUN, QRELS = FOLDER / "run.trec", FOLDER / "qrels/test.tsv"


def test_the_files_hold_the_three_cases() -> None:
    assert read_trec(RUN) == {
        "vacation-days": ["d2", "d1", "d9"],
        "hotel-limit": ["d6", "d5", "d7"],
        "stolen-laptop": ["d3", "d4", "d8"],
    }
    assert read_qrels(QRELS) == {
        "vacation-days": {"d1": 1},
        "hotel-limit": {"d6": 1},
        "stolen-laptop": {"d10": 1},
    }


@pytest.mark.parametrize(
    ("name", "vacation", "hotel", "laptop", "mean"),
    [
        ("recall@1", 0, 1, 0, 1 / 3),
        ("recall@3", 1, 1, 0, 2 / 3),
        ("mrr", 0.5, 1, 0, 0.5),
        ("precision@3", 1 / 3, 1 / 3, 0, 2 / 9),
        ("hit@3", 1, 1, 0, 2 / 3),
        ("mrr@1", 0, 1, 0, 1 / 3),
        ("ndcg@3", 0.6309297535714575, 1, 0, 1.6309297535714575 / 3),
        ("map@3", 0.5, 1, 0, 0.5),
        ("rprec", 0, 1, 0, 1 / 3),
        ("judged@3", 1 / 3, 1 / 3, 0, 2 / 9),
    ],
)
def test_by_hand(name: str, vacation: float, hotel: float, laptop: float, mean: float) -> None:
    document = score(RUN, QRELS, [name]).document()
    assert [document["per_query"][query][name] for query in ("vacation-days", "hotel-limit", "stolen-laptop")] == (
        pytest.approx([vacation, hotel, laptop], abs=1e-15)
    )
    assert document["metrics"][name]["mean"] == pytest.approx(mean, abs=1e-15)
    assert document["metrics"][name]["n"] == 3


def test_the_table() -> None:
    """2 of 3 by Wilson: .208 to .939; 1 of 3: .061 to .792."""
    assert score(RUN, QRELS, ["recall@1", "recall@3", "mrr"]).table().splitlines() == [
        "query          recall@1  recall@3    mrr",
        "vacation-days     0.000     1.000  0.500",
        "hotel-limit       1.000     1.000  1.000",
        "stolen-laptop     0.000     0.000  0.000",
        "",
        "metric     mean  95% interval       n",
        "recall@1  0.333  0.061 to 0.792       3",
        "recall@3  0.667  0.208 to 0.939       3",
        "mrr       0.500  0.036 to 0.964       3",
    ]


def test_the_readme_shows_these_numbers() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert "| mean | | | 0.333 | 0.667 | 0.5 |" in readme
