"""What a store holds, whether it is sound, and removing parts of it; all while runs go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assay.store.blob_file import check_blob
from assay.store.container import Damaged, Reader
from assay.store.inventory import Entry, abandoned, entries, make_room, remove
from assay.store.keys import STAGES
from assay.store.row_file import MOST_ROWS, open_row_file

_LARGEST = 1 << 62


@dataclass(slots=True)
class Holding:
    """What one space holds: rows or blobs, bytes on disk, and when it was last used (seconds since 1970)."""

    stage: str
    space: str
    model: str = ""
    entries: int = 0
    bytes: int = 0
    used: float = 0.0


@dataclass(frozen=True, slots=True)
class Fault:
    """A damaged file: where, which stage, and what is wrong with it."""

    path: Path
    stage: str
    what: str


@dataclass(slots=True)
class Checked:
    """How many files were held against their checksums, and those that failed."""

    files: int = 0
    bytes: int = 0
    faults: list[Fault] = field(default_factory=list)


@dataclass(slots=True)
class Pruned:
    """Files and bytes that went, and the bytes that are left."""

    files: int = 0
    bytes: int = 0
    left: int = 0


def holdings(folder: Path) -> list[Holding]:
    """What the store in ``folder`` holds, by stage and model, in the order of a run's stages; empty where there is none."""
    found: dict[tuple[str, str], Holding] = {}
    for entry in entries(folder):
        held = found.setdefault((entry.stage, entry.space), Holding(entry.stage, entry.space))
        held.bytes += entry.size
        held.used = max(held.used, entry.used)
        if entry.kind == "temporary":
            continue
        try:
            with Reader(entry.path) as reader:
                held.entries += reader.number("rows", MOST_ROWS) if entry.kind == "rows" else 1
                held.model = held.model or str(reader.header.get("label", ""))
        except (Damaged, OSError):
            continue  # verify names what is damaged
    order = {stage: i for i, stage in enumerate(STAGES)}
    return sorted(found.values(), key=lambda held: (order[held.stage], held.model, held.space))


def verify(folder: Path, progress: Callable[[int], None] = lambda _: None) -> Checked:
    """Every file of the store in ``folder`` held against its checksums; nothing is changed. An absent store is sound."""
    checked = Checked()
    for entry in entries(folder):
        if entry.kind == "temporary":
            continue
        what = fault_of(entry)
        if what is not None:
            checked.faults.append(Fault(entry.path, entry.stage, what))
        checked.files += 1
        checked.bytes += entry.size
        progress(1)
    return checked


def fault_of(entry: Entry) -> str | None:
    """What is wrong with a file; None where it is sound, or gone in the meantime."""
    try:
        if entry.kind == "blob":
            check_blob(entry.path, entry.stage, entry.space, entry.path.stem)
            return None
        file = open_row_file(entry.path, entry.stage, entry.space)
        lost = 0
        for at in range(0, len(file), 4096):
            rows = np.arange(at, min(at + 4096, len(file)))
            lost += int((~file.read(rows)[1]).sum())
        return f"{lost} of {len(file)} rows do not match their checksum" if lost else None
    except Damaged as error:
        return str(error)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"can't be read ({error.strerror})"


def prune(
    folder: Path,
    stage: str | None = None,
    older_than_days: float | None = None,
    max_bytes: int | None = None,
    bound: int = _LARGEST,
) -> Pruned:
    """Remove files of the store in ``folder``: what was left half-written, and what is asked for.

    ``stage`` and ``older_than_days`` choose together, all of a stage where only that is given; ``max_bytes`` then removes
    the least recently used until no more is left. Without any of the three, damaged files go, and what is above ``bound``.
    """
    done = Pruned()
    now = time.time()
    asked = stage is not None or older_than_days is not None

    def goes(entry: Entry) -> bool:
        if abandoned(entry, now):
            return True
        if entry.kind == "temporary":
            return False
        if asked:
            old = older_than_days is None or now - entry.used >= 86400 * older_than_days
            return old and (stage is None or entry.stage == stage)
        return max_bytes is None and fault_of(entry) is not None

    for entry in _going(folder, goes):
        if remove(entry.path):
            done.files += 1
            done.bytes += entry.size
    limit = max_bytes if max_bytes is not None else _LARGEST if asked else bound
    before = list(entries(folder))
    done.left, _ = make_room(before, limit, 0, lambda _: False)
    done.files += len(before) - sum(1 for entry in before if entry.path.exists())
    done.bytes += sum(entry.size for entry in before) - done.left
    return done


def _going(folder: Path, goes: Callable[[Entry], bool]) -> Iterator[Entry]:
    return (entry for entry in list(entries(folder)) if goes(entry))
