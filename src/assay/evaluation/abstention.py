"""Abstention: whether a pipeline stays silent on what the corpus can't answer, and on nothing else.

Unanswerable queries are in no recall mean; this block is theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Answer:
    """What one evaluated query got.

    Attributes
    ----------
    answerable
        Whether the golden set says that the corpus holds an answer.
    abstained
        Whether nothing was returned, after ``min_score``.
    top_score
        The best final-stage score before ``min_score``; None if nothing came back.
    relevant_on_top
        Whether a relevant document is in the top max(ks) before ``min_score``.
    """

    answerable: bool
    abstained: bool
    top_score: float | None
    relevant_on_top: bool


def abstention_block(answers: Sequence[Answer], threshold: float | None) -> dict[str, Any]:
    """The ``abstention`` block of metrics.json; rates and ``auroc`` are None where their group is empty."""
    answerable = [answer for answer in answers if answer.answerable]
    unanswerable = [answer for answer in answers if not answer.answerable]
    return {
        "n_unanswerable": len(unanswerable),
        "threshold": None if threshold is None else float(threshold),
        "correct_empty_rate": _share([answer.abstained for answer in unanswerable]),
        "false_answer_rate": _share([not answer.abstained for answer in unanswerable]),
        "wrong_empty_rate": _share([answer.abstained for answer in answerable]),
        "auroc": auroc([_score(answer) for answer in answerable], [_score(answer) for answer in unanswerable]),
        "risk_coverage": risk_coverage(answers),
    }


def auroc(above: Sequence[float], below: Sequence[float]) -> float | None:
    """P(a score of ``above`` is higher than one of ``below``), ties half; None if either is empty.

    The area under the ROC curve (Hanley and McNeil 1982). Minus infinity is a score like any other.
    """
    if not above or not below:
        return None
    rivals = np.sort(np.asarray(below, dtype=np.float64))
    scores = np.asarray(above, dtype=np.float64)
    twice = np.searchsorted(rivals, scores, "left").sum() + np.searchsorted(rivals, scores, "right").sum()
    return float(twice / (2 * len(above) * len(below)))


def risk_coverage(answers: Sequence[Answer]) -> list[list[float]]:
    """``[coverage, risk]`` for each distinct ``top_score``, falling, as a threshold there would have it.

    Coverage is the share of all queries at or above the score; risk the share of those that are unanswerable
    or have no relevant document on top (El-Yaniv and Wiener 2010). Queries without a score are never covered.
    """
    scored = sorted(
        ((answer.top_score, answer) for answer in answers if answer.top_score is not None),
        key=lambda pair: -pair[0],
    )
    points: list[list[float]] = []
    wrong = 0
    for covered, (score, answer) in enumerate(scored, 1):
        wrong += not (answer.answerable and answer.relevant_on_top)
        if covered == len(scored) or scored[covered][0] != score:
            points.append([covered / len(answers), wrong / covered])
    return points


def _score(answer: Answer) -> float:
    return float("-inf") if answer.top_score is None else answer.top_score


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None
