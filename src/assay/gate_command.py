"""``assay gate``: a run held against floors, a baseline and limits, for CI."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from assay.cli import GOOD, NO, parser, print_json
from assay.errors import AssayError, DataError

SYNTAX = "METRIC=NUMBER, such as recall@5=0.8"
TYPE_SYNTAX = "TYPE:METRIC=NUMBER, such as lookup:recall@5=0.7"


def gate_command(rest: list[str]) -> int:
    """Judge the run that the command line names; 0 where every check was kept, 1 where one was not."""
    made = parser("gate", "Hold a run against floors, a baseline and limits; exit status 1 where one is not kept.")
    made.add_argument("run", metavar="RUN", help="a run folder")
    made.add_argument(
        "--baseline",
        metavar="RUN",
        help="a run on the same golden set; without --max-drop the headline metrics must not be significantly worse",
    )
    made.add_argument("--min", action="append", metavar="METRIC=X", help="the mean must be at least X; repeatable")
    made.add_argument(
        "--min-type",
        action="append",
        metavar="TYPE:METRIC=X",
        help="the same for the questions of one type; repeatable",
    )
    made.add_argument(
        "--max-drop",
        action="append",
        metavar="METRIC=X",
        help="the mean may be at most X below the baseline's, as observed; repeatable",
    )
    made.add_argument("--max-false-answers", metavar="X", help="share of unanswerable questions that got an answer")
    made.add_argument("--max-wrong-empty", metavar="X", help="share of answerable questions that got none")
    made.add_argument("--junit", metavar="FILE", help="write JUnit XML")
    made.add_argument("--markdown", metavar="FILE", help="write a table for a pull request")
    given = made.parse_intermixed_args(rest)
    from assay.reports.gate_console import show_gate
    from assay.reports.gate_files import junit, markdown
    from assay.reports.text import console
    from assay.runs import files
    from assay.runs.gate import gate
    from assay.runs.gate_checks import Limits

    limits = Limits(
        floors=numbers("--min", given.min),
        type_floors=type_numbers(given.min_type),
        max_drops=numbers("--max-drop", given.max_drop),
        max_false_answers=rate("--max-false-answers", given.max_false_answers),
        max_wrong_empty=rate("--max-wrong-empty", given.max_wrong_empty),
    )
    wanted = [
        (Path(name), text) for name, text in ((given.junit, junit), (given.markdown, markdown)) if name is not None
    ]
    for path, _ in wanted:
        if path.is_dir() or not path.parent.is_dir():
            raise DataError(f"{path}: can't be written; give a file in a folder that is there")
    if len({path.resolve() for path, _ in wanted}) < len(wanted):
        raise AssayError(f"assay gate: --junit and --markdown name one file, {wanted[0][0]}; give each its own")
    found = gate(given.run, limits, given.baseline)
    for path, text in wanted:
        try:
            if path.exists() and not path.is_file():  # /dev/stdout and pipes are written to, never replaced
                path.write_text(text(found), encoding="utf-8")
            else:
                files.write_atomically(path.resolve(), text(found))
        except OSError as error:
            raise DataError(f"{path}: can't be written ({error.strerror}); give another file") from None
    if given.json:
        print_json(found.document())
    else:
        show_gate(found, console())
    return GOOD if found.passed else NO


def numbers(flag: str, given: Sequence[str] | None) -> dict[str, float]:
    """``METRIC=X`` by metric; an AssayError names a text that is none, or a metric given twice."""
    found: dict[str, float] = {}
    for text in [part for one in given or [] for part in one.split(",")]:
        metric, equals, number = text.rpartition("=")
        if not equals or not metric:
            raise AssayError(f"assay gate: {flag} {text!r} is no {SYNTAX}")
        if metric in found:
            raise AssayError(f"assay gate: {flag} names {metric} twice; give one limit")
        found[metric] = share(f"{flag} {text!r}", number)
    return found


def type_numbers(given: Sequence[str] | None) -> dict[tuple[str, str], float]:
    """``TYPE:METRIC=X`` by type and metric; the type may hold colons and equals signs."""
    found: dict[tuple[str, str], float] = {}
    for text in given or []:
        head, equals, number = text.rpartition("=")
        kind, colon, metric = head.rpartition(":")
        if not equals or not colon or not kind or not metric:
            raise AssayError(f"assay gate: --min-type {text!r} is no {TYPE_SYNTAX}")
        if (kind, metric) in found:
            raise AssayError(f"assay gate: --min-type names {kind}:{metric} twice; give one limit")
        found[kind, metric] = share(f"--min-type {text!r}", number)
    return found


def rate(flag: str, given: str | None) -> float | None:
    """The number of a limit that has no metric."""
    return None if given is None else share(f"{flag} {given!r}", given)


def share(what: str, text: str) -> float:
    """``text`` as a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= 1.0:
        raise AssayError(f"assay gate: {what}: give a number from 0 to 1")
    return value
