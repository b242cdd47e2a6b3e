"""``assay compare``: two or more runs, or a sweep's, paired by query."""

from __future__ import annotations

from assay.cli import GOOD, parser, print_json
from assay.errors import AssayError


def compare_command(rest: list[str]) -> int:
    """Compare what the command line names; the exit status."""
    made = parser("compare", "Compare runs on one golden set, paired by query.")
    made.add_argument("runs", nargs="+", metavar="RUN", help="run folders, or one sweep folder")
    made.add_argument("--metrics", nargs="+", metavar="NAME", help="such as recall@5 mrr; the headline by default")
    made.add_argument("--baseline", metavar="RUN", help="hold the others against it; the first by default")
    made.add_argument("--all-pairs", action="store_true", help="hold every run against every other")
    given = made.parse_intermixed_args(rest)
    if given.all_pairs and given.baseline is not None:
        raise AssayError("assay compare: --baseline and --all-pairs exclude each other; give one of them")
    from assay.runs.compare import compare

    names = [name for text in given.metrics or [] for name in text.split(",") if name]
    found = compare(given.runs, names or None, given.baseline or 0, all_pairs=given.all_pairs)
    if given.json:
        print_json(found.document())
        return GOOD
    from assay.reports.compare_console import show_comparison
    from assay.reports.console import console

    show_comparison(found, console())
    return GOOD
