"""What ``assay explain`` shows in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.evaluation.names import headline
from assay.explaining import AROUND, SHOWN, Texts, passage_text
from assay.reports.misses import show_misses
from assay.reports.text import cut_to, number, plain
from assay.runs.run import Run

TEXT_SHOWN = 600
RANKS = (
    ("rank", "exact search"),
    ("first_stage_rank", "first stage"),
    ("handed_rank", "handed to the reranker"),
    ("final_rank", "final"),
)


def show_worst(run: Run, stories: Sequence[Mapping[str, Any]], out: Console) -> None:
    """Print the misses of a run, and its worst queries with every document that they missed."""
    show_misses(run, out)
    if stories:
        out.print()
    for each in stories:
        _title(each, out)
        for gold in each["gold"]:
            if gold["lost"]:
                out.print(Text(cut_to(f"  {_fate(gold)}", out.width)))
    if stories:
        out.print()
        out.print(
            Text(f"One query's whole story: assay explain {run.folder} --query {stories[0]['query_id']}", style="dim")
        )


def show_story(story: Mapping[str, Any], texts: Texts, out: Console) -> None:
    """Print one query's story: its scores, every relevant document and what became of it, each stage's list."""
    _title(story, out)
    if not story["answerable"]:
        got = "nothing came back, as it should" if story["abstained"] else "something came back, though nothing should"
        out.print(Text(f"The golden set has no answer for it: {got}."))
    metrics = {name: value for name, value in story["metrics"].items() if value is not None}
    out.print(Text("  ".join(f"{name} {number(metrics[name])}" for name in headline(metrics)), style="dim"))
    if texts.why_not:
        out.print(Text(plain(texts.why_not), style="dim"))
    for gold in story["gold"]:
        _gold(gold, texts, out)
    _stages(story["stages"], out)


def _title(story: Mapping[str, Any], out: Console) -> None:
    kind = f" [{story['type']}]" if story["type"] else ""
    out.print(Text(plain(f"{story['query_id']}{kind} {story['text']}"), style="yellow"))


def _fate(gold: Mapping[str, Any]) -> str:
    lost = gold["lost"]
    if lost is None:
        return f"{gold['doc_id']} (grade {gold['grade']}) found at rank {gold['rank']}"
    place = f"exact rank {lost['rank']}" if lost["rank"] else "nowhere in exact search"
    return f"{gold['doc_id']} (grade {gold['grade']}) lost by {lost['cause']}; {place}"


def _gold(gold: Mapping[str, Any], texts: Texts, out: Console) -> None:
    lost = gold["lost"]
    out.print()
    out.print(Text(plain(_fate(gold)), style="bold red" if lost else "bold green"))
    if lost:
        ranks = [f"{title} {lost[key]}" for key, title in RANKS if lost.get(key) is not None]
        if ranks:
            out.print(Text("  ranks   " + " · ".join(ranks)))
        best = lost.get("best_chunk")
        if best:
            out.print(Text(f"  best    characters {best['start']} to {best['end']}, score {_score(best['score'])}"))
            text = passage_text(gold["doc_id"], best["start"], best["end"], texts.golden)
            if text is not None:
                out.print(Text(_indented(cut_to(text, TEXT_SHOWN)), style="dim"))
        if lost.get("read_to") is not None:
            out.print(Text(f"  read    the model stopped at character {lost['read_to']}, before the evidence ended"))
    for span in gold["evidence"]:
        group = f" (one of group {span['group']})" if span["group"] is not None else ""
        out.print(Text(plain(f"  span    characters {span['start']} to {span['end']}{group}")))
        marked = Text("    …" if span["start"] > len(span["before"]) else "    ")
        marked.append(plain(span["before"]))
        marked.append(f"[{plain(span['inside'])}]", style="reverse")
        marked.append(plain(span["after"]) + ("…" if len(span["after"]) == AROUND else ""))
        out.print(marked)


def _stages(stages: Sequence[Mapping[str, Any]], out: Console) -> None:
    """The lists of all stages, the first documents of each."""
    for stage in stages:
        out.print()
        if not stage["documents"]:
            out.print(Text(f"{stage['name']}: nothing", style="bold"))
            continue
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("rank", justify="right")
        table.add_column(plain(stage["name"]), no_wrap=True, overflow="ellipsis")
        table.add_column("score", justify="right")
        table.add_column("grade", justify="right")
        last = stage["documents"][0]["stage"]
        beyond = [one for one in stage["documents"][SHOWN:] if one["grade"] > 0]
        for one in [*stage["documents"][:SHOWN], *beyond]:
            style = "green" if one["grade"] > 0 else ""
            # Scores of different stages are never to be compared, so the first stage's is not shown beside the reranker's.
            score = _score(one["score"]) if one["stage"] == last else "not reranked"
            table.add_row(str(one["rank"]), plain(one["doc_id"]), score, str(one["grade"] or ""), style=style)
        out.print(table)


def _score(value: float) -> str:
    """Four decimals, and no sign on what rounds to zero."""
    return f"{round(value, 4) + 0.0:.4f}"


def _indented(text: str) -> str:
    return f"    {text}"
