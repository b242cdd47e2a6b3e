"""Vectors that were computed once and are found again: per text, under everything else a vector depends on.

A *space* is the hash of an embedder's identity and the role (query or document); a key is the hash of a text.
The disk store is one SQLite file: small transactions, several processes at once, a checksum a row. A row whose
checksum does not hold is a miss and is computed again; a file that is no database is set aside.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from assay.embedders.base import Vectors
from assay.errors import StageError

DEFAULT_MAX_BYTES = 10_000_000_000
PAGE_BYTES = 16384
_PARAMETERS = 500
_ROW_BYTES = 250


class VectorStore(Protocol):
    """Where vectors are kept."""

    def get(self, space: str, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors of those ``keys`` that are there."""

    def put(self, space: str, vectors: Mapping[bytes, Vectors]) -> None:
        """Keep ``vectors``."""

    def close(self) -> None:
        """Release what is open."""


def space_of(identity: Mapping[str, Any], role: str) -> str:
    """The hash of everything but the text that a vector depends on."""
    plain = json.dumps({"identity": identity, "role": role}, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(plain.encode()).hexdigest()


def key_of(text: str) -> bytes:
    """The hash of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def default_folder() -> Path:
    """The user's cache folder on this system."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "assay"


class MemoryStore:
    """Keeps vectors as long as the process lives."""

    def __init__(self) -> None:
        self._spaces: dict[str, dict[bytes, Vectors]] = {}

    def get(self, space: str, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        kept = self._spaces.get(space, {})
        return {key: kept[key] for key in keys if key in kept}

    def put(self, space: str, vectors: Mapping[bytes, Vectors]) -> None:
        self._spaces.setdefault(space, {}).update(vectors)

    def close(self) -> None:
        self._spaces.clear()


class DiskStore:
    """One SQLite file in ``folder``, bounded by ``max_bytes``.

    Whole spaces go to make room, least recently used first; what still finds no room is not kept.
    """

    def __init__(self, folder: Path, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self.path = folder / "vectors.sqlite"
        self.max_bytes = max_bytes
        self._touched: set[str] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._open()
        except (OSError, sqlite3.OperationalError) as error:
            # Locked, read-only or out of reach is no damage: the file stays as it is.
            reason = error.strerror if isinstance(error, OSError) else error
            raise StageError(
                f"cache.dir: {folder} can't be used ({reason}); give another folder, or cache=none"
            ) from None
        except sqlite3.DatabaseError:
            self._set_aside()

    def _open(self) -> None:
        self._db = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        self._db.execute(f"PRAGMA page_size={PAGE_BYTES}")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA wal_autocheckpoint=256")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS vectors (space TEXT, key BLOB, data BLOB, sum BLOB, PRIMARY KEY (space, key))"
        )
        self._db.execute("CREATE TABLE IF NOT EXISTS spaces (space TEXT PRIMARY KEY, used REAL) WITHOUT ROWID")

    def _set_aside(self) -> None:
        """Start afresh beside a file that SQLite can't read; nothing of it is used."""
        with contextlib.suppress(AttributeError, sqlite3.Error):
            self._db.close()
        try:
            self.path.replace(self.path.with_suffix(f".damaged-{time.time_ns()}"))
            for suffix in ("-wal", "-shm"):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)
            self._open()
        except (OSError, sqlite3.Error) as error:
            raise StageError(
                f"cache.dir: {self.path} is damaged and can't be set aside ({error}); remove it, or use cache=none"
            ) from None

    def get(self, space: str, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        try:
            for some in _portions(list(dict.fromkeys(keys))):
                marks = ",".join("?" * len(some))
                # A damaged row may hold another type than it was given; as a blob it fails its checksum.
                rows = self._db.execute(
                    "SELECT key, CAST(data AS BLOB), CAST(sum AS BLOB) FROM vectors "
                    f"WHERE space=? AND key IN ({marks})",
                    [space, *some],
                )
                for key, data, checksum in rows:
                    if data and checksum == _checksum(space, key, data):
                        found[key] = np.frombuffer(data, "<f4")
            self._touch(space)
        except sqlite3.OperationalError:
            return found
        except sqlite3.DatabaseError:
            self._set_aside()
            return {}
        return found

    def _touch(self, space: str) -> None:
        """Note that ``space`` is in use, once for each time the store is opened."""
        if space not in self._touched:
            self._touched.add(space)
            self._db.execute("UPDATE spaces SET used=? WHERE space=?", (time.time(), space))

    def put(self, space: str, vectors: Mapping[bytes, Vectors]) -> None:
        rows = [
            (space, key, data, _checksum(space, key, data))
            for key, vector in vectors.items()
            if (data := np.ascontiguousarray(vector, "<f4").tobytes())
        ]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            if self._room_for(sum(len(row[2]) + _ROW_BYTES for row in rows), space):
                self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
                self._db.execute("INSERT OR REPLACE INTO spaces VALUES (?, ?)", (space, time.time()))
            self._db.execute("COMMIT")
            self._shrink()
        except sqlite3.OperationalError as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise StageError(
                f"cache.dir: {self.path} can't be written ({error}); free the disk, give another folder, or use cache=none"
            ) from None
        except sqlite3.DatabaseError:
            self._set_aside()

    def _pragma(self, name: str) -> int:
        return int(self._db.execute(f"PRAGMA {name}").fetchone()[0])

    def _room_for(self, incoming: int, current: str) -> bool:
        """Whether ``incoming`` bytes fit within the bound, after removing spaces; ``current`` goes only if it is too large."""
        while True:
            used = (self._pragma("page_count") - self._pragma("freelist_count")) * self._pragma("page_size")
            if used + incoming + 4 * PAGE_BYTES <= self.max_bytes:
                return True
            oldest = self._db.execute(
                "SELECT space FROM spaces ORDER BY space = ?, used LIMIT 1", (current,)
            ).fetchone()
            if oldest is None or (oldest[0] == current and used <= self.max_bytes):
                return False
            self._db.execute("DELETE FROM vectors WHERE space=?", oldest)
            self._db.execute("DELETE FROM spaces WHERE space=?", oldest)

    def _shrink(self) -> None:
        """Give pages back to the disk where the file is above its bound: ``max_bytes`` may be lower than last time."""
        # Another process reads, or the file was taken away while it is open: the next put sees to it.
        with contextlib.suppress(sqlite3.OperationalError, OSError):
            if self.path.stat().st_size > self.max_bytes and self._pragma("freelist_count"):
                self._db.execute("VACUUM")
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._db.close()


def _checksum(space: str, key: bytes, data: bytes) -> bytes:
    return hashlib.blake2b(space.encode() + key + data, digest_size=16).digest()


def _portions(keys: Sequence[bytes]) -> Iterable[Sequence[bytes]]:
    return (keys[at : at + _PARAMETERS] for at in range(0, len(keys), _PARAMETERS))
