"""What lies in a store's folder, and what goes to make room.

Only regular files with a store's names in a store's folders count; links and whatever else lies there are not
followed, not counted and not removed.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.store.keys import STAGES

BLOB_SUFFIX = ".blob"
BLOCK_BYTES = 4096
ABANDONED_SECONDS = 3600.0
_SPACE = re.compile(r"[0-9a-f]{64}")
_FILE = re.compile(r"([0-9a-f]{32}\.rows|[0-9a-f]{64}\.blob)(\.[0-9a-f]{16}\.tmp)?")


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: where it lies, its bytes on disk (whole blocks), and when it was last used (seconds since 1970)."""

    path: Path
    stage: str
    space: str
    kind: Literal["rows", "blob", "temporary"]
    size: int
    used: float


def on_disk(size: int) -> int:
    """Bytes that a file of ``size`` bytes takes: whole blocks."""
    return -(-size // BLOCK_BYTES) * BLOCK_BYTES


def entries(folder: Path, stages: Collection[str] = STAGES) -> Iterator[Entry]:
    """All files of the store in ``folder``; none where there is no store."""
    for stage in stages:
        for space in _folders(folder / stage):
            for found in _scan(space):
                named = _FILE.fullmatch(found.name)
                if named is None or not _SPACE.fullmatch(space.name):
                    continue
                try:
                    status = found.stat(follow_symlinks=False)
                    if not found.is_file(follow_symlinks=False):
                        continue
                except OSError:
                    continue
                kind: Literal["rows", "blob", "temporary"]
                kind = "temporary" if named[2] else "rows" if ".rows" in found.name else "blob"
                yield Entry(Path(found.path), stage, space.name, kind, on_disk(status.st_size), status.st_mtime)


def _folders(stage: Path) -> list[Path]:
    if stage.is_symlink():
        return []
    return sorted(Path(found.path) for found in _scan(stage) if found.is_dir(follow_symlinks=False))


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def make_room(found: Iterable[Entry], limit: int, incoming: int, in_use: Callable[[Entry], bool]) -> tuple[int, bool]:
    """Bytes that are left of ``found``, and whether ``incoming`` bytes fit beside them, after removing what must go.

    What was left half-written goes first, then the files of the least recently used space, its own least recently used
    first. What is ``in_use`` goes only where the store is above ``limit`` as it is.
    """
    everything = list(found)
    total = sum(entry.size for entry in everything)
    newest: dict[tuple[str, str], float] = {}
    for entry in everything:
        where = (entry.stage, entry.space)
        newest[where] = max(entry.used, newest.get(where, entry.used))
    now = time.time()
    needed = sum(entry.size for entry in everything if in_use(entry)) + incoming
    fits = needed <= limit
    room = limit - incoming if fits else limit  # nothing is given up for what can't be kept anyway

    def rank(entry: Entry) -> tuple[bool, bool, float, str, float, str]:
        last = newest[entry.stage, entry.space]
        return not abandoned(entry, now), in_use(entry), last, entry.space, entry.used, entry.path.name

    for entry in sorted(everything, key=rank):
        if abandoned(entry, now) or (entry.kind != "temporary" and total > (limit if in_use(entry) else room)):
            total -= entry.size if remove(entry.path) else 0
    return total, fits and total + incoming <= limit


def abandoned(entry: Entry, now: float) -> bool:
    """Whether nobody can be writing this half-written file any more."""
    return entry.kind == "temporary" and now - entry.used > ABANDONED_SECONDS


def remove(path: Path) -> bool:
    """Remove one regular file; whether it is gone now. A folder that is left empty goes too."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False
        path.unlink()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    with contextlib.suppress(OSError):
        path.parent.rmdir()
    return True
