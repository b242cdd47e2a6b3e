"""Rows of a JSON Lines file, read more strictly than JSON asks.

Refused, because each of them would do harm in silence later: a key given twice (the last would win), NaN
and infinity, numbers that don't fit 64 bits, lone surrogates and NUL (no UTF-8 file or C string holds them).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.golden.faults import Faults, quoted
from assay.golden.layout import Source
from assay.golden.lines import Line, read_lines

MAX_DEPTH = 64
INT64 = 2**63
ID_IN_BROKEN_ROW = re.compile(r'"_id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)')


class Refused(ValueError):
    """A row that is JSON, but holds what a golden set can't."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a JSON Lines file; ``values`` is None where it could not be read, which is noted already."""

    line: int
    values: dict[str, Any] | None
    text: str

    @property
    def likely_id(self) -> str | None:
        """The ``_id`` that a faulty row probably has, so that references to it aren't called unknown too."""
        if self.values is not None:
            value = self.values.get("_id")
            return str(value) if isinstance(value, str | int) else None
        found = ID_IN_BROKEN_ROW.search(self.text)
        if found is None:
            return None
        try:
            return str(json.loads(found[1]))
        except ValueError:
            return found[1].strip('"')


def read_rows(source: Source, faults: Faults) -> Iterator[Row]:
    """Each row of ``source``; what is wrong with it as JSON is added to ``faults``."""
    for line in read_lines(source, faults):
        if not line.text.strip():
            continue
        values, fault = _parse(line)
        if fault is not None:
            faults.add(source.at(line.number), fault)
        yield Row(line.number, values, line.text)


def decoder() -> json.JSONDecoder:
    """JSON as this module reads it; what it refuses is a ``Refused``, which is a ValueError."""
    return json.JSONDecoder(
        object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
    )


def _parse(line: Line) -> tuple[dict[str, Any] | None, str | None]:
    if line.fault is not None:
        return None, line.fault
    try:
        value = _DECODER.decode(line.text)
        # Only an escape can bring in what UTF-8 can't hold, and only brackets can nest.
        if "\\u" in line.text or line.text.count("[") + line.text.count("{") > MAX_DEPTH:
            check_strings(value)
    except json.JSONDecodeError as error:
        return (
            None,
            f"broken JSON at column {error.colno} ({error.msg}); one whole JSON object a line is right",
        )
    except RecursionError:
        return None, f"JSON nested too deeply; at most {MAX_DEPTH} levels are right"
    except Refused as error:
        return None, str(error)
    if not isinstance(value, dict):
        return None, f"the line is {kind_of(value)}; a JSON object in braces is right"
    return value, None


def kind_of(value: object) -> str:
    """What ``value`` is in JSON's words, with the value itself where it is short."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the string {quoted(value)}"
        case list():
            return "a list"
        case _:
            return "an object"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise Refused(f"key {quoted(key)} is given twice in one object; once is right")
            seen.add(key)
    return values


def _integer(digits: str) -> int:
    # int() of thousands of digits is slow, and refused by Python past 4,300.
    if len(digits) <= 20 and -INT64 <= (value := int(digits)) < INT64:
        return value
    raise Refused(f"the number {digits[:24]}… does not fit 64 bits; quote it if it is a name")


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise Refused(f"the number {digits[:24]} is not finite; a finite one is right")
    return value


def _constant(name: str) -> float:
    raise Refused(f"{name} is not JSON; a finite number is right")


_DECODER = decoder()


def check_strings(value: object, depth: int = 0) -> None:
    """Raise ``Refused`` where a string within ``value`` can't be UTF-8 text, or where it nests too deeply."""
    if depth > MAX_DEPTH:
        raise Refused(f"JSON nested too deeply; at most {MAX_DEPTH} levels are right")
    if isinstance(value, str):
        _check_string(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_string(key)
            check_strings(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            check_strings(inner, depth + 1)


def _check_string(text: str) -> None:
    if "\0" in text:
        raise Refused("\\u0000 (NUL) in a string; text holds none")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise Refused(f"lone surrogate \\u{code:04x} in a string; a pair or the character itself is right") from None
