"""Who computes what: processes side by side over one store share the work and do none of it twice.

A process writes the keys that it is about to compute into a file and holds a lock on it, which the system takes back
when the process ends, however it ends. Others leave these keys to it. A claim older than ``PATIENCE`` is void: its
process may be stopped. Where locks don't work everybody computes for himself, and nothing is wrong but slow.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from assay.store.keys import KEY_BYTES, Space

PATIENCE = 600.0
_CLAIM = re.compile(r"[0-9a-f]{64}\.[0-9a-f]{16}")
_LARGEST_CLAIM = 64_000_000
_OPEN = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class Claims:
    """The claims in ``folder``; a space has one claim a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._held: dict[Space, tuple[int, Path]] = {}

    def claim(self, space: Space, keys: Iterable[bytes], most: int) -> list[bytes]:
        """The first ``most`` of ``keys`` that no other process has claimed; they replace what was claimed before.

        Raises
        ------
        OSError
            Locks or files don't work here.
        """
        self.release(space)
        with self._alone():
            taken = self._taken(space)
            mine = list(islice((key for key in keys if key not in taken), most))
            if mine:
                path = self.folder / f"{space.key}.{secrets.token_hex(8)}"
                handle = os.open(path, _OPEN | os.O_CREAT | os.O_EXCL, 0o644)
                self._held[space] = handle, path
                if not lock(handle):
                    raise OSError("a new file is locked")
                with open(os.dup(handle), "wb") as file:
                    file.write(b"".join(mine))
        return mine

    def _taken(self, space: Space) -> set[bytes]:
        taken: set[bytes] = set()
        with os.scandir(self.folder) as found:
            others = [entry for entry in found if _CLAIM.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)]
        for entry in others:
            with contextlib.suppress(FileNotFoundError):
                handle = os.open(entry.path, _OPEN)
                try:
                    if lock(handle):  # nobody holds it any more, whatever space it is of
                        os.unlink(entry.path)
                    elif entry.name.startswith(space.key) and time.time() - os.fstat(handle).st_mtime < PATIENCE:
                        raw = os.read(handle, min(os.fstat(handle).st_size, _LARGEST_CLAIM))
                        taken.update(raw[at : at + KEY_BYTES] for at in range(0, len(raw), KEY_BYTES))
                finally:
                    os.close(handle)
        return taken

    def release(self, space: Space) -> None:
        """Let others have what this process claimed."""
        if space in self._held:
            handle, path = self._held.pop(space)
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            os.close(handle)

    @contextlib.contextmanager
    def merging(self) -> Iterator[bool]:
        """Whether this is the only process that merges files now; it stays so inside."""
        handle = self._open("merge")
        try:
            yield lock(handle)
        finally:
            os.close(handle)

    def _open(self, name: str) -> int:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.folder.is_symlink():
            raise NotADirectoryError(errno.ENOTDIR, "a link stands where a folder belongs")
        return os.open(self.folder / name, _OPEN | os.O_CREAT, 0o644)

    def close(self) -> None:
        """Give up every claim."""
        for space in list(self._held):
            self.release(space)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process claims in the meantime; after ten seconds of waiting it is an OSError."""
        handle = self._open("lock")
        try:
            until = time.monotonic() + 10.0
            while not lock(handle):
                if time.monotonic() > until:
                    raise OSError("the lock is held too long")
                time.sleep(0.002)
            yield
        finally:
            os.close(handle)


def lock(handle: int) -> bool:
    """Take the lock on an open file, until it is closed; False where another has it."""
    try:
        import fcntl
    except ImportError:
        raise OSError("this system has no locks that end with their process") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
