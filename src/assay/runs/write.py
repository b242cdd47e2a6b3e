"""A result as a run folder. ``metrics.json`` comes last, so a folder that has it is whole."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.config import config_yaml
from assay.runs import files
from assay.runs.manifest import manifest_of, peak_rss_bytes
from assay.runs.trec import write_trec

if TYPE_CHECKING:
    from assay.results import Result


def write_run(result: Result, folder: Path, overrides: Sequence[str], threads: int) -> None:
    """Write every file of INTERFACE's run folder into ``folder``, which is ours and empty."""
    files.write_atomically(folder / files.CONFIG, config_yaml(result.config))
    write_trec(folder / files.TREC, {ranking.query_id: ranking.doc_ids for ranking in result.rankings}, "assay")
    files.write_lines(folder / files.PER_QUERY, map(_line, per_query(result)))
    files.write_atomically(folder / files.MANIFEST, files.to_json(manifest_of(result, overrides, threads)))
    files.write_atomically(folder / files.TIMINGS, files.to_json(timings_of(result)))
    files.write_atomically(folder / files.METRICS, files.to_json(result.scores.summary))


def per_query(result: Result) -> Iterator[dict[str, Any]]:
    """The rows of ``per_query.jsonl``, in the golden set's order."""
    scores = result.scores
    for i, (query, ranking) in enumerate(zip(result.golden.evaluated, result.rankings, strict=True)):
        grades = scores.qrels[i]
        yield {
            "query_id": query.id,
            "text": query.text,
            "type": query.type,
            "answerable": query.answerable,
            "abstained": not ranking.documents,
            "top_score": ranking.top_score,
            "metrics": {
                name: None if math.isnan(value := float(scores.values[name][i])) else value
                for name in scores.summary["metrics"]
            },
            "ranking": [
                {
                    "doc_id": found.doc_id,
                    "rank": place,
                    "score": found.score,
                    "stage": found.stage,
                    "grade": grades.get(found.doc_id),
                    "chunks": [{"start": p.start, "end": p.end, "score": p.score} for p in found.passages],
                }
                for place, found in enumerate(ranking.documents, 1)
            ],
            "missed": [asdict(miss) for miss in scores.missed[i]],
        } | earlier_rankings(result, i)


def earlier_rankings(result: Result, i: int) -> dict[str, Any]:
    """Query ``i``'s rankings before the final one, where reranking or ``min_score`` came after them."""
    earlier = {"first_stage": result.first_stage, "reranked": result.reranked}
    return {
        name: [
            {"doc_id": found.doc_id, "rank": place, "score": found.score, "stage": found.stage}
            for place, found in enumerate(rankings[i].documents, 1)
        ]
        for name, rankings in earlier.items()
        if rankings is not None
    }


def timings_of(result: Result) -> dict[str, Any]:
    """The content of ``timings.json``: seconds by stage, latency, sizes, hits and misses of the store."""
    return {
        "stages": dict(result.clock.seconds),
        "search": asdict(result.search),
        "index": {"build_s": result.build_seconds, "bytes": result.index_bytes},
        "peak_rss_bytes": peak_rss_bytes(),
        "cache": {stage: counted.as_dict() for stage, counted in result.cache.items()},
    }


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, allow_nan=False, ensure_ascii=False)
