"""Whether a run folder's own files say the same thing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from assay.errors import DataError
from assay.evaluation.intervals import exact_mean
from assay.runs import files
from assay.runs.outcomes import Outcome, metric_means, outcomes
from assay.runs.run import Run
from assay.runs.trec import read_trec

_EQUAL = 1e-12


def disagreements(run: Run) -> list[str]:
    """What the files of ``run`` contradict each other in, a line each; empty for a folder as it was written.

    Raises
    ------
    DataError
        A file is missing, or can't be read as what it is.
    """
    _ = run.timings
    rows = list(outcomes(run))
    return [*_config(run), *_counts(run, rows), *_means(run, rows), *_rankings(run, rows)]


def _config(run: Run) -> Iterator[str]:
    hashes = run.manifest.get("hashes")
    saved = hashes.get("config") if isinstance(hashes, dict) else None
    if hashlib.sha256((run.folder / files.CONFIG).read_bytes()).hexdigest() != saved:
        yield f"{files.CONFIG} is not the one whose hash {files.MANIFEST} has"


def _counts(run: Run, rows: list[Outcome]) -> Iterator[str]:
    answerable = sum(one.answerable for one in rows)
    if run.metrics["queries"]["answerable"] != answerable:
        yield (
            f"{files.METRICS} counts {run.metrics['queries']['answerable']} answerable queries, "
            f"{files.PER_QUERY} holds {answerable}"
        )


def _means(run: Run, rows: list[Outcome]) -> Iterator[str]:
    for name, (mean, n) in metric_means(run).items():
        values = [value for one in rows if (value := one.values.get(name)) is not None]
        found = exact_mean(values) if values else None
        same = found == mean if found is None or mean is None else abs(found - mean) <= _EQUAL
        if not same or n != len(values):
            yield f"{name}: {files.METRICS} has {mean} over {n} queries, {files.PER_QUERY} gives {found} over {len(values)}"


def _rankings(run: Run, rows: list[Outcome]) -> Iterator[str]:
    path = run.folder / files.TREC
    if not _ends_with_line_feed(path):
        raise DataError(f"{path}: its last line is cut off; the file is damaged, run again")
    written = read_trec(path)
    expected = {one.query_id: list(one.doc_ids) for one in rows if one.ranking}
    if list(written) != list(expected):
        yield f"{files.TREC} ranks {len(written)} queries, {files.PER_QUERY} {len(expected)}, or in another order"
    other = [query for query, ranking in written.items() if expected.get(query, ranking) != ranking]
    if other:
        yield f"{files.TREC} and {files.PER_QUERY} rank otherwise for {len(other)} queries, first {other[0]}"


def _ends_with_line_feed(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - 1))
            return file.read() in (b"\n", b"")
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}); give a whole run folder") from None
