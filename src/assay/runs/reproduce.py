"""Whether a run came out again: four levels of sameness, and what differs where it did not.

=====  ==================================================================================================
level  holds where
=====  ==================================================================================================
1      ``metrics.json``, ``per_query.jsonl`` and ``run.trec`` have identical bytes
2      every query's ranking has the same documents in the same order, and level 3 holds
3      every mean, interval and rate of ``metrics.json`` is the same within ``TOLERANCE``
4      none of these
=====  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.evaluation.names import headline
from assay.runs import files
from assay.runs.outcomes import Outcome, outcomes
from assay.runs.run import Run

TOLERANCE = 1e-6
BYTES, RANKINGS, METRICS, DIFFERENT = 1, 2, 3, 4
IN_WORDS = {
    BYTES: "identical bytes",
    RANKINGS: "identical rankings",
    METRICS: f"identical metrics within {TOLERANCE:g}",
    DIFFERENT: "different",
}
COMPARED = (files.METRICS, files.PER_QUERY, files.TREC)
SHOWN_MOVES = 5
# Texts, what follows from rankings one document at a time, and a curve whose points come and go with ties.
_NOT_COMPARED = ("ci_method", "schema_version", "causes", "abstention.risk_coverage")


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A number of ``metrics.json`` by its dotted name, where it is not the same within ``TOLERANCE``."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class RankChange:
    """A query whose ranking or score changed.

    ``rank`` is the first at which another document stands (None where the rankings are equal), ``doc_before``
    and ``doc_after`` the documents there (None past a ranking's end); ``before`` and ``after`` the scores.
    """

    query_id: str
    type: str | None
    text: str
    rank: int | None
    doc_before: str | None
    doc_after: str | None
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class Sameness:
    """How far two runs are the same.

    ``same_files`` says for each compared file whether its bytes are identical; ``moved`` holds the queries that
    changed most on ``metric`` (the first headline metric on which any did), ``moved_total`` how many changed at all.
    """

    level: int
    same_files: Mapping[str, bool]
    same_rankings: bool
    numbers: tuple[NumberChange, ...]
    metric: str
    moved: tuple[RankChange, ...]
    moved_total: int


def sameness(saved: Run, fresh: Run) -> Sameness:
    """How far ``fresh`` is the same as ``saved``."""
    same_files = {name: _same_bytes(saved, fresh, name) for name in COMPARED}
    numbers = tuple(number_changes(saved.metrics, fresh.metrics))
    names = headline(saved.metrics["metrics"])
    metric = names[0] if names else ""
    rankings_differ, moved = False, []
    if not all(same_files.values()):
        before = {one.query_id: one for one in outcomes(saved)}
        after = {one.query_id: one for one in outcomes(fresh)}
        rankings_differ = before.keys() != after.keys() or any(
            before[query].doc_ids != after[query].doc_ids for query in before
        )
        common = [(before[query].values, after[query].values) for query in before if query in after]
        metric = next((name for name in names if any(x.get(name) != y.get(name) for x, y in common)), metric)
        moved = rank_changes(before, after, metric)
    level = BYTES if all(same_files.values()) else DIFFERENT if numbers else METRICS if rankings_differ else RANKINGS
    return Sameness(level, same_files, not rankings_differ, numbers, metric, tuple(moved[:SHOWN_MOVES]), len(moved))


def _same_bytes(saved: Run, fresh: Run, name: str) -> bool:
    return (saved.folder / name).read_bytes() == (fresh.folder / name).read_bytes()


def number_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[NumberChange]:
    """The numbers of two ``metrics.json`` that are not the same within ``TOLERANCE``, one that only one has included."""
    old, new = dict(leaves(before)), dict(leaves(after))
    for name in dict.fromkeys((*old, *new)):
        x, y = old.get(name), new.get(name)
        if apart(x, y):
            yield NumberChange(name, x, y)


def apart(x: Any, y: Any) -> bool:
    """Whether two values are not the same, numbers within ``TOLERANCE``; whatever a damaged file holds is compared."""
    both_numbers = all(isinstance(value, int | float) and abs(value) < 1e15 for value in (x, y))
    return not abs(x - y) <= TOLERANCE if both_numbers else bool(x != y)


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names and plain values of what is compared in ``metrics.json``."""
    if name in _NOT_COMPARED:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, f"{name}[{i}]")
    else:
        yield name, value


def rank_changes(before: Mapping[str, Outcome], after: Mapping[str, Outcome], metric: str) -> list[RankChange]:
    """The common queries that changed: by how much the score did, then by how far up the rankings part."""
    found = []
    for query, old in before.items():
        new = after.get(query)
        if new is None:
            continue
        place = first_difference(old.doc_ids, new.doc_ids)
        x, y = old.values.get(metric), new.values.get(metric)
        if place is None and x == y:
            continue
        old_doc, new_doc = (
            (ids[place - 1] if place is not None and place <= len(ids) else None) for ids in (old.doc_ids, new.doc_ids)
        )
        found.append(RankChange(query, old.type, old.text, place, old_doc, new_doc, x, y))
    return sorted(found, key=lambda one: (-abs((one.after or 0.0) - (one.before or 0.0)), one.rank or 10**9))


def first_difference(before: Sequence[str], after: Sequence[str]) -> int | None:
    """The first rank at which two rankings hold another document; None where they are equal."""
    for rank, (old, new) in enumerate(zip(before, after, strict=False), 1):
        if old != new:
            return rank
    return None if len(before) == len(after) else min(len(before), len(after)) + 1
