"""What a run looks like in a terminal: one table, the types, what was lost where, the worst questions.

Written for 80 columns; the same text with and without colour, on a terminal and in a pipe. Text from a golden
set is shown as it is, control characters made visible, and never read as markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.evaluation.names import headline
from assay.reports.misses import show_misses
from assay.reports.text import cut_to, fitting, interval, number, plain
from assay.runs.run import Run

WORST = 3
SHOWN_INSTEAD = 3


def show_run(run: Run, out: Console) -> None:
    """Print a run: what it was, its metrics, types, misses and worst questions."""
    metrics, queries = run.metrics["metrics"], run.metrics["queries"]
    names = headline(metrics)
    out.print(Text(_what(run), style="dim"))
    out.print(
        Text(
            f"{queries['total']} quer{'y' if queries['total'] == 1 else 'ies'}: {queries['answerable']} answerable, {queries['unanswerable']} not"
            + (f", {queries['unjudged']} unjudged" if queries["unjudged"] else ""),
            style="dim",
        )
    )
    out.print()
    shown = [
        *names,
        *(name for name in ("evidence_recall@5", "evidence_recall@2000w", "index_recall@10") if name in metrics),
    ]
    table = _metrics_table(run, [name for name in shown if metrics[name]["n"]])
    out.print(fitting(table, out, ("at best", "by chance")))
    if run.metrics["by_type"] and names:
        out.print()
        out.print(fitting(_types_table(run, names), out, ("missed",)))
    for line in abstention_lines(run.metrics["abstention"]):
        out.print(Text(line))
    show_misses(run, out)
    _worst(run, out)


def _what(run: Run) -> str:
    config, corpus = run.config, run.manifest.get("corpus", {})
    dataset = config["dataset"]["name"] or Path(str(config["dataset"]["path"])).name
    chunker = config["chunker"]["kind"] + (
        f" {config['chunker']['size']}/{config['chunker']['overlap']}" if "size" in config["chunker"] else ""
    )
    retriever = config["retriever"]["kind"]
    dense = [config["embedder"]["kind"], config["index"]["kind"]]
    stages = [
        chunker,
        *({"dense": dense, "hybrid": [*dense, "hybrid"]}.get(retriever, [retriever])),
        *(part for part in ("filter" if config["filter"]["kind"] != "none" else "", _reranker(config)) if part),
    ]
    return plain(
        f"{dataset} · {' · '.join(stages)} · {corpus.get('documents')} documents, {corpus.get('chunks')} chunks"
    )


def _reranker(config: Mapping[str, Any]) -> str:
    kind = config["reranker"]["kind"]
    return "" if kind == "none" else f"{kind} {config['reranker']['depth']}"


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
    table.add_column("type", overflow="fold")
    table.add_column("n", justify="right")
    for name in [*names, "missed"]:
        table.add_column(name, justify="right", no_wrap=True)
    first = names[0]

    def order(item: tuple[str, Any]) -> tuple[bool, float, str]:
        mean = item[1]["metrics"][first]["mean"]
        return mean is None, mean or 0.0, item[0]

    for kind, found in sorted(run.metrics["by_type"].items(), key=order):
        means = (number(found["metrics"][name]["mean"]) for name in names)
        missed = sum(found.get("causes", {}).values())
        table.add_row(cut_to(kind, 24), str(found["n"]), *means, str(missed or ""))
    return table


def abstention_lines(block: Mapping[str, Any]) -> list[str]:
    """What the abstention block says, in words; without a threshold it says that nothing was tried."""
    n = block["n_unanswerable"]
    if not n:
        return ["", "No query is marked unanswerable, so abstention is not measured."]
    apart = apart_lines(block)
    empty = block["correct_empty_rate"]
    if block["threshold"] is not None:
        wrong = share(block["wrong_empty_rate"])
        how = "Each query judged by a threshold that other queries chose: these leave" if block.get("cross_fit") else ""
        what = how or f"Threshold {block['threshold']:g} leaves"
        others = "" if block["wrong_empty_rate"] is None else f", and wrongly {wrong} of the others"
        told = f"{what} {share(empty)} of {n} unanswerable queries empty{others}."
    elif empty:
        told = f"No filter.min_score is set, yet {share(empty)} of {n} unanswerable queries got nothing back."
    else:
        told = f"No filter.min_score is set, so all {n} unanswerable queries got an answer."
    return ["", told, *apart]


def apart_lines(block: Mapping[str, Any]) -> list[str]:
    """How well the top score tells answerable from unanswerable queries, and what a chosen threshold is worth."""
    if block["auroc"] is None:
        return []
    low, high = block.get("auroc_ci95") or (None, None)
    between = f", 95 % interval {low:.2f} – {high:.2f}" if low is not None else ""
    lines = [f"AUROC of the top score, answerable above unanswerable: {block['auroc']:.2f}{between} (0.5 is chance)."]
    fit = block.get("cross_fit")
    if high is not None and high < 0.5:
        lines.append("These scores are upside down: questions without an answer score higher than those with one.")
    elif low is not None and low <= 0.5:
        lines.append("These scores can't be told from ones that know nothing of answerability.")
    if fit:
        doing_nothing = max(fit["utility_always_answer"], fit["utility_always_empty"])
        which = "answering always" if fit["utility_always_answer"] >= fit["utility_always_empty"] else "never answering"
        lines.append(
            f"Threshold to deploy: {block['threshold']:.7g}. Mean utility out of fold {fit['utility']:.3f}; {which} has "
            f"{doing_nothing:.3f}"
            + ("." if fit["utility"] > doing_nothing else ", so a threshold doesn't pay on this set.")
        )
    return lines


def share(value: float | None) -> str:
    """A rate in per cent."""
    return "–" if value is None else f"{100 * value:.0f} %"


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
            ", ".join(f"{found['doc_id']} {found['score']:.3g}" for found in row["ranking"][:SHOWN_INSTEAD])
            or "nothing"
        )
        out.print(Text(cut_to(f"  instead {instead}", width), style="dim"))
