"""A condition for one query, and the documents that meet it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.filters.columns import Columns, Mask, values_at
from assay.filters.conditions import All, Asked, Compare, Condition, Exists, Not, Some
from assay.filters.language import EQUALS, LISTS, WhereFault
from assay.records import Metadata


def asked_value(metadata: Metadata, field: str) -> Any:
    """What the query has at ``field``: a value, a list of values without null, or None where it has nothing or null.

    An empty list is a value: a query whose list of regions is empty may see none.
    """
    found = list(values_at(metadata, tuple(field.split("."))))
    if len(found) == 1 and not isinstance(found[0], list):
        return found[0]
    if not found:
        return None
    return [one for value in found for one in (value if isinstance(value, list) else [value]) if one is not None]


def bound(condition: Condition, metadata: Metadata) -> Condition | None:
    """``condition`` with the query's values in place of ``$query``.

    A comparison with a field that the query lacks, in a list too, is left out of what it stands in. ``$and``, ``$or`` and ``$not`` that are
    left with nothing are left out too, so a part left out turns into neither everything nor nothing. None where nothing is
    left: the query has no condition at all.
    """
    match condition:
        case All(parts) | Some(parts):
            left = tuple(one for part in parts if (one := bound(part, metadata)) is not None)
            return type(condition)(left) if left else None
        case Not(part):
            inner = bound(part, metadata)
            return None if inner is None else Not(inner)
        case Compare(value=Asked(field)):
            return _compared(condition, asked_value(metadata, field), field)
        case Compare(value=tuple(values)) if any(isinstance(one, Asked) for one in values):
            return _among(condition, values, metadata)
        case _:
            return condition


def _among(condition: Compare, values: Sequence[Any], metadata: Metadata) -> Compare | None:
    """``condition`` on a list with the query's values in it; None where the query lacks one of them."""
    found: list[Any] = []
    for one in values:
        if not isinstance(one, Asked):
            found.append(one)
            continue
        own = _compared(condition, asked_value(metadata, one.field), one.field)
        if own is None or not isinstance(own.value, tuple):
            return None
        found += own.value
    return replace(condition, value=tuple(found))


def _compared(condition: Compare, value: Any, field: str) -> Compare | None:
    if value is None:
        return None
    for one in value if isinstance(value, list) else [value]:
        plain = isinstance(one, str | int | float) and not (isinstance(one, float) and not math.isfinite(one))
        if not plain:
            raise WhereFault(
                condition.key,
                f"{field!r} holds {one!r}; a comparison takes text, a number, true, false or a list of them",
            )
    if condition.operator in LISTS:
        return replace(condition, value=tuple(value) if isinstance(value, list) else (value,))
    if not isinstance(value, list):
        return replace(condition, value=value)
    if condition.operator in EQUALS:
        return replace(condition, operator="$in" if condition.operator == "$eq" else "$nin", value=tuple(value))
    raise WhereFault(condition.key, f"{field!r} holds a list of {len(value)}; {condition.operator} takes one value")


def matching(condition: Condition, columns: Columns) -> Mask:
    """Which documents meet ``condition``, which asks nothing of the query any more."""
    match condition:
        case All(parts):
            every: Mask = np.all([matching(part, columns) for part in parts], axis=0)
            return every
        case Some(parts):
            some: Mask = np.any([matching(part, columns) for part in parts], axis=0)
            return some
        case Not(part):
            return ~matching(part, columns)
        case Exists(field, wanted):
            there = columns[field].there
            return there if wanted else ~there
        case Compare(field, operator, value):
            column = columns[field]
            if isinstance(value, Asked):
                raise AssertionError(f"{condition.key} still asks the query")
            if isinstance(value, tuple):
                listed = [one for one in value if not isinstance(one, Asked)]
                if len(listed) < len(value):
                    raise AssertionError(f"{condition.key} still asks the query")
                return column.among(listed) if operator == "$in" else ~column.among(listed)
            if operator in EQUALS:
                return column.equal(value) if operator == "$eq" else ~column.equal(value)
            return column.beside(operator, value)
