"""``assay new``: a folder to start from, with a conf, a small golden set to edit, and a README."""

from __future__ import annotations

import importlib.resources
import shlex
import shutil
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path

from assay.cli import GOOD, parser, print_json
from assay.errors import AssayError


def new_command(rest: list[str]) -> int:
    """Make the folder that the command line names; the exit status."""
    made = parser("new", "Start a bench of your own: conf/, a small golden set to edit, a README.")
    made.add_argument("folder", metavar="DIR", help="a folder that isn't there yet, or an empty one")
    given = made.parse_args(rest)
    folder = Path(given.folder).expanduser()
    written = new_bench(folder)
    if given.json:
        print_json({"folder": str(folder), "files": written})
    else:
        print("\n".join(str(folder / name) for name in written))
        print(f"\nnow: cd {shlex.quote(given.folder)} && assay run")
    return GOOD


def new_bench(folder: Path) -> list[str]:
    """Names of the files written into ``folder``, which is made where it isn't there.

    Raises
    ------
    AssayError
        The folder holds something already, or is a file.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise AssayError(f"{folder}: is there already and not an empty folder; give a new one")
    was_there, written = folder.is_dir(), []
    try:
        for name, source in _files(importlib.resources.files("assay") / "templates" / "new"):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            written.append(name)
    except BaseException:
        for entry in list(folder.iterdir()) if was_there else [folder]:  # all in it is ours: it was empty
            shutil.rmtree(entry, ignore_errors=True)
            entry.unlink(missing_ok=True) if entry.is_file() else None
        raise
    return written


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    """Every file below ``folder`` with its name relative to it, in order."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry
