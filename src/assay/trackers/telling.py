"""Telling a tracker so that no run is lost when it is away: faults are kept as a line of words, never raised."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import one_line
from assay.trackers.base import Tracker
from assay.trackers.record import read_record

if TYPE_CHECKING:
    from assay.runs.run import Run

_ERRNO = re.compile(r"\[Errno -?\d+\] ([^'\")\]]+)")
_PLAIN = re.compile(r"[\w./\-]+", re.ASCII)
LONGEST = 200


class Telling:
    """Tells ``tracker`` (None: nobody) of runs; of a sweep's, under one parent, if ``sweep`` is its folder.

    After a fault nothing more is told until ``end``, so that a tracker that is away holds a sweep up once.
    """

    def __init__(self, tracker: Tracker | None, sweep: Path | None = None) -> None:
        self.tracker = tracker
        self.sweep = sweep
        self.trouble: str | None = None

    def begin(self) -> None:
        """Open the sweep's parent."""
        sweep = self.sweep
        if sweep is not None:
            self._try(lambda tracker: tracker.begin_sweep(sweep))

    def run(self, run: Run) -> None:
        """Tell of a whole run."""
        if self.trouble is None:
            self._try(lambda tracker: tracker.tell(run, self.sweep))

    def stop(self) -> None:
        """Say that the sweep was interrupted."""
        sweep = self.sweep
        if sweep is not None and self.trouble is None:
            self._try(lambda tracker: tracker.end_sweep(sweep, "KILLED"))

    def end(self, runs: Sequence[Run], failed: int) -> str | None:
        """Tell what was not told yet of a sweep whose whole runs are ``runs``, and close it; the warning, if any."""
        sweep = self.sweep
        if sweep is None or self.tracker is None:
            return None
        if self.trouble is not None:
            self.trouble = None
            self.begin()
        for run in runs:
            self.run(run)
        if self.trouble is None:
            self._try(lambda tracker: tracker.end_sweep(sweep, "FAILED" if failed else "FINISHED"))
        if self.trouble is None:
            return None
        told = sum((found := read_record(run.folder)) is not None and found.finished for run in runs)
        return self._warning(
            f"was told of {told} of {len(runs)} runs",
            f"all lie whole in {sweep}",
            f"{override('hydra.sweep.dir', sweep)} resume=true",
        )

    def warning(self, run: Run) -> str | None:
        """The warning to give if ``run`` was not told."""
        if self.trouble is None:
            return None
        folder = run.folder
        return self._warning(
            "was not told of this run", f"it is whole in {folder}", f"{override('run_dir', folder)} resume=true"
        )

    def _warning(self, what: str, consolation: str, again: str) -> str:
        assert self.tracker is not None
        who = f"tracker={self.tracker.kind}: {self.tracker.place}"
        return one_line(
            f"{who} {what} ({self.trouble}); {consolation}, and the same command with {again} tells what is missing"
        )

    def _try(self, what: Callable[[Tracker], None]) -> None:
        if self.tracker is None:
            return
        try:
            what(self.tracker)
        except Exception as error:
            self.trouble = in_short(error)


def override(key: str, folder: Path) -> str:
    """``folder`` as an override, as the shell and Hydra's grammar read it."""
    text = str(folder)
    if _PLAIN.fullmatch(text):
        return f"{key}={text}"
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return shlex.quote(f'{key}="{quoted}"')


def in_short(error: BaseException) -> str:
    """What went wrong, in at most a line: the system's own words where there are some."""
    text = one_line(str(error)) or type(error).__name__
    system = _ERRNO.search(text)
    if system:
        return system[1].strip()
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
