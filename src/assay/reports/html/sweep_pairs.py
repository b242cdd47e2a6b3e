"""Every job of a sweep against every other, as a table of verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import AssayError
from assay.reports.html.markup import Child, Markup, joined, table, tag
from assay.reports.html.sweep import Sweep
from assay.runs import files
from assay.runs.compare import compare

MOST_PAIRED = 12
MOST_BYTES = 400_000_000  # of per-query files, about half a minute's reading
SIGNS = {"better": "▲", "worse": "▼", "higher": "▲", "lower": "▼"}


def pairs(sweep: Sweep) -> Markup:
    """Every job against every other, as a table of verdicts; of many jobs the best."""
    if len(sweep.rows) < 2:
        return joined()
    chosen = list(range(min(MOST_PAIRED, len(sweep.rows))))
    if sum((sweep.run(i).folder / files.PER_QUERY).stat().st_size for i in chosen) > MOST_BYTES:
        return tag("p", "These runs are large; assay compare --all-pairs holds every pair against each other.")
    try:
        found = compare([sweep.run(i) for i in chosen], [sweep.metric], all_pairs=True).document()
    except AssayError as fault:
        return tag("p", f"The jobs can't be held against each other: {fault.lines()[0]}.")
    jobs = {one["label"]: sweep.jobs[i] for one, i in zip(found["runs"], chosen, strict=True)}
    cells = {(jobs[row["run"]], jobs[row["against"]]): row for row in found["differences"]}
    names = [sweep.jobs[i] for i in chosen]
    rows = [[tag("span", sweep.label(i)), *(_pair(sweep.jobs[i], other, cells) for other in names)] for i in chosen]
    told = f"{sweep.metric} of the row's job less the column's. ▲ better, ▼ worse, = can't tell apart"
    family = (found.get("method") or {}).get("family")
    told += f" ({family['in_words']})." if isinstance(family, Mapping) and "in_words" in family else "."
    if len(chosen) < len(sweep.rows):
        told += f" The best {len(chosen)} of {len(sweep.rows)} jobs."
    board = table("Every job against every other", ["job", *names], rows, text_columns=1)
    return joined(tag("p", told, class_="quiet"), tag("div", board, class_="matrix"))


def _pair(one: str, other: str, cells: Mapping[tuple[str, str], Mapping[str, Any]]) -> Child:
    if one == other:
        return ""
    turned = (one, other) not in cells
    row = cells[(other, one) if turned else (one, other)]
    change, verdict = row["difference"], str(row["verdict"])
    if turned:
        change = None if change is None else -change
        verdict = {"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}.get(verdict, verdict)
    sign = SIGNS.get(verdict, "=")
    name = {"▲": "better", "▼": "worse"}.get(sign, "same")
    told = "–" if change is None else _signed(change)
    words = verdict if sign != "=" else "can't tell"
    return tag(
        "span",
        tag("span", f"{sign} ", aria_hidden="true"),
        told,
        tag("span", f", {words}", class_="unseen"),
        class_=name,
    )


def _signed(value: float) -> str:
    """Three decimals with a sign; zero has none."""
    return "0.000" if abs(value) < 0.0005 else f"{value:+.3f}"
