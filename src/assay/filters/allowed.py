"""For every query of a run, the documents that a filter lets through."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.errors import ConfigError
from assay.filters.columns import Columns, Mask
from assay.filters.conditions import Condition, asked_fields, document_fields
from assay.filters.language import WhereFault, parse
from assay.filters.match import asked_value, bound, matching
from assay.filters.notices import none_allowed, unknown_field, unknown_query_field
from assay.records import Document, Query

if TYPE_CHECKING:
    from assay.config import models


@dataclass(frozen=True, slots=True)
class Allowed:
    """Distinct masks over the corpus's documents, which of them holds for each query, and what queries lacked.

    ``missing`` counts, per field that a condition asks of the query, the queries without it. ``notes`` are what a user
    should know: fields that nothing has, queries that may get nothing.
    """

    masks: tuple[NDArray[np.bool_], ...]
    of: NDArray[np.int64]
    missing: Mapping[str, int]
    notes: tuple[str, ...] = ()

    def mask(self, i: int) -> NDArray[np.bool_]:
        """Which documents query ``i`` may get back."""
        return self.masks[int(self.of[i])]


def allowed_documents(config: models.Filter, documents: Sequence[Document], queries: Sequence[Query]) -> Allowed | None:
    """What ``config`` lets each query get back; None where it lets everything through.

    Raises
    ------
    ConfigError
        ``filter.missing`` is error and a query lacks a field that a condition asks of it, or has a value there that the
        condition can't take.
    """
    if config.kind == "none":
        return None
    condition = parse(config.where)
    asked = asked_fields(condition)
    values = [{field: asked_value(query.metadata, field) for field in asked} for query in queries]
    missing = {field: sum(each[field] is None for each in values) for field in asked}
    if config.missing == "error":
        _refuse_missing(missing, values, queries)
    return _of_bindings(condition, documents, queries, values, {field: n for field, n in missing.items() if n})


def _of_bindings(
    condition: Condition,
    documents: Sequence[Document],
    queries: Sequence[Query],
    values: Sequence[Mapping[str, object]],
    missing: Mapping[str, int],
) -> Allowed:
    columns, masks = Columns(documents), list[Mask]()
    by_binding: dict[str, int] = {}
    by_mask: dict[bytes, int] = {}
    of = np.zeros(len(queries), np.int64)
    for i, (query, asked) in enumerate(zip(queries, values, strict=True)):
        binding = json.dumps(asked, sort_keys=True)  # tells 1 from 1.0, true and "1"
        if binding not in by_binding:
            mask = _mask(condition, query, columns)
            place = by_mask.setdefault(np.packbits(mask).tobytes(), len(masks))
            if place == len(masks):
                mask.setflags(write=False)
                masks.append(mask)
            by_binding[binding] = place
        of[i] = by_binding[binding]
    return Allowed(tuple(masks), of, missing, tuple(_notes(condition, columns, queries, masks, of, missing)))


def _mask(condition: Condition, query: Query, columns: Columns) -> Mask:
    try:
        left = bound(condition, query.metadata)
    except WhereFault as fault:
        raise ConfigError(f"{fault.key}: query {query.id!r}: {fault.message}") from None
    return np.ones(len(columns.documents), np.bool_) if left is None else matching(left, columns).copy()


def _refuse_missing(
    missing: Mapping[str, int], values: Sequence[Mapping[str, object]], queries: Sequence[Query]
) -> None:
    for field, count in missing.items():
        if count:
            first = next(query.id for query, each in zip(queries, values, strict=True) if each[field] is None)
            raise ConfigError(
                f"filter.missing: error, and {count} of {len(queries)} queries have no {field!r} in their metadata "
                f"(first: {first}); add it, or give filter.missing=ignore"
            )


def _notes(
    condition: Condition,
    columns: Columns,
    queries: Sequence[Query],
    masks: Sequence[Mask],
    of: NDArray[np.int64],
    missing: Mapping[str, int],
) -> list[str]:
    notes = []
    for field in document_fields(condition):
        if len(columns.documents) and not columns[field].there.any():
            notes.append(unknown_field(field, [document.metadata for document in columns.documents]))
    for field, count in missing.items():
        if count == len(queries):
            notes.append(unknown_query_field(field, [query.metadata for query in queries]))
    empty = [query.id for query, place in zip(queries, of.tolist(), strict=True) if not masks[place].any()]
    if empty:
        notes.append(none_allowed(len(empty), len(queries), empty[0]))
    return notes
