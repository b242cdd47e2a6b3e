"""Taking a folder for one run: never over another run's files, and given back when the run fails."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from assay.errors import ConfigError, DataError
from assay.runs import files


@dataclass(frozen=True, slots=True)
class Claim:
    """A folder that is ours. ``whole`` says that it already holds this very run (``resume=true``)."""

    folder: Path
    whole: bool
    made: tuple[Path, ...]

    def finish(self) -> None:
        """Take the mark off a folder that is complete."""
        (self.folder / files.MARK).unlink(missing_ok=True)

    def abandon(self) -> None:
        """Remove everything this run wrote, and the folders it made."""
        if self.whole:
            return
        for name in (*files.ALL, *(f"{name}.tmp" for name in files.ALL), files.MARK):
            (self.folder / name).unlink(missing_ok=True)
        for folder in self.made:
            try:
                folder.rmdir()
            except OSError:
                return


def claim(folder: Path, config_text: str, resume: bool) -> Claim:
    """Take ``folder`` for the run whose ``config.yaml`` is ``config_text``.

    Raises
    ------
    ConfigError
        It holds something already, and ``resume`` is false or it holds another run.
    DataError
        It can't be made or written.
    """
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"run_dir: {folder} is a file; give a folder that is empty or not there yet")
    if folder.is_dir() and any(folder.iterdir()):
        if not resume:
            raise ConfigError(
                f"run_dir: {folder} already holds files; give another folder, or resume=true to finish the run in it"
            )
        if (folder / files.METRICS).is_file():
            if not same_config(folder, config_text):
                raise ConfigError(f"run_dir: {folder} holds a whole run of another config; give another folder")
            return Claim(folder, True, ())
        _take_over(folder)
    made = _make(folder)
    try:
        handle = os.open(folder / files.MARK, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        raise ConfigError(f"run_dir: {folder} is being written by another run; give another folder") from None
    except OSError as error:
        raise DataError(f"run_dir: {folder} can't be written ({error.strerror}); give another folder") from None
    with os.fdopen(handle, "w") as mark:
        mark.write(str(os.getpid()))
    return Claim(folder, False, made)


def same_config(folder: Path, config_text: str) -> bool:
    """Whether the run in ``folder`` was made by this very config."""
    try:
        return (folder / files.CONFIG).read_text(encoding="utf-8") == config_text
    except (OSError, UnicodeDecodeError):
        return False


def _take_over(folder: Path) -> None:
    """Clear what a run that did not finish left, unless it is still at work or the files are somebody else's."""
    config = folder / files.CONFIG
    if config.is_file() and not _of_a_run(config):
        raise ConfigError(f"run_dir: {config} is no run's; give a folder that holds a run, or none yet")
    mark = folder / files.MARK
    if mark.is_file():
        owner = mark.read_text(encoding="ascii", errors="replace").strip()
        if owner.isdigit() and _alive(int(owner)):
            raise ConfigError(
                f"run_dir: {folder} is being written by process {owner}; wait for it, or give another folder"
            )
        mark.unlink(missing_ok=True)
    for name in (*files.ALL, "status.json"):
        (folder / name).unlink(missing_ok=True)


def _of_a_run(config: Path) -> bool:
    """Whether a run wrote this, whole or cut short: its first key is ``dataset``."""
    with config.open("rb") as file:
        return b"dataset:".startswith(file.read(8))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _make(folder: Path) -> tuple[Path, ...]:
    """Make ``folder`` and what lies above it; the folders that were made, innermost first."""
    missing = []
    above = folder
    while not above.exists():
        missing.append(above)
        above = above.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"run_dir: {folder} can't be made ({error.strerror}); give another folder") from None
    return tuple(missing)
