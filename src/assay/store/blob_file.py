"""One thing of any kind in one file, under its key: the bytes and their hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

from assay.store.container import Damaged, Reader, framed
from assay.store.keys import Space

UNLIKE = "the payload does not match its hash"


def blob_file(space: Space, key: str, payload: bytes) -> list[bytes]:
    """The bytes of a file that holds ``payload``."""
    header = framed(
        {
            "holds": "blob",
            "stage": space.stage,
            "space": space.key,
            "label": space.label[:200],
            "key": key,
            "bytes": len(payload),
            "sha256": hashlib.sha256(payload).hexdigest(),
        }
    )
    return [header, payload]


def read_blob(path: Path, stage: str, space: str, key: str, most: int) -> bytes:
    """What a file holds, held against its hash.

    Raises
    ------
    Damaged, OSError
        As ``Reader`` does, or the file is not what its place says, or holds more than ``most`` bytes.
    """
    with Reader(path) as reader:
        length = _payload(reader, stage, space, key, most)
        payload = reader.take(reader.start, length)
        if hashlib.sha256(payload).hexdigest() != reader.header.get("sha256"):
            raise Damaged(UNLIKE)
    return payload


def check_blob(path: Path, stage: str, space: str, key: str) -> None:
    """Raise what ``read_blob`` would, without holding the payload in memory."""
    with Reader(path) as reader:
        length = _payload(reader, stage, space, key, reader.size)
        if reader.digest(reader.start, length) != reader.header.get("sha256"):
            raise Damaged(UNLIKE)


def _payload(reader: Reader, stage: str, space: str, key: str, most: int) -> int:
    """The length of what follows the header."""
    reader.expect(holds="blob", stage=stage, space=space, key=key)
    length = reader.number("bytes", most)
    if reader.size != reader.start + length:
        raise Damaged(f"has {reader.size} bytes where {reader.start + length} belong")
    return length
