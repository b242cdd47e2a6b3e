"""What a run got for each question: the rows of ``per_query.jsonl``, checked, so that nothing after has to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import DataError
from assay.runs import files
from assay.runs.run import Run


@dataclass(frozen=True, slots=True)
class Outcome:
    """One evaluated question and what came back.

    ``values`` has a metric's score in [0, 1], or None where the question is not in that mean. ``ranking`` is all
    documents, best first, each with its grade (None where unjudged); ``missed`` the relevant documents that are
    not in the top max(ks), so that the two together hold every relevant document.
    """

    query_id: str
    text: str
    type: str | None
    answerable: bool
    values: Mapping[str, float | None]
    ranking: tuple[tuple[str, int | None], ...]
    missed: tuple[tuple[str, int], ...]

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """Document ids, best first."""
        return tuple(doc_id for doc_id, _ in self.ranking)

    @property
    def first_relevant(self) -> int | None:
        """Rank of the first relevant document, None where none came back."""
        return next((rank for rank, (_, grade) in enumerate(self.ranking, 1) if grade is not None and grade > 0), None)


def outcomes(run: Run) -> Iterator[Outcome]:
    """The outcomes of ``run``, one at a time, in the golden set's order.

    Raises
    ------
    DataError
        A row is not one that a run writes, a question stands twice, or ``metrics.json`` counts another number.
    """
    path = run.folder / files.PER_QUERY
    seen: set[str] = set()
    for number, row in enumerate(run.rows(), 1):
        try:
            outcome = _outcome(row)
        except (KeyError, TypeError, ValueError) as error:
            what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
            raise DataError(f"{path}:{number}: no row of a run ({what}); the file is damaged, run again") from None
        if outcome.query_id in seen:
            raise DataError(f"{path}:{number}: query {outcome.query_id!r} stands twice; the file is damaged, run again")
        seen.add(outcome.query_id)
        yield outcome
    expected = evaluated_queries(run)
    if len(seen) != expected:
        raise DataError(
            f"{path}: {len(seen)} rows, while {files.METRICS} counts {expected} evaluated queries; "
            "the file is damaged, run again"
        )


def evaluated_queries(run: Run) -> int:
    """The number of questions that ``run`` was scored on."""
    counts = run.metrics.get("queries")
    total = 0
    for name in ("answerable", "unanswerable"):
        count = counts.get(name) if isinstance(counts, dict) else None
        if type(count) is not int or count < 0:
            raise DataError(f"{run.folder / files.METRICS}: queries.{name} is {count!r}, no count; the file is damaged")
        total += count
    return total


def metric_means(run: Run) -> dict[str, tuple[float | None, int]]:
    """Mean and number of queries of each metric in ``metrics.json``; a DataError where one is neither."""
    path = run.folder / files.METRICS
    found: dict[str, tuple[float | None, int]] = {}
    for name, block in run.metrics["metrics"].items():
        mean, n = (block.get("mean"), block.get("n")) if isinstance(block, dict) else (None, None)
        if type(n) is not int or n < 0 or not (_is_score(mean) if n else mean is None):
            raise DataError(f"{path}: metrics.{name} is not a mean and an n; the file is damaged, run again")
        found[name] = (mean, n)
    return found


def _outcome(row: Mapping[str, Any]) -> Outcome:
    kind = row["type"]
    return Outcome(
        query_id=_typed(row["query_id"], str, "query_id"),
        text=_typed(row["text"], str, "text"),
        type=None if kind is None else _typed(kind, str, "type"),
        answerable=_typed(row["answerable"], bool, "answerable"),
        values={name: None if value is None else _score(value, name) for name, value in row["metrics"].items()},
        ranking=tuple(_graded(found, rank) for rank, found in enumerate(_typed(row["ranking"], list, "ranking"), 1)),
        missed=tuple(_missed(found) for found in _typed(row["missed"], list, "missed")),
    )


def _graded(found: Mapping[str, Any], rank: int) -> tuple[str, int | None]:
    grade = found["grade"]
    if found["rank"] != rank:
        raise ValueError(f"rank {found['rank']!r} stands at place {rank}")
    return _typed(found["doc_id"], str, "doc_id"), None if grade is None else _typed(grade, int, "grade")


def _missed(found: Mapping[str, Any]) -> tuple[str, int]:
    return _typed(found["doc_id"], str, "doc_id"), _typed(found["grade"], int, "grade")


def _typed(value: Any, kind: type, name: str) -> Any:
    """``value``, if it is a ``kind`` exactly: JSON's true is no 1."""
    if type(value) is not kind:
        raise ValueError(f"{name} is a {type(value).__name__}, not a {kind.__name__}")
    return value


def _score(value: Any, name: str) -> float:
    if not _is_score(value):
        raise ValueError(f"metrics.{name} is {value!r}, not a number from 0 to 1")
    return float(value)


def _is_score(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and 0.0 <= value <= 1.0
