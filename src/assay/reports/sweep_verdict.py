"""A sweep's verdict in a terminal: plain lines of at most 80 columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len

from assay.evaluation.contenders import Contender, SweepVerdict
from assay.evaluation.effects import Effect
from assay.evaluation.power import MOST_QUERIES
from assay.reports.compare_words import signed
from assay.reports.text import WIDTH, cut_to, number
from assay.runs.verdict import NoVerdict

SHOWN_RUNS = 10
SHOWN_LEVELS = 6


def lines(verdict: SweepVerdict | NoVerdict) -> list[str]:
    """The verdict, a line an item, each of at most 80 columns."""
    if isinstance(verdict, NoVerdict):
        return _wrapped(f"No verdict: {verdict.reason}.")
    found = [
        *_wrapped(f"Verdict on {verdict.metric}, {len(verdict.contenders)} runs, {verdict.n} questions"),
        *_wrapped(_who_leads(verdict)),
        *_table(verdict),
        *_wrapped(_luck(verdict)),
        *_wrapped(_cheapest(verdict)),
        *_wrapped(_power(verdict)),
        *_effects(verdict),
    ]
    for note in verdict.notes:
        found += _wrapped(f"Note: {note}.")
    return found


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(cut_to(text, 10 * WIDTH), WIDTH, break_on_hyphens=False) if text else []


def _who_leads(verdict: SweepVerdict) -> str:
    leader, rest = verdict.leader, verdict.together[1:]
    low, high = leader.ci95
    told = f"Job {leader.job} leads with {leader.mean:.3f} (95 % {low:.3f} to {high:.3f})"
    how = "paired randomisation test"
    if verdict.pairs > 1:
        how += (
            f", Holm-corrected over all {verdict.pairs} pairs of runs, since the leader was picked by the same scores"
        )
    if not rest:
        return f"{told}, and is better than {'every' if verdict.pairs > 1 else 'the'} other run ({how})."
    if len(rest) > 1 and len(verdict.together) == len(verdict.contenders):
        return f"{told}, but can't be told from any of the others ({how})."
    return f"{told}, but can't be told from {_jobs(rest)} ({how})."


def _jobs(some: Sequence[Contender], most: int = 12) -> str:
    names = [one.job for one in some[:most]]
    more = f" and {len(some) - most} more" if len(some) > most else ""
    return f"job{'s' if len(some) > 1 else ''} {', '.join(names)}{more}"


def _table(verdict: SweepVerdict) -> list[str]:
    """The leader and those next to it: how far behind, and how often each would lead on other questions."""
    shown = verdict.contenders[:SHOWN_RUNS]
    rows = [["", "job", "mean", "behind", "95 % interval", "p", "best in", "p50 ms", "bytes"]]
    for one in shown:
        leads = one is verdict.leader
        low, high = one.behind_ci95
        rows.append(
            [
                "=" if one.together else "",
                one.job,
                number(one.mean),
                "" if leads else f"{one.behind:.3f}",
                "" if leads else f"{signed(low)} to {signed(high)}",
                "" if one.p_holm is None else "<0.001" if one.p_holm < 0.0005 else f"{one.p_holm:.3f}",
                f"{100 * one.probability_best:.0f} %",
                "" if one.p50_ms is None else f"{one.p50_ms:.2f}",
                "" if one.bytes is None else size(one.bytes),
            ]
        )
    kept = [place for place in range(len(rows[0])) if any(row[place] for row in rows[1:])]
    widths = {place: max(cell_len(row[place]) for row in rows) for place in kept}
    table = [
        "  ".join(
            row[place].ljust(widths[place]) if place in (0, 4) else row[place].rjust(widths[place]) for place in kept
        ).rstrip()
        for row in rows
    ]
    if len(verdict.contenders) > len(shown):
        table.append(f"and {len(verdict.contenders) - len(shown)} more")
    return ["", *table, "= can't be told from the leader; best in: resamples of the questions it leads in", ""]


def _luck(verdict: SweepVerdict) -> str:
    nested = (
        f"Picked on one half of the questions, the best run scores {verdict.nested:.3f} on the other half "
        f"(mean of 200 halvings; the leader's own score is {verdict.leader.mean:.3f}). "
        if verdict.nested is not None
        else ""
    )
    return (
        f"{nested}Picking the best of {len(verdict.contenders)} on this set makes it look better than it is by about "
        f"{max(0.0, verdict.optimism):.3f} (bootstrap)."
    )


def _cheapest(verdict: SweepVerdict) -> str:
    costs = {one.job: one for one in verdict.together}
    told = []
    if verdict.cheapest_p50 is not None:
        told.append(f"by median latency job {verdict.cheapest_p50} ({costs[verdict.cheapest_p50].p50_ms or 0:.2f} ms)")
    if verdict.cheapest_bytes is not None:
        told.append(f"by bytes job {verdict.cheapest_bytes} ({size(costs[verdict.cheapest_bytes].bytes or 0.0)})")
    if len(costs) < 2 or not told:
        return ""
    return f"Cheapest of those that can't be told from the leader: {', '.join(told)}."


def _power(verdict: SweepVerdict) -> str:
    rivals = verdict.together[1:]
    if verdict.shows is None:
        equal = rivals and all(one.behind == 0 and one.behind_ci95[0] >= 0 for one in rivals)
        return "" if equal or not rivals else "This golden set is too small to show any difference between these runs."
    told = (
        f"This golden set can show differences of about {verdict.shows:.2f} in {verdict.metric} between runs of this "
        f"sweep ({verdict.shows_alone or verdict.shows:.2f} between two runs alone; power 80 %)"
    )
    closer = [one for one in rivals if one.behind < verdict.shows]
    next_ = next((one for one in rivals if one.behind > 0), None)
    if not closer:
        return told + "."
    told += f"; {_jobs(closer)} {'are' if len(closer) > 1 else 'is'} closer to the leader than that"
    if next_ is None:
        return f"{told}: they score the same." if len(closer) > 1 else f"{told}: it scores the same."
    needed = f"about {rounded(next_.questions_needed)}" if next_.questions_needed else f"more than {MOST_QUERIES:,}"
    return f"{told}: {needed} questions would be needed to tell the leader from job {next_.job}, {next_.behind:.3f} behind."


def rounded(count: int) -> str:
    """``count`` in two digits and noughts."""
    if count < 100:
        return str(count)
    unit = 10 ** (int(math.log10(count)) - 1)
    return f"{math.ceil(count / unit) * unit:,}"


def _effects(verdict: SweepVerdict) -> list[str]:
    if verdict.effects is None:
        return _wrapped(f"No main effects of knobs: {verdict.no_effects}.")
    found = _wrapped("Main effects (means over the other knobs; difference from the first value, 95 % interval)")
    for effect in verdict.effects:
        found += [cut_to(line, WIDTH) for line in _effect(effect)]
    return found


def _effect(effect: Effect) -> list[str]:
    told = [f"  {'+'.join(effect.knobs)}"]
    for level in effect.levels[:SHOWN_LEVELS]:
        value = _value(level.value)
        line = f"    {cut_to(value, 30):<30}  {level.mean:.3f}"
        if level.difference is not None and level.ci95 is not None:
            line += f"  {signed(level.difference)}  ({signed(level.ci95[0])} to {signed(level.ci95[1])})"
        told.append(line)
    if len(effect.levels) > SHOWN_LEVELS:
        told.append(f"    and {len(effect.levels) - SHOWN_LEVELS} more values")
    return told


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def size(count: float) -> str:
    """Bytes in the largest unit that leaves three digits or fewer before the point."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
