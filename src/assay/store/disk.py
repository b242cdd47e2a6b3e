"""The store on disk: immutable files, written by rename, checked whenever they are read.

Why files and not a database. Against SQLite (WAL, a checksum a row), by ``python -m benchmarks.store`` with 200,000 rows
of 384 floats on a busy machine of two cores:

- A truncated file costs 2.4 % of 20,000 rows, at worst 2.6 %; SQLite refuses a truncated database whole.
- Giving up one of two spaces takes 0.3 s; SQLite needs 7.7 s (DELETE and VACUUM), 85 s at 1,000,000 rows, and others
  wait. The bound of the store is kept by giving up spaces, so this happens in the middle of runs.
- All rows come out 2.6 times as fast. In, and in from four processes at once, both are as fast within 10 %; at
  1,000,000 rows files are 3.2 and 1.7 times as fast.
- SQLite is better at a few rows out of many: 12 ms against 132 ms for 200 of 200,000, since files have the keys of a
  space read when it is opened (48 bytes a row; 2 s at 1,000,000 rows on a cold disk). A run asks for most of its rows.
- A flipped bit costs SQLite one row and files one page (42 rows). Neither ever gave back a wrong row.

Nothing is shared but names in a folder: no process can damage what another has open, no lock is held while reading, and
a folder on a network disk serves too, which WAL's shared memory does not.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from assay.errors import StageError, one_line
from assay.store.base import DEFAULT_MAX_BYTES
from assay.store.blob_file import blob_file, read_blob
from assay.store.claims import Claims
from assay.store.container import Damaged, write_file
from assay.store.inventory import BLOB_SUFFIX, Entry, entries, make_room, on_disk, remove
from assay.store.keys import STAGES, Space
from assay.store.memory import MemoryStore
from assay.store.row_file import MOST_BYTES, MOST_ROWS, Matrix, RowFile, row_file
from assay.store.row_space import Mask, RowSpace, as_keys, small_files

SMALL_BYTES = 4_000_000
MOST_SMALL_FILES = 64


class DiskStore:
    """A folder of files, bounded by ``max_bytes``; any number of processes may use it at once.

    What this process has used is not given up for more of its own: what then finds no room is not kept. A store that
    can't be written any more (disk full, folder read-only) goes on in memory, and ``troubles`` says so.

    Raises
    ------
    StageError
        ``folder`` can be neither read nor made.
    """

    def __init__(self, folder: Path, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self.folder = folder
        self.max_bytes = max_bytes
        self.troubles: tuple[str, ...] = ()
        self._spaces: dict[Space, RowSpace] = {}
        self._used: set[tuple[str, str]] = set()
        self._touched: set[Path] = set()
        self._claims = Claims(folder / "claims")
        self._memory: MemoryStore | None = None  # in place of the disk once that can't be written
        self._total: int | None = None
        self._looked, self._look_took = 0.0, 0.0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            os.scandir(folder).close()
            if not os.access(folder, os.W_OK | os.X_OK) and not any((folder / stage).is_dir() for stage in STAGES):
                raise PermissionError(errno.EACCES, "it can't be written and holds no store")
        except OSError as error:
            raise StageError(
                f"cache.dir: {folder} can't be used ({error.strerror}); give another folder, or cache=none"
            ) from None

    # Rows

    def get_rows(self, space: Space, keys: Sequence[bytes]) -> tuple[Matrix, Mask]:
        self._used.add((space.stage, space.key))
        matrix, there = np.zeros((len(keys), 0), np.float32), np.zeros(len(keys), np.bool_)
        if not self._behind_a_link(space):
            rows = self._space(space)
            matrix, there, read, damaged = rows.get(keys)
            for file in read:
                self._touch(file.path)
            for path in rows.damaged:
                self._discard(path)
            for file in damaged:
                self._salvage(space, file)
            rows.forget([*rows.damaged, *(file.path for file in damaged)])
        if self._memory is not None and not there.all():
            more, also = self._memory.get_rows(space, keys)
            if also.any():
                matrix = more if not there.any() else matrix
                matrix[also] = more[also]
                there = there | also
        return matrix, there

    def put_rows(self, space: Space, keys: Sequence[bytes], matrix: Matrix) -> None:
        if not len(keys):
            return
        self._used.add((space.stage, space.key))
        if self._memory is not None:
            self._memory.put_rows(space, keys, matrix)
            return
        table = as_keys(keys)
        step = max(1, min(MOST_ROWS, MOST_BYTES // (4 * matrix.shape[1])))
        for at in range(0, len(keys), step):
            name, parts = row_file(space, table[at : at + step], matrix[at : at + step])
            if not self._write(space, name, parts) and self._memory is not None:
                self._memory.put_rows(space, keys[at:], matrix[at:])
                return
        self._merge(space)

    def _space(self, space: Space) -> RowSpace:
        if space not in self._spaces:
            self._spaces[space] = RowSpace(self._folder(space), space)
        return self._spaces[space]

    def _salvage(self, space: Space, file: RowFile) -> None:
        """Write what is sound of a damaged file anew, and remove it."""
        try:
            rows, sound = file.read(np.arange(len(file)))
        except OSError:
            return
        if sound.any() and self._memory is None:
            self._write(space, *row_file(space, file.keys[sound], rows[sound]))
        self._discard(file.path)

    def _merge(self, space: Space) -> None:
        """Make one file of many small ones: a search opens each file once."""
        if small_files(self._folder(space), SMALL_BYTES) <= MOST_SMALL_FILES:
            return
        with contextlib.suppress(OSError), self._claims.merging() as alone:
            if not alone:
                return  # another process is at it
            rows = self._space(space)
            rows.refresh()
            some, size, count = [], 0, 0
            for file in sorted(rows.files, key=lambda file: file.size):
                size, count = size + file.size, count + len(file)
                fits = size <= MOST_BYTES and count <= MOST_ROWS
                if fits and file.size < SMALL_BYTES and file.width == rows.files[0].width:
                    some.append(file)
            if len(some) < 2 or not self._has_room(size):
                return
            parts = [file.read(np.arange(len(file))) for file in some]
            if not all(sound.all() for _, sound in parts):
                return  # the next search sees to what is damaged
            keys, first = np.unique(np.concatenate([file.keys for file in some]), axis=0, return_index=True)
            name, written = row_file(space, keys, np.concatenate([matrix for matrix, _ in parts])[first])
            if self._write(space, name, written):
                for file in some:
                    if file.path.name != name:
                        self._discard(file.path)

    # Blobs

    def get_blob(self, space: Space, key: str) -> bytes | None:
        self._used.add((space.stage, space.key))
        path, payload = self._blob(space, key), None
        try:
            if not self._behind_a_link(space):
                payload = read_blob(path, space.stage, space.key, key, self.max_bytes)
        except Damaged:
            self._discard(path)
        except OSError:  # not there, or out of reach
            payload = None
        if payload is not None:
            self._touch(path)
        elif self._memory is not None:
            payload = self._memory.get_blob(space, key)
        return payload

    def put_blob(self, space: Space, key: str, payload: bytes) -> None:
        self._used.add((space.stage, space.key))
        path = self._blob(space, key)
        if self._memory is None:
            self._write(space, path.name, blob_file(space, key, payload))
        if self._memory is not None:
            self._memory.put_blob(space, key, payload)

    def _blob(self, space: Space, key: str) -> Path:
        return self._folder(space) / f"{Space(space.stage, key).key}{BLOB_SUFFIX}"

    # Claims

    def claim(self, space: Space, keys: Iterable[bytes], most: int) -> list[bytes]:
        if self._memory is None:
            with contextlib.suppress(OSError):
                return self._claims.claim(space, keys, most)
        return list(islice(keys, most))

    def release(self, space: Space) -> None:
        self._claims.release(space)

    def close(self) -> None:
        self._claims.close()
        self._spaces.clear()

    # Files

    def _folder(self, space: Space) -> Path:
        return self.folder / space.stage / space.key

    def _behind_a_link(self, space: Space) -> bool:
        """Whether a link leads from the space's place to elsewhere: nothing is read, written or removed there."""
        folder = self._folder(space)
        return folder.is_symlink() or folder.parent.is_symlink()

    def _write(self, space: Space, name: str, parts: Iterable[bytes | memoryview]) -> bool:
        """Write a file if there is room for it; whether it is there now."""
        written = list(parts)
        size = on_disk(sum(len(part) for part in written))
        try:
            if not self._has_room(size):
                return False
            path = self._own_folder(space) / name
            try:
                write_file(path, written)
            except FileNotFoundError:  # another process found the folder empty and removed it
                write_file(self._own_folder(space) / name, written)
        except OSError as error:
            self._give_up(error)
            return False
        self._total = (self._total or 0) + size
        self._touched.add(path)
        return True

    def _own_folder(self, space: Space) -> Path:
        """The folder of a space, made if need be; never one that a link leads to."""
        if self._behind_a_link(space):
            raise NotADirectoryError(errno.ENOTDIR, "a link stands where a folder belongs")
        folder = self._folder(space)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _has_room(self, incoming: int) -> bool:
        """Whether ``incoming`` bytes fit, after making room; the folder is looked through only as often as is cheap."""
        now = time.monotonic()
        stale = now - self._looked > max(1.0, 20 * self._look_took)
        if self._total is None or stale or self._total + incoming > self.max_bytes:
            self._total, fits = make_room(entries(self.folder), self.max_bytes, incoming, self._in_use)
            self._looked, self._look_took = time.monotonic(), time.monotonic() - now
            return fits
        return True

    def _in_use(self, entry: Entry) -> bool:
        return (entry.stage, entry.space) in self._used

    def _touch(self, path: Path) -> None:
        """Note that a file is in use, once for each time the store is opened."""
        if path not in self._touched:
            self._touched.add(path)
            with contextlib.suppress(OSError):
                os.utime(path, follow_symlinks=False)

    def _discard(self, path: Path) -> None:
        if remove(path):
            self._total = None

    def _give_up(self, error: OSError) -> None:
        self._memory = MemoryStore()
        self._claims.close()
        said = f"cache.dir: {self.folder} can't be written ({error.strerror or error}); the run goes on without keeping more"
        self.troubles = (*self.troubles, one_line(said))
