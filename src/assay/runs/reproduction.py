"""What an attempt to reproduce a run found, as values and as a JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.runs import files
from assay.runs.environment import Difference
from assay.runs.golden_changes import Change
from assay.runs.reproduce import DIFFERENT, IN_WORDS, TOLERANCE, Sameness

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class InputHash:
    """The hash of an input as the manifest has it, and as it is now; ``checked`` is False where nobody looked."""

    name: str
    saved: str | None
    found: str | None
    checked: bool = True

    @property
    def changed(self) -> bool:
        """Whether it was looked at and differs."""
        return self.checked and self.saved != self.found


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A run folder, verified and (unless ``same`` is None) run again into ``fresh``.

    ``disagreements`` are contradictions between the folder's own files, ``questions`` what became of the golden
    set's questions where a hash changed, ``environment`` what else differs, ``unequal_bits`` why bits may differ.
    """

    folder: Path
    dataset: Path
    inputs: tuple[InputHash, ...]
    questions: tuple[Change, ...]
    disagreements: tuple[str, ...]
    fresh: Path | None = None
    same: Sameness | None = None
    environment: tuple[Difference, ...] = ()
    unequal_bits: tuple[str, ...] = ()

    @property
    def changed_inputs(self) -> tuple[InputHash, ...]:
        """The inputs whose hashes changed."""
        return tuple(one for one in self.inputs if one.changed)

    @property
    def good(self) -> bool:
        """Whether the inputs are the same, the folder agrees with itself, and what was run again came out again."""
        return not self.changed_inputs and not self.disagreements and (self.same is None or self.same.level < DIFFERENT)

    def document(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        same = self.same
        found: dict[str, Any] = files.plain(
            {
                "schema_version": SCHEMA_VERSION,
                "run": str(self.folder),
                "reproduced_in": None if self.fresh is None else str(self.fresh),
                "dataset": str(self.dataset),
                "ok": self.good,
                "level": None if same is None else same.level,
                "level_means": None if same is None else IN_WORDS[same.level],
                "tolerance": TOLERANCE,
                "inputs": [
                    {"name": one.name, "saved": one.saved, "found": one.found, "changed": one.changed}
                    | ({} if one.checked else {"checked": False})
                    for one in self.inputs
                ],
                "questions": [{"what": one.what, "queries": list(one.queries)} for one in self.questions],
                "disagreements": list(self.disagreements),
                "same_files": {} if same is None else dict(same.same_files),
                "same_rankings": None if same is None else same.same_rankings,
                "numbers": [] if same is None else [asdict(one) for one in same.numbers],
                "moved": [] if same is None else [{"metric": same.metric} | asdict(one) for one in same.moved],
                "moved_total": 0 if same is None else same.moved_total,
                "environment": [asdict(one) for one in self.environment],
                "unequal_bits_because": list(self.unequal_bits),
            }
        )
        return found


@dataclass(frozen=True, slots=True)
class Job:
    """A sweep's job by its number: what was found, or the fault that stopped it."""

    name: str
    found: Reproduction | None
    fault: str | None

    @property
    def good(self) -> bool:
        """Whether it came out again."""
        return self.found is not None and self.found.good


def sweep_document(folder: Path, jobs: Sequence[Job], unfinished: Sequence[str]) -> dict[str, Any]:
    """A sweep's jobs as plain values, for JSON."""
    return {
        "schema_version": SCHEMA_VERSION,
        "sweep": str(folder),
        "ok": all(job.good for job in jobs),
        "jobs": [
            {"job": job.name, "error": job.fault} | (job.found.document() if job.found else {"ok": False})
            for job in jobs
        ],
        "unfinished": list(unfinished),
    }
