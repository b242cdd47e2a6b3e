"""What a conversion is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

FORMATS = ("beir", "trec", "squad", "csv", "autorag", "jsonl", "folder", "mteb")
TARGETS = ("beir", "trec", "csv", "parquet")
SPLIT = "test"


@dataclass(frozen=True, slots=True)
class Options:
    """The flags of ``assay convert``.

    Parameters
    ----------
    docs, topics, qrels
        Files given one by one, in place of the source or beside it.
    qrels_ids
        Whether numbers in SMART's judgements are ids, or positions counted from 1.
    by
        What a document of SQuAD is.
    columns
        Column or field names by role (``question``, ``document``, …), for csv and jsonl.
    drop_unknown
        Leave out, list and count what would be refused: dangling judgements, ids that are there twice.
    """

    docs: Path | None = None
    topics: Path | None = None
    qrels: Path | None = None
    qrels_ids: Literal["positions", "ids"] = "ids"
    by: Literal["article", "paragraph"] = "paragraph"
    columns: Mapping[str, str] = field(default_factory=dict)
    drop_unknown: bool = False
