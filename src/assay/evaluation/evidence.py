"""Evidence metrics: how much of the text that answers a query its first hits hold, whatever the chunks are.

Labels are character spans of documents, so chunkers that cut the same corpus differently meet the same gold.
Spans of one query that share a group are alternatives, and the one with the largest covered share is needed
(the first in the golden set's order where shares are equal); spans without a group are all needed. Characters
are counted once, however many needed spans or hits share them. Character-level overlap after Smith and
Troynikov 2024 (Evaluating chunking strategies for retrieval).

A reading budget counts words hit by hit, as a reader meets them: a word that an earlier hit showed already
is read, and counted, again, and a word that a chunk's edge cuts is a word of that chunk. A hit is read whole
while its words fit; the first one that does not fit is read to the end of the last word that does, and ends
the reading; so does a budget that is used up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import AssayError
from assay.evaluation.judged import Floats
from assay.evaluation.names import NEEDS_SPANS, Metric, parse
from assay.records import Span

Extent = tuple[str, int, int]  # a hit's document, start and end
WordSpans = Callable[[str], Sequence[tuple[int, int]]]
TextOf = Callable[[str], str]
_Ranges = list[tuple[int, int]]  # sorted, apart from each other


@dataclass(frozen=True, slots=True)
class Coverage:
    """Characters of the needed spans that were read, of the needed spans, and of all that was read."""

    covered: int
    needed: int
    read: int

    @property
    def recall(self) -> float:
        """Covered / needed."""
        return self.covered / self.needed

    @property
    def precision(self) -> float:
        """Covered / read; 0 where nothing was read."""
        return self.covered / self.read if self.read else 0.0

    @property
    def iou(self) -> float:
        """Covered / the union of needed and read."""
        return self.covered / (self.needed + self.read - self.covered)


def score_evidence(
    hits: Sequence[Sequence[Extent]],
    spans: Sequence[Sequence[Span]],
    names: Sequence[str],
    *,
    answerable: Sequence[bool],
    text_of: TextOf,
    word_spans: WordSpans,
) -> dict[str, Floats]:
    """Every evidence metric of ``names`` for every query: values in [0, 1], shape ``(queries,)``.

    NaN marks a query that is not in the mean: it is unanswerable, or has no spans (or none with a character).

    Parameters
    ----------
    hits
        Per query, its hits in final order, after reranking and ``min_score``: document id, start, end.
    spans
        Per query, its evidence spans in the golden set's order.
    text_of, word_spans
        The text of a document; the offsets of the words of a text. Used for reading budgets only.
    """
    metrics = [parse(name) for name in names]
    for metric in metrics:
        if metric.family not in NEEDS_SPANS:
            raise AssayError(f"metric {metric.name!r} is not read from evidence spans")
    scores = {metric.name: np.full(len(hits), np.nan) for metric in metrics}
    lengths: dict[Extent, int] = {}
    for row, (ranked, wanted, answers) in enumerate(zip(hits, spans, answerable, strict=True)):
        if not answers or not any(span.end > span.start for span in wanted):
            continue
        seen: dict[tuple[int | None, int | None], Coverage] = {}
        for metric in metrics:
            cut = (metric.k, metric.words)
            if cut not in seen:
                seen[cut] = coverage(_reading(ranked, metric, text_of, word_spans, lengths), wanted)
            scores[metric.name][row] = _value(metric, seen[cut])
    return scores


def coverage(read: Sequence[Extent], spans: Sequence[Span]) -> Coverage:
    """How ``read`` covers the needed ones of ``spans``, of which one at least has a character."""
    was_read = _by_document(read)
    chosen = _needed(spans, was_read)
    needed = _by_document((span.doc_id, span.start, span.end) for span in chosen)
    return Coverage(
        covered=sum(_shared(ranges, was_read.get(doc_id, [])) for doc_id, ranges in needed.items()),
        needed=sum(map(_length, needed.values())),
        read=sum(map(_length, was_read.values())),
    )


def within_budget(
    hits: Sequence[Extent],
    words: int,
    text_of: TextOf,
    word_spans: WordSpans,
    lengths: dict[Extent, int] | None = None,
) -> list[Extent]:
    """What a reader of ``words`` words gets to see of ``hits``, in order, the last one cut at the budget.

    ``lengths`` remembers the word counts of extents from call to call.
    """
    counts = {} if lengths is None else lengths
    read: list[Extent] = []
    left = words
    for hit in hits:
        if left <= 0:
            break
        doc_id, start, end = hit
        if hit not in counts:
            counts[hit] = len(word_spans(text_of(doc_id)[start:end]))
        if counts[hit] > left:
            read.append((doc_id, start, start + word_spans(text_of(doc_id)[start:end])[left - 1][1]))
            break
        read.append(hit)
        left -= counts[hit]
    return read


def _reading(
    hits: Sequence[Extent], metric: Metric, text_of: TextOf, word_spans: WordSpans, lengths: dict[Extent, int]
) -> Sequence[Extent]:
    if metric.words is not None:
        return within_budget(hits, metric.words, text_of, word_spans, lengths)
    return hits[: metric.k]


def _value(metric: Metric, seen: Coverage) -> float:
    if metric.family == "evidence_recall":
        return seen.recall
    return seen.precision if metric.family == "evidence_precision" else seen.iou


def _needed(spans: Sequence[Span], was_read: Mapping[str, _Ranges]) -> list[Span]:
    """Spans without a group, and of each group the alternative with the largest covered share."""
    chosen = [span for span in spans if span.group is None]
    best: dict[str, tuple[float, Span]] = {}
    for span in spans:
        if span.group is None or span.end <= span.start:
            continue
        share = _shared([(span.start, span.end)], was_read.get(span.doc_id, [])) / (span.end - span.start)
        if span.group not in best or share > best[span.group][0]:
            best[span.group] = share, span
    return chosen + [span for _, span in best.values()]


def _by_document(extents: Iterable[Extent]) -> dict[str, _Ranges]:
    """The union of ``extents``, per document."""
    union: dict[str, _Ranges] = {}
    for doc_id, start, end in sorted(extents):
        ranges = union.setdefault(doc_id, [])
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], end))
        else:
            ranges.append((start, end))
    return union


def _shared(some: _Ranges, others: _Ranges) -> int:
    """Characters that are in both."""
    return sum(
        max(0, min(end, other_end) - max(start, other_start))
        for start, end in some
        for other_start, other_end in others
    )


def _length(ranges: _Ranges) -> int:
    return sum(end - start for start, end in ranges)
