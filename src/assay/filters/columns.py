"""The documents' metadata, a column a field: each read once, then any comparison is a look-up in sorted values."""

from __future__ import annotations

import difflib
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.filters.conditions import Operator, Scalar
from assay.filters.dates import instant
from assay.records import Document, Metadata

Mask = NDArray[np.bool_]
DEEPEST_NAME = 3


class Sorted:
    """Values of one type in order, each with the row of its document."""

    def __init__(self, found: list[tuple[Any, int]]) -> None:
        found.sort()
        self.values = [value for value, _ in found]
        self.rows = np.array([row for _, row in found], np.int64)

    def equal(self, value: Any) -> NDArray[np.int64]:
        """Rows that have ``value``."""
        return self.rows[bisect_left(self.values, value) : bisect_right(self.values, value)]

    def beside(self, operator: Operator, value: Any) -> NDArray[np.int64]:
        """Rows with a value that is ``operator`` (``$gt``, ``$gte``, ``$lt``, ``$lte``) than ``value``."""
        match operator:
            case "$gt":
                return self.rows[bisect_right(self.values, value) :]
            case "$gte":
                return self.rows[bisect_left(self.values, value) :]
            case "$lt":
                return self.rows[: bisect_left(self.values, value)]
            case _:
                return self.rows[: bisect_right(self.values, value)]


class Column:
    """One field of every document."""

    def __init__(self, field: str, documents: Sequence[Document]) -> None:
        path = tuple(field.split("."))
        self.size = len(documents)
        self.there = np.zeros(self.size, np.bool_)
        self._null = np.zeros(self.size, np.bool_)
        numbers, texts, dates, truths = (list[tuple[Any, int]]() for _ in range(4))
        for row, document in enumerate(documents):
            # The usual case first: the field is a key. Else it may be nested.
            if field in document.metadata:
                found = [document.metadata[field]]
            else:
                found = list(values_at(document.metadata, path)) if len(path) > 1 else []
            self.there[row] = bool(found)
            self._null[row] = not found
            for value in found:
                for one in value if isinstance(value, list) else (value,):
                    if one is None:
                        self._null[row] = True
                    elif isinstance(one, bool):
                        truths.append((one, row))
                    elif isinstance(one, str):
                        texts.append((one, row))
                        when = instant(one)
                        if when is not None:
                            dates.append((when, row))
                    elif isinstance(one, int | float) and math.isfinite(one):
                        numbers.append((one, row))
        self._numbers, self._texts = Sorted(numbers), Sorted(texts)
        self._dates, self._truths = Sorted(dates), Sorted(truths)

    def equal(self, value: Scalar) -> Mask:
        """Documents that have ``value``; for None, those that have null or nothing."""
        if value is None:
            return self._null.copy()
        values, one = self._of_type(value)
        return self._mask(values.equal(one))

    def among(self, values: Sequence[Scalar]) -> Mask:
        """Documents that have any of ``values``."""
        mask = np.zeros(self.size, np.bool_)
        for value in values:
            mask |= self.equal(value)
        return mask

    def beside(self, operator: Operator, value: Scalar) -> Mask:
        """Documents that have something on the asked side of ``value``; null, true and false have no order."""
        if value is None or isinstance(value, bool):
            return np.zeros(self.size, np.bool_)
        values, one = self._of_type(value)
        return self._mask(values.beside(operator, one))

    def _of_type(self, value: str | int | float | bool) -> tuple[Sorted, Any]:
        if isinstance(value, bool):
            return self._truths, value
        if isinstance(value, str):
            when = instant(value)
            return (self._texts, value) if when is None else (self._dates, when)
        return self._numbers, value

    def _mask(self, rows: NDArray[np.int64]) -> Mask:
        mask = np.zeros(self.size, np.bool_)
        mask[rows] = True
        return mask


class Columns:
    """The columns of a corpus, each made when first asked for."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self._columns: dict[str, Column] = {}

    def __getitem__(self, field: str) -> Column:
        if field not in self._columns:
            self._columns[field] = Column(field, self.documents)
        return self._columns[field]


def values_at(metadata: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """What ``path`` leads to, None included; several values where it goes through a list of mappings, none where it ends.

    At each level the longest key that the path begins with comes first, so ``a.b`` is the key ``a.b`` before it is ``b`` in ``a``.
    """
    if not path:
        yield metadata
    elif isinstance(metadata, dict | Mapping):  # a dict is known sooner
        for taken in range(len(path), 0, -1):
            key = ".".join(path[:taken])
            if key in metadata:
                found = list(values_at(metadata[key], path[taken:]))
                if found:
                    yield from found
                    return
    elif isinstance(metadata, list):
        for one in metadata:
            if isinstance(one, Mapping):
                yield from values_at(one, path)


def names_in(metadata: Metadata, prefix: str = "", depth: int = 1) -> Iterator[str]:
    """Every field of ``metadata``, nested ones with dots."""
    for name, value in metadata.items():
        yield f"{prefix}{name}"
        if depth < DEEPEST_NAME:
            for one in value if isinstance(value, list) else (value,):
                if isinstance(one, Mapping):
                    yield from names_in(one, f"{prefix}{name}.", depth + 1)


def nearest_field(field: str, all_metadata: Sequence[Metadata]) -> str | None:
    """The field of some ``all_metadata`` whose name is closest to ``field``; None where none is close."""
    known = dict.fromkeys(name for metadata in all_metadata for name in names_in(metadata))
    close = difflib.get_close_matches(field, list(known), n=1, cutoff=0.6)
    return close[0] if close else None
