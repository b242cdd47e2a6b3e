"""A run folder, read back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.config.saved import load_saved
from assay.errors import DataError
from assay.runs import files
from assay.table import Table

SCHEMA_VERSION = 1
MAX_JSON = 500_000_000


@dataclass(frozen=True)
class Run:
    """A whole run in ``folder``; its files are read when asked for."""

    folder: Path

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """The content of ``metrics.json``."""
        return read_object(self.folder / files.METRICS)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The content of ``manifest.json``."""
        return read_object(self.folder / files.MANIFEST)

    @cached_property
    def timings(self) -> dict[str, Any]:
        """The content of ``timings.json``."""
        return read_object(self.folder / files.TIMINGS)

    @cached_property
    def config(self) -> dict[str, Any]:
        """The content of ``config.yaml``, as plain values that no gate has judged."""
        return load_saved(self.folder / files.CONFIG)

    @cached_property
    def per_query(self) -> list[dict[str, Any]]:
        """The rows of ``per_query.jsonl``, in the golden set's order."""
        return list(self.rows())

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows of ``per_query``, one at a time, for a run that is too large to hold."""
        path = self.folder / files.PER_QUERY
        try:
            with path.open(encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    row = json.loads(line, object_pairs_hook=unique_keys)
                    if (
                        not isinstance(row, dict)
                        or not isinstance(row.get("query_id"), str)
                        or not isinstance(row.get("metrics"), dict)
                    ):
                        raise DataError(f"{path}:{number}: no row of a run; the file is damaged, run again")
                    yield row
        except OSError as error:
            raise DataError(f"{path}: cannot be read ({error.strerror}); give a whole run folder") from None
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path}: no JSON lines ({error}); the file is damaged, run again") from None

    @property
    def table(self) -> Table:
        """Metrics with means, intervals and numbers of queries, a row a metric."""
        return Table.of(
            [
                {
                    "metric": name,
                    "mean": found["mean"],
                    "low": (found["ci95"] or [None, None])[0],
                    "high": (found["ci95"] or [None, None])[1],
                    "n": found["n"],
                }
                for name, found in self.metrics["metrics"].items()
            ]
        )

    def to_pandas(self) -> Any:
        """``table`` as a ``pandas.DataFrame``."""
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """``table`` as a ``polars.DataFrame``."""
        return self.table.to_polars()

    @property
    def queries(self) -> Table:
        """The evaluated queries, a row each in the golden set's order: id, text, type, what came back, scores."""
        return Table.of(
            [
                {key: row.get(key) for key in ("query_id", "text", "type", "answerable", "abstained", "top_score")}
                | {name: row["metrics"].get(name) for name in self.metrics["metrics"]}
                for row in self.rows()
            ]
        )

    def _repr_html_(self) -> str:
        """Charts and tables, for a notebook."""
        from assay.notebook import run_face

        return run_face(self)


def load_run(path: str | Path) -> Run:
    """The run in folder ``path``.

    Raises
    ------
    DataError
        The folder is missing, holds no whole run, or one that a newer assay wrote.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; give a run folder, such as outputs/runs/…")
    if not (folder / files.METRICS).is_file():
        job = next((one for one in sorted(folder.glob("[0-9]*")) if (one / files.METRICS).is_file()), None)
        if job is not None:
            raise DataError(f"{folder}: is a sweep; give one of its runs, such as {job}")
        raise DataError(
            f"{folder}: holds no {files.METRICS}, so no whole run; give a run folder, or finish it with resume=true"
        )
    run = Run(folder)
    version = run.metrics.get("schema_version")
    if version != SCHEMA_VERSION:
        newer = isinstance(version, int) and version > SCHEMA_VERSION
        raise DataError(
            f"{folder / files.METRICS}: schema_version {version!r}, this assay reads {SCHEMA_VERSION}"
            + ("; a newer assay wrote it, upgrade" if newer else "; the file is damaged")
        )
    if not isinstance(run.metrics.get("metrics"), dict):
        raise DataError(f"{folder / files.METRICS}: holds no metrics; the file is damaged")
    return run


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in ``path``; a DataError if it can't be read."""
    try:
        if path.stat().st_size > MAX_JSON:
            raise DataError(f"{path}: larger than {MAX_JSON} bytes; no file of a run")
        value = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique_keys)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}); give a whole run folder") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: no JSON ({error}); the file is damaged, run again") from None
    if not isinstance(value, dict):
        raise DataError(f"{path}: no JSON object; the file is damaged, run again")
    return value


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dict of ``pairs``; a ValueError if a key stands twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found
