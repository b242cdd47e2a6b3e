"""``assay explain``: the worst queries of a run, or one query's whole story."""

from __future__ import annotations

from assay.cli import GOOD, parser, print_json
from assay.errors import AssayError


def explain_command(rest: list[str]) -> int:
    """Explain what the command line names; the exit status."""
    made = parser("explain", "Worst queries of a run, what was lost at which stage; with --query one query's story.")
    made.add_argument("run", metavar="RUN", help="a run folder")
    made.add_argument("--query", metavar="ID", help="tell this query's whole story")
    made.add_argument("--worst", metavar="N", type=int, default=10, help="how many queries to list (10)")
    made.add_argument("--dataset", metavar="PATH", help="the golden set's folder, if it is elsewhere now")
    given = made.parse_intermixed_args(rest)
    if given.worst < 1:
        raise AssayError(f"--worst: {given.worst} shows nothing; give 1 or more")
    from assay.api import workbench
    from assay.explaining import row_of, run_folder, story, texts_of
    from assay.reports.console import worst_rows
    from assay.reports.explain_console import show_story, show_worst
    from assay.reports.text import console
    from assay.runs.run import load_run

    run = load_run(run_folder(given.run))
    rows = [row_of(run, given.query)] if given.query is not None else worst_rows(run, given.worst)
    texts = texts_of(run, given.dataset, workbench())
    stories = [story(run, row, texts) for row in rows]
    if given.json:
        print_json(
            stories[0]
            if given.query is not None
            else {"causes": run.metrics["causes"], "advice": run.metrics.get("advice"), "worst": stories}
        )
        return GOOD
    out = console()
    if given.query is not None:
        show_story(stories[0], texts, out)
    else:
        show_worst(run, stories, out)
    return GOOD
