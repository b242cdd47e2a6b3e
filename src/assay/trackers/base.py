"""What a tracker is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from assay.runs.run import Run


class Tracker(Protocol):
    """Keeps runs elsewhere. Every method but ``check`` may raise anything; ``Telling`` keeps that from the run.

    Telling the same folder twice is telling it once: where the tracker still has it, nothing happens.
    """

    kind: str
    place: str  # where runs are told, without logins

    def check(self) -> None:
        """Raise a StageError if what the tracker needs is not installed; nothing heavy is imported."""
        ...

    def tell(self, run: Run, sweep: Path | None = None) -> None:
        """Tell of a whole run; of a job's, under the parent that ``begin_sweep`` made for the folder ``sweep``."""
        ...

    def begin_sweep(self, sweep: Path) -> None:
        """Make the parent of a sweep's runs, or open the one that its folder names again."""
        ...

    def end_sweep(self, sweep: Path, status: str) -> None:
        """Tell what the sweep's folder holds beside its jobs; ``status``: ``FINISHED``, ``FAILED`` or ``KILLED``."""
        ...
