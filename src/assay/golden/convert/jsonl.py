"""JSON Lines, or a JSON list, of questions with other tools' field names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.golden.convert.columns import find_columns
from assay.golden.convert.corpora import read_corpus
from assay.golden.convert.csv_tables import read_document_table
from assay.golden.convert.intake import Intake
from assay.golden.convert.json_stream import items, opens_list
from assay.golden.convert.labels import Labels
from assay.golden.convert.ledger import At
from assay.golden.convert.options import Options
from assay.golden.convert.packed import packed_source
from assay.golden.jsonl import kind_of, read_rows

# Fields may be absent from some rows; those of the first rows together are the table's.
LOOKED_AT = 100


def read_jsonl(source: Path, intake: Intake, options: Options) -> None:
    """Put the rows of ``source`` into ``intake``; the documents are in the rows, or in ``options.docs``."""
    if source.is_dir():
        raise DataError(f"{source}: is a folder; a file with a JSON object a line is right")
    if options.docs is not None:
        read_corpus(options.docs, intake, read_document_table)
    rows = _rows(source, intake)
    first = list(islice(rows, LOOKED_AT))
    if not first:
        if intake.faults.total:
            return
        raise DataError(f"{source}: is empty; a JSON object a line is right")
    names = list(dict.fromkeys(name for _, row in first for name in row))
    columns = find_columns(str(source), names, options.columns, nested=True)
    labels = Labels(intake, columns, corpus=options.docs is not None)
    labels.check(str(source))
    others: set[str] = set()
    for at, row in chain(first, rows):
        others.update(row.keys() - set(names))
        labels.take(at, row)
    if others:
        intake.note(f"{source}: fields left out, first met after row {LOOKED_AT}: {', '.join(sorted(others)[:12])}")
    labels.finish(str(source))


def _rows(source: Path, intake: Intake) -> Iterator[tuple[At, dict[str, Any]]]:
    if opens_list(source):
        for line, row in items(source, None):
            at = At(str(source), line)
            if isinstance(row, dict):
                yield at, row
            else:
                intake.refuse(None, at, f"an item is {kind_of(row)}; an object is right")
        return
    for row in read_rows(packed_source(source), intake.faults):
        if row.values is not None:
            yield At(str(source), row.line), row.values
