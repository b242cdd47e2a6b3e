"""Tables in terminals that are narrower than they, and what is said of abstention."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from assay.reports.console import abstention_lines
from assay.reports.text import fitting


def shown(width: int, dispensable: tuple[str, ...] = ("n", "p")) -> list[str]:
    table = Table(box=None, pad_edge=False)
    for title in ("metric", "mean", "p", "n"):
        table.add_column(title, no_wrap=title != "metric", overflow="fold")
    table.add_row("recall@5", "0.123", "0.456", "789")
    out = Console(file=io.StringIO(), width=width)
    out.print(fitting(table, out, dispensable))
    return out.file.getvalue().splitlines()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("width", "row"),
    [
        (27, "recall@5  0.123  0.456  789"),
        (26, "recall@5 0.123 0.456 789  "),
        (24, "recall@5 0.123 0.456 789"),
        (23, "recall@5 0.123 0.456 "),
        (15, "recall@5 0.123 "),
    ],
)
def test_a_table_loses_columns_and_never_digits(width: int, row: str) -> None:
    assert shown(width)[1].rstrip() == row.rstrip()


def test_what_is_left_is_padded_as_if_it_had_been_all() -> None:
    """rich goes by the places of columns; what was dropped in between must leave no gap in them."""
    assert shown(18, ("mean", "p"))[1] == "recall@5 0.456 789"
    assert shown(12, ("mean", "p"))[1] == "recall@5 789"


BLOCK: dict[str, Any] = {
    "n_unanswerable": 12,
    "threshold": 0.51234567,
    "correct_empty_rate": 0.5,
    "wrong_empty_rate": 0.25,
    "auroc": 0.5,
    "auroc_ci95": [0.4, 0.6],
    "cross_fit": {"utility": 0.1, "utility_always_answer": 0.2, "utility_always_empty": 0.3},
}


@pytest.mark.parametrize(
    ("changed", "told", "not_told"),
    [
        ({}, "These scores can't be told from ones that know nothing of answerability.", "upside down"),
        ({"auroc": 0.2, "auroc_ci95": [0.1, 0.4]}, "These scores are upside down", "can't be told"),
        ({"auroc": 0.8, "auroc_ci95": [0.6, 0.9]}, "AUROC", "These scores"),
        (
            {"auroc": None, "auroc_ci95": None, "wrong_empty_rate": None},
            "leave 50 % of 12 unanswerable queries empty.",
            "–",
        ),
        ({}, "Threshold to deploy: 0.5123457.", "0.5123."),  # two scores may lie closer than four digits tell
    ],
)
def test_what_is_said_of_abstention(changed: dict[str, Any], told: str, not_told: str) -> None:
    text = " ".join(abstention_lines(BLOCK | changed))
    assert told in text
    assert not_told not in text
