"""The books of a conversion: rows read, written and left out, the faults, and the notes for the reader."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assay.errors import one_line
from assay.golden.convert.report import LEFT_OUT, SHOWN
from assay.golden.faults import Faults

# Notes, and kinds of things that are counted; what is beyond is counted only.
MOST = 100
REMEDY = "--drop-unknown leaves such rows out"


@dataclass(frozen=True, slots=True)
class At:
    """A place in a source: line 0 is the file as such."""

    path: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


class Ledger:
    """Counts by kind (``documents``, ``queries``, ``judgements``, ``spans``), faults, notes, and ``left_out.txt``.

    With ``drop``, what would be refused because of ids (twice there, not there) is left out, listed and counted.
    """

    def __init__(self, folder: Path, *, drop: bool) -> None:
        self.folder, self.drop = folder, drop
        self.faults = Faults()
        self.read: Counter[str] = Counter()
        self.written: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.lines_left_out = 0
        self.first_left_out: list[str] = []
        self.notes: list[str] = []
        self._counted: Counter[str] = Counter()
        self._files: dict[str, IO[str]] = {}

    def note(self, text: str) -> None:
        """A line for the reader of the report."""
        if text in self.notes:
            return
        if len(self.notes) < MOST:
            self.notes.append(text)
        else:
            self.count("{n} more notes")

    def count(self, text: str, number: int = 1) -> None:
        """Count a thing that happens to many rows; ``text`` has ``{n}`` where the number stands."""
        known = text in self._counted or len(self._counted) < MOST
        self._counted[text if known else "{n} more things of other kinds"] += number

    def refuse(self, kind: str | None, at: At, what: str) -> None:
        """Note a fault that no flag passes over. ``kind`` is None where no row was counted."""
        self.faults.add(str(at), what)
        if kind is not None:
            self.left_out[kind] += 1

    def doubt(self, kind: str, at: At, what: str, hint: str = "") -> None:
        """Note a fault, or leave the row out where ``drop`` says so."""
        if self.drop:
            self.omit(kind, at, what)
        else:
            self.refuse(kind, at, f"{what}; {hint or REMEDY}")

    def omit(self, kind: str | None, at: At, what: str) -> None:
        """Leave a row out, and say so."""
        line = one_line(f"{at}: {what}")
        self.file(LEFT_OUT).write(line + "\n")
        self.lines_left_out += 1
        if len(self.first_left_out) < SHOWN:
            self.first_left_out.append(line)
        if kind is not None:
            self.left_out[kind] += 1

    def note_counts(self) -> None:
        """Turn what was counted into notes."""
        self.notes += [text.replace("{n}", f"{number:,}", 1) for text, number in self._counted.items()]
        self._counted.clear()

    def file(self, name: str) -> IO[str]:
        """The file ``name`` of the folder, open for writing."""
        if name not in self._files:
            self._files[name] = (self.folder / name).open(
                "w", encoding="utf-8", newline="\n", errors="backslashreplace"
            )
        return self._files[name]

    def close(self) -> None:
        """Close every file."""
        for file in self._files.values():
            file.close()


class Places:
    """The place of each row by its number, in a few bytes."""

    def __init__(self) -> None:
        self._paths: dict[str, int] = {}
        self._path, self._line = array("I"), array("I")

    def add(self, at: At) -> None:
        """Keep the next row's place."""
        self._path.append(self._paths.setdefault(at.path, len(self._paths)))
        self._line.append(at.line)

    def __getitem__(self, number: int) -> At:
        return At(list(self._paths)[self._path[number]], self._line[number])
