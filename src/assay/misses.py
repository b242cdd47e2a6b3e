"""Every relevant document that is not in a query's top k: which stage lost it, and how far it came at each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.chunks import ChunkSet
from assay.evaluation import MissFacts, cause_of
from assay.golden import GoldenSet
from assay.ranking import document_order
from assay.records import Passage, Span

if TYPE_CHECKING:
    from assay.results import Retrieved


@dataclass(frozen=True, slots=True)
class Missed:
    """A relevant document that is not in the top max(ks), and the evidence for what lost it. Ranks are of documents, from 1.

    Attributes
    ----------
    cause
        One of ``assay.evaluation.CAUSES``.
    rank
        In the full first-stage ranking with exact search in place of the index; None if it is not in it.
    first_stage_rank
        In what the run's own first stage returned; None if it was not returned.
    handed_rank
        Among what was handed to the reranker; None if it was not, or without one.
    final_rank
        In the final ranking before ``min_score``; None if it is not in it.
    best_chunk
        The document's best chunk by the first stage's exact score, filter or not; None where nothing of it is scored.
    read_to
        Where the embedding model stopped reading, as an offset of the document, for the first chunk whose part that was cut
        off holds something of one of its spans that no other chunk lets the model read; None where all was read.
    """

    doc_id: str
    grade: int
    cause: str
    rank: int | None
    first_stage_rank: int | None
    handed_rank: int | None
    final_rank: int | None
    best_chunk: Passage | None
    read_to: int | None


class Misses:
    """Finds what was missed and why, query by query.

    Parameters
    ----------
    retrieved
        What retrieval and reranking gave.
    chunks
        The chunks that were searched.
    k
        max(ks).
    """

    def __init__(self, golden: GoldenSet, chunks: ChunkSet, retrieved: Retrieved, k: int) -> None:
        self.golden = golden
        self.chunks = chunks
        self.retrieved = retrieved
        self.k = k
        self.places = {document.id: place for place, document in enumerate(golden.documents)}

    def of(self, i: int, top: Sequence[str], judged: Mapping[str, int]) -> list[Missed]:
        """The relevant documents of evaluated query ``i`` that are not among ``top``, best grade first."""
        lost = sorted(
            (doc_id for doc_id, grade in judged.items() if grade > 0 and doc_id not in set(top)),
            key=lambda d: (-judged[d], d),
        )
        if not lost:
            return []
        found, query = self.retrieved, self.golden.evaluated[i]
        places = [self.places[doc_id] for doc_id in lost]
        exact, best = self._exact_ranks(i, places), found.stage.best_chunks(i, places)
        passages = self.chunks.passages
        first = _ranks(document_order(found.hits[i], passages))
        final = _ranks(document_order(found.final[i], passages))
        handed = _ranks(found.handed[i]) if found.handed is not None else {}
        candidates = self._exact_candidates(i) if found.handed is not None else first.keys()
        misses = []
        for doc_id, place, rank, chunk in zip(lost, places, exact, best, strict=True):
            spans = [span for span in self.golden.spans.get(query.id, ()) if span.doc_id == doc_id]
            facts = MissFacts(
                has_chunk=place in found.stage.indexed_documents,
                excluded_by_where=found.allowed is not None and not found.allowed.mask(i)[place],
                evidence_truncated=bool(spans) and not any(self._reads(span, place) for span in spans),
                exact_rank=rank,
                in_exact_candidates=place in candidates,
                in_first_stage=place in first,
                first_stage_rank=first.get(place),
                reranked=place in handed,
                final_rank=final.get(place),
                has_reranker=found.handed is not None,
                k=self.k,
            )
            misses.append(
                Missed(
                    doc_id=doc_id,
                    grade=judged[doc_id],
                    cause=cause_of(facts),
                    rank=rank,
                    first_stage_rank=first.get(place),
                    handed_rank=handed.get(place),
                    final_rank=final.get(place),
                    best_chunk=chunk
                    and Passage(int(self.chunks.start[chunk[0]]), int(self.chunks.end[chunk[0]]), chunk[1]),
                    read_to=self._read_to(spans, place),
                )
            )
        return misses

    def _own(self, i: int) -> int | None:
        """The document that ``exclude_self`` takes out of query ``i``'s rankings."""
        return self.places.get(self.golden.evaluated[i].id) if self.retrieved.exclude_self else None

    def _exact_ranks(self, i: int, places: Sequence[int]) -> list[int | None]:
        own = self._own(i)
        if own is None:
            return self.retrieved.stage.exact_document_ranks(i, places)
        first, *ranks = self.retrieved.stage.exact_document_ranks(i, [own, *places])
        return [rank - 1 if rank is not None and first is not None and first < rank else rank for rank in ranks]

    def _exact_candidates(self, i: int) -> frozenset[int]:
        hits = self.retrieved.stage.exact_hits(i, self.retrieved.fetched[i])
        return frozenset(document_order(hits, self.chunks)) - {self._own(i)}

    def _reads(self, span: Span, place: int) -> bool:
        """Whether the embedding model reads any character of ``span``."""
        return any(
            max(int(self.chunks.start[row]), span.start) < min(int(self.retrieved.seen_end[row]), span.end)
            for row in self.chunks.rows_of(place)
        )

    def _read_to(self, spans: Sequence[Span], place: int) -> int | None:
        chunks, seen = self.chunks, self.retrieved.seen_end
        rows, text = chunks.rows_of(place), chunks.documents[place].text
        for span in spans:
            for row in rows:
                unread = range(max(int(seen[row]), span.start), min(int(chunks.end[row]), span.end))
                if any(
                    not text[at].isspace() and not any(chunks.start[other] <= at < seen[other] for other in rows)
                    for at in unread
                ):
                    return int(seen[row])
        return None


def _ranks(order: Sequence[int]) -> dict[int, int]:
    return {document: rank for rank, document in enumerate(order, 1)}
