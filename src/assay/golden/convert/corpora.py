"""Documents that are given apart from their questions: whatever the path leads to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.golden.convert.beir import find_file
from assay.golden.convert.folder import read_folder
from assay.golden.convert.intake import Intake
from assay.golden.convert.json_rows import read_documents
from assay.golden.convert.trec import read_any_documents


def read_corpus(path: Path, intake: Intake, read_table: Callable[[Path, Intake], None]) -> None:
    """Put the documents at ``path`` into ``intake``.

    A folder with ``corpus.jsonl`` is a golden set's, any other folder holds a text a file; a ``.csv`` or ``.tsv`` is
    read by ``read_table``; the rest is told apart by its first line.
    """
    if path.is_dir():
        corpus = find_file(path, "corpus.jsonl")
        if corpus is not None:
            read_documents(corpus, intake)
        else:
            read_folder(path, intake)
    elif path.name.lower().removesuffix(".gz").endswith((".csv", ".tsv")):
        read_table(path, intake)
    else:
        read_any_documents(path, intake)
