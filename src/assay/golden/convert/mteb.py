"""MTEB's layout on disk: a corpus, queries and qrels as Parquet or JSON Lines, one file or a folder of shards each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.golden.convert.beir import read_qrels
from assay.golden.convert.grades import grade_of, wrong_grade
from assay.golden.convert.intake import Intake
from assay.golden.convert.json_rows import as_id, rows_of, take_document, take_query, take_span
from assay.golden.convert.ledger import At
from assay.golden.convert.options import SPLIT, Options
from assay.golden.convert.parquet_rows import parquet_rows
from assay.golden.jsonl import decoder, kind_of
from assay.records import Judgement

_ENDINGS = (".parquet", ".jsonl", ".jsonl.gz", ".tsv", ".tsv.gz")
_SHARD = re.compile(r"-\d{3,6}(?:-of-\d{3,6})?$")
_QRELS = ("qrels", "default", "data")


def read_mteb(source: Path, intake: Intake, options: Options) -> None:
    """Put the set in the folder ``source`` into ``intake``.

    ``corpus``, ``queries`` and ``qrels`` (or ``default``, or ``data``) are files with one of the endings, or folders
    of such files; the qrels' split is a file's name without its shard's number.
    """
    if not source.is_dir():
        raise DataError(f"{source}: is not a folder; one with corpus, queries and qrels is right")
    for path in [options.docs] if options.docs else _files(source, ("corpus",)):
        for at, row in _rows(path, intake, "documents"):
            take_document(at, row, intake)
    for path in [options.topics] if options.topics else _files(source, ("queries",)):
        for at, row in _rows(path, intake, "queries"):
            take_query(at, row, intake)
    for path in [options.qrels] if options.qrels else _files(source, _QRELS):
        split = SPLIT if options.qrels or path.parent == source else _split_of(path)
        if ".tsv" in path.name:
            read_qrels(path, intake, split)
            continue
        intake.open_split(split)
        for at, row in _rows(path, intake, "judgements"):
            _judgement(at, row, split, intake)
    for path in _files(source, ("spans",), needed=False):
        for at, row in _rows(path, intake, "spans"):
            take_span(at, row, intake)


def _judgement(at: At, row: Mapping[str, Any], split: str, intake: Intake) -> None:
    query_id = as_id(row.get("query-id", row.get("query_id")), intake)
    doc_id = as_id(row.get("corpus-id", row.get("corpus_id")), intake)
    score = row.get("score", 1)
    grade = None if isinstance(score, bool) else grade_of(str(score))
    if query_id is None or doc_id is None:
        fault = f"{kind_of(dict(row))} without strings query-id and corpus-id; both are right"
    elif grade is None:
        fault = wrong_grade(score)
    else:
        intake.judgement(at, Judgement(query_id, doc_id, grade), split)
        return
    intake.read["judgements"] += 1
    intake.refuse("judgements", at, fault)


def _rows(path: Path, intake: Intake, kind: str) -> Iterator[tuple[At, dict[str, Any]]]:
    if path.suffix != ".parquet":
        yield from rows_of(path, intake, kind)
        return
    for at, row in parquet_rows([path]):
        values = {key: value for key, value in row.items() if value is not None}
        metadata = values.get("metadata")
        # A column has one type, so metadata that differ by row are written as JSON.
        if isinstance(metadata, str) and metadata.startswith("{"):
            try:
                values["metadata"] = decoder().decode(metadata)
            except (ValueError, RecursionError) as error:
                intake.read[kind] += 1
                intake.refuse(kind, at, f"metadata can't be read as JSON ({error}); an object is right")
                continue
        yield at, values


def _files(source: Path, names: tuple[str, ...], *, needed: bool = True) -> list[Path]:
    for name in names:
        for ending in _ENDINGS:
            if (source / f"{name}{ending}").is_file():
                return [source / f"{name}{ending}"]
        if (source / name).is_dir():
            paths = [
                path for path in sorted((source / name).iterdir()) if path.name.endswith(_ENDINGS) and path.is_file()
            ]
            if paths:
                return paths
    if needed:
        shown = " or ".join(f"{name}.parquet, {name}.jsonl or a folder {name}" for name in names[:1])
        raise DataError(f"{source}: no {names[0]} in it; {shown} is right")
    return []


def _split_of(path: Path) -> str:
    name = next(
        path.name.removesuffix(ending)
        for ending in sorted(_ENDINGS, key=len, reverse=True)
        if path.name.endswith(ending)
    )
    return _SHARD.sub("", name) or SPLIT
