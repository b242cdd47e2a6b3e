"""Which column says what: by flag, or by the names that spreadsheets and other tools use."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from assay.errors import DataError
from assay.golden.faults import quoted

# What each role is called elsewhere. "document" is a text, or an id where the documents are given apart.
KNOWN: dict[str, tuple[str, ...]] = {
    "question": ("question", "query", "question_text", "query_text", "user_input", "user_query", "input"),
    "query_id": ("query_id", "question_id", "qid", "q_id", "qa_id"),
    "document_id": (
        *("document_id", "doc_id", "corpus_id", "docid", "passage_id", "context_id", "source_id", "file", "filename"),
        *("document_ids", "doc_ids", "relevant_doc_ids", "relevant_docs", "relevant_documents", "expected_doc_ids"),
        *("positive_ids", "gold_doc_ids", "gold_ids", "retrieval_gt", "expected_ids"),
    ),
    "document": (
        *("document", "context", "passage", "positive", "source_document", "doc", "reference_context"),
        *("contexts", "reference_contexts", "ground_truth_contexts", "positives", "positive_passages", "positive_ctxs"),
    ),
    "text": ("document_text", "doc_text", "passage_text", "context_text", "text", "contents", "content"),
    "title": ("document_title", "doc_title", "title"),
    "grade": ("grade", "relevance", "score", "label", "rel"),
    "type": ("type", "question_type", "query_type", "category"),
    "answerable": ("answerable", "is_answerable"),
    "impossible": ("is_impossible", "impossible", "unanswerable"),
    "quote": ("quote", "evidence", "excerpt", "supporting_text", "answer_span"),
    "start": ("start", "start_index", "answer_start", "begin"),
    "end": ("end", "end_index", "answer_end"),
    "group": ("group",),
    "references": ("references",),
    "split": ("split",),
    "metadata": ("metadata",),
    "id": ("id", "_id"),
}
NONE = "-"
ROLES = tuple(role for role in KNOWN if role not in ("id", "impossible"))


@dataclass(frozen=True, slots=True)
class Columns:
    """Column names by role, and the columns that no role takes."""

    of: Mapping[str, str]
    unread: tuple[str, ...]

    def __contains__(self, role: str) -> bool:
        return role in self.of

    def get(self, role: str) -> str | None:
        """The column of a role, or None."""
        return self.of.get(role)


def find_columns(where: str, names: Collection[str], given: Mapping[str, str], *, nested: bool = False) -> Columns:
    """The columns of a table with ``names``; ``given`` wins over what is known.

    A name of ``-`` says that there is none. ``nested`` lets a given name be a path into nested objects, such as ``positive.id``.

    Raises
    ------
    DataError
        A given column isn't there, or there is none for the question.
    """
    by_name: dict[str, str] = {}
    for name in names:
        by_name.setdefault(_plain(name), name)
    of: dict[str, str] = {}
    for role, name in given.items():
        if name == NONE:
            continue
        if name in names or (nested and name.split(".")[0] in names):
            of[role] = name
        elif _plain(name) in by_name:
            of[role] = by_name[_plain(name)]
        else:
            flag = f"--{role.replace('_', '-')}"
            raise DataError(f"{where}: no column {quoted(name)} ({flag}); there are {_listed(names)}")
    for role, known in KNOWN.items():
        if role in given:
            continue
        found = next((by_name[name] for name in known if name in by_name and by_name[name] not in of.values()), None)
        if found is not None:
            of[role] = found
    if "id" in of and "query_id" not in of and "question" in of:
        of["query_id"] = of["id"]
    of.pop("id", None)
    if "question" not in of:
        raise DataError(f"{where}: no column is the question; --question COLUMN is right, one of {_listed(names)}")
    taken = {name if name in names else name.split(".")[0] for name in of.values()}
    return Columns(of, tuple(name for name in names if name not in taken))


def _plain(name: str) -> str:
    return re.sub(r"[^0-9a-z]+", "_", name.lower().strip("\ufeff ")).strip("_") or name


def _listed(names: Collection[str]) -> str:
    shown = ", ".join(quoted(name) for name in list(names)[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown or "none"
