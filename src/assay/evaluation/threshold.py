"""The score below which a pipeline should stay silent, chosen by cross-fitting.

A threshold that is chosen and judged on the same queries looks better than it is. Here each query is judged by the
threshold that the other folds chose, and the one chosen on all queries is what a deployment should use (Chernozhukov et
al. 2018 for the name; Stone 1974, "Cross-validatory choice and assessment of statistical predictions").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FOLDS = 5
LEAST_UNANSWERABLE = 8


@dataclass(frozen=True, slots=True)
class Utility:
    """What an outcome is worth.

    ``right``: a relevant document in the top k for an answerable query, or nothing for an unanswerable one; ``wrong``:
    anything else that came back; ``empty``: nothing for an answerable query.
    """

    right: float = 1.0
    wrong: float = -1.0
    empty: float = 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """What a query's scores can tell a threshold.

    Attributes
    ----------
    answerable
        Whether the golden set says that the corpus holds an answer.
    top
        The best final-stage score; None if nothing came back.
    relevant
        The best final-stage score of a relevant document in the top k; None if there is none.
    """

    answerable: bool
    top: float | None
    relevant: float | None


@dataclass(frozen=True, slots=True)
class CrossFit:
    """Thresholds and what they are worth. Utilities are means over queries.

    Attributes
    ----------
    thresholds
        Per query, the threshold chosen without its fold.
    threshold
        The one chosen on all queries.
    utility
        Of each query under its own ``thresholds``.
    always_answer, always_empty
        Of answering every query with what came back, and of answering none.
    """

    thresholds: list[float]
    threshold: float
    utility: float
    always_answer: float
    always_empty: float


def cross_fit(queries: Sequence[Scored], ids: Sequence[str], utility: Utility, seed: int) -> CrossFit:
    """Choose a threshold on all but a fold and apply it to that fold, for FOLDS folds.

    Folds are drawn by ``seed``, answerable and unanswerable queries apart, and depend on ids alone, not on their order.
    At least one score must have come back.
    """
    fold = folds_of(queries, ids, seed)
    chosen = {}
    for number in range(FOLDS):
        rest = [query for query, own in zip(queries, fold, strict=True) if own != number]
        chosen[number] = best_threshold(rest, utility)
    thresholds = [chosen[int(number)] for number in fold]
    return CrossFit(
        thresholds=thresholds,
        threshold=best_threshold(queries, utility),
        utility=_mean([worth(query, t, utility) for query, t in zip(queries, thresholds, strict=True)]),
        always_answer=_mean([worth(query, -np.inf, utility) for query in queries]),
        always_empty=_mean([worth(query, np.inf, utility) for query in queries]),
    )


def folds_of(queries: Sequence[Scored], ids: Sequence[str], seed: int) -> NDArray[np.int64]:
    """The fold of each query; each fold has its share of answerable and of unanswerable queries, to within one."""
    fold = np.empty(len(queries), np.int64)
    drawn = np.random.default_rng(seed)
    for answerable in (True, False):
        rows = sorted((i for i, query in enumerate(queries) if query.answerable == answerable), key=lambda i: ids[i])
        fold[drawn.permutation(np.array(rows, np.int64))] = np.arange(len(rows)) % FOLDS
    return fold


def worth(query: Scored, threshold: float, utility: Utility) -> float:
    """The utility of one query when final scores below ``threshold`` are dropped."""
    if query.top is None or query.top < threshold:
        return utility.empty if query.answerable else utility.right
    right = query.answerable and query.relevant is not None and query.relevant >= threshold
    return utility.right if right else utility.wrong


def best_threshold(queries: Sequence[Scored], utility: Utility) -> float:
    """The threshold with the highest total utility; of equal ones the lowest, which drops least.

    It lies half way between two scores that were seen, on the lowest one (nothing is dropped), or just above the highest.
    """
    tops = np.sort(np.array([query.top for query in queries if query.top is not None], np.float64))
    relevant = np.sort(np.array([q.relevant for q in queries if q.answerable and q.relevant is not None], np.float64))
    if not len(tops):
        return 0.0
    seen = np.unique(np.concatenate([tops, relevant]))
    tried = np.concatenate([seen[:1], (seen[:-1] + seen[1:]) / 2, [np.nextafter(seen[-1], np.inf)]])
    answerable = np.sort(np.array([q.top for q in queries if q.answerable and q.top is not None], np.float64))
    n_answerable = sum(query.answerable for query in queries)
    answered = _at_least(answerable, tried)
    right = _at_least(relevant, tried)
    false = _at_least(tops, tried) - answered
    total = (
        utility.right * (right + (len(queries) - n_answerable) - false)
        + utility.wrong * (answered - right + false)
        + utility.empty * (n_answerable - answered)
    )
    return float(tried[int(np.argmax(total))])


def _at_least(values: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many of the sorted ``values`` are not below each threshold."""
    return np.asarray(len(values) - np.searchsorted(values, thresholds, side="left"), dtype=np.int64)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
