"""``assay report``: a run or a sweep as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

from assay.cli import GOOD, parser, print_json
from assay.errors import DataError
from assay.runs import files

REPORT = "report.html"


def report_command(rest: list[str]) -> int:
    """Write the report that the command line asks for; the exit status."""
    made = parser("report", f"Write one self-contained HTML file, {REPORT}, into a run's or a sweep's folder.")
    made.add_argument("folder", metavar="RUN_OR_SWEEP", help="a run folder, or a sweep folder")
    made.add_argument("--dataset", metavar="PATH", help="the golden set's folder, if it is elsewhere now (of a run)")
    given = made.parse_intermixed_args(rest)
    folder = Path(given.folder)
    path = write_report(folder, given.dataset)
    if given.json:
        print_json({"path": str(path), "bytes": path.stat().st_size})
    else:
        print(path)
    return GOOD


def write_report(folder: Path, dataset: str | None = None) -> Path:
    """The path of the report of the run or sweep in ``folder``, written atomically.

    ``dataset`` says where a run's golden set is, if it is not where the run had it.

    Raises
    ------
    DataError
        The folder is missing, or holds neither a whole run nor a sweep with one.
    """
    from assay.runs.sweep_folder import jobs_of

    jobs = jobs_of(folder)
    if jobs is None:
        html = _of_run(folder, dataset)
    else:
        if dataset is not None:
            raise DataError(
                f"--dataset: {folder} is a sweep, whose report shows no texts; give it with one of its runs"
            )
        from assay.reports.html import sweep_page

        html = sweep_page(folder, jobs)
    path = folder / REPORT
    files.write_atomically(path, html)
    return path


def _of_run(folder: Path, dataset: str | None) -> str:
    from assay.api import workbench
    from assay.explaining import texts_of
    from assay.reports.html import run_page
    from assay.runs.run import load_run

    run = load_run(folder)
    texts = texts_of(run, dataset, workbench())
    return run_page(run, texts.golden, texts.why_not)
