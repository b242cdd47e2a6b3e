"""Abstention: whether a pipeline stays silent on what the corpus can't answer, and on nothing else.

Unanswerable queries are in no recall mean; this block is theirs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Z95 = 1.959963984540054


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
    area = auroc([_score(answer) for answer in answerable], [_score(answer) for answer in unanswerable])
    return {
        "n_unanswerable": len(unanswerable),
        "threshold": None if threshold is None else float(threshold),
        "correct_empty_rate": _share([answer.abstained for answer in unanswerable]),
        "false_answer_rate": _share([not answer.abstained for answer in unanswerable]),
        "wrong_empty_rate": _share([answer.abstained for answer in answerable]),
        "auroc": area,
        "auroc_ci95": auroc_interval(area, len(answerable), len(unanswerable)),
        "base_rate": _share([not answer.answerable for answer in answers]),
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


def auroc_interval(area: float | None, above: int, below: int) -> list[float] | None:
    """The 95 % interval of an area under the ROC curve from ``above`` and ``below`` scores; None without an area.

    The areas that lie within 1.96 of their own standard errors of the one seen, so an area of 1 has an interval too
    (Newcombe 2006, "Confidence intervals for an effect size measure based on the Mann–Whitney statistic", part 2,
    method 5).
    """
    if area is None:
        return None
    shared = (above + below) / 2 - 1

    def error(true: float) -> float:
        spread = 1 + shared * (1 - true) / (2 - true) + shared * true / (1 + true)
        return Z95 * math.sqrt(true * (1 - true) * spread / (above * below))

    def bound(inner: float, outer: float) -> float:
        for _ in range(60):  # bisection: ``inner`` is compatible with what was seen, ``outer`` is not
            middle = (inner + outer) / 2
            inner, outer = (middle, outer) if abs(middle - area) <= error(middle) else (inner, middle)
        return inner

    return [0.0 if area == 0 else bound(area, 0.0), 1.0 if area == 1 else bound(area, 1.0)]


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
