"""What a run looks like in a terminal: one table, the types, what was lost where, the worst questions.

Written for 80 columns; the same text with and without colour, on a terminal and in a pipe. Text from a golden
set is shown as it is, control characters made visible, and never read as markup.
"""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.chunkers.graphemes import Graphemes
from assay.evaluation.names import headline
from assay.runs.run import Run

WIDTH = 80
WORST = 3
SHOWN_INSTEAD = 3
# ZWNJ, ZWJ; LRM, RLM, ALM; the number signs of Arabic and its like, which are format characters that show.
SHAPING = frozenset("\u200c\u200d\u200e\u200f\u061c\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")


class Output(Console):
    """rich's console, but a reader who has gone is the caller's to deal with: rich would exit with status 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(file: TextIO | None = None) -> Console:
    """A console for results: as wide as the terminal up to 100 columns, 80 in a pipe; no colour in a pipe."""
    out = file or sys.stdout
    width = min(100, shutil.get_terminal_size((WIDTH, 24)).columns) if out.isatty() else WIDTH
    return Output(file=out, width=max(40, width), highlight=False, emoji=False, markup=False, soft_wrap=False)


def plain(text: str) -> str:
    """``text`` on one line, with control, format and private characters made visible.

    What words need stays as it is: joiners, marks of direction, Arabic number signs. What turns other text around
    (embeddings, overrides, isolates) does not.
    """
    return "".join(
        char
        if char in SHAPING or unicodedata.category(char) not in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
        else " "
        if char in "\n\r\t\u2028\u2029"
        else f"\\u{ord(char):04x}"
        for char in text
    )


def cut_to(text: str, width: int) -> str:
    """``text`` in at most ``width`` columns, with an ellipsis where it was cut, never inside a grapheme cluster."""
    text = plain(text)
    if cell_len(text) <= width:
        return text
    kept = ""
    for char in text:
        if cell_len(kept + char) > width - 1:
            break
        kept += char
    return text[: Graphemes(text).floor(len(kept))].rstrip() + "…"


def number(value: float | None) -> str:
    """Three decimals, a dash for none."""
    return "–" if value is None else f"{value:.3f}"


def interval(found: Mapping[str, Any]) -> str:
    """The 95 % interval as text."""
    ci = found.get("ci95")
    return "" if ci is None else f"{ci[0]:.3f} – {ci[1]:.3f}"


def show_run(run: Run, out: Console) -> None:
    """Print a run: what it was, its metrics, types, misses and worst questions."""
    metrics, queries = run.metrics["metrics"], run.metrics["queries"]
    names = headline(metrics)
    out.print(Text(_what(run), style="dim"))
    out.print(
        Text(
            f"{queries['total']} queries: {queries['answerable']} answerable, {queries['unanswerable']} not"
            + (f", {queries['unjudged']} unjudged" if queries["unjudged"] else ""),
            style="dim",
        )
    )
    out.print()
    shown = [
        *names,
        *(name for name in ("evidence_recall@5", "evidence_recall@2000w", "index_recall@10") if name in metrics),
    ]
    out.print(_metrics_table(run, [name for name in shown if metrics[name]["n"]]))
    if run.metrics["by_type"] and names:
        out.print()
        out.print(_types_table(run, names))
    for line in [*abstention_lines(run.metrics["abstention"]), *_causes(run.metrics["causes"])]:
        out.print(Text(line))
    _worst(run, out)


def _what(run: Run) -> str:
    config, corpus = run.config, run.manifest.get("corpus", {})
    dataset = config["dataset"]["name"] or Path(str(config["dataset"]["path"])).name
    chunker = config["chunker"]["kind"] + (
        f" {config['chunker']['size']}/{config['chunker']['overlap']}" if "size" in config["chunker"] else ""
    )
    retriever = config["retriever"]["kind"]
    stages = [
        chunker,
        *([config["embedder"]["kind"], config["index"]["kind"]] if retriever == "dense" else [retriever]),
    ]
    return plain(
        f"{dataset} · {' · '.join(stages)} · {corpus.get('documents')} documents, {corpus.get('chunks')} chunks"
    )


def _metrics_table(run: Run, names: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title, justify in (
        ("metric", "left"),
        ("mean", "right"),
        ("95 % interval", "left"),
        ("n", "right"),
        ("by chance", "right"),
        ("at best", "right"),
    ):
        table.add_column(title, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for name in names:
        found, bound = run.metrics["metrics"][name], run.metrics["bounds"].get(name, {})
        table.add_row(
            name,
            Text(number(found["mean"]), style="bold"),
            interval(found),
            str(found["n"]),
            number(bound.get("floor")) if bound else "",
            number(bound.get("ceiling")) if bound else "",
        )
    return table


def _types_table(run: Run, names: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("type", no_wrap=True)
    table.add_column("n", justify="right")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    first = names[0]

    def order(item: tuple[str, Any]) -> tuple[bool, float, str]:
        mean = item[1]["metrics"][first]["mean"]
        return mean is None, mean or 0.0, item[0]

    for kind, found in sorted(run.metrics["by_type"].items(), key=order):
        table.add_row(cut_to(kind, 24), str(found["n"]), *(number(found["metrics"][name]["mean"]) for name in names))
    return table


def abstention_lines(block: Mapping[str, Any]) -> list[str]:
    """What the abstention block says, in words; without a threshold it says that nothing was tried."""
    n = block["n_unanswerable"]
    if not n:
        return ["", "No query is marked unanswerable, so abstention is not measured."]
    auroc = block["auroc"]
    apart = (
        [f"AUROC of the top score, answerable above unanswerable: {auroc:.2f} (0.5 is chance)."]
        if auroc is not None
        else []
    )
    empty = block["correct_empty_rate"]
    if block["threshold"] is not None:
        wrong = share(block["wrong_empty_rate"])
        told = f"Threshold {block['threshold']:g} leaves {share(empty)} of {n} unanswerable queries empty, and wrongly {wrong} of the others."
    elif empty:
        told = f"No filter.min_score is set, yet {share(empty)} of {n} unanswerable queries got nothing back."
    else:
        told = f"No filter.min_score is set, so all {n} unanswerable queries got an answer."
    return ["", told, *apart]


def share(value: float | None) -> str:
    """A rate in per cent."""
    return "–" if value is None else f"{100 * value:.0f} %"


def _causes(causes: Mapping[str, int]) -> list[str]:
    lost = {cause: count for cause, count in causes.items() if count}
    if not lost:
        return ["No relevant document was missed."]
    return [
        f"Missed: {sum(lost.values())} relevant documents, lost by "
        + ", ".join(f"{cause} {count}" for cause, count in lost.items())
        + "."
    ]


def worst_rows(run: Run, most: int = WORST) -> list[dict[str, Any]]:
    """The answerable queries with the lowest nDCG at the largest cutoff; ties by first relevant rank, then id."""
    rows = [row for row in run.per_query if row["answerable"] and row["missed"]]
    ndcg = [name for name in run.metrics["metrics"] if name.startswith("ndcg@")]

    def badness(row: Mapping[str, Any]) -> tuple[float, float, str]:
        values = row["metrics"]
        return (values.get(ndcg[-1]) or 0.0) if ndcg else 0.0, values.get("mrr") or 0.0, row["query_id"]

    return sorted(rows, key=badness)[:most]


def _worst(run: Run, out: Console) -> None:
    rows = worst_rows(run)
    if not rows:
        return
    width = out.width
    out.print()
    out.print(Text("Worst questions", style="bold"))
    for row in rows:
        kind = f" [{row['type']}]" if row["type"] else ""
        out.print(Text(cut_to(f"{row['query_id']}{kind} {row['text']}", width), style="yellow"))
        for miss in row["missed"][:SHOWN_INSTEAD]:
            place = f"exact rank {miss['rank']}" if miss["rank"] else "nowhere in exact search"
            out.print(Text(cut_to(f"  missed  {miss['doc_id']}  (lost by {miss['cause']}; {place})", width)))
        if len(row["missed"]) > SHOWN_INSTEAD:
            out.print(Text(f"  and {len(row['missed']) - SHOWN_INSTEAD} more"))
        instead = (
            ", ".join(f"{found['doc_id']} {found['score']:.2f}" for found in row["ranking"][:SHOWN_INSTEAD])
            or "nothing"
        )
        out.print(Text(cut_to(f"  instead {instead}", width), style="dim"))
