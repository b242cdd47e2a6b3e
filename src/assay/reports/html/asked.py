"""What a page needs to know of each query: the rows of ``per_query.jsonl``, checked and cut to that.

One row is held at a time in full, so a run of 10,000 queries with a hundred documents each takes no more memory than
its first ``SHOWN`` results.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import DataError
from assay.runs import files
from assay.runs.run import Run

SHOWN = 10  # results of a query that a page shows


@dataclass(frozen=True, slots=True)
class Result:
    """A document that came back; ``start`` and ``end`` are of its best chunk, both None where it names none."""

    doc_id: str
    rank: int
    score: float
    stage: int
    grade: int | None
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Lost:
    """A relevant document past the last cutoff, with the cause and its exact rank (None if infinite)."""

    doc_id: str
    grade: int
    cause: str
    rank: int | None
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Asked:
    """One evaluated query.

    ``values`` has a metric's score, None where the query is not in that mean. ``results`` are the first ``SHOWN``
    documents and every relevant one after them; ``relevant_ranks`` the ranks of all relevant documents that came
    back, ``relevant`` how many there are in all.
    """

    query_id: str
    text: str
    type: str | None
    answerable: bool
    abstained: bool
    top_score: float | None
    values: Mapping[str, float | None]
    results: tuple[Result, ...]
    returned: int
    relevant_ranks: tuple[int, ...]
    relevant: int
    missed: tuple[Lost, ...]

    @property
    def first_relevant(self) -> int | None:
        """Rank of the first relevant document, None where none came back."""
        return self.relevant_ranks[0] if self.relevant_ranks else None


def asked_of(run: Run, names: Sequence[str]) -> Iterator[Asked]:
    """The queries of ``run`` in the golden set's order, with their scores of the metrics ``names``.

    Raises
    ------
    DataError
        A row is not one that a run writes.
    """
    path = run.folder / files.PER_QUERY
    for number, row in enumerate(run.rows(), 1):
        try:
            yield _asked(row, names)
        except (KeyError, TypeError, ValueError) as error:
            what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
            raise DataError(f"{path}:{number}: no row of a run ({what}); the file is damaged, run again") from None


def worst_first(asked: Sequence[Asked]) -> list[int]:
    """Places in ``asked``: queries that missed something by nDCG, then those answered though nothing should be, then the rest.

    Ties by the rank of the first relevant document, then by id, as in a terminal.
    """
    ndcg = [name for name in (asked[0].values if asked else ()) if name.startswith("ndcg@")]

    def badness(place: int) -> tuple[int, float, float, str]:
        one = asked[place]
        group = 0 if one.answerable and one.missed else 1 if not one.answerable and not one.abstained else 2
        score = (one.values[ndcg[-1]] or 0.0) if ndcg and one.answerable else 1.0
        return group, score, 1 / one.first_relevant if one.first_relevant else 0.0, one.query_id

    return sorted(range(len(asked)), key=badness)


def _asked(row: Mapping[str, Any], names: Sequence[str]) -> Asked:
    ranking = _of(row["ranking"], list)
    kept = [_result(found, rank) for rank, found in enumerate(ranking, 1) if rank <= SHOWN or _relevant(found)]
    relevant = [one for one in kept if one.grade is not None and one.grade > 0]
    missed = tuple(_lost(found) for found in _of(row["missed"], list))
    top, values, kind = row["top_score"], row["metrics"], row["type"]
    return Asked(
        query_id=_of(row["query_id"], str),
        text=_of(row["text"], str),
        type=None if kind is None else _of(kind, str),
        answerable=_of(row["answerable"], bool),
        abstained=_of(row["abstained"], bool),
        top_score=None if top is None else _finite(top),
        values={name: None if (value := values.get(name)) is None else _finite(value) for name in names},
        results=tuple(kept),
        returned=len(ranking),
        relevant_ranks=tuple(one.rank for one in relevant),
        relevant=len({one.doc_id for one in relevant} | {one.doc_id for one in missed}),
        missed=missed,
    )


def _relevant(found: Mapping[str, Any]) -> bool:
    grade = found["grade"]
    return grade is not None and bool(_of(grade, int) > 0)


def _result(found: Mapping[str, Any], rank: int) -> Result:
    chunks, grade = _of(found["chunks"], list), found["grade"]
    start, end = (chunks[0]["start"], chunks[0]["end"]) if chunks else (None, None)
    return Result(
        _of(found["doc_id"], str),
        rank,
        _finite(found["score"]),
        _of(found["stage"], int),
        None if grade is None else _of(grade, int),
        None if start is None else _of(start, int),
        None if end is None else _of(end, int),
    )


def _lost(found: Mapping[str, Any]) -> Lost:
    rank, best = found["rank"], found.get("best_chunk")
    start, end = (None, None) if best is None else (_of(best["start"], int), _of(best["end"], int))
    return Lost(
        _of(found["doc_id"], str),
        _of(found["grade"], int),
        _of(found["cause"], str),
        None if rank is None else _of(rank, int),
        start,
        end,
    )


def _of(value: Any, kind: type) -> Any:
    """``value``, if it is a ``kind`` exactly: JSON's true is no 1."""
    if type(value) is not kind:
        raise ValueError(f"a {kind.__name__} is expected where {value!r:.40} stands")
    return value


def _finite(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError(f"a finite number is expected where {value!r:.40} stands")
    return float(value)
