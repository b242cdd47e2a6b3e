"""What an attempt to reproduce looks like in a terminal: the level, then each cause that can be named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.reports.text import cut_to, number, plain
from assay.runs.reproduce import DIFFERENT, IN_WORDS, RankChange, Sameness
from assay.runs.reproduction import Job, Reproduction

SHOWN_NUMBERS = 5
SHORT_HASH = 12


def show_reproduction(found: Reproduction, out: Console) -> None:
    """Print ``found``."""
    out.print()
    out.print(Text(verdict(found), style="bold green" if found.good else "bold red"))
    for line in lines_of(found):
        out.print(Text(plain(line)))
    if found.same and found.same.level > 1:
        for line in (*_numbers(found.same), *_moves(found.same, out.width)):
            out.print(Text(line))
    if found.fresh:
        out.print(Text(plain(f"\nwritten to {found.fresh}".strip())))


def verdict(found: Reproduction) -> str:
    """One line: reproduced or not, at which level, or what speaks against it."""
    if found.same is None:
        return (
            "Verified: the inputs are unchanged and the folder agrees with itself."
            if found.good
            else f"Not verified: {_why(found)}."
        )
    level = f"level {found.same.level} of {DIFFERENT}, {IN_WORDS[found.same.level]}"
    return f"Reproduced: {level}." if found.good else f"Not reproduced: {level}{_and(_why(found))}."


def _why(found: Reproduction) -> str:
    reasons = []
    if found.changed_inputs:
        reasons.append(f"changed inputs ({', '.join(one.name for one in found.changed_inputs)})")
    if found.disagreements:
        reasons.append("the run folder's own files disagree")
    return " and ".join(reasons)


def _and(text: str) -> str:
    return f"; {text}" if text else ""


def lines_of(found: Reproduction) -> list[str]:
    """What can be said about the inputs, the folder and the surroundings, a line each."""
    same = [one.name for one in found.inputs if one.checked and not one.changed]
    lines = [f"Inputs with the saved hash: {', '.join(same) or 'none'}."]
    for one in found.inputs:
        if not one.checked and one.saved is not None:
            lines.append(f"{one.name}: fitted on the run's own chunks; its hash is known only after a run.")
        if one.changed:
            lines.append(f"{one.name} changed: {_hash(one.saved)} -> {_hash(one.found)}")
    lines += [f"  {change}" for change in found.questions]
    lines += [f"The folder disagrees with itself: {text}" for text in found.disagreements]
    if found.environment:
        lines.append("What else is different here:")
        lines += [f"  {one.name}: {_shown(one.before)} -> {_shown(one.after)}" for one in found.environment]
    elif found.same:
        lines.append("Versions, machine and threads are the same.")
    lines += [f"Bits may differ each time: {reason}" for reason in found.unequal_bits]
    return lines


def _hash(value: str | None) -> str:
    return "none" if value is None else value[:SHORT_HASH]


def _shown(value: Any) -> str:
    return "–" if value is None else str(value)


def _numbers(same: Sameness) -> list[str]:
    """Which files and numbers differ."""
    other = [name for name, equal in same.same_files.items() if not equal]
    lines = [
        f"Other bytes in {', '.join(other)}; rankings are {'identical' if same.same_rankings else 'not identical'}."
    ]
    means = [one for one in same.numbers if one.name.startswith("metrics.") and one.name.endswith(".mean")]
    for one in (means or same.numbers)[:SHOWN_NUMBERS]:
        lines.append(plain(f"  {one.name}: {_shown(one.before)} -> {_shown(one.after)}"))
    more = len(same.numbers) - min(SHOWN_NUMBERS, len(means or same.numbers))
    return [*lines, f"  and {more} more numbers of metrics.json"] if more > 0 else lines


def _moves(same: Sameness, width: int) -> list[str]:
    if not same.moved_total:
        return []
    lines = [f"{same.moved_total} queries changed; most on {same.metric}:"]
    for one in same.moved:
        kind = f" [{one.type}]" if one.type else ""
        lines.append(cut_to(f"  {number(one.before)} -> {number(one.after)}  {_place(one)}", width))
        lines.append(cut_to(f"      {one.query_id}{kind} {one.text}", width))
    return lines


def _place(one: RankChange) -> str:
    if one.rank is None:
        return "same ranking"
    return f"from rank {one.rank} on: {one.doc_before or 'nothing'} -> {one.doc_after or 'nothing'}"


def show_sweep(jobs: Sequence[Job], unfinished: Sequence[str], out: Console) -> None:
    """Print a line a job, and what speaks against those that did not come out again."""
    out.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("job", "level", "reproduced"):
        table.add_column(title, no_wrap=title != "reproduced")
    for job in jobs:
        level = "–" if job.found is None or job.found.same is None else str(job.found.same.level)
        text = f"error: {job.fault}" if job.found is None else verdict(job.found)
        table.add_row(job.name, level, Text(plain(text), style="green" if job.good else "red"))
    out.print(table)
    for job in jobs:
        if job.found and not job.good:
            for line in lines_of(job.found):
                out.print(Text(plain(f"{job.name}: {line}")))
    good = sum(job.good for job in jobs)
    out.print(
        Text(
            f"{good} of {len(jobs)} runs came out again."
            if any(j.found and j.found.same for j in jobs)
            else f"{good} of {len(jobs)} runs verified."
        )
    )
    if unfinished:
        out.print(Text(f"Unfinished, not looked at: {', '.join(unfinished)}"))
