"""A gate in a terminal: a row a check, then the outcome."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.evaluation.randomisation import ALPHA
from assay.reports.compare_words import chance
from assay.reports.text import cut_to, number, plain
from assay.runs.gate_checks import Check, Gate


def show_gate(found: Gate, out: Console) -> None:
    """Print ``found``."""
    out.print(Text(plain(f"run       {found.run.folder}")))
    if found.baseline is not None:
        out.print(Text(plain(f"baseline  {found.baseline.folder}")))
    out.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    with_p = any(check.difference for check in found.checks)
    for title in ("", "check", "found", "95 % interval", *(["p"] if with_p else []), "n"):
        table.add_column(
            title,
            justify="right" if title in {"found", "p", "n"} else "left",
            no_wrap=title != "check",
            overflow="fold",
        )
    for check in found.checks:
        p = "" if check.difference is None else chance(check.difference.p_corrected)
        table.add_row(
            Text("ok" if check.passed else "FAIL", style="green" if check.passed else "bold red"),
            Text(cut_to(check.name, 200)),
            number(check.value),
            "" if check.ci95 is None else f"{check.ci95[0]:.3f} to {check.ci95[1]:.3f}",
            *([p] if with_p else []),
            str(check.n),
        )
    out.print(table)
    for line in explained(found):
        out.print(Text(line, style="dim"))
    out.print(Text(found.sentence, style="bold green" if found.passed else "bold red"))


def explained(found: Gate) -> list[str]:
    """What the checks of a baseline mean."""
    kinds = {check.kind for check in found.checks}
    told = []
    if "max_drop" in kinds:
        told.append(
            "drop: the baseline's mean less the run's, as observed; p: whether so large a drop is beyond chance "
            f"(one-sided paired randomisation test; {_significant(found)})."
        )
    if "not_worse" in kinds:
        told.append(
            f"not worse: fails where p is at most {ALPHA:g}; p is of a one-sided paired randomisation test, "
            "Holm-corrected over these metrics. found: the baseline's mean less the run's."
        )
    return told


def _significant(found: Gate) -> str:
    drops = [check for check in found.checks if check.kind == "max_drop"]
    significant = [check.metric for check in drops if _beyond_chance(check)]
    return f"significant: {', '.join(significant)}" if significant else "none is"


def _beyond_chance(check: Check) -> bool:
    return check.significance == "significant"
