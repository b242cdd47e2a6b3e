"""SMART's files (``.I`` ``.T`` ``.A`` ``.B`` ``.W``) and the variant of the TIME collection (``*TEXT``, ``*FIND``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.golden.convert.decoding import text_lines
from assay.golden.convert.intake import Intake
from assay.golden.convert.ledger import At
from assay.golden.faults import quoted
from assay.records import Document, Query

_ENTRY = re.compile(r"\.I(?:\s+(.*))?")
_FIELD = re.compile(r"\.([A-Z])\s*")
_TIME_ENTRY = re.compile(r"\*(TEXT|FIND)\s+(\S+)\s*(.*)")
NAMES = {"A": "author", "B": "source", "K": "keywords", "N": "note", "C": "categories", "X": "references"}
MAX_ENTRY = 64 * (1 << 20)


@dataclass(slots=True)
class Entry:
    """One document or query: ``fields`` by letter, ``W`` is its text; ``head`` is what follows TIME's id."""

    at: At
    id: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    head: str = ""
    fault: str | None = None

    def text(self, letter: str) -> str:
        """A field as it stands, without blank lines around it."""
        return "\n".join(self.fields.get(letter, [])).strip("\n")

    def joined(self, letter: str) -> str:
        """A field as one line."""
        return " ".join(" ".join(self.fields.get(letter, [])).split())


def is_smart(head: str) -> bool:
    """Whether a file that opens with the line ``head`` is one of these."""
    return _ENTRY.fullmatch(head.strip()) is not None or _TIME_ENTRY.match(head) is not None


def read_smart_documents(path: Path, encoding: str, intake: Intake) -> None:
    """Put every entry of ``path`` into ``intake`` as a document: ``.T`` its title, the rest but ``.W`` metadata."""
    for entry in entries(path, encoding, intake, "documents"):
        metadata = {
            NAMES.get(letter, letter): entry.text(letter)
            for letter in entry.fields
            if letter not in "TW" and entry.text(letter)
        }
        if entry.head:
            metadata["head"] = entry.head
        intake.document(entry.at, Document(entry.id, entry.text("W"), entry.joined("T"), metadata))


def read_smart_queries(path: Path, encoding: str, intake: Intake) -> None:
    """Put every entry of ``path`` into ``intake`` as a query, its lines joined to one."""
    for entry in entries(path, encoding, intake, "queries"):
        metadata = {
            NAMES.get(letter, letter): entry.text(letter)
            for letter in entry.fields
            if letter != "W" and entry.text(letter)
        }
        intake.query(entry.at, Query(entry.id, entry.joined("W"), metadata=metadata))


def entries(path: Path, encoding: str, intake: Intake, kind: str) -> Iterator[Entry]:
    """Each entry of ``path``; a faulty one is counted as read and refused, and doesn't come."""
    for entry in _entries(path, encoding, intake):
        if entry.fault is None:
            yield entry
            continue
        intake.read[kind] += 1
        intake.refuse(kind, entry.at, entry.fault)


def _entries(path: Path, encoding: str, intake: Intake) -> Iterator[Entry]:
    entry: Entry | None = None
    letter, size, stopped = "", 0, False
    for line in text_lines(path, encoding):
        at = At(str(path), line.number)
        text = line.text
        time = _TIME_ENTRY.match(text) if text.startswith("*") else None
        found = _ENTRY.fullmatch(text) if text.startswith(".I") else None
        if found or time:
            if entry is not None:
                yield entry
            stopped, size = False, 0
            if time:
                entry, letter = Entry(at, time[2], head=time[3].strip()), "W"
                entry.fields["W"] = []
            else:
                entry, letter = Entry(at, (found[1] or "").strip() if found else ""), ""
            if line.fault is not None:
                entry.fault = line.fault
            continue
        if text.startswith("*STOP"):
            stopped = True
            continue
        if line.fault is not None:
            if entry is None or stopped:
                intake.refuse(None, at, line.fault)
            else:
                entry.fault = entry.fault or f"{line.fault} (line {line.number})"
            continue
        if entry is None or stopped:
            if text.strip():
                intake.refuse(None, at, f"{quoted(text)} is in no entry; a line .I ID, or *TEXT ID, before it is right")
            continue
        field_line = _FIELD.fullmatch(text) if text.startswith(".") else None
        if field_line is not None:
            if field_line[1] in entry.fields and "W" in entry.fields:
                # Cranfield's entry 240: a text that was cut into fields a second time goes on.
                intake.note(
                    f"{at}: field {field_line[0].strip()} comes twice in entry {quoted(entry.id)}; taken as its text"
                )
                continue
            letter = field_line[1]
            entry.fields.setdefault(letter, [])
            continue
        if not letter:
            if text.strip() and entry.fault is None:
                entry.fault = (
                    f"{quoted(text)} stands before any field (line {line.number}); a line .W before it is right"
                )
            continue
        size += len(text)
        if size > MAX_ENTRY:
            entry.fault = f"has more than {MAX_ENTRY:,} characters; shorter entries are right"
            continue
        if entry.head or text.strip() or letter != "W" or not _is_time(entry):
            # The TIME collection has a blank line after every line.
            if _is_time(entry) and not text.strip():
                continue
            entry.fields[letter].append(text)
    if entry is not None:
        yield entry


def _is_time(entry: Entry) -> bool:
    return set(entry.fields) == {"W"} and bool(entry.head)
