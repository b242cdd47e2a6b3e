"""The page of one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import DataError
from assay.evaluation.names import headline
from assay.golden import GoldenSet
from assay.reports.console import abstention_lines
from assay.reports.html import abstention_charts, cost_charts, run_charts
from assay.reports.html.asked import Asked, asked_of, worst_first
from assay.reports.html.chart import figures
from assay.reports.html.island import Island, island
from assay.reports.html.markup import Cell, Markup, joined, table, tag
from assay.reports.html.page import page
from assay.reports.html.parts import (
    config_table,
    dataset_name,
    folded,
    notices,
    pairs,
    pipeline_in_words,
    queries_in_words,
    tile,
)
from assay.reports.misses import advice_line
from assay.reports.sweep_verdict import size
from assay.reports.text import interval, number
from assay.runs import files
from assay.runs.run import Run

METRICS = ("queries", "bounds", "macro_by_type", "by_type", "abstention")
TIMINGS = ("stages", "search", "index")
ALSO_TELLING = ("evidence_recall@5", "evidence_recall@2000w", "index_recall@10")
NO_SCRIPT = "The table of queries needs JavaScript, which is in this file itself; everything else stands without it."


def run_page(run: Run, golden: GoldenSet | None, why_not: str | None) -> str:
    """The HTML of ``run``'s report.

    Parameters
    ----------
    golden
        The golden set that the run was scored on, for the texts of documents; None where it is not to be had.
    why_not
        Then the reason, in a sentence.

    Raises
    ------
    DataError
        A file of the run is damaged.
    """
    refuse_damaged(run)
    metrics = run.metrics["metrics"]
    main = [name for name in headline(metrics) if metrics[name]["n"]]
    telling = [name for name in ALSO_TELLING if metrics.get(name, {}).get("n")]
    deepest = [name for name in metrics if name.startswith("ndcg@")][-1:]
    asked = list(asked_of(run, list(dict.fromkeys([*main, *telling, *deepest]))))
    columns = [name for name in main if not name.startswith(("mrr", "handled"))] + telling[:1]
    held = island(
        asked, worst_first(asked), [*columns, *(name for name in main if name not in columns)], len(columns), golden
    )
    sections = [
        ("headline", "Headline", _headline(run, main, telling)),
        ("found", "What is found", _found(run, main, asked)),
        ("missed", "What is missed", _missed(run, main, asked)),
        ("abstention", "When nothing should be found", _abstention(run, asked)),
        ("queries-part", "Queries", _queries(held, why_not)),
        ("time", "Time and size", _time(run)),
        ("all", "All metrics", _all_metrics(run)),
        ("made", "How it was made", _made(run)),
    ]
    name = dataset_name(run.config)
    return page(f"{name}: assay run", _header(run, name), sections, _footer(run), held.text)


def refuse_damaged(run: Run) -> None:
    """Raise a DataError that names the block that a file of ``run`` lacks."""
    for name, held, blocks in ((files.METRICS, run.metrics, METRICS), (files.TIMINGS, run.timings, TIMINGS)):
        for block in blocks:
            if not isinstance(held.get(block), dict):
                raise DataError(f"{run.folder / name}: holds no {block}; the file is damaged, run again")


def _header(run: Run, name: str) -> Markup:
    corpus = run.manifest.get("corpus", {})
    sizes = f"{corpus.get('documents', 0):,} documents, {corpus.get('chunks', 0):,} chunks"
    return joined(
        tag("h1", name),
        tag("p", pipeline_in_words(run.config)),
        tag("p", f"{queries_in_words(run.metrics['queries'])} · {sizes} · {_made_on(run)}", class_="quiet"),
    )


def _made_on(run: Run) -> str:
    return f"made {str(run.manifest.get('created', 'some day'))[:10]}"


def _headline(run: Run, main: Sequence[str], telling: Sequence[str]) -> Markup:
    metrics, bounds = run.metrics["metrics"], run.metrics["bounds"]
    tiles = tag("ul", *(tile(name, metrics[name], bounds.get(name)) for name in (*main, *telling)), class_="tiles")
    told = advice_line(run.metrics.get("advice")).strip()
    advised = tag("p", "What would help most: ", told[:1].lower() + told[1:], class_="verdict") if told else None
    return joined(advised, tiles, notices(map(str, run.manifest.get("warnings", ()))))


def _found(run: Run, main: Sequence[str], asked: Sequence[Asked]) -> Markup:
    drawn = [run_charts.recall_over_k(run.metrics, asked), run_charts.first_relevant(asked)]
    if main:
        drawn.append(run_charts.by_type(run.metrics, main[0]))
    return figures(drawn)


def _types(run: Run, main: Sequence[str], asked: Sequence[Asked]) -> Markup:
    """The headline metrics of each type and how many documents it missed, weakest first."""
    blocks = run.metrics["by_type"]
    if not blocks or not main:
        return joined()
    missed = Counter(one.type for one in asked for _ in one.missed)

    def order(item: tuple[str, Any]) -> tuple[bool, float, str]:
        mean = item[1]["metrics"][main[0]]["mean"]
        return mean is None, mean or 0.0, item[0]

    rows = [
        (
            kind,
            Cell(f"{found['n']:,}", found["n"]),
            *(_mean(found["metrics"][name]) for name in main),
            missed[kind] or "",
        )
        for kind, found in sorted(blocks.items(), key=order)
    ]
    return table("Metrics by type, weakest first", ("type", "n", *main, "missed"), rows, sortable=True)


def _mean(found: Mapping[str, Any]) -> Cell:
    return Cell(number(found["mean"]), found["mean"])


def _missed(run: Run, main: Sequence[str], asked: Sequence[Asked]) -> Markup:
    chart = run_charts.causes(asked)
    lost = figures([chart]) if chart else tag("p", "No relevant document was missed.")
    types = _types(run, main, asked)
    both = tag("div", tag("div", types), tag("div", lost), class_="beside") if types else lost
    return joined(both, _reranking(run, main))


def _reranking(run: Run, main: Sequence[str]) -> Markup:
    block = run.metrics.get("reranking")
    if not block:
        return joined()
    rows = [
        (name, *(number(block[name][what]) for what in ("before", "after", "ceiling")))
        for name in main
        if name in block
    ]
    return tag(
        "div",
        tag("h3", "Reranking"),
        tag("p", "On the same candidates: the first stage's order, the reranker's, and a perfect one.", class_="quiet"),
        table("Reranking", ("metric", "first stage", "reranked", "perfect order"), rows),
        class_="spaced",
    )


def _abstention(run: Run, asked: Sequence[Asked]) -> Markup:
    lines = [line for line in abstention_lines(run.metrics["abstention"]) if line]
    return joined(
        *(tag("p", line) for line in lines),
        figures([abstention_charts.scores(run.metrics, asked), abstention_charts.risk_coverage(run.metrics)]),
    )


def _queries(held: Island, why_not: str | None) -> Markup:
    return joined(
        tag(
            "p",
            "Worst first. A query opens to show what should be found, where its evidence stands, and what came back.",
        ),
        notices([why_not[0].upper() + why_not[1:] + "."] if why_not else ()),
        notices(held.notes, plain=True),
        tag("noscript", tag("p", NO_SCRIPT, class_="notice")),
        tag("div", id="queries"),
    )


def _time(run: Run) -> Markup:
    search, index = run.timings["search"], run.timings["index"]
    rows = [
        ("median of a search", _ms(search.get("p50_ms"))),
        ("95th percentile", _ms(search.get("p95_ms"))),
        ("median with embedding the query", _ms(search.get("with_embedding_p50_ms"))),
        ("queries a second, in batch", _count(search.get("batch_qps"))),
        ("index", _bytes(index.get("bytes"))),
        ("building it", "–" if index.get("build_s") is None else f"{index['build_s']:.3f} s"),
        ("peak memory of the process", _bytes(run.timings.get("peak_rss_bytes"))),
    ]
    return tag(
        "div",
        tag("div", table("Latency, index, memory", ("what", "measured"), rows)),
        tag("div", figures([cost_charts.stages(run.timings)])),
        class_="beside",
    )


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} ms"


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _bytes(value: float | None) -> str:
    return "–" if value is None else size(float(value))


def _all_metrics(run: Run) -> Markup:
    bounds, macro = run.metrics["bounds"], run.metrics["macro_by_type"]
    rows = [
        (
            name,
            _mean(found),
            interval(found),
            Cell(f"{found['n']:,}", found["n"]),
            _bound(bounds, name, "floor"),
            _bound(bounds, name, "ceiling"),
            Cell(number(macro.get(name)), macro.get(name)) if macro.get(name) is not None else "",
        )
        for name, found in run.metrics["metrics"].items()
    ]
    head = ("metric", "mean", "95 % interval", "n", "by chance", "at best", "mean of types")
    return folded(f"{len(rows)} metrics", table("Every metric of this run", head, rows, sortable=True))


def _bound(bounds: Mapping[str, Any], name: str, side: str) -> Cell | str:
    return Cell(number(bounds[name][side]), bounds[name][side]) if name in bounds else ""


def _made(run: Run) -> Markup:
    manifest = run.manifest
    machine, hashes = manifest.get("machine", {}), manifest.get("hashes", {})
    facts = [
        ("assay", manifest.get("assay_version")),
        ("created", manifest.get("created")),
        ("seed", manifest.get("seed")),
        ("threads", manifest.get("threads")),
        ("overrides", manifest.get("overrides")),
        *((f"machine.{key}", machine[key]) for key in ("system", "architecture", "python", "cores") if key in machine),
        *((f"hash of {key}", value) for key, value in hashes.items() if value is not None),
    ]
    return joined(
        folded("Config", config_table(run.config)),
        folded("Inputs, machine, seed", pairs("Inputs, machine, seed", facts)),
        folded("Versions", pairs("Versions", manifest.get("versions", {}).items())),
    )


def _footer(run: Run) -> Markup:
    return joined(
        tag(
            "p",
            f"Made by assay {run.manifest.get('assay_version', '')} from a run folder. Intervals: {run.metrics.get('ci_method', '')}",
        ),
        tag("p", "This file holds everything it shows and asks nothing of a network."),
    )
