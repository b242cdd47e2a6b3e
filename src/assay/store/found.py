"""What a first stage found for every query, as bytes: the hits, and the state that measuring and attribution need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.ranking import Hits
from assay.retrieval.stage import State
from assay.store.arrays import from_bytes, to_bytes
from assay.store.stages import pack_hits, pack_lists, unpack_hits, unpack_lists

FOUND_VERSION = 1


@dataclass(frozen=True, slots=True)
class Found:
    """Hits of every query, and what the first stage was left with."""

    hits: list[Hits]
    state: State


def pack_found(found: Found) -> bytes:
    """``found`` as bytes."""
    parts = {"hits": _bytes(pack_hits(found.hits))}
    parts |= {f"list {name}": _bytes(pack_lists({name: lists})) for name, lists in found.state.lists.items()}
    return to_bytes(parts, {"values": dict(found.state.values)})


def unpack_found(payload: bytes, queries: int, chunks: int) -> Found:
    """What ``pack_found`` wrote for so many queries and chunks; a ValueError where it is not."""
    parts, meta = from_bytes(payload)
    if "hits" not in parts or not isinstance(meta.get("values"), dict):
        raise ValueError("no hits")
    names = [name.removeprefix("list ") for name in parts if name.startswith("list ")]
    lists: dict[str, Sequence[Any]] = {}
    for name in names:
        columns, _ = unpack_lists(parts[f"list {name}"].tobytes(), (name,), queries)
        if any(each.dtype != np.int64 and len(each) for each in columns[name]):
            raise ValueError("lists of other numbers")
        lists[name] = [each.astype(np.int64) for each in columns[name]]
    return Found(unpack_hits(parts["hits"].tobytes(), queries, chunks), State(lists, meta["values"]))


def _bytes(payload: bytes) -> Any:
    return np.frombuffer(payload, np.uint8)
