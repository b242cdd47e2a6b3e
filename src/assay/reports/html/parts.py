"""Parts that pages share: tiles, notices, a config in words and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from assay.reports.html.markup import Child, Markup, joined, table, tag
from assay.reports.text import interval, number
from assay.runs.leaderboard import flat


def tile(name: str, found: Mapping[str, Any], bound: Mapping[str, Any] | None) -> Markup:
    """A headline metric: mean, interval, number of queries, and where it lies between chance and a perfect ranking."""
    ci = found.get("ci95")
    range_ = tag("div", f"95 %: {interval(found)}" if ci else "no interval", class_="range")
    more = f"{found['n']:,} queries"
    if bound:
        more += f" · chance {number(bound['floor'])} · best {number(bound['ceiling'])}"
    return tag(
        "li",
        tag("div", name, class_="name"),
        tag("div", number(found["mean"]), class_="value"),
        range_,
        gauge(float(found["mean"]), ci, bound),
        tag("div", more, class_="more"),
    )


def gauge(mean: float, ci: Sequence[float] | None, bound: Mapping[str, Any] | None) -> Markup:
    """A bar from 0 to 1 with the interval, the mean, and chance and perfect as thin lines; its numbers stand beside it."""

    def at(value: float) -> str:
        return f"{100 * min(1.0, max(0.0, value)):.1f}%"

    parts = []
    if ci:
        parts.append(tag("span", class_="between", style=f"left:{at(ci[0])};width:{at(ci[1] - ci[0])}"))
    for side in ("floor", "ceiling") if bound else ():
        parts.append(tag("span", class_="bound", style=f"left:{at(float(bound[side]))}"))  # type: ignore[index]
    parts.append(tag("span", class_="mean", style=f"left:{at(mean)}"))
    return tag("div", *parts, class_="gauge", aria_hidden="true")


def notices(lines: Iterable[str], *, plain: bool = False) -> Markup:
    """What a reader should know, a line each; nothing where there is none."""
    items = [tag("li", line, class_="notice plain" if plain else "notice") for line in lines]
    return tag("ul", *items, class_="notices") if items else joined()


def folded(summary: str, *content: Child, open_: bool = False) -> Markup:
    """Content behind a summary that opens it."""
    return tag("details", tag("summary", summary), *content, open=open_)


def pairs(caption: str, rows: Iterable[tuple[str, Any]]) -> Markup:
    """A table of names and values."""
    cells = [(name, tag("span", in_words(value), class_="id")) for name, value in rows]
    return tag("div", table(caption, ("name", "value"), cells, text_columns=2), class_="small")


def config_table(config: Mapping[str, Any]) -> Markup:
    """All keys of a config."""
    return pairs("Config", flat(config).items())


def in_words(value: Any) -> str:
    """A plain value as a person writes it in a config."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(map(in_words, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def dataset_name(config: Mapping[str, Any]) -> str:
    """The golden set's name: a bundled one's own, else its folder's."""
    dataset = _group(config, "dataset")
    return str(dataset.get("name") or PurePath(str(dataset.get("path") or "golden set")).name)


def pipeline_in_words(config: Mapping[str, Any]) -> str:
    """The stages that a config chooses, such as ``tokens 128/16 · minilm · flat``."""
    chunker, retriever = _group(config, "chunker"), _group(config, "retriever").get("kind")
    cut = f"{chunker.get('kind')}" + (f" {chunker['size']}" if "size" in chunker else "")
    cut += f"/{chunker['overlap']}" if "size" in chunker and "overlap" in chunker else ""
    dense = [_group(config, "embedder").get("kind"), _group(config, "index").get("kind")]
    parts = [cut, *({"dense": dense, "hybrid": [*dense, "hybrid"]}.get(str(retriever), [retriever]))]
    for group in ("filter", "reranker"):
        kind = _group(config, group).get("kind")
        if kind not in (None, "none"):
            parts.append(f"{group} {kind}")
    if _group(config, "filter").get("min_score") is not None:
        parts.append(f"min_score {in_words(_group(config, 'filter')['min_score'])}")
    return " · ".join(str(part) for part in parts)


def queries_in_words(counts: Mapping[str, Any]) -> str:
    """How many queries a run was scored on."""
    told = f"{counts['total']:,} queries: {counts['answerable']:,} answerable, {counts['unanswerable']:,} not"
    return told + (f", {counts['unjudged']:,} unjudged" if counts["unjudged"] else "")


def _group(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = config.get(name)
    return found if isinstance(found, Mapping) else {}
