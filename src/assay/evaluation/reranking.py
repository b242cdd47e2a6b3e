"""What a perfect reranker would make of the candidates that a reranker was handed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def perfect_order(handed: Sequence[str], first: Sequence[str], judged: Mapping[str, int]) -> list[str]:
    """Document ids as a perfect reranker ranks them: what it was handed by falling grade, then the rest of ``first``.

    Equal grades, and the rest, keep the order of the first stage.
    """
    best, known = sorted(handed, key=lambda doc_id: -judged.get(doc_id, 0)), set(handed)
    return [*best, *(doc_id for doc_id in first if doc_id not in known)]
