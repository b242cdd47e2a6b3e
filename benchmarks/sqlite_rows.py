"""The other contender of ``benchmarks.store``: rows in one SQLite file (WAL, a checksum a row, small transactions)."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PAGE_BYTES = 16384
PORTION = 500


class SqliteRows:
    """Rows of one space. A row whose checksum does not hold is a miss; a file that SQLite refuses is started afresh."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "rows.sqlite"
        self.lost = 0
        try:
            self._open()
        except sqlite3.DatabaseError:
            self._start_afresh()

    def _open(self) -> None:
        self._db = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        self._db.execute(f"PRAGMA page_size={PAGE_BYTES}")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS rows (space INTEGER, key BLOB, data BLOB, sum BLOB)")
        self._db.execute("CREATE UNIQUE INDEX IF NOT EXISTS by_key ON rows (space, key)")

    def _start_afresh(self) -> None:
        self.lost += 1
        with contextlib.suppress(AttributeError, sqlite3.Error):
            self._db.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        self._open()

    def put(self, keys: Sequence[bytes], matrix: NDArray[np.float32], space: int = 0) -> None:
        rows = [(space, key, data := row.tobytes(), _sum(key, data)) for key, row in zip(keys, matrix, strict=True)]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.DatabaseError:
            self._start_afresh()

    def get(self, keys: Sequence[bytes], space: int = 0) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        place = {key: i for i, key in enumerate(keys)}
        matrix, there = np.zeros((len(keys), 0), np.float32), np.zeros(len(keys), np.bool_)
        try:
            for at in range(0, len(keys), PORTION):
                some = keys[at : at + PORTION]
                query = f"SELECT key, data, sum FROM rows WHERE space=? AND key IN ({','.join('?' * len(some))})"
                for key, data, checksum in self._db.execute(query, [space, *some]):
                    if isinstance(data, bytes) and checksum == _sum(key, data):
                        row = np.frombuffer(data, "<f4")
                        if not matrix.shape[1]:
                            matrix = np.zeros((len(keys), len(row)), np.float32)
                        matrix[place[key]] = row
                        there[place[key]] = True
        except sqlite3.DatabaseError:
            self._start_afresh()
        return matrix, there

    def evict(self, space: int) -> None:
        """Give a space's bytes back to the disk."""
        self._db.execute("DELETE FROM rows WHERE space=?", (space,))
        self._db.execute("VACUUM")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._db.close()


def _sum(key: bytes, data: bytes) -> bytes:
    return hashlib.sha256(key + data).digest()[:16]
