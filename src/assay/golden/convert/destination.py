"""The folder that a conversion fills: whole or not there at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import DataError

LAST = ("corpus.jsonl", "documents.csv", "documents.trec", "corpus.parquet")


@contextmanager
def filling(destination: Path) -> Iterator[Path]:
    """A work folder; what is moved into its ``out`` becomes ``destination`` when the block ends well.

    ``destination`` must be absent or empty. An absent one is made by one rename; into an empty one, which may be
    another disk's, the files are moved, the documents last. Whatever goes wrong, the work folder is removed.

    Raises
    ------
    DataError
        The destination holds something already, or can't be written.
    """
    there = _check(destination)
    home = destination if there else destination.parent
    work = home / f".{destination.name or 'set'}.{os.getpid()}.partial"
    parents = [parent for parent in [home, *home.parents] if not parent.exists()]
    try:
        (work / "out").mkdir(parents=True)
    except OSError as error:
        _remove(work, parents)
        raise DataError(f"{destination}: can't be written ({error.strerror or error})") from None
    done = False
    try:
        yield work
        _publish(work / "out", destination, there)
        done = True
    except OSError as error:
        if error.filename is not None and not str(error.filename).startswith(str(work)):
            raise
        raise DataError(f"{destination}: can't be written ({error.strerror or error})") from None
    finally:
        _remove(work, [] if done else parents)


def _check(destination: Path) -> bool:
    try:
        if not destination.exists() and not destination.is_symlink():
            return False
        if not destination.is_dir() or any(destination.iterdir()):
            raise DataError(f"{destination}: is there already and not an empty folder; a new folder is right")
    except OSError as error:
        raise DataError(f"{destination}: can't be written ({error.strerror or error})") from None
    return True


def _publish(out: Path, destination: Path, there: bool) -> None:
    if not there:
        if destination.exists():
            raise DataError(f"{destination}: was made by someone else meanwhile; a new folder is right")
        out.replace(destination)
        return
    for child in sorted(out.iterdir(), key=lambda path: path.name in LAST):
        child.replace(destination / child.name)


def _remove(work: Path, parents: list[Path]) -> None:
    shutil.rmtree(work, ignore_errors=True)
    for parent in parents:
        try:
            parent.rmdir()
        except OSError:
            return
