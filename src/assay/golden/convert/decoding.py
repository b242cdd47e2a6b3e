"""Text files of unknown encoding: UTF-8, UTF-16 and UTF-32 by their mark, and cp1252 where the bytes say so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from assay.errors import DataError
from assay.golden.convert.packed import MEBIBYTE, BoundedLines
from assay.golden.lines import Line

# Two to four bytes that are one character of UTF-8: in text of a single-byte encoding they hardly ever meet.
_MULTIBYTE = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_NOT_CP1252 = re.compile(rb"[\x00-\x08\x0e-\x1f\x81\x8d\x8f\x90\x9d]")
_BOM = b"\xef\xbb\xbf"


def find_encoding(path: Path) -> tuple[str, str | None]:
    """``utf-8`` or ``cp1252``, and a note where it is not UTF-8; reads the file once, a line at a time.

    cp1252 is taken only where nothing in the file contradicts it: no byte that it leaves undefined, no control
    character, and not one character of UTF-8 beyond ASCII (then the file is UTF-8 that was damaged).

    Raises
    ------
    DataError
        Neither fits; names the line.
    """
    first: tuple[int, int, int] | None = None
    multibyte = False
    refused = False
    for number, raw in enumerate(_lines(path), start=1):
        if raw.isascii():
            refused = refused or (first is not None and _NOT_CP1252.search(raw) is not None)
            continue
        try:
            raw.decode("utf-8")
            multibyte = True
        except UnicodeDecodeError as error:
            first = first or (number, error.start, raw[error.start])
            multibyte = multibyte or _MULTIBYTE.search(raw) is not None
            refused = refused or _NOT_CP1252.search(raw) is not None
        if first is not None and multibyte:
            break
    if first is None:
        return "utf-8", None
    number, start, byte = first
    if multibyte or refused:
        raise DataError(
            f"{path}:{number}: invalid UTF-8: byte 0x{byte:02x} at byte {start + 1} of the line; save the file as UTF-8"
        )
    return "cp1252", f"{path}: is not UTF-8 (line {number}) and was read as cp1252, Windows' Western European encoding"


def text_lines(path: Path, encoding: str, *, keep_ends: bool = False) -> Iterator[Line]:
    """Every line of ``path``, blank ones too, without the byte order mark that may open it.

    Lines are cut at LF only; ``keep_ends`` leaves LF or CR LF on. A NUL, and a byte that ``encoding`` doesn't
    know, is the line's ``fault``.
    """
    for number, raw in enumerate(_lines(path), start=1):
        if number == 1:
            raw = raw.removeprefix(_BOM)
        if not keep_ends:
            raw = raw.removesuffix(b"\n").removesuffix(b"\r")
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError as error:
            what = f"byte 0x{raw[error.start]:02x} at byte {error.start + 1} of the line is not {encoding}"
            yield Line(number, raw.decode(encoding, errors="replace"), f"{what}; save the file as UTF-8")
            continue
        fault = f"a NUL byte at column {text.index(chr(0)) + 1}; text holds none" if "\0" in text else None
        yield Line(number, text, fault)


def whole_text(path: Path, limit: int = 256 * MEBIBYTE) -> tuple[str, str | None]:
    """The text of ``path``, line ends as they are, and a note on its encoding; for files that are one document."""
    encoding, note = find_encoding(path)
    parts, size = [], 0
    for line in text_lines(path, encoding, keep_ends=True):
        if line.fault is not None:
            raise DataError(f"{path}:{line.number}: {line.fault}")
        size += len(line.text)
        if size > limit:
            raise DataError(f"{path}: one document of more than {limit:,} characters; shorter ones are right")
        parts.append(line.text)
    return "".join(parts), note


def _lines(path: Path) -> Iterator[bytes]:
    with BoundedLines(path) as lines:
        yield from lines
