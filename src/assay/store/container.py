"""One file of the store: a short header that says what it holds and what its bytes must hash to, then those bytes.

::

    magic (8) | length of the header (4, little-endian) | SHA-256 of the header (32) | header (JSON) | payload

A file is written beside its place, synced and renamed, so at its own name it is whole or not there, and it is never
changed afterwards. What is read is held against its hashes before anybody uses it, and lengths are held against the
size of the file before memory is taken. A link, a pipe or a folder in a file's place is not opened.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

MAGIC = b"assay\x00s1"
LARGEST_HEADER = 65_536
TEMPORARY = ".tmp"
_FIXED = len(MAGIC) + 4 + 32
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Damaged(Exception):
    """A file of the store does not hold what it says; the text says what is wrong with it."""


def framed(header: Mapping[str, Any]) -> bytes:
    """What stands in front of the payload."""
    raw = json.dumps(header, sort_keys=True, ensure_ascii=True, allow_nan=False).encode("ascii")
    if len(raw) > LARGEST_HEADER:
        raise ValueError(f"a header of {len(raw)} bytes")
    return MAGIC + len(raw).to_bytes(4, "little") + hashlib.sha256(raw).digest() + raw


class Reader:
    """A file of the store opened for reading, its header checked.

    Raises
    ------
    Damaged
        It is no regular file of this format, or its header is not what was written.
    OSError
        It can't be opened; FileNotFoundError where it is not there.
    """

    def __init__(self, path: Path) -> None:
        handle = os.open(path, _READ)
        self._file = io.FileIO(handle, "rb")
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise Damaged("no regular file")
            self.size = found.st_size
            self.header, self.start = self._head()
        except BaseException:
            self._file.close()
            raise

    def _head(self) -> tuple[dict[str, Any], int]:
        fixed = self.read(0, min(_FIXED, self.size))
        if len(fixed) < _FIXED or fixed[: len(MAGIC)] != MAGIC:
            raise Damaged("no file of the store")
        length = int.from_bytes(fixed[len(MAGIC) : len(MAGIC) + 4], "little")
        if length > min(LARGEST_HEADER, self.size - _FIXED):
            raise Damaged("a header longer than the file")
        raw = self.read(_FIXED, length)
        if hashlib.sha256(raw).digest() != bytes(fixed[len(MAGIC) + 4 :]):
            raise Damaged("the header does not match its hash")
        header = json.loads(raw)
        if not isinstance(header, dict):
            raise Damaged("the header is no mapping")
        return header, _FIXED + length

    def number(self, name: str, most: int) -> int:
        """The header's whole number ``name``, from 0 to ``most``."""
        value = self.header.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            raise Damaged(f"the header's {name} is {value!r}")
        return value

    def expect(self, **values: str) -> None:
        """Hold the header against what the file must be, from its place in the folder."""
        for name, value in values.items():
            if self.header.get(name) != value:
                raise Damaged(f"holds the {name} {self.header.get(name)!r} where {value!r} belongs")

    def read(self, offset: int, length: int) -> bytearray:
        """``length`` bytes from ``offset``; the caller has held both against ``size``."""
        self._file.seek(offset)
        into = bytearray(length)
        view, got = memoryview(into), 0
        while got < length:
            count = self._file.readinto(view[got:])
            if not count:
                raise Damaged("ends before its time")
            got += count
        return into

    def take(self, offset: int, length: int) -> bytes:
        """As ``read``, in one piece that nobody can change."""
        self._file.seek(offset)
        data = self._file.read(length)
        return data if len(data) == length else bytes(self.read(offset, length))

    def digest(self, offset: int, length: int) -> str:
        """The SHA-256 of ``length`` bytes from ``offset``, in hexadecimal, without holding them all."""
        digest = hashlib.sha256()
        for at in range(offset, offset + length, 1 << 20):
            digest.update(self.read(at, min(1 << 20, offset + length - at)))
        return digest.hexdigest()

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write_file(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Put a file of ``parts`` at ``path``, whole or not at all; whatever stood there is replaced.

    Raises
    ------
    OSError
        The disk is full, the folder is read-only or gone; nothing is left behind.
    """
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}{TEMPORARY}")
    try:
        with open(
            os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644), "wb"
        ) as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Let the name outlive a power cut too, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
