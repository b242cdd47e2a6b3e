"""Fingerprints of what a golden set says: equal for equal content, however the files are written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence

from assay.golden.golden_set import Hashes
from assay.records import Document, Query, Span


def hash_contents(
    documents: Sequence[Document],
    queries: Sequence[Query],
    qrels: Mapping[str, Mapping[str, int]],
    spans: Mapping[str, Sequence[Span]],
) -> Hashes:
    """sha256 of each file's content.

    The order of documents, of judgements and of queries within qrels and spans is no part of it. The order of
    queries is (outputs follow it), and so is the order of one query's spans (the first wins a tie).
    """
    return Hashes(
        corpus=_sha256(
            [document.id, document.title, document.text, document.metadata]
            for document in sorted(documents, key=lambda document: document.id)
        ),
        queries=_sha256([query.id, query.text, query.metadata] for query in queries),
        qrels=_sha256(
            [query_id, doc_id, grade]
            for query_id, grades in sorted(qrels.items())
            for doc_id, grade in sorted(grades.items())
        ),
        spans=_sha256(
            [span.query_id, span.doc_id, span.start, span.end, span.group]
            for _, group in sorted(spans.items())
            for span in group
        )
        if spans
        else None,
    )


def _sha256(rows: Iterable[object]) -> str:
    digest = hashlib.sha256()
    for row in rows:
        text = json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
        digest.update(text.encode("utf-8"))
        digest.update(b"\n")
    return digest.hexdigest()
