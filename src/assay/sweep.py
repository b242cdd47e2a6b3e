"""A sweep: every job composed and judged before the first starts, numbered, run, and set side by side.

A job is known by the hash of its config. What a sweep knows lies in its folder, a whole run a job, so it can be
stopped anywhere and gone on with.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import DictConfig, OmegaConf

from assay import factory, plugins
from assay.composition import SAVED_OPTION, compose_with
from assay.config import Config, config_yaml, judge
from assay.errors import AssayError, ConfigError, one_line, without_logins
from assay.runs import files
from assay.runs.claim import same_config
from assay.runs.leaderboard import Row
from assay.runs.run import Run, load_run, read_object
from assay.trackers import Telling
from assay.workbench import Workbench

STATUS = "status.json"
MOST_JOBS = 10_000


@dataclass(frozen=True, slots=True)
class Job:
    """One job: its overrides, its typed config, its number in the sweep's folder, and whether it is whole there."""

    overrides: tuple[str, ...]
    config: Config
    number: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """All jobs of a sweep, in the order of the command line."""

    folder: Path
    jobs: tuple[Job, ...]

    def due(self) -> list[Job]:
        """The jobs that are still to be run."""
        return [job for job in self.jobs if not job.whole]


def expand(params: Sequence[str], arguments: Sequence[str], loader: Any) -> list[list[str]]:
    """The overrides of every job: the grid of all sweeping values; ``arguments`` win over a preset's ``params``."""
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper

    parsed = OverridesParser.create(config_loader=loader).parse_overrides([*params, *arguments])
    grid: list[list[str]] = BasicSweeper.split_arguments(parsed, None)[0]
    # What --from stored as options is no choice of the user's, though glob(*) finds it.
    return [job for job in grid if not any(text.endswith(f"={SAVED_OPTION}") for text in job)]


def plan_sweep(jobs: Sequence[Sequence[str]], master: DictConfig, loader: Any) -> Plan:
    """Judge every job and give each its number.

    Raises
    ------
    ConfigError
        A job's config can't hold (it is named), or the folder holds something already and ``resume`` is false.
    """
    if len(jobs) > MOST_JOBS:
        raise ConfigError(f"-m: {len(jobs)} jobs are more than {MOST_JOBS}; sweep fewer values")
    hydra_overrides = [str(text) for text in OmegaConf.to_container(master.hydra.overrides.hydra) or []]
    folder = Path(str(master.hydra.sweep.dir))
    checked = _Checked()
    configs = []
    for number, overrides in enumerate(jobs):
        try:
            composed = compose_with(loader, str(master.hydra.job.config_name), [*hydra_overrides, *overrides])
            config = judge(composed.job)
            checked.check(config)
        except AssayError as error:
            name = " ".join(overrides) or "no overrides"
            raise ConfigError(f"{error} [job {number} of {len(jobs)}: {name}; nothing was run]") from None
        configs.append(config)
    if any(config.tracker != configs[0].tracker for config in configs):
        raise ConfigError("tracker: a sweep is told to one tracker; give one value of each of its keys")
    return Plan(folder, number_jobs(folder, jobs, configs))


def number_jobs(folder: Path, jobs: Sequence[Sequence[str]], configs: Sequence[Config]) -> tuple[Job, ...]:
    """Jobs with their numbers: that of the whole folder which holds their config, else the lowest that none holds."""
    resume = any(config.resume for config in configs)
    if folder.is_dir() and any(folder.iterdir()) and not resume:
        raise ConfigError(
            f"hydra.sweep.dir: {folder} already holds files; give another folder, or resume=true to finish the sweep in it"
        )
    whole = whole_folders(folder) if resume else {}
    taken = set(whole)
    found: list[int | None] = []
    for config in configs:
        text = config_yaml(config)
        number = next((n for n in sorted(whole) if same_config(whole[n], text)), None)
        if number is not None:
            del whole[number]
        found.append(number)
    free = (n for n in range(len(jobs) + len(taken)) if n not in taken)
    return tuple(
        Job(tuple(overrides), config, number if number is not None else next(free), number is not None)
        for overrides, config, number in zip(jobs, configs, found, strict=True)
    )


def whole_folders(folder: Path) -> dict[int, Path]:
    """The whole runs in a sweep's folder, by number."""
    if not folder.is_dir():
        return {}
    return {
        int(inner.name): inner
        for inner in folder.iterdir()
        if inner.name.isdecimal() and str(int(inner.name)) == inner.name and (inner / files.METRICS).is_file()
    }


