"""Golden sets: what should be found, for which question, and where in the text.

``load_golden_set`` reads and judges a folder, ``write_golden_set`` makes one. On disk a set is BEIR's
layout, extended with evidence spans and questions that have no answer::

    NAME/corpus.jsonl    {"_id": "d1", "title": "…", "text": "…", "metadata": {…}}
    NAME/queries.jsonl   {"_id": "q1", "text": "…", "metadata": {"type": "lookup", "answerable": true}}
    NAME/qrels/test.tsv  query-id <TAB> corpus-id <TAB> score
    NAME/spans.jsonl     {"query-id": "q1", "corpus-id": "d1", "start": 120, "end": 188, "group": "a"}
"""

from __future__ import annotations

from assay.golden.golden_set import Counts, GoldenSet, Hashes
from assay.golden.load import OnUnknown, load_golden_set
from assay.golden.own import without_own_judgements
from assay.golden.write import GoldenParts, write_golden_set

__all__ = [
    "Counts",
    "GoldenParts",
    "GoldenSet",
    "Hashes",
    "OnUnknown",
    "load_golden_set",
    "without_own_judgements",
    "write_golden_set",
]
