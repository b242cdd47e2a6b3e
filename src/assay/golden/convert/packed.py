"""Files as bytes, packed or not: gzip is unpacked while it is read, and never without a bound."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from assay.errors import DataError
from assay.golden.layout import Source

MEBIBYTE = 1 << 20
MAX_LINE = 64 * MEBIBYTE
MAX_BLANK = 1_000_000
# Text packs 3 to 15 times. A file that unpacks to far more than that is made to fill a disk, or to keep a reader
# busy: the more it has given, the less it may be packed. Pairs of bytes unpacked and the ratio refused beyond.
BOUNDS = ((4 * MEBIBYTE, 500), (50 * MEBIBYTE, 200), (2048 * MEBIBYTE, 30))
_GZIP = b"\x1f\x8b"
_FOREIGN = {
    b"PK\x03\x04": "a zip archive or an Excel workbook; unpack it first, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file; save it as CSV or text first",
    b"\x28\xb5\x2f\xfd": "packed with zstd; unpack it first (gzip is read as it is)",
    b"BZh": "packed with bzip2; unpack it first (gzip is read as it is)",
    b"\xfd7zXZ": "packed with xz; unpack it first (gzip is read as it is)",
    b"PAR1": "a Parquet file; 'autorag' or 'mteb' is right for it",
    b"%PDF": "a PDF; its text as .txt, .md or .html is right",
}


class Packed(io.RawIOBase):
    """The bytes of ``path``, unpacked where it is gzip; damage and bombs are DataErrors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise DataError(f"{path}: can't be read ({error.strerror or error}); a readable file is right") from None
        head = self._file.read(8)
        self._file.seek(0)
        for mark, what in _FOREIGN.items():
            if head.startswith(mark):
                self._file.close()
                raise DataError(f"{path}: is {what}")
        self._inner: BinaryIO | gzip.GzipFile = self._file
        self._packed = head.startswith(_GZIP)
        self._size = path.stat().st_size
        self._unpacked = 0
        if self._packed:
            self._inner = gzip.GzipFile(fileobj=self._file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview | bytearray) -> int:  # type: ignore[override]
        try:
            data = self._inner.read(min(len(buffer), MEBIBYTE))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(
                f"{self.path}: is damaged as gzip after {self._unpacked:,} bytes ({error}); a whole file is right"
            ) from None
        except OSError as error:
            raise DataError(f"{self.path}: can't be read ({error.strerror or error})") from None
        buffer[: len(data)] = data
        self._unpacked += len(data)
        if self._packed:
            self._check_ratio()
        return len(data)

    def _check_ratio(self) -> None:
        ratio = self._unpacked / max(self._size, 1)
        if any(self._unpacked > size and ratio > most for size, most in BOUNDS):
            raise DataError(
                f"{self.path}: unpacks to more than {ratio:.0f} times its {self._size:,} bytes, as no text does; "
                "if it is meant, unpack it first"
            )

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
            self._file.close()
        super().close()


def open_bytes(path: Path) -> io.BufferedReader:
    """``path`` for reading, unpacked where it is gzip, buffered."""
    return io.BufferedReader(Packed(path), buffer_size=MEBIBYTE)


class BoundedLines:
    """The lines of a binary file with their ends; one past ``MAX_LINE`` bytes is a DataError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file: io.BufferedReader | _Recoded = open_bytes(path)
        mark = self.file.peek(4)[:4]
        for name, encoding in (
            ("utf-32-le", "utf-32"),
            ("utf-32-be", "utf-32"),
            ("utf-16-le", "utf-16"),
            ("utf-16-be", "utf-16"),
        ):
            if mark.startswith("\ufeff".encode(name)):
                self.file = _Recoded(self.file, path, encoding)
                break

    def __enter__(self) -> BoundedLines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()

    def __iter__(self) -> Iterator[bytes]:
        number = blank = 0
        while line := self.file.readline(MAX_LINE + 1):
            number += 1
            blank = blank + 1 if len(line) < 3 and line.isspace() else 0
            if blank > MAX_BLANK:
                what = f"more than {MAX_BLANK:,} blank lines one after another, as no text has"
                raise DataError(f"{self.path}:{number}: {what}; a file without them is right")
            if len(line) > MAX_LINE:
                raise DataError(
                    f"{self.path}:{number}: the line has more than {MAX_LINE:,} bytes; shorter ones are right"
                )
            yield line


class _Recoded:
    """A UTF-16 or UTF-32 file as lines of UTF-8."""

    def __init__(self, file: io.BufferedReader, path: Path, encoding: str) -> None:
        self.path, self.encoding = path, encoding
        self.text = io.TextIOWrapper(file, encoding=encoding, errors="strict", newline="\n")

    def readline(self, size: int) -> bytes:
        try:
            return self.text.readline(size).encode("utf-8", errors="surrogatepass")
        except (UnicodeError, ValueError) as error:
            name = self.encoding.upper()
            raise DataError(
                f"{self.path}: opens as {name} and is not ({error}); whole {name}, or UTF-8, is right"
            ) from None

    def close(self) -> None:
        self.text.close()


@dataclass(frozen=True, slots=True)
class PackedSource(Source):
    """A source that may be gzip or UTF-16; its lines come as UTF-8."""

    def open(self) -> BoundedLines:
        return BoundedLines(self.path)


def packed_source(path: Path) -> PackedSource:
    """A source that is named as the user wrote its path."""
    return PackedSource(path, path.name)
