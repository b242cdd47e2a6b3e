"""What a comparison looks like in a terminal: what differs in the configs, then in the numbers, then where.

Written for 80 columns; text of a golden set is shown as it is and never read as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.evaluation.paired import BETTER, WORSE, PairedDifference
from assay.reports.compare_words import chance, is_of_two, method, signed, signed_interval, verdict_lines
from assay.reports.text import cut_to, fitting, number, plain
from assay.runs.comparison import ABSENT, Comparison, Moved, Pair, verdict

COLOURS = {BETTER: "green", WORSE: "red"}
SHOWN_RUNS = 5  # columns of differences by type
DISPENSABLE = ("n", "d_z", "+/=/-", "p")  # in a narrow terminal; n is the sum of +/=/-, the verdict says what p does
Side = Literal["left", "right"]


def show_comparison(found: Comparison, out: Console) -> None:
    """Print ``found``."""
    _runs(found, out)
    out.print()
    for line in verdict_lines(found):
        out.print(Text(line, style="bold"))
    out.print()
    out.print(fitting(_two_runs(found) if is_of_two(found) else _many_runs(found), out, DISPENSABLE))
    out.print(Text(method(found), style="dim"))
    for note in found.notes:
        out.print(Text(plain(f"Note: {note}")))
    if any(pair.by_type for pair in found.pairs):
        out.print()
        out.print(fitting(_types(found), out, DISPENSABLE))
    _moves(found, out)


def _runs(found: Comparison, out: Console) -> None:
    """The runs, and what differs in their configs."""
    wide = max(len(one.label) for one in found.runs)
    telling: list[str] = [] if is_of_two(found) else _telling(found)
    for i, one in enumerate(found.runs):
        values = [f"{key}={_shown(found.config[key][i])}" for key in telling if found.config[key][i] is not ABSENT]
        mark = "  (baseline)" if i == found.baseline else ""
        line = f"{one.label:<{wide}}  "
        line += cut_to(" ".join(values), out.width - len(line + mark)) if values else plain(str(one.run.folder))
        out.print(Text(line + mark))
    if not found.config:
        out.print(Text("The configs are equal."))
    elif is_of_two(found):
        out.print()
        table = _table(("config", "left"), (found.runs[0].label, "left"), (found.runs[1].label, "left"))
        table.columns[0].no_wrap = False
        for key, both in found.config.items():
            table.add_row(Text(plain(key)), *(Text(cut_to(_shown(value), 30)) for value in both))
        out.print(table)


def _telling(found: Comparison) -> list[str]:
    """The keys that tell many runs apart: where one option brings keys of its own, the option's name says it all."""
    return [
        key for key, values in found.config.items() if len({repr(value) for value in values if value is not ABSENT}) > 1
    ]


def _shown(value: Any) -> str:
    if value is ABSENT:
        return "–"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return "[" + ",".join(map(_shown, value)) + "]" if isinstance(value, list) else str(value)


