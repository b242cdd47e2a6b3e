"""What a store can do, whether it lies on disk or in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.store.keys import Space
from assay.store.row_file import Matrix
from assay.store.row_space import Mask

DEFAULT_MAX_BYTES = 10_000_000_000
DEFAULT_MEMORY_BYTES = 2_000_000_000


class Store(Protocol):
    """Keeps what was computed. What it can't keep is computed again; it never gives back a wrong value."""

    def get_rows(self, space: Space, keys: Sequence[bytes]) -> tuple[Matrix, Mask]:
        """A matrix with a row a key, float32, and which of its rows were there; the others are zero.

        The matrix has the shape (keys, 0) where none was there.
        """

    def put_rows(self, space: Space, keys: Sequence[bytes], matrix: Matrix) -> None:
        """Keep row i of ``matrix`` under ``keys[i]``. All rows of a space have one width."""

    def get_blob(self, space: Space, key: str) -> bytes | None:
        """The bytes under ``key`` (a hash in hexadecimal), None where there are none."""

    def put_blob(self, space: Space, key: str, payload: bytes) -> None:
        """Keep ``payload`` under ``key``."""

    def claim(self, space: Space, keys: Iterable[bytes], most: int) -> list[bytes]:
        """The first ``most`` of ``keys`` that no other process is computing, now this one's until ``release``."""

    def release(self, space: Space) -> None:
        """Give up what was claimed in ``space``."""

    @property
    def troubles(self) -> tuple[str, ...]:
        """What a user should know, one line each: the store could not be written, say."""

    def close(self) -> None:
        """Release what is open."""


@dataclass(slots=True)
class Counted:
    """Hits and misses of one stage in the store."""

    hits: int = 0
    misses: int = 0

    def add(self, found: bool) -> None:
        """One more, found or not."""
        self.hits += found
        self.misses += not found

    def as_dict(self) -> dict[str, int]:
        """As timings.json has it."""
        return {"hits": self.hits, "misses": self.misses}
