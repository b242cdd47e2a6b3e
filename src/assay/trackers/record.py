"""Where a folder was told: one small file in it, so that nothing is told twice and a reader finds the way back."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.runs import files

FILE = "mlflow.json"


@dataclass(frozen=True, slots=True)
class Record:
    """``uri`` is without logins; ``finished`` says that nothing is left to be told."""

    uri: str
    experiment: str
    run_id: str
    finished: bool


def read_record(folder: Path) -> Record | None:
    """The record in ``folder``; None where there is none that can be read."""
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
        uri, experiment, run_id = (found[name] for name in ("uri", "experiment", "run_id"))
    except (OSError, ValueError, LookupError, TypeError):
        return None
    if not all(isinstance(text, str) for text in (uri, experiment, run_id)):
        return None
    return Record(uri, experiment, run_id, found.get("finished") is True)


def write_record(folder: Path, record: Record) -> None:
    """Put ``record`` into ``folder``."""
    files.write_atomically(folder / FILE, files.to_json(asdict(record)))


def where_told(folder: Path) -> str | None:
    """In words where ``folder`` was told, None where it was not."""
    found = read_record(folder)
    if found is None or not found.finished:
        return None
    return f"told mlflow at {found.uri}: experiment {found.experiment}, run {found.run_id}"
