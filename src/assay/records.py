"""The plain values that travel between stages: frozen, slotted, and ignorant of everything else.

Offsets are Unicode code points of the document's ``text``, end exclusive, everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Metadata = Mapping[str, Any]

METRIC_FAMILIES: tuple[str, ...] = (
    "recall",
    "precision",
    "hit",
    "mrr",
    "ndcg",
    "ndcg_exp",
    "map",
    "rprec",
    "judged",
    "handled",
    "evidence_recall",
    "evidence_precision",
    "evidence_iou",
    "index_recall",
)
"""What a config may ask for and ``assay.evaluation`` scores, in the order of files: measures without their cutoffs."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the corpus; ``text`` is what spans and chunks point into."""

    id: str
    text: str
    title: str = ""
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Query:
    """A question of the golden set.

    ``type`` is the metadata's ``type`` or None; ``answerable`` is False only where the golden set says so.
    """

    id: str
    text: str
    type: str | None = None
    answerable: bool = True
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A label: ``grade`` > 0 is relevant, 0 or less is judged not relevant."""

    query_id: str
    doc_id: str
    grade: int


@dataclass(frozen=True, slots=True)
class Span:
    """A passage that holds evidence; spans of one query with the same ``group`` are alternatives."""

    query_id: str
    doc_id: str
    start: int
    end: int
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A scored chunk as it stands in a ranking: its place in its document, and its score."""

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document in a ranking.

    ``stage`` is 0 for the first stage and 1 for reranked; ``passages`` are its hits of that stage, best first.
    """

    doc_id: str
    score: float
    stage: int
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one query got back, best first, each document once.

    ``top_score`` is the best final-stage score before ``min_score`` was applied, None if nothing came back.
    """

    query_id: str
    documents: tuple[RankedDocument, ...]
    top_score: float | None = None

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """Document ids, best first."""
        return tuple(document.doc_id for document in self.documents)
