"""Names of the files in a run folder, and writing them so that a half-written one never looks whole."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

CONFIG = "config.yaml"
METRICS = "metrics.json"
PER_QUERY = "per_query.jsonl"
TREC = "run.trec"
MANIFEST = "manifest.json"
TIMINGS = "timings.json"
MARK = ".unfinished"
ALL = (CONFIG, PER_QUERY, TREC, MANIFEST, TIMINGS, METRICS)


def to_json(value: Any) -> str:
    """``value`` as JSON in full precision; NaN is a ValueError, keys stay in their order."""
    return json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def plain(value: Any) -> Any:
    """``value``, read from a file that nobody has judged, as JSON can hold it: NaN, dates and their like as text."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)


def write_atomically(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` so that the file is either whole or not there."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write ``lines``, each with a line feed."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)