class _Checked:
    """Remembers which data and models were found, so that each is looked for once."""

    def __init__(self) -> None:
        self._bench = bench()
        self._seen: set[object] = set()

    def check(self, config: Config) -> None:
        plugins.check(config)
        looks: list[tuple[object, Callable[[], object]]] = [
            (config.dataset, lambda: self._bench.golden_path(config.dataset)),
            (config.embedder, lambda: self._bench.embedder(config).check()),
            (config.reranker, lambda: factory.check_reranker(config.reranker)),
            (config.tracker, lambda: factory.check_tracker(config.tracker)),
        ]
        for key, look in looks:
            if key not in self._seen:
                look()
                self._seen.add(key)


_bench: list[Workbench] = []
_interrupted: list[bool] = []
_tellings: dict[Path, Telling] = {}


@contextmanager
def remembering_interrupts() -> Iterator[None]:
    """Inside, an interrupt is remembered: a library that swallows it, or makes another error of it, hides it no more."""
    previous = signal.getsignal(signal.SIGINT)

    def remember(number: int, frame: FrameType | None) -> None:
        _interrupted.append(True)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, remember)
    try:
        yield
        if _interrupted:
            raise KeyboardInterrupt
    except Exception:
        if _interrupted:  # a library made another error of it
            raise KeyboardInterrupt from None
        raise
    finally:
        _interrupted.clear()
        signal.signal(signal.SIGINT, previous)


def bench() -> Workbench:
    """The workbench that all jobs of this process share."""
    from assay.api import workbench

    if not _bench:
        _bench.append(workbench())
    return _bench[0]


def begin_telling(plan: Plan) -> None:
    """Tell the tracker, if there is one, that the sweep begins."""
    if plan.jobs:
        _tellings.pop(plan.folder.resolve(), None)
        telling_of(plan.jobs[0].config, plan.folder).begin()


def telling_of(config: Config, folder: Path) -> Telling:
    """What tells of the jobs of the sweep in ``folder``, one a process."""
    key = folder.resolve()
    if key not in _tellings:
        _tellings[key] = Telling(factory.make_tracker(config.tracker), folder)
    return _tellings[key]


def end_telling(plan: Plan, rows: Sequence[Row]) -> str | None:
    """Tell what is left once all jobs have ended; the warning, if something could not be told."""
    if not plan.jobs:
        return None
    whole = [row.run for row in rows if row.run is not None]
    return telling_of(plan.jobs[0].config, plan.folder).end(whole, len(rows) - len(whole))


def stop_telling(folder: Path) -> None:
    """Tell that the sweep in ``folder`` was interrupted."""
    telling = _tellings.get(folder.resolve())
    if telling is not None:
        telling.stop()


def job_task(composed: DictConfig) -> dict[str, Any]:
    """Run one job; what happened, as plain values. It never raises into Hydra: a failed job leaves ``status.json``."""
    from assay.api import execute
    from assay.reports.progress import reporter, say

    if _interrupted:
        raise KeyboardInterrupt
    hydra = HydraConfig.get()
    folder = Path(str(hydra.runtime.output_dir))
    try:
        plain = OmegaConf.to_container(composed, resolve=True)
        assert isinstance(plain, dict)
        config = judge({str(key): value for key, value in plain.items()}).model_copy(
            update={"run_dir": str(folder), "resume": True}
        )
        overrides = [str(text) for text in hydra.overrides.task]
        if config.progress:
            say(without_logins(f"job {folder.name}: {' '.join(overrides) or 'defaults'}"))
        told = reporter(config.progress, json_wanted=False)
        execute(config, overrides, bench(), told, telling_of(config, folder.parent))
        return {"number": int(folder.name), "error": None, "warnings": told.warnings}
    except AssayError as error:
        fault = "; ".join(error.lines())
    except Exception as error:
        fault = one_line(f"a fault in assay itself ({type(error).__name__}: {error})")
    leave_status(folder, fault)
    return {"number": int(folder.name), "error": fault, "warnings": []}


def leave_status(folder: Path, fault: str) -> None:
    """Say in ``folder`` that its job failed, and why."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files.write_atomically(folder / STATUS, files.to_json({"status": "failed", "error": fault}))
    except OSError as error:
        print(
            one_line(f"{folder / STATUS}: can't be written ({error.strerror}); the fault was: {fault}"), file=sys.stderr
        )


def rows_of(plan: Plan) -> list[Row]:
    """A row a job, by number, from what lies in the sweep's folder."""
    rows = []
    for job in sorted(plan.jobs, key=lambda job: job.number):
        folder = plan.folder / str(job.number)
        run: Run | None = None
        error: str | None = None
        try:
            run = load_run(folder)
        except AssayError as missing:
            status = folder / STATUS
            error = str(read_object(status).get("error")) if status.is_file() else str(missing)
        rows.append(Row(job.number, job.config, run, error))
    return rows
