"""To Parquet in MTEB's layout: corpus, queries, qrels by split, and spans; metadata as JSON in a column."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from assay.golden.convert.canonical import Canonical
from assay.golden.convert.parquet_rows import require_pyarrow

ROWS = 2_000


def write_parquet(golden: Canonical, folder: Path) -> list[str]:
    """What the format could not hold, a line each: nothing."""
    require_pyarrow()
    _write(
        folder / "corpus.parquet",
        {"_id": "string", "title": "string", "text": "string", "metadata": "string"},
        (
            {"_id": one.id, "title": one.title, "text": one.text, "metadata": _json(one.metadata)}
            for one in golden.documents()
        ),
    )
    _write(
        folder / "queries.parquet",
        {"_id": "string", "text": "string", "metadata": "string"},
        ({"_id": one.id, "text": one.text, "metadata": _json(one.metadata)} for one in golden.queries()),
    )
    (folder / "qrels").mkdir()
    for split in golden.splits():
        _write(
            folder / "qrels" / f"{split}.parquet",
            {"query-id": "string", "corpus-id": "string", "score": "int64"},
            (
                {"query-id": one.query_id, "corpus-id": one.doc_id, "score": one.grade}
                for one in golden.judgements(split)
            ),
        )
    if next(golden.spans(), None) is not None:
        _write(
            folder / "spans.parquet",
            {"query-id": "string", "corpus-id": "string", "start": "int64", "end": "int64", "group": "string"},
            (
                {
                    "query-id": one.query_id,
                    "corpus-id": one.doc_id,
                    "start": one.start,
                    "end": one.end,
                    "group": one.group,
                }
                for one in golden.spans()
            ),
        )
    return []


def _write(path: Path, columns: Mapping[str, str], rows: Iterable[dict[str, Any]]) -> None:
    import pyarrow
    import pyarrow.parquet

    types = {"string": pyarrow.string(), "int64": pyarrow.int64()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in _batches(iter(rows)):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema))


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while batch := list(islice(rows, ROWS)):
        yield batch


def _json(metadata: Mapping[str, Any]) -> str | None:
    return json.dumps(dict(metadata), ensure_ascii=False) if metadata else None
