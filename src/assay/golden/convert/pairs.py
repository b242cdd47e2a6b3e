"""Grades by query and document in little memory: most queries of a large set have one judgement."""

from __future__ import annotations

_BITS = 22
_MIDDLE = 1 << (_BITS - 1)


class Pairs:
    """Grades of pairs of numbers, each grade within two million of 0.

    A query's one judgement is a single integer, the document's number and the grade together; from the second on
    a query has a table of its own.
    """

    def __init__(self) -> None:
        self._of: dict[int, int | dict[int, int]] = {}
        self._positive = bytearray()

    def add(self, query: int, document: int, grade: int) -> None:
        """Keep a pair that isn't there yet."""
        found = self._of.get(query)
        if found is None:
            self._of[query] = document << _BITS | (grade + _MIDDLE)
        elif isinstance(found, int):
            self._of[query] = {found >> _BITS: (found & (1 << _BITS) - 1) - _MIDDLE, document: grade}
        else:
            found[document] = grade
        if grade > 0:
            if len(self._positive) <= query:
                self._positive.extend(bytes(query + 1 - len(self._positive)))
            self._positive[query] = 1

    def grade(self, query: int, document: int) -> int | None:
        """The grade of a pair, or None."""
        found = self._of.get(query)
        if found is None:
            return None
        if isinstance(found, int):
            return (found & (1 << _BITS) - 1) - _MIDDLE if found >> _BITS == document else None
        return found.get(document)

    def judged(self, query: int) -> bool:
        """Whether the query has any judgement."""
        return query in self._of

    def positive(self, query: int) -> bool:
        """Whether the query has a grade above 0."""
        return query < len(self._positive) and self._positive[query] == 1

    def any_positive(self) -> bool:
        """Whether any query has a grade above 0."""
        return 1 in self._positive
