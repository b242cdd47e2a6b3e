"""A condition on metadata as a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scalar = str | int | float | bool | None
Operator = Literal["$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte"]


@dataclass(frozen=True, slots=True)
class Asked:
    """``{$query: field}``: the value that the query's own metadata has there."""

    field: str


@dataclass(frozen=True, slots=True)
class Compare:
    """A field of the document against a value; a tuple of values for ``$in`` and ``$nin``. ``key`` names it in faults."""

    field: str
    operator: Operator
    value: Scalar | tuple[Scalar | Asked, ...] | Asked
    key: str = ""


@dataclass(frozen=True, slots=True)
class Exists:
    """The field is there, null or not; or it is not."""

    field: str
    wanted: bool


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition


Condition = Compare | Exists | All | Some | Not


def document_fields(condition: Condition) -> list[str]:
    """Fields of documents that ``condition`` names, in order, each once."""
    return list(dict.fromkeys(leaf.field for leaf in leaves(condition)))


def asked_fields(condition: Condition) -> list[str]:
    """Fields of queries that ``condition`` asks for, in order, each once."""
    given = [leaf.value for leaf in leaves(condition) if isinstance(leaf, Compare)]
    values = [one for value in given for one in (value if isinstance(value, tuple) else (value,))]
    return list(dict.fromkeys(value.field for value in values if isinstance(value, Asked)))


def leaves(condition: Condition) -> list[Compare | Exists]:
    """The conditions on single fields."""
    match condition:
        case All(parts) | Some(parts):
            return [leaf for part in parts for leaf in leaves(part)]
        case Not(part):
            return leaves(part)
        case _:
            return [condition]
