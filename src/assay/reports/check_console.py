"""What a lint of a golden set looks like in a terminal: findings by severity, then what the set holds and shows.

Written for 80 columns; text of a golden set is shown as it is and never read as markup.
"""

from __future__ import annotations

from textwrap import wrap

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.golden.lint import SEVERITIES, SHOWN_PLACES, Finding, Severity, Subject, grade_counts, what_it_shows
from assay.golden.lint.finding import count
from assay.golden.lint.report import Report
from assay.golden.lint.size import Shown
from assay.reports.text import cut_to, plain

COLOURS: dict[Severity, str] = {"error": "red", "warning": "yellow", "note": "cyan"}
READING = "GS101"
SHOWN_TYPES = 20
SHORT = 36  # columns of a place that shares its line with others
INDENT = "  "


def show_report(report: Report, strict: bool, out: Console) -> None:
    """Print ``report``."""
    out.print(Text(plain(f"{report.path} · qrels/{report.split}.tsv"), style="bold"), soft_wrap=True)
    for severity in SEVERITIES:
        found = [one for one in report.findings if one.severity == severity]
        if found:
            out.print()
            out.print(Text(f"{severity}s", style=f"bold {COLOURS[severity]}"))
            for one in found:
                _show(one, out)
    out.print()
    if report.subject is not None:
        _holds(report.subject, out)
        _shows(report.subject, out)
        out.print()
    out.print(Text(_verdict(report, strict), style="bold"))


def _show(found: Finding, out: Console) -> None:
    colour = COLOURS[found.severity]
    lines = wrap(plain(found.message), out.width - len(found.code) - 2, break_on_hyphens=False)
    for i, line in enumerate(lines):
        out.print(Text.assemble((found.code if i == 0 else " " * len(found.code), colour), f"  {line}"))
    for line in _places(found, out.width):
        out.print(Text(line), soft_wrap=True)  # a path longer than the line can be copied as it is
    for line in wrap(f"→ {found.advice}", out.width - 2, subsequent_indent=INDENT, break_on_hyphens=False):
        out.print(Text(INDENT + line, style="dim"))


def _places(found: Finding, width: int) -> list[str]:
    """Ten places at most (faults: all that are named), then how many more; several on a line where they are short."""
    is_fault = found.code == READING
    shown = [plain(place) for place in found.places[: None if is_fault else SHOWN_PLACES]]
    more = found.total - len(shown)
    rest = [f"and {more:,} more"] if shown and more > 0 else []
    if is_fault:
        return [line for place in [*shown, *rest] for line in _wrapped(place, width)]
    if any(cell_len(place) > SHORT for place in shown):
        return [INDENT + cut_to(place, width - len(INDENT)) for place in [*shown, *rest]]
    lines: list[str] = []
    parts = [*shown, *rest]
    for part in [*(part + "," for part in parts[:-1]), *parts[-1:]]:
        if lines and cell_len(lines[-1]) + 1 + cell_len(part) <= width:
            lines[-1] += " " + part
        else:
            lines.append(INDENT + part)
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    lines = wrap(text, width - len(INDENT) * 2, break_on_hyphens=False, break_long_words=False)
    return [(INDENT if i == 0 else INDENT * 2) + line for i, line in enumerate(lines)]


def _holds(subject: Subject, out: Console) -> None:
    counts = subject.golden.counts
    evaluated = counts.answerable + counts.unanswerable
    share = f" ({counts.unanswerable / evaluated:.0%})" if evaluated else ""
    out.print(Text("the set", style="bold"))
    out.print(
        Text(
            f"{count(counts.documents, 'document')}; {count(counts.total, 'question')}: {counts.answerable:,} answerable, "
            f"{counts.unanswerable:,} not{share}" + (f", {counts.unjudged:,} unjudged" if counts.unjudged else "")
        )
    )
    grades = ", ".join(f"{grade}: {number:,}" for grade, number in grade_counts(subject).items())
    out.print(
        Text(f"{count(counts.judgements, 'judgement')} by grade: {grades}; {count(counts.spans, 'evidence span')}")
    )


def _shows(subject: Subject, out: Console) -> None:
    overall, by_type = what_it_shows(subject)
    out.print()
    out.print(Text("the smallest difference between two runs that it can show", style="bold"))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for title in ("n", *overall.differences):
        table.add_column(title, justify="right", no_wrap=True)
    _row(table, "all answerable", overall)
    for name, shown in list(by_type.items())[:SHOWN_TYPES]:
        _row(table, cut_to(name, 32), shown)
    out.print(table)
    if len(by_type) > SHOWN_TYPES:
        out.print(Text(f"and {len(by_type) - SHOWN_TYPES:,} more types"))
    note = (
        "In 80 of 100 such pairs of runs a paired test (two-sided 5 %) would call it, if they differ from question to "
        "question as runs with other chunk sizes do. Runs that search in different ways (an embedding model, BM25) "
        "vary about twice as much, and need twice the difference."
    )
    if any(None in shown.differences.values() for shown in (overall, *by_type.values())):
        note += " –: too few for any verdict."
    for line in wrap(note, out.width, break_on_hyphens=False):
        out.print(Text(line, style="dim"))


def _row(table: Table, name: str, shown: Shown) -> None:
    values = ["–" if value is None else f"{value:.2f}" for value in shown.differences.values()]
    table.add_row(Text(plain(name)), f"{shown.n:,}", *values)


def _verdict(report: Report, strict: bool) -> str:
    numbers = ", ".join(count(report.number(severity), severity) for severity in SEVERITIES)
    bad = "; --strict counts warnings as errors" if strict and report.number("warning") else ""
    return numbers + bad
