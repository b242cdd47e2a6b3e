"""``assay compare``: two or more runs, or a sweep's, paired by query."""

from __future__ import annotations

from assay.cli import GOOD, parser, print_json
from assay.errors import AssayError


def compare_command(rest: list[str]) -> int:
    """Compare what the command line names; the exit status."""
    made = parser("compare", "Compare runs on one golden set, paired by query.")
    made.add_argument("runs", nargs="+", metavar="RUN", help="run folders, or one sweep folder")
    made.add_argument(
        "--metrics",
        nargs="+",
        metavar="NAME",
        help="such as recall@5 mrr; verdicts rest on the first; the headline by default",
    )
    made.add_argument(
        "--baseline",
        metavar="RUN",
        help="hold the others against it (a folder, its name, or a job's number); the first by default",
    )
    made.add_argument("--all-pairs", action="store_true", help="hold every run against every other")
    made.add_argument("--common", action="store_true", help="where golden sets differ, compare their common questions")
    made.add_argument(
        "--seed", type=int, metavar="N", help="of the bootstrap and the randomisation test; 42 by default"
    )
    given = made.parse_intermixed_args(rest)
    if given.all_pairs and given.baseline is not None:
        raise AssayError("assay compare: --baseline and --all-pairs exclude each other; give one of them")
    from assay.evaluation.resampling import SEED
    from assay.runs.compare import compare

    names = [name for text in given.metrics or [] for name in text.split(",") if name]
    found = compare(
        given.runs,
        names or None,
        given.baseline or 0,
        all_pairs=given.all_pairs,
        common=given.common,
        seed=SEED if given.seed is None else given.seed,
    )
    if given.json:
        print_json(found.document())
        return GOOD
    from assay.reports.compare_console import show_comparison
    from assay.reports.text import console

    show_comparison(found, console())
    return GOOD
