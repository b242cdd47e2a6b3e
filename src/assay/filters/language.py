"""The conditions of ``filter.where``, as vector databases write them.

::

    {region: kerala, city: kochi}           equal, and all of a mapping must hold
    {year: {$gte: 2020, $lt: 2024}}         $eq $ne $in $nin $gt $gte $lt $lte $exists; all of a field must hold
    {$or: [{…}, {…}]}                       $and, $or and $not of whole conditions
    {year: {$not: {$gt: 2020}}}             $not of one field's
    {region: {$query: region}}              the value is the query's own, from its metadata
    {region: {$in: [{$query: region}, all]}}    or that value among others
    {author.name: Anna}                     nested metadata; a key that has the dot itself comes first

What a condition means for a document (``assay.filters.columns``) is what MongoDB means by it:

- A list matches where any element does; ``$ne`` and ``$nin`` hold where none equals. Each of several operators may be met
  by another element. A path goes through a list of mappings.
- A field that is not there has no order and equals nothing but null, so ``$ne`` and ``$nin`` hold; ``$exists: true`` holds
  for a field that is there with null.
- Numbers are compared with numbers (true is none), text with text by code points, case and all. Text that is an ISO date is
  compared with ISO dates, as instants (``assay.filters.dates``); a date and other text are unlike types. Unlike types are
  never equal, and neither comes before the other.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from datetime import date
from typing import Any, cast

from assay.filters.conditions import All, Asked, Compare, Condition, Exists, Not, Operator, Scalar, Some
from assay.filters.dates import instant, looks_like_date
from assay.strict_yaml import plain_yaml

ROOT = "filter.where"
DEEPEST, MOST_CONDITIONS, MOST_VALUES, MOST_TEXT = 20, 1_000, 10_000, 100_000
EXAMPLE = "{region: kerala, year: {$gte: 2020}}"
ORDERS, LISTS, EQUALS = ("$gt", "$gte", "$lt", "$lte"), ("$in", "$nin"), ("$eq", "$ne")
COMPARISONS = (*EQUALS, *LISTS, *ORDERS)
OF_A_FIELD = (*COMPARISONS, "$exists", "$not")
OF_CONDITIONS = ("$and", "$or", "$not")


class WhereFault(ValueError):
    """A condition that can't hold: its key from the config's root, and what would be right."""

    def __init__(self, key: str, message: str) -> None:
        self.key = key
        self.message = message
        super().__init__(f"{key}: {message}")


def mapping_of(where: Any) -> dict[str, Any]:
    """``where`` as the one plain mapping that stands for all ways of writing it; ``where`` may be its YAML text.

    Keys are sorted, dates are text, ``{$eq: x}`` is ``x`` and 2020.0 is 2020.

    Raises
    ------
    WhereFault
        It is no condition.
    """
    if isinstance(where, str):
        where = _read(where)
    parse(where)
    return cast(dict[str, Any], _plain(where))


def parse(where: Any) -> Condition:
    """The tree of ``where``; a WhereFault names the first key that can't hold."""
    return _Parser().conditions(where, ROOT, 1)


