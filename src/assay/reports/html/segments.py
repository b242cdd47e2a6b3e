"""The parts of documents that a page shows: each character once, the most wanted passages first, within a budget."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.reports.html.markup import clean


@dataclass(slots=True)
class Segments:
    """Passages of ``texts`` (document id to text), at most ``budget`` bytes as JSON."""

    texts: Mapping[str, str]
    budget: int
    used: int = 0
    refused: int = 0
    _kept: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def want(self, doc_id: str, start: int, end: int) -> bool:
        """Keep characters ``start`` to ``end`` of a document; False where it is unknown or the budget is spent."""
        text = self.texts.get(doc_id)
        if text is None:
            return False
        start, end = max(0, start), min(len(text), end)
        new = _missing(self._kept.get(doc_id, []), start, end)
        cost = sum(_bytes(text[a:b]) for a, b in new)
        if self.used + cost > self.budget:
            self.refused += 1
            return False
        if new:
            self.used += cost
            self._kept[doc_id] = _merged([*self._kept.get(doc_id, []), *new])
        return True

    def of(self, doc_id: str) -> list[tuple[int, str]]:
        """The kept parts of a document: where each starts, and its text."""
        return [(a, clean(self.texts[doc_id][a:b])) for a, b in self._kept.get(doc_id, [])]

    def length(self, doc_id: str) -> int:
        """Characters of a document; 0 where it is unknown."""
        return len(self.texts.get(doc_id, ""))


def _missing(kept: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """What of ``start`` to ``end`` is not in ``kept``, which is sorted and disjoint."""
    found = []
    for a, b in kept:
        if b <= start or a >= end:
            continue
        if a > start:
            found.append((start, a))
        start = b
    if start < end:
        found.append((start, end))
    return found


def _merged(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for a, b in sorted(parts):
        if merged and a <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(b, merged[-1][1]))
        else:
            merged.append((a, b))
    return merged


def _bytes(text: str) -> int:
    return len(json.dumps(clean(text), ensure_ascii=False).encode()) + 8
