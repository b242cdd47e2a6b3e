"""Many float32 rows in one file that is never changed: keys and checksums in front, the rows behind.

Rows are checked a page (about 64 KB) at a time: a flipped bit costs the rows of its page and no others, and a few rows
of a large file are read without reading the rest. Files are named by their content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.store.container import Damaged, Reader, framed
from assay.store.keys import KEY_BYTES, Space

SUFFIX = ".rows"
PAGE_BYTES = 65_536
MOST_ROWS = 262_144
MOST_WIDTH = 1_048_576
MOST_BYTES = 64_000_000
_SUM_BYTES = 16
_READ_BYTES = 4_000_000

Matrix = NDArray[np.float32]
Places = NDArray[np.int64]
Keys = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class RowFile:
    """What is known of a file once its header and table are checked; ``keys`` has the shape (rows, 32)."""

    path: Path
    keys: Keys
    width: int
    page_rows: int
    sums: bytes
    start: int
    size: int

    def __len__(self) -> int:
        return len(self.keys)

    def read(self, rows: Places) -> tuple[Matrix, NDArray[np.bool_]]:
        """``rows`` (ascending) as a matrix, and which of them are sound; a damaged page's rows are not.

        Raises
        ------
        OSError
            The file is gone or can't be read.
        """
        out = np.zeros((len(rows), self.width), np.float32)
        sound = np.zeros(len(rows), np.bool_)
        try:
            with Reader(self.path) as reader:
                if reader.size != self.size:
                    return out, sound
                for first, last in self._stretches(rows):
                    low, high = np.searchsorted(rows, (first, last))
                    matrix, good = self._stretch(reader, first, last)
                    out[low:high] = matrix[rows[low:high] - first]
                    sound[low:high] = good[rows[low:high] - first]
        except Damaged:
            sound[:] = False
        return out, sound

    def _stretches(self, rows: Places) -> Iterator[tuple[int, int]]:
        """Neighbouring pages that hold any of ``rows``, as first and last row, a few megabytes at most."""
        pages = np.unique(rows // self.page_rows)
        most = max(1, _READ_BYTES // max(1, self.page_rows * self.width * 4))
        at = 0
        while at < len(pages):
            end = at + 1
            while end < len(pages) and end - at < most and pages[end] == pages[end - 1] + 1:
                end += 1
            yield int(pages[at]) * self.page_rows, min((int(pages[end - 1]) + 1) * self.page_rows, len(self))
            at = end

    def _stretch(self, reader: Reader, first: int, last: int) -> tuple[Matrix, NDArray[np.bool_]]:
        bytes_a_row = self.width * 4
        raw = memoryview(reader.read(self.start + first * bytes_a_row, (last - first) * bytes_a_row))
        good = np.zeros(last - first, np.bool_)
        for at in range(0, last - first, self.page_rows):
            page = raw[at * bytes_a_row : (at + self.page_rows) * bytes_a_row]
            number = (first + at) // self.page_rows
            good[at : at + self.page_rows] = (
                checksum(page) == self.sums[number * _SUM_BYTES : (number + 1) * _SUM_BYTES]
            )
        return np.frombuffer(raw, "<f4").reshape(last - first, self.width), good


def checksum(page: bytes | memoryview) -> bytes:
    """Half a SHA-256, enough against any damage."""
    return hashlib.sha256(page).digest()[:_SUM_BYTES]


def row_file(space: Space, keys: Keys, matrix: Matrix) -> tuple[str, list[bytes | memoryview]]:
    """Name and bytes of a file that holds ``matrix``, row i under ``keys[i]``."""
    matrix = np.ascontiguousarray(matrix, "<f4")
    rows, width = matrix.shape
    if len(keys) != rows or not 0 < rows <= MOST_ROWS or not 0 < width <= MOST_WIDTH:
        raise ValueError(f"{len(keys)} keys for a matrix of the shape {matrix.shape}")
    data = matrix.reshape(-1).view(np.uint8).data
    step = page_rows(width) * width * 4
    table = keys.tobytes() + b"".join(checksum(data[at : at + step]) for at in range(0, len(data), step))
    header = framed(
        {
            "holds": "rows",
            "stage": space.stage,
            "space": space.key,
            "label": space.label[:200],
            "rows": rows,
            "width": width,
            "table": hashlib.sha256(table).hexdigest(),
        }
    )
    return f"{hashlib.sha256(header).hexdigest()[:32]}{SUFFIX}", [header, table, data]


def page_rows(width: int) -> int:
    """Rows of one page."""
    return max(1, PAGE_BYTES // (4 * width))


def open_row_file(path: Path, stage: str, space: str) -> RowFile:
    """The file at ``path``, its header and its table of keys checked.

    Raises
    ------
    Damaged, OSError
        As ``Reader`` does, or the file is not what its place says.
    """
    with Reader(path) as reader:
        reader.expect(holds="rows", stage=stage, space=space)
        rows, width = reader.number("rows", MOST_ROWS), reader.number("width", MOST_WIDTH)
        if not rows or not width:
            raise Damaged("holds no rows")
        per_page = page_rows(width)
        length = rows * KEY_BYTES + -(-rows // per_page) * _SUM_BYTES
        start = reader.start + length
        if reader.size != start + rows * width * 4:
            raise Damaged(f"has {reader.size} bytes where {start + rows * width * 4} belong")
        table = reader.take(reader.start, length)
        if hashlib.sha256(table).hexdigest() != reader.header.get("table"):
            raise Damaged("the table of keys does not match its hash")
    keys = np.frombuffer(table, np.uint8, rows * KEY_BYTES).reshape(rows, KEY_BYTES)
    return RowFile(path, keys, width, per_page, table[rows * KEY_BYTES :], start, reader.size)
