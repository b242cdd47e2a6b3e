"""What was missed in a terminal: by cause and type, what would help most, and what a reranker could have done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.evaluation.names import headline
from assay.reports.text import cut_to, number
from assay.runs.run import Run

LEAST_GAIN = 0.005
WHAT_HELPS = {
    "not_indexed": "text in the documents that have none",
    "filtered": "a wider filter.where",
    "truncated": "chunks no longer than the model reads (chunker.size)",
    "approximation": "exact search (index=flat)",
    "embedding": "another embedder, chunker or retriever",
    "depth": "a larger reranker.depth",
    "reranker": "a better reranker, or none,",
    "threshold": "a lower filter.min_score",
}


def show_misses(run: Run, out: Console) -> None:
    """Print how many relevant documents each cause lost, by type where there are several, and what would help most."""
    lost = {cause: count for cause, count in run.metrics["causes"].items() if count}
    told = f"Missed: {sum(lost.values())} relevant documents, lost by " + ", ".join(f"{c} {n}" for c, n in lost.items())
    out.print(Text(f"{told}." if lost else "No relevant document was missed."))
    out.print(Text(advice_line(run.metrics.get("advice"))), end="")
    if len(lost) > 1 and run.metrics["by_type"]:
        out.print()
        out.print(_by_type(run.metrics["by_type"], list(lost)))
    if run.metrics.get("reranking"):
        out.print()
        out.print(_ceiling(run))


def advice_line(advice: Mapping[str, Any] | None) -> str:
    """One sentence on the change that could win most, ended by a line break; empty where none could win anything."""
    best = next(iter(advice["changes"]), None) if advice else None
    if advice is None or best is None or best["gain"] < LEAST_GAIN:
        return ""
    won = f"could win up to +{best['gain']:.2f} {advice['metric']}"
    if best["depth"] is not None:  # a reranker to be; without a depth it is the one that lost them
        if not best["documents"]:  # all that it could win is in the ranking, below k
            return (
                f"By order alone, a reranker of the first {best['depth']} documents {won}; "
                f"no miss stands within exact rank {best['depth']}.\n"
            )
        where = f"{best['documents']} of {advice['missed']} misses stand within exact rank {best['depth']}"
        return f"{where}: a reranker of the first {best['depth']} documents {won}.\n"
    return f"{best['documents']} of {advice['missed']} misses are lost by {best['change']}: {WHAT_HELPS[best['change']]} {won}.\n"


def _by_type(by_type: Mapping[str, Any], causes: list[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("missed by type", no_wrap=True)
    for cause in causes:
        table.add_column(cause, justify="right", no_wrap=True)
    for kind, found in sorted(by_type.items(), key=lambda item: (-sum(item[1].get("causes", {}).values()), item[0])):
        if any(found.get("causes", {}).values()):
            table.add_row(cut_to(kind, 24), *(str(found["causes"].get(cause, 0) or "") for cause in causes))
    return table


def _ceiling(run: Run) -> Table:
    """The first stage's order, the reranker's, and a perfect reranker's, on the same candidates."""
    block = run.metrics["reranking"]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("reranking", no_wrap=True)
    for title in ("first stage", "reranked", "perfect order"):
        table.add_column(title, justify="right", no_wrap=True)
    for name in (name for name in headline(run.metrics["metrics"]) if name in block):
        table.add_row(name, *(number(block[name][what]) for what in ("before", "after", "ceiling")))
    return table
