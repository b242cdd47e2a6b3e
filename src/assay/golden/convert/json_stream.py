"""The items of a list within one large JSON document, one at a time."""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.golden.convert.packed import MEBIBYTE, open_bytes
from assay.golden.jsonl import MAX_DEPTH, Refused, check_strings, decoder

MAX_ITEM = 64 * MEBIBYTE
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SPACE = " \t\r\n"


def items(path: Path, key: str | None) -> Iterator[tuple[int, Any]]:
    """The line that each item ends on or before, and the item, of the list at ``key`` of the document's object.

    Without ``key`` the document is the list itself. Other keys of the object are passed over. Memory is that of
    the largest item, which may have ``MAX_ITEM`` characters.

    Raises
    ------
    DataError
        The file is not JSON, or not of this form; names the line.
    """
    with open_bytes(path) as file:
        yield from _items(_Window(path, file), key)


def opens_list(path: Path) -> bool:
    """Whether the first thing in ``path`` is a list."""
    with open_bytes(path) as file:
        head = file.peek(4)[:4]
        encoding = next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8")
        return file.read(4096).decode(encoding, "ignore").lstrip("\ufeff \t\r\n").startswith("[")


def _items(text: _Window, key: str | None) -> Iterator[tuple[int, Any]]:
    text.skip_space()
    if key is not None:
        text.expect("{")
        while True:
            text.skip_space()
            if text.peek() == "}":
                raise text.fault(f'no "{key}" in it; an object with a list "{key}" is right')
            name = text.value()
            text.skip_space()
            text.expect(":")
            text.skip_space()
            if name == key:
                break
            text.value()
            text.skip_space()
            if text.peek() != "}":
                text.expect(",")
    text.expect("[")
    text.skip_space()
    if text.peek() == "]":
        return
    while True:
        text.skip_space()
        line = text.line
        yield line, text.value()
        text.skip_space()
        if text.peek() == "]":
            text.finish()
            return
        text.expect(",")


class _Window:
    """A stretch of the text, from the place read so far."""

    def __init__(self, path: Path, file: io.BufferedReader) -> None:
        self.path = path
        self.line = 1
        self._file = file
        head = file.peek(4)[:4]
        self._encoding = next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8")
        self._characters = codecs.getincrementaldecoder(self._encoding)()
        self._decode = decoder()
        self._text, self._at, self._ended = "", 0, False

    def fault(self, what: str) -> DataError:
        return DataError(f"{self.path}:{self.line}: {what}")

    def peek(self) -> str:
        if self._at >= len(self._text):
            self._more(1)
        return self._text[self._at] if self._at < len(self._text) else ""

    def skip_space(self) -> None:
        while (found := self.peek()) and found in _SPACE:
            self._step(self._at + 1)

    def expect(self, mark: str) -> None:
        found = self.peek()
        if found != mark:
            end = "the end of the file" if not found else repr(found)
            raise self.fault(f"broken JSON: {end} where {mark!r} is right")
        self._step(self._at + 1)

    def value(self) -> Any:
        while True:
            try:
                found, end = self._decode.raw_decode(self._text, self._at)
                # What ends at the window's edge may go on behind it: a number, or nothing at all.
                if end < len(self._text) or self._ended:
                    piece = self._text[self._at : end]
                    if "\\u" in piece or piece.count("[") + piece.count("{") > MAX_DEPTH:
                        check_strings(found)
                    self._step(end)
                    return found
            except json.JSONDecodeError as error:
                if self._ended:
                    line = self.line + self._text.count("\n", self._at, error.pos)
                    raise DataError(f"{self.path}:{line}: broken JSON ({error.msg}); whole JSON is right") from None
            except RecursionError:
                raise self.fault(f"JSON nested too deeply; at most {MAX_DEPTH} levels are right") from None
            except Refused as error:
                raise self.fault(str(error)) from None
            held = len(self._text) - self._at
            if held > MAX_ITEM:
                raise self.fault(
                    f"one item of more than {MAX_ITEM:,} characters, or broken JSON; shorter items are right"
                )
            # Twice as much each time: all attempts together cost as much as the last two.
            self._more(max(held, MEBIBYTE))

    def finish(self) -> None:
        """Read to the end, so that damage behind the list is seen too."""
        while self._read():
            pass

    def _step(self, to: int) -> None:
        self.line += self._text.count("\n", self._at, to)
        self._at = to

    def _more(self, size: int) -> None:
        parts, got = [self._text[self._at :]], 0
        while got < size and not self._ended:
            parts.append(self._read())
            got += len(parts[-1])
        self._text, self._at = "".join(parts), 0

    def _read(self) -> str:
        """The next piece of text; empty, with ``_ended``, at the end."""
        text = ""
        while not text and not self._ended:
            raw = self._file.read(MEBIBYTE)
            self._ended = not raw
            try:
                text = self._characters.decode(raw, final=self._ended)
            except UnicodeDecodeError as error:
                what = f"byte 0x{error.object[error.start]:02x} is not {self._encoding}; save the file as UTF-8"
                raise DataError(f"{self.path}:{self._line_at(error.object[: error.start])}: {what}") from None
            if "\0" in text:
                line = self._line_at(text[: text.index("\0")].encode())
                raise DataError(f"{self.path}:{line}: a NUL byte; text holds none")
        return text

    def _line_at(self, before: bytes) -> int:
        return self.line + self._text.count("\n", self._at) + before.count(b"\n")
