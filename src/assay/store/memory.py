"""The store of ``cache=none``: as long as the process lives, within a bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from assay.store.base import DEFAULT_MEMORY_BYTES
from assay.store.keys import Space
from assay.store.row_file import Matrix
from assay.store.row_space import Mask

_ENTRY_BYTES = 250


class MemoryStore:
    """Whole spaces go to make room, least recently used first; what then finds no room is not kept."""

    def __init__(self, max_bytes: int = DEFAULT_MEMORY_BYTES, troubles: tuple[str, ...] = ()) -> None:
        self.troubles = troubles
        self.max_bytes = max_bytes
        self._rows: dict[Space, dict[bytes, NDArray[np.float32]]] = {}
        self._blobs: dict[Space, dict[str, bytes]] = {}
        self._sizes: dict[Space, int] = {}  # in order of last use

    def get_rows(self, space: Space, keys: Sequence[bytes]) -> tuple[Matrix, Mask]:
        kept = self._rows.get(space, {})
        self._touch(space)
        there = np.array([key in kept for key in keys], np.bool_)
        width = len(next(iter(kept.values()))) if there.any() else 0
        matrix = np.zeros((len(keys), width), np.float32)
        for place in np.flatnonzero(there).tolist():
            matrix[place] = kept[keys[place]]
        return matrix, there

    def put_rows(self, space: Space, keys: Sequence[bytes], matrix: Matrix) -> None:
        rows = np.array(matrix, np.float32)
        if self._has_room(space, rows.nbytes + _ENTRY_BYTES * len(keys)):
            self._rows.setdefault(space, {}).update(zip(keys, rows, strict=True))

    def get_blob(self, space: Space, key: str) -> bytes | None:
        self._touch(space)
        return self._blobs.get(space, {}).get(key)

    def put_blob(self, space: Space, key: str, payload: bytes) -> None:
        if self._has_room(space, len(payload) + _ENTRY_BYTES):
            self._blobs.setdefault(space, {})[key] = payload

    def _touch(self, space: Space) -> None:
        if space in self._sizes:
            self._sizes[space] = self._sizes.pop(space)

    def _has_room(self, space: Space, incoming: int) -> bool:
        while sum(self._sizes.values()) + incoming > self.max_bytes:
            oldest = next((other for other in self._sizes if other != space), None)
            if oldest is None:
                return False
            for kept in (self._rows, self._blobs, self._sizes):
                kept.pop(oldest, None)
        self._sizes[space] = self._sizes.pop(space, 0) + incoming
        return True

    def claim(self, space: Space, keys: Iterable[bytes], most: int) -> list[bytes]:
        return list(islice(keys, most))

    def release(self, space: Space) -> None:
        """Nobody else computes for this store."""

    def close(self) -> None:
        for kept in (self._rows, self._blobs, self._sizes):
            kept.clear()
