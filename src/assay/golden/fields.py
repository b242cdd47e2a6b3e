"""Values of a row, each with the type it must have; None stands for a fault that was noted."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from assay.golden.faults import Faults, quoted
from assay.golden.jsonl import kind_of

INVISIBLE = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})
ID_ENDERS = "\t\n\r"


class Fields:
    """Typed reading of one row at ``where`` (file:line)."""

    def __init__(self, values: Mapping[str, Any], where: str, faults: Faults) -> None:
        self.values = values
        self.where = where
        self.faults = faults

    def fault(self, what: str) -> None:
        """Note what is wrong with this row."""
        self.faults.add(self.where, what)

    def identifier(self, key: str) -> str | None:
        """An id: an opaque string, neither blank nor with what ends a column of the qrels file."""
        if key not in self.values:
            hint = ' (there is "id")' if key == "_id" and "id" in self.values else ""
            self.fault(f'no "{key}"{hint}; every row needs one, a string')
            return None
        value = self.values[key]
        if isinstance(value, str):
            fault = id_fault(value)
            if fault is None:
                return value
            self.fault(f'"{key}" {fault}')
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.fault(f'"{key}" is the number {value}; ids are strings, write "{value}" in quotes')
        else:
            self.fault(f'"{key}" is {kind_of(value)}; a string is right')
        return None

    def string(self, key: str, default: str | None = None) -> str | None:
        """A string, ``default`` where the key is absent or null; without a default, absence is a fault."""
        if key not in self.values or (self.values[key] is None and default is not None):
            if default is None:
                self.fault(f'no "{key}"; every row needs one, a string')
            return default
        value = self.values[key]
        if isinstance(value, str):
            return value
        self.fault(f'"{key}" is {kind_of(value)}; a string is right')
        return None

    def mapping(self, key: str) -> dict[str, Any] | None:
        """A JSON object, empty where the key is absent or null (as exporters write what isn't there)."""
        value = {} if self.values.get(key) is None else self.values[key]
        if isinstance(value, dict):
            return value
        self.fault(f'"{key}" is {kind_of(value)}; an object such as {{"type": "lookup"}} is right, or no such key')
        return None

    def offset(self, key: str) -> int | None:
        """A whole number, in code points of the document's text."""
        if key not in self.values:
            self.fault(f'no "{key}"; a span needs whole numbers "start" and "end"')
            return None
        value = self.values[key]
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        self.fault(f'"{key}" is {kind_of(value)}; a whole number of code points is right')
        return None


def id_fault(value: str) -> str | None:
    """What keeps ``value`` from being an id, or None."""
    if is_blank(value):
        return f"is {quoted(value)}, an empty id; an id needs a visible character"
    if any(mark in value for mark in ID_ENDERS):
        return f"is {quoted(value)}; an id can hold no tab or line break, since a qrels file can't name it"
    return None


def is_blank(text: str) -> bool:
    """Whether ``text`` shows nothing: white space, control and zero-width characters only."""
    return all(unicodedata.category(character) in INVISIBLE for character in text)