class _Parser:
    def __init__(self) -> None:
        self._conditions = 0
        self._values = 0

    def conditions(self, where: Any, key: str, depth: int) -> Condition:
        if not isinstance(where, Mapping):
            raise WhereFault(key, f"{_shown(where)} is no condition; give a mapping such as {EXAMPLE}")
        if not where:
            raise WhereFault(key, f"{{}} holds no condition; give one such as {EXAMPLE}")
        self._deep(key, depth)
        parts = [self._one(name, value, _below(key, name), depth) for name, value in where.items()]
        return _all(parts)

    def _one(self, name: Any, value: Any, key: str, depth: int) -> Condition:
        _check_name(name, key)
        if name == "$not":
            return Not(self.conditions(value, key, depth + 1))
        if name in ("$and", "$or"):
            if not isinstance(value, list | tuple) or not value:
                raise WhereFault(
                    key,
                    f"{_shown(value)} is no list of conditions; give one such as [{{region: kerala}}, {{year: 2020}}]",
                )
            parts = tuple(self.conditions(part, f"{key}[{i}]", depth + 1) for i, part in enumerate(value))
            return Some(parts) if name == "$or" else All(parts)
        if name.startswith("$"):
            if name in OF_A_FIELD or name == "$query":
                raise WhereFault(key, f"stands where a field is expected; give {{FIELD: {{{name}: …}}}}")
            raise WhereFault(key, f"no such operator{_nearest(name, OF_CONDITIONS)}")
        return self._field(name, value, key, depth + 1)

    def _field(self, field: str, value: Any, key: str, depth: int) -> Condition:
        self._deep(key, depth)
        if not isinstance(value, Mapping) or "$query" in value:
            return self._compare(field, "$eq", value, key)
        if not value:
            raise WhereFault(key, "{} holds no condition; give a value, or operators such as {$gte: 2020}")
        return _all([self._operator(field, name, inner, _below(key, name), depth) for name, inner in value.items()])

    def _operator(self, field: str, name: Any, value: Any, key: str, depth: int) -> Condition:
        if not isinstance(name, str) or not name.startswith("$"):
            if name == "":
                _check_name(name, key)
            if f"${name}" in OF_A_FIELD:
                raise WhereFault(key, f"no such operator; did you mean ${name}?")
            raise WhereFault(key, f"is no operator; write nested metadata with a dot: {{{field}.{name}: …}}")
        if name in COMPARISONS:
            return self._compare(field, cast(Operator, name), value, key)
        if name == "$exists":
            if not isinstance(value, bool):
                raise WhereFault(key, f"{_shown(value)} is not allowed; give true or false")
            self._count(key)
            return Exists(field, value)
        if name == "$not":
            if not isinstance(value, Mapping) or "$query" in value:
                raise WhereFault(key, f"{_shown(value)} is no operator; give one such as {{$gt: 2020}}, or use $ne")
            return Not(self._field(field, value, key, depth + 1))
        if name in ("$and", "$or"):
            raise WhereFault(key, f"stands inside a field; give {{{name}: [{{{field}: …}}, {{{field}: …}}]}}")
        raise WhereFault(key, f"no such operator{_nearest(name, OF_A_FIELD)}")

    def _compare(self, field: str, operator: Operator, value: Any, key: str) -> Compare:
        self._count(key)
        if isinstance(value, Mapping):
            return Compare(field, operator, _asked(value, key), key)
        if operator in LISTS:
            if not isinstance(value, list | tuple):
                raise WhereFault(
                    key, f"{_shown(value)} is no list; give one such as [kerala, delhi], or {{$query: FIELD}}"
                )
            self._values += len(value)
            if self._values > MOST_VALUES:
                raise WhereFault(key, f"more than {MOST_VALUES} values in lists; give fewer")
            return Compare(field, operator, tuple(_listed(one, f"{key}[{i}]") for i, one in enumerate(value)), key)
        if isinstance(value, list | tuple):
            right = "$nin" if operator == "$ne" else "$in"
            many = (
                f"give {{{right}: [{', '.join(str(one) for one in value[:3])}]}}"
                if operator in EQUALS
                else "give one value"
            )
            raise WhereFault(key, f"{_shown(value)} is a list; {many}")
        given = _scalar(value, key)
        if operator in ORDERS and (given is None or isinstance(given, bool)):
            raise WhereFault(key, f"{_shown(given)} has no order; give a number, text or a date")
        return Compare(field, operator, given, key)

    def _deep(self, key: str, depth: int) -> None:
        if depth > DEEPEST:
            raise WhereFault(key, f"lies more than {DEEPEST} levels deep; give a flatter condition")

    def _count(self, key: str) -> None:
        self._conditions += 1
        if self._conditions > MOST_CONDITIONS:
            raise WhereFault(key, f"more than {MOST_CONDITIONS} conditions; give fewer, such as one $in for many $eq")


def _all(parts: list[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _asked(value: Mapping[Any, Any], key: str) -> Asked:
    if set(value) != {"$query"}:
        raise WhereFault(key, f"{_shown(dict(value))} is no value; give text, a number, or {{$query: FIELD}}")
    field = value["$query"]
    if not isinstance(field, str):
        raise WhereFault(
            f"{key}.$query", f"{_shown(field)} names no field; give one of the queries' metadata, such as region"
        )
    _check_name(field, f"{key}.$query")
    if field.startswith("$"):
        raise WhereFault(f"{key}.$query", f"{_shown(field)} names no field; give it without the $")
    return Asked(field)


def _listed(value: Any, key: str) -> Scalar | Asked:
    return _asked(value, key) if isinstance(value, Mapping) and "$query" in value else _scalar(value, key)


def _scalar(value: Any, key: str) -> Scalar:
    if isinstance(value, date):
        value = value.isoformat()
    if not (value is None or isinstance(value, str | int | float)):
        raise WhereFault(key, f"{_shown(value)} is not allowed; give text, a number, true, false or null")
    if isinstance(value, float) and not math.isfinite(value):
        raise WhereFault(key, f"{value} is not allowed; give a finite number")
    if isinstance(value, str):
        if value.lower().lstrip("+-") in {".nan", ".inf"}:
            raise WhereFault(key, f"{value} is not allowed; give a finite number")
        _no_interpolation(value, key)
        if looks_like_date(value) and instant(value) is None:
            raise WhereFault(key, f"{value!r} is no date on the calendar; give one such as 2024-03-01")
    return value


def _check_name(name: Any, key: str) -> None:
    if not isinstance(name, str):
        raise WhereFault(key, f"the key {name!r} is no text; put it in quotes")
    if not name.strip():
        raise WhereFault(
            key,
            f"{name!r} names no field; give one of the documents' metadata (if a shell took a $ word away, put the override "
            "in single quotes)",
        )
    if "_target_" in name:
        raise WhereFault(key, "names code to run; a config may only choose options by kind")
    if name.count(".") >= DEEPEST:
        raise WhereFault(key, f"goes more than {DEEPEST} levels deep; give a shorter path")
    _no_interpolation(name, key)


def _no_interpolation(text: str, key: str) -> None:
    if "${" in text:
        raise WhereFault(key, f"{_shown(text)} holds an interpolation; a saved config holds plain values")


def _read(text: str) -> Any:
    if len(text) > MOST_TEXT:
        raise WhereFault(ROOT, f"{len(text)} characters are more than {MOST_TEXT}; give a shorter condition")
    try:
        read = plain_yaml(text)
    except ValueError as error:
        raise WhereFault(ROOT, f"{_shown(text)} is no YAML ({error}); {_quoted_form()}") from None
    if not isinstance(read, Mapping):
        raise WhereFault(ROOT, f"{_shown(text)} is no mapping; {_quoted_form()}")
    return read


def _quoted_form() -> str:
    return f"give one such as '{ROOT}=\"{EXAMPLE}\"'"


def _plain(value: Any, of_field: bool = False) -> Any:
    if isinstance(value, Mapping):
        if of_field and set(value) == {"$eq"}:
            return _plain(value["$eq"])
        return {name: _plain(value[name], not name.startswith("$")) for name in sorted(value)}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, date):
        return value.isoformat()
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _below(key: str, name: Any) -> str:
    return f"{key}.{name}"


def _nearest(name: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(name[1:], [one[1:] for one in known], n=1, cutoff=0.6)
    return f"; did you mean ${close[0]}?" if close else f"; operators: {' '.join(known)}"


def _shown(value: Any) -> str:
    text = (
        {None: "null", True: "true", False: "false"}[value] if value is None or isinstance(value, bool) else repr(value)
    )
    return text if len(text) <= 80 else text[:77] + "…"
