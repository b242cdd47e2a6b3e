"""AutoRAG's folder: a corpus and questions in Parquet, ids of what should be found in nested lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.golden.convert.intake import Intake
from assay.golden.convert.json_rows import as_id
from assay.golden.convert.ledger import At
from assay.golden.convert.options import Options
from assay.golden.convert.parquet_rows import parquet_rows, require_pyarrow
from assay.golden.faults import quoted
from assay.golden.jsonl import kind_of
from assay.records import Document, Judgement, Query


def read_autorag(source: Path, intake: Intake, options: Options) -> None:
    """Put AutoRAG's ``*corpus*.parquet`` and ``*qa*.parquet`` into ``intake``.

    In ``retrieval_gt`` the inner lists are alternatives, the outer one what is needed; qrels can't tell the two apart,
    so every id gets grade 1 and a note says how many questions had alternatives.
    """
    require_pyarrow()
    for at, row in parquet_rows([options.docs] if options.docs else _found(source, r"corpus", "*corpus*.parquet")):
        _document(at, row, intake)
    for at, row in parquet_rows(
        [options.topics] if options.topics else _found(source, r"(?<![a-z])qa(?![a-z])|qa_|_qa", "*qa*.parquet")
    ):
        _question(at, row, intake)


def _document(at: At, row: Mapping[str, Any], intake: Intake) -> None:
    found, text, title = as_id(row.get("doc_id"), intake), row.get("contents"), row.get("title")
    if found is None or not isinstance(text, str):
        intake.read["documents"] += 1
        what = f'"doc_id" is {kind_of(row.get("doc_id"))}, "contents" {kind_of(text)}; two strings are right'
        intake.refuse("documents", at, what)
        return
    given = row.get("metadata")
    metadata = {key: value for key, value in given.items() if value is not None} if isinstance(given, dict) else {}
    for key, value in row.items():
        if key not in ("doc_id", "contents", "metadata", "title") and value is not None:
            metadata[key] = value
    intake.document(at, Document(found, text, title if isinstance(title, str) else "", metadata))


def _question(at: At, row: Mapping[str, Any], intake: Intake) -> None:
    found, text, truth = as_id(row.get("qid"), intake), row.get("query"), row.get("retrieval_gt")
    if found is None or not isinstance(text, str):
        intake.read["queries"] += 1
        what = f'"qid" is {kind_of(row.get("qid"))}, "query" {kind_of(text)}; two strings are right'
        intake.refuse("queries", at, what)
        return
    metadata = {
        key: value
        for key, value in row.items()
        if key not in ("qid", "query", "retrieval_gt", "metadata") and value not in (None, [])
    }
    if isinstance(row.get("metadata"), dict):
        metadata = {**{key: value for key, value in row["metadata"].items() if value is not None}, **metadata}
    if not intake.query(at, Query(found, text, metadata=metadata)):
        return
    groups = truth if isinstance(truth, list) else [truth]
    nested = [group if isinstance(group, list) else [group] for group in groups]
    if any(len(group) > 1 for group in nested):
        intake.count(
            "{n} questions have alternatives (inner lists of retrieval_gt), which qrels can't tell from what is all needed"
        )
    ids = [one for group in nested for one in group if one not in (None, "")]
    if not ids:
        intake.count("{n} questions have an empty retrieval_gt: they are not judged, and not marked unanswerable")
    seen: set[str] = set()
    for one in ids:
        doc_id = as_id(one, intake)
        if doc_id is None:
            intake.read["judgements"] += 1
            intake.refuse("judgements", at, f"retrieval_gt of {quoted(found)} holds {kind_of(one)}; ids are right")
        elif doc_id not in seen:
            seen.add(doc_id)
            intake.judgement(at, Judgement(found, doc_id, 1))


def _found(source: Path, pattern: str, shown: str) -> list[Path]:
    if not source.is_dir():
        raise DataError(f"{source}: is not a folder; one with *corpus*.parquet and *qa*.parquet is right")
    paths = sorted(
        path for path in source.iterdir() if path.suffix == ".parquet" and re.search(pattern, path.stem.lower())
    )
    if len(paths) != 1:
        names = ", ".join(path.name for path in paths) or "none"
        raise DataError(f"{source}: one file {shown} is right, there is {names}")
    return paths
