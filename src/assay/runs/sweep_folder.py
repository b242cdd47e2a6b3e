"""Which folders hold runs: one run, or a sweep's jobs by their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.errors import DataError
from assay.runs import files


@dataclass(frozen=True, slots=True)
class Jobs:
    """A sweep's folders in the order of their numbers: those that hold whole runs, and those that don't."""

    whole: tuple[Path, ...]
    unfinished: tuple[Path, ...]


def jobs_of(folder: Path) -> Jobs | None:
    """The jobs in ``folder`` if it is a sweep's, None if it is one run's own; a DataError if it can't be read."""
    if (folder / files.METRICS).is_file():
        return None
    try:
        inner = [path for path in folder.iterdir() if _is_number(path.name) and path.is_dir()]
    except NotADirectoryError:
        raise DataError(f"{folder}: is a file; give a run's or a sweep's folder") from None
    except FileNotFoundError:
        raise DataError(f"{folder}: no such folder; give a run's or a sweep's folder") from None
    except OSError as error:
        raise DataError(f"{folder}: cannot be read ({error.strerror}); give a run's or a sweep's folder") from None
    if not inner:
        return None
    inner.sort(key=lambda path: int(path.name))
    whole = tuple(path for path in inner if (path / files.METRICS).is_file())
    return Jobs(whole, tuple(path for path in inner if path not in whole))


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdecimal() and len(name) < 10 and str(int(name)) == name
