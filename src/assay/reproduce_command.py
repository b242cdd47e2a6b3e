"""``assay reproduce``: a run, or a sweep's runs one by one, verified and run again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli import GOOD, NO, parser, print_json
from assay.errors import AssayError, DataError

if TYPE_CHECKING:
    from assay.reproducing import Wishes


def reproduce_command(rest: list[str]) -> int:
    """Reproduce what the command line names; the exit status."""
    made = parser("reproduce", "Run a saved config again into a new run folder, verify, and name what differs.")
    made.add_argument("run", metavar="RUN", help="a run folder, or a sweep folder (run by run)")
    made.add_argument("--dataset", metavar="PATH", help="the golden set's folder, if it is elsewhere now")
    made.add_argument("--cold", action="store_true", help="compute everything; the store is not used")
    made.add_argument("--only-verify", action="store_true", help="check the hashes and the folder, run nothing")
    given = made.parse_intermixed_args(rest)
    from assay.api import workbench
    from assay.reproducing import Wishes, reproduce
    from assay.runs.sweep_folder import jobs_of

    folder = Path(given.run)
    wishes = Wishes(given.dataset, given.cold, given.only_verify, quiet=given.json)
    jobs = jobs_of(folder)
    if jobs:
        return _sweep(folder, jobs.whole, tuple(path.name for path in jobs.unfinished), wishes)
    bench = workbench()
    try:
        found = reproduce(folder, wishes, bench)
    finally:
        bench.close()
    if given.json:
        print_json(found.document())
    else:
        from assay.reports.reproduce_console import show_reproduction
        from assay.reports.text import console

        show_reproduction(found, console())
    return GOOD if found.good else NO


def _sweep(folder: Path, whole: tuple[Path, ...], unfinished: tuple[str, ...], wishes: Wishes) -> int:
    """Every whole run of a sweep; one that can't be run does not stop the others."""
    from assay.api import workbench
    from assay.reports.reproduce_console import show_sweep
    from assay.reports.text import console
    from assay.reproducing import reproduce
    from assay.runs.reproduction import Job, sweep_document

    if not whole:
        raise DataError(f"{folder}: holds no whole run; finish the sweep with resume=true")
    bench, jobs, faults = workbench(), [], []
    try:
        for path in whole:
            if not wishes.quiet and not wishes.only_verify:
                print(f"job {path.name}", flush=True)
            try:
                jobs.append(Job(path.name, reproduce(path, wishes, bench, folder), None))
            except AssayError as error:
                faults.append(error)
                jobs.append(Job(path.name, None, "; ".join(error.lines())))
    finally:
        bench.close()
    if len(faults) == len(jobs):
        raise faults[0]
    for job in jobs:
        if job.fault:
            print(f"job {job.name}: {job.fault}", file=sys.stderr)
    if wishes.quiet:
        print_json(sweep_document(folder, jobs, unfinished))
    else:
        show_sweep(jobs, unfinished, console())
    return GOOD if all(job.good for job in jobs) else NO
