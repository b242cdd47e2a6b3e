"""Lines of a UTF-8 file, one at a time, cut at LF and nowhere else.

``str.splitlines`` also cuts at U+2028, U+0085 and others, which JSON allows inside a string; reading in text
mode cuts at a lone CR. Bytes are cut at LF first and decoded after.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from assay.golden.faults import Faults
from assay.golden.layout import Source

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end (LF or CR LF), counted from 1.

    Where it is not text, ``fault`` says why and ``text`` is only good for guessing which record was meant.
    """

    number: int
    text: str
    fault: str | None = None


def read_lines(source: Source, faults: Faults) -> Iterator[Line]:
    """Each line of ``source`` that is not blank, without the byte order mark that may open the file."""
    try:
        with source.open() as file:
            for number, raw in enumerate(file, start=1):
                if number == 1:
                    if raw.startswith(UTF16_MARKS):
                        faults.add(source.at(1), "is UTF-16; save the file as UTF-8")
                        return
                    raw = raw.removeprefix(codecs.BOM_UTF8)
                line = _line(number, raw.removesuffix(b"\n").removesuffix(b"\r"))
                if line.fault or line.text.strip(" "):
                    yield line
    except OSError as error:
        faults.add(str(source.path), f"can't be read ({error.strerror or error}); a readable file is right")


def _line(number: int, raw: bytes) -> Line:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        fault = f"invalid UTF-8: byte 0x{raw[error.start]:02x} at byte {error.start + 1} of the line"
        return Line(number, raw.decode("utf-8", errors="replace"), f"{fault}; save the file as UTF-8")
    if "\0" in text:
        return Line(number, text, f"a NUL byte at column {text.index(chr(0)) + 1}; text holds none")
    return Line(number, text)
