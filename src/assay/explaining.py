"""The story of a query: what was wanted, what each stage made of it, and which stage lost what.

Everything comes from the run folder; the golden set adds the texts and their evidence where it is still the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.config.gate import nearest
from assay.config.saved import load_config
from assay.errors import AssayError
from assay.golden import GoldenSet
from assay.reproducing import dataset_of
from assay.runs import files
from assay.runs.golden_changes import differing_parts, hashes_of, hashes_of_set
from assay.runs.run import Run
from assay.workbench import Workbench

SHOWN = 10
AROUND = 200  # characters of text shown on either side of a span


@dataclass(frozen=True, slots=True)
class Texts:
    """The golden set of a run, or why it is not used."""

    golden: GoldenSet | None
    why_not: str | None


def texts_of(run: Run, dataset: str | None, bench: Workbench) -> Texts:
    """The golden set that ``run`` was scored on, if it is found and is the same still."""
    try:
        config = load_config(run.folder / files.CONFIG)
        golden = bench.golden_set(dataset_of(config.dataset, run.folder, dataset, bench))
    except AssayError as error:
        if dataset is not None:
            raise
        return Texts(None, f"no texts are shown: {error.lines()[0]}")
    differing = differing_parts(hashes_of(run), hashes_of_set(golden))
    if "corpus" in differing or "spans" in differing:
        return Texts(None, f"no texts are shown: the golden set's {' and '.join(differing)} changed since this run")
    return Texts(golden, None)


def row_of(run: Run, query_id: str) -> dict[str, Any]:
    """The row of ``per_query.jsonl`` for a query.

    Raises
    ------
    AssayError
        No evaluated query has this id; names a near one.
    """
    known = []
    for row in run.rows():
        if row["query_id"] == query_id:
            return row
        known.append(row["query_id"])
    right = nearest(query_id, known) or "; give one such as " + ", ".join(known[:3])
    raise AssayError(f"--query: {query_id!r} is no evaluated query of {run.folder}{right}")


def story(run: Run, row: Mapping[str, Any], texts: Texts) -> dict[str, Any]:
    """One query's whole story as plain values.

    ``gold`` has every relevant document, missed ones first, each with its cause and evidence, the ranks it had at each
    stage, and its spans as text before, inside and after. ``stages`` are the lists of each stage, best first.
    """
    missed = {miss["doc_id"]: miss for miss in row["missed"]}
    placed = {found["doc_id"]: found for found in row["ranking"]}
    grades = _relevant(row, texts.golden)
    order = sorted(grades, key=lambda d: (d not in missed, placed.get(d, {}).get("rank") or 0, -grades[d], d))
    return {
        "query_id": row["query_id"],
        "text": row["text"],
        "type": row["type"],
        "answerable": row["answerable"],
        "abstained": row["abstained"],
        "top_score": row["top_score"],
        "metrics": row["metrics"],
        "gold": [
            {
                "doc_id": doc_id,
                "grade": grades[doc_id],
                "rank": placed[doc_id]["rank"] if doc_id in placed else None,
                "score": placed[doc_id]["score"] if doc_id in placed else None,
                "lost": missed.get(doc_id),
                "evidence": evidence_of(row["query_id"], doc_id, texts.golden),
            }
            for doc_id in order
        ],
        "stages": _stages(run, row, grades),
    }


def evidence_of(query_id: str, doc_id: str, golden: GoldenSet | None) -> list[dict[str, Any]]:
    """The spans of a document for a query, each with the text before, inside and after it."""
    if golden is None:
        return []
    spans = [span for span in golden.spans.get(query_id, ()) if span.doc_id == doc_id]
    text = next((document.text for document in golden.documents if document.id == doc_id), "") if spans else ""
    return [
        {
            "start": span.start,
            "end": span.end,
            "group": span.group,
            "before": text[max(0, span.start - AROUND) : span.start],
            "inside": text[span.start : span.end],
            "after": text[span.end : span.end + AROUND],
        }
        for span in spans
    ]


def passage_text(doc_id: str, start: int, end: int, golden: GoldenSet | None) -> str | None:
    """The text of a passage; None without the golden set."""
    for document in golden.documents if golden is not None else ():
        if document.id == doc_id:
            return document.text[start:end]
    return None


def _relevant(row: Mapping[str, Any], golden: GoldenSet | None) -> dict[str, int]:
    """Grades of the relevant documents: of the golden set, or else those that the run folder names."""
    if golden is not None:
        return {doc_id: grade for doc_id, grade in golden.qrels.get(row["query_id"], {}).items() if grade > 0}
    named = {found["doc_id"]: found["grade"] for found in row["ranking"] if (found["grade"] or 0) > 0}
    return named | {miss["doc_id"]: miss["grade"] for miss in row["missed"]}


def _stages(run: Run, row: Mapping[str, Any], grades: Mapping[str, int]) -> list[dict[str, Any]]:
    """Each stage's list, in the order of the trip: the first stage, the reranker's, and what ``min_score`` left."""

    def listed(found: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [
            {
                "doc_id": one["doc_id"],
                "rank": one["rank"],
                "score": one["score"],
                "stage": one.get("stage", 0),
                "grade": grades.get(one["doc_id"], 0),
            }
            for one in found
        ]

    retriever, reranker = run.config["retriever"]["kind"], run.config["reranker"]["kind"]
    first = retriever if retriever != "dense" else f"dense, {run.config['index']['kind']}"
    threshold = run.config["filter"].get("min_score")
    names = [first]
    names += [f"reranked by {reranker}"] if reranker != "none" else []
    least = f"{threshold:g}" if isinstance(threshold, float | int) else threshold
    names += [f"min_score {least}"] if threshold is not None else []
    lists = [row[name] for name in ("first_stage", "reranked") if name in row] + [row["ranking"]]
    if len(names) != len(lists):  # a folder that an earlier assay wrote
        names, lists = [first, ", ".join(names[1:])][: len(lists)], lists
    return [{"name": name, "documents": listed(each)} for name, each in zip(names, lists, strict=True)]


def run_folder(path: str) -> Path:
    """The folder of one run; an AssayError for a sweep, whose jobs are asked one by one."""
    from assay.runs.sweep_folder import jobs_of

    folder = Path(path)
    jobs = jobs_of(folder)
    if jobs:
        raise AssayError(
            f"{folder}: is a sweep; give one of its runs, such as {jobs.whole[0] if jobs.whole else folder / '0'}"
        )
    return folder
