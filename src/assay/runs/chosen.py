"""What to compare: which runs, under which labels, against which baseline, on which metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase

from assay.errors import AssayError, DataError
from assay.evaluation import HEADLINE, headline, parse
from assay.runs.outcomes import metric_means
from assay.runs.run import Run, load_run
from assay.runs.sweep_folder import jobs_of

Given = Run | str | Path


@dataclass(frozen=True, slots=True)
class Chosen:
    """The runs to compare, a label for each, which one is the baseline, and a sweep's unfinished jobs."""

    runs: tuple[Run, ...]
    labels: tuple[str, ...]
    baseline: int
    unfinished: tuple[str, ...] = ()


def choose(given: Sequence[Given], baseline: int | Given) -> Chosen:
    """The runs that ``given`` names: a sweep's are labelled by their numbers, others A, B, C."""
    runs: list[Run] = []
    unfinished: tuple[str, ...] = ()
    jobs = None if len(given) != 1 or isinstance(given[0], Run) else jobs_of(Path(given[0]))
    if jobs:
        runs = [load_run(path) for path in jobs.whole]
        unfinished = tuple(path.name for path in jobs.unfinished)
    else:
        runs = [_loaded(one) for one in given]
    place = _place(baseline, runs, in_sweep=jobs is not None)
    labels = [run.folder.name for run in runs] if jobs else []
    if place is None:
        assert not isinstance(baseline, int)
        runs.insert(0, _loaded(baseline))
        labels.insert(0, "baseline")
    if len(runs) < 2:
        what = f"{given[0] if given else 'nothing'}"
        raise AssayError(
            f"{what}: holds {len(runs)} whole run{'' if len(runs) == 1 else 's'}; compare needs two or more, or a sweep folder with as many"
            if jobs
            else f"{what}: one run alone; give two or more run folders, or one sweep folder"
        )
    if not jobs:
        labels = [ascii_uppercase[i] if len(runs) <= len(ascii_uppercase) else str(i + 1) for i in range(len(runs))]
    return Chosen(tuple(runs), tuple(labels), place or 0, unfinished)


def _loaded(one: Given) -> Run:
    if isinstance(one, Run):
        return one
    if jobs_of(Path(one)):
        raise AssayError(f"{one}: is a sweep folder; give it alone, or give its runs, such as {Path(one) / '0'}")
    return load_run(one)


def _place(baseline: int | Given, runs: Sequence[Run], *, in_sweep: bool) -> int | None:
    """Where ``baseline`` stands among ``runs``; None where it is not among them."""
    if isinstance(baseline, int):
        if not 0 <= baseline < max(1, len(runs)):
            raise AssayError(f"baseline: {baseline} is no place among {len(runs)} runs; give 0 to {len(runs) - 1}")
        return baseline
    folder = baseline.folder if isinstance(baseline, Run) else Path(baseline)
    for i, run in enumerate(runs):
        if run.folder.resolve() == folder.resolve() or (in_sweep and run.folder.name == str(folder)):
            return i
    named = [i for i, run in enumerate(runs) if run.folder.name == str(baseline)]
    return named[0] if len(named) == 1 and not folder.exists() else None


def metrics_to_compare(chosen: Chosen, asked: Sequence[str] | None) -> tuple[tuple[str, ...], list[str]]:
    """The metrics that every run has, of those asked for or of the headline, and notes on those left out."""
    known = [metric_means(run) for run in chosen.runs]

    def lacking(name: str) -> list[str]:
        return [
            f"{label} ({run.folder})"
            for run, label, means in zip(chosen.runs, chosen.labels, known, strict=True)
            if name not in means
        ]

    if asked is not None:
        for name in asked:
            parse(name)
            if lacking(name):
                raise DataError(
                    f"metric {name!r} is not in run {', '.join(lacking(name))}; "
                    "give one that all have, or run again with evaluation.ks and evaluation.metrics that make it"
                )
        if asked:
            return tuple(dict.fromkeys(asked)), []
    common = [name for name, (_, n) in known[chosen.baseline].items() if n and not lacking(name)]
    if not common:
        raise DataError(
            f"{chosen.runs[chosen.baseline].folder}: no metric that all of the runs have; nothing to compare"
        )
    left_out = [name for name in HEADLINE if lacking(name) and any(name in means for means in known)]
    return tuple(headline(common)), [f"{name} is left out: not in run {', '.join(lacking(name))}" for name in left_out]
