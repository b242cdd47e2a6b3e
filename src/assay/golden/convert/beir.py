"""BEIR's layout, as it is found: packed or not, qrels beside or below, with or without a header."""

from __future__ import annotations

from pathlib import Path

from assay.errors import DataError
from assay.golden.convert.grades import read_judgements
from assay.golden.convert.intake import Intake
from assay.golden.convert.json_rows import read_documents, read_queries, read_spans
from assay.golden.convert.options import SPLIT, Options
from assay.records import Judgement


def read_beir(source: Path, intake: Intake, options: Options) -> None:
    """Put the golden set in the folder ``source`` into ``intake``, every split of it."""
    corpus = options.docs or _one(source, "corpus.jsonl")
    queries = options.topics or _one(source, "queries.jsonl")
    read_documents(corpus, intake)
    read_queries(queries, intake)
    for split, path in ({SPLIT: options.qrels} if options.qrels else _splits(source)).items():
        read_qrels(path, intake, split)
    spans = find_file(source, "spans.jsonl")
    if spans is not None:
        read_spans(spans, intake)


def read_qrels(path: Path, intake: Intake, split: str = SPLIT) -> None:
    """Put the judgements of one file into ``intake``, ids as they stand."""
    intake.open_split(split)
    for row in read_judgements(path, intake):
        if row.fault is not None:
            intake.read["judgements"] += 1
            intake.refuse("judgements", row.at, row.fault)
        else:
            intake.judgement(row.at, Judgement(row.query_id, row.doc_id, row.grade), split)


def find_file(folder: Path, name: str) -> Path | None:
    """``name`` or ``name.gz`` in ``folder``."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def _one(source: Path, name: str) -> Path:
    found = find_file(source, name)
    if found is None:
        raise DataError(f"{source / name}: no such file; the folder of a BEIR set, with this file in it, is right")
    return found


def _splits(source: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    folder = source / "qrels" if (source / "qrels").is_dir() else source
    for path in sorted(folder.iterdir()):
        for ending in (".tsv", ".tsv.gz"):
            if path.name.endswith(ending) and path.is_file():
                split = path.name.removesuffix(ending)
                if split in found:
                    raise DataError(f"{path}: there is {found[split].name} too; one file a split is right")
                found[split] = path
    return found