def _table(*columns: tuple[str, Side]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title, side in columns:
        table.add_column(Text(title), justify=side, no_wrap=True)
    return table


def _numbers(metric: str, found: PairedDifference) -> list[Text | str]:
    word = verdict(metric, found)
    return [
        Text(signed(found.difference), style="bold"),
        signed_interval(found),
        chance(found.p_corrected),
        "" if found.effect_size is None else f"{found.effect_size:+.2f}",
        f"{found.wins}/{found.ties}/{found.losses}",
        str(found.n),
        Text(word, style=COLOURS.get(word, "")),
    ]


_DIFFERENCE: tuple[tuple[str, Side], ...] = (
    ("95 % interval", "left"),
    ("p", "right"),
    ("d_z", "right"),
    ("+/=/-", "right"),
    ("n", "right"),
    ("verdict", "left"),
)


def _two_runs(found: Comparison) -> Table:
    pair = found.pairs[0]
    a, b = found.runs[pair.a].label, found.runs[pair.b].label
    table = _table(("metric", "left"), (a, "right"), (b, "right"), (f"{b} - {a}", "right"), *_DIFFERENCE)
    table.columns[0].no_wrap, table.columns[0].overflow = False, "fold"
    for name, one in pair.metrics.items():
        table.add_row(name, number(one.mean_a), number(one.mean_b), *_numbers(name, one))
    return table


def _many_runs(found: Comparison) -> Table:
    """A row a run and metric; the baseline's own means first."""
    all_pairs = found.baseline is None
    table = _table(("run", "left"), ("metric", "left"), ("mean", "right"), ("change", "right"), *_DIFFERENCE)
    table.columns[1].no_wrap, table.columns[1].overflow = False, "fold"
    for name in found.metrics:
        if not all_pairs:
            against = found.runs[found.baseline or 0]
            scores = [score for score in against.values[name].tolist() if score == score]
            mean = sum(scores) / len(scores) if scores else None
            table.add_row(against.label, name, number(mean), Text("baseline", style="dim"))
        for pair in found.pairs:
            one = pair.metrics[name]
            who = found.runs[pair.b].label + (f" - {found.runs[pair.a].label}" if all_pairs else "")
            table.add_row(who, name, number(one.mean_b), *_numbers(name, one))
    return table


def _types(found: Comparison) -> Table:
    """The first metric's differences within each type: no verdicts, since each has few queries."""
    metric = found.metrics[0]
    if is_of_two(found):
        pair = found.pairs[0]
        a, b = found.runs[pair.a].label, found.runs[pair.b].label
        table = _table(
            (f"{metric} by type", "left"), ("n", "right"), (a, "right"), (b, "right"), (f"{b} - {a}", "right"),
            ("95 % interval", "left"), ("+/=/-", "right"),
        )  # fmt: skip
        table.columns[0].no_wrap, table.columns[0].overflow = False, "fold"
        for kind, one in sorted(pair.by_type.items(), key=lambda item: (item[1].difference or 0.0, item[0])):
            numbers = _numbers(metric, one)
            cells = [*numbers[:2], numbers[4]]
            table.add_row(Text(cut_to(kind, 22)), str(one.n), number(one.mean_a), number(one.mean_b), *cells)
        return table
    pairs = found.pairs[:SHOWN_RUNS]
    more = f", first {SHOWN_RUNS} of {len(found.pairs)}" if len(found.pairs) > len(pairs) else ""
    table = _table(
        (f"{metric} by type{more}", "left"), ("n", "right"), *((_against(found, pair), "right") for pair in pairs)
    )
    table.columns[0].no_wrap, table.columns[0].overflow = False, "fold"
    for kind in dict.fromkeys(kind for pair in pairs for kind in pair.by_type):
        sizes = {pair.by_type[kind].n for pair in pairs if kind in pair.by_type}
        cells = [signed(pair.by_type[kind].difference) if kind in pair.by_type else "–" for pair in pairs]
        table.add_row(Text(cut_to(kind, 24)), str(max(sizes)), *cells)
    return table


def _against(found: Comparison, pair: Pair) -> str:
    return f"{found.runs[pair.b].label} - {found.runs[pair.a].label}"


def _moves(found: Comparison, out: Console) -> None:
    """The questions that moved most on the first metric; of many runs, in the one that differs most."""
    metric = found.metrics[0]
    pair = max(found.pairs, key=lambda one: abs(one.metrics[metric].difference or 0.0))
    a, b = found.runs[pair.a].label, found.runs[pair.b].label
    out.print()
    if not pair.up and not pair.down:
        out.print(Text(f"No query moved on {metric} from {a} to {b}."))
        return
    out.print(Text(f"Moved most on {metric}, {a} -> {b}", style="bold"))
    for title, moves in (("up", pair.up), ("down", pair.down)):
        _list_moves(title, moves, out)


def _list_moves(title: str, moves: Sequence[Moved], out: Console) -> None:
    style = "green" if title == "up" else "red"
    for one in moves:
        kind = f" [{one.question.type}]" if one.question.type else ""
        line = (
            f"{title:<4}  {number(one.before)} -> {number(one.after)}  first relevant at "
            f"{one.rank_before or '–'} -> {one.rank_after or '–'}"
        )
        out.print(Text(line, style=style))
        out.print(Text(cut_to(f"      {one.question.query_id}{kind} {one.question.text}", out.width)))
