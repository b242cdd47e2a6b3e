"""What a conversion did: rows in, rows out, and every row that was left out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

KINDS = ("documents", "queries", "judgements", "spans")
LEFT_OUT = "left_out.txt"
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Tally:
    """Rows of one kind; ``read == written + left_out``, always."""

    read: int = 0
    written: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a conversion.

    ``tallies`` holds each of ``KINDS``; ``notes`` is a line for each thing that was read otherwise than it
    stands, or that the target format can't hold; ``first_left_out`` are the first lines of ``left_out.txt`` in
    the destination, ``lines_left_out`` their number in all.
    """

    format: str
    to: str
    destination: Path
    tallies: dict[str, Tally]
    notes: tuple[str, ...]
    first_left_out: tuple[str, ...]
    lines_left_out: int

    def document(self) -> dict[str, Any]:
        """The report as one JSON document, with all lines of what was left out."""
        lines: list[str] = []
        if self.lines_left_out:
            text = (self.destination / LEFT_OUT).read_text(encoding="utf-8")
            lines = text.removesuffix("\n").split("\n")
        counts = {
            name: {kind: getattr(self.tallies[kind], name) for kind in KINDS}
            for name in ("read", "written", "left_out")
        }
        return {
            "format": self.format,
            "to": self.to,
            "destination": str(self.destination),
            **counts,
            "left_out_lines": lines,
            "notes": list(self.notes),
        }

    def text(self) -> str:
        """The report for a person."""
        lines = [
            f"{self.destination}: written as {self.to}",
            "",
            f"{'':<12}{'read':>10}{'written':>10}{'left out':>10}",
        ]
        for kind in KINDS:
            tally = self.tallies[kind]
            lines.append(f"{kind:<12}{tally.read:>10,}{tally.written:>10,}{tally.left_out:>10,}")
        if self.notes:
            lines += ["", *(f"note: {note}" for note in self.notes)]
        if self.lines_left_out:
            lines += ["", f"left out ({self.lines_left_out:,} lines, all of them in {self.destination / LEFT_OUT}):"]
            lines += [f"  {line}" for line in self.first_left_out]
            if self.lines_left_out > len(self.first_left_out):
                lines.append(f"  … and {self.lines_left_out - len(self.first_left_out):,} more")
        return "\n".join(lines)
