"""A comparison: the verdict, the runs and what differs in their configs, differences drawn and as a table, what moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.evaluation.paired import PairedDifference
from assay.notebook.parts import QUIET, STRONG, chart_of, face, folded, lines, side_by_side
from assay.reports.compare_words import chance, method, signed, signed_interval, verdict_lines
from assay.reports.html.markup import Markup, tag
from assay.reports.html.notebook import comparison_html
from assay.reports.html.parts import in_words
from assay.runs.comparison import ABSENT, Comparison, Moved, Pair, verdict
from assay.table import Table


def comparison_face(found: Comparison) -> str:
    """HTML of ``found`` for a notebook; a damaged folder's fault in its place."""
    return face(lambda: _face(found))


def _face(found: Comparison) -> Markup:
    metric = found.metrics[0]
    drawn = chart_of(comparison_html(found), found.table)
    types, moves = types_of(found), moves_of(found)
    return tag(
        "div",
        lines(verdict_lines(found), STRONG),
        _html(runs_of(found)),
        side_by_side([(f"Differences in {metric}, 95 % intervals", drawn)] if drawn else []),
        _html(differences_of(found)),
        folded(f"{metric} by type", _html(types)) if types.rows else None,
        folded(f"Questions that moved most on {metric}", _html(moves)) if moves.rows else None,
        lines(f"Note: {note}" for note in found.notes),
        lines([method(found)], QUIET),
    )


def runs_of(found: Comparison) -> Table:
    """A row a run: its label, the config keys that differ, its folder."""
    rows = []
    for place, one in enumerate(found.runs):
        own = {key: "–" if values[place] is ABSENT else in_words(values[place]) for key, values in found.config.items()}
        mark = " (baseline)" if place == found.baseline else ""
        rows.append({"run": one.label + mark, **own, "folder": str(one.run.folder)})
    return Table.of(rows)


def differences_of(found: Comparison) -> Table:
    """A row a pair and metric, in the words of the terminal."""
    return Table.of(
        [
            {
                **_who(found, pair),
                "metric": metric,
                "verdict": verdict(metric, one),
                **_numbers(one),
                "p": chance(one.p_corrected),
                "d_z": "" if one.effect_size is None else f"{one.effect_size:+.2f}",
                "+/=/-": f"{one.wins}/{one.ties}/{one.losses}",
                "n": one.n,
            }
            for pair in found.pairs
            for metric, one in pair.metrics.items()
        ]
    )


def types_of(found: Comparison) -> Table:
    """A row a pair and type, the first metric's differences, the lowest first; no verdicts, since each has few queries."""
    return Table.of(
        [
            {
                **_who(found, pair),
                "type": kind,
                **_numbers(one),
                "+/=/-": f"{one.wins}/{one.ties}/{one.losses}",
                "n": one.n,
            }
            for pair in found.pairs
            for kind, one in sorted(pair.by_type.items(), key=lambda item: (item[1].difference or 0.0, item[0]))
        ]
    )


def moves_of(found: Comparison) -> Table:
    """A row a pair and question: those that rose, then those that fell, the furthest first."""

    def rows() -> Iterator[dict[str, Any]]:
        for pair in found.pairs:
            for moved in (*pair.up, *pair.down):
                yield {**_who(found, pair), **_moved(moved)}

    return Table.of(list(rows()))


def _who(found: Comparison, pair: Pair) -> dict[str, str]:
    return {"run": found.runs[pair.b].label, "against": found.runs[pair.a].label}


def _numbers(one: PairedDifference) -> dict[str, Any]:
    return {
        "before": one.mean_a,
        "after": one.mean_b,
        "difference": signed(one.difference),
        "95 % interval": signed_interval(one),
    }


def _moved(moved: Moved) -> dict[str, Any]:
    return {
        "question": moved.question.text,
        "type": moved.question.type,
        "before": moved.before,
        "after": moved.after,
        "first relevant": f"{_rank(moved.rank_before)} → {_rank(moved.rank_after)}",
    }


def _rank(rank: int | None) -> str:
    return "none" if rank is None else str(rank)


def _html(table: Table) -> Markup:
    return Markup(table._repr_html_())
