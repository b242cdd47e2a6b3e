"""``assay run``: flags and overrides in any order, one run or a sweep.

Hydra shows its help and configs and launches sweeps; a single run is composed here and run at once.
"""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.config import Config, judge, nearest
from assay.errors import AssayError, ConfigError, one_line, without_logins

WITH_VALUE = {
    "--cfg": "cfg",
    "-c": "cfg",
    "--package": "package",
    "-p": "package",
    "--config-dir": "config_dir",
    "-cd": "config_dir",
    "--from": "from_run",
    "--sort": "sort",
}
PLAIN = {
    "--multirun": "multirun",
    "-m": "multirun",
    "--help": "help",
    "-h": "help",
    "--hydra-help": "hydra_help",
    "--resolve": "resolve",
    "--run": "run",
    "-r": "run",
}
INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")
REFUSED = {
    "--experimental-rerun": "it unpickles a file, which can run code; use assay run --from RUN",
    "--config-path": "use --config-dir DIR for options of your own",
    "-cp": "use --config-dir DIR for options of your own",
    "--config-name": "put your own values into conf/config.yaml in the working directory",
    "-cn": "put your own values into conf/config.yaml in the working directory",
    "--shell-completion": "use assay completion bash",
    "-sc": "use assay completion bash",
    "--json": "assay run prints a table; metrics.json in the run folder is the JSON",
}


@dataclass
class Asked:
    """The command line of ``assay run``, sorted out."""

    overrides: list[str]
    config_dirs: list[str]
    multirun: bool = False
    help: bool = False
    hydra_help: bool = False
    resolve: bool = False
    run: bool = False
    cfg: str | None = None
    package: str | None = None
    info: str | None = None
    from_run: str | None = None
    sort: str | None = None


def parse(arguments: Sequence[str]) -> Asked:
    """Flags and overrides in any order; an AssayError for a flag that is unknown or refused."""
    asked = Asked([], [])
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        flag, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            asked.overrides.append(word)
        elif flag in REFUSED:
            raise AssayError(f"{flag}: refused; {REFUSED[flag]}")
        elif flag in WITH_VALUE:
            if not equals and not rest:
                raise AssayError(f"{flag}: needs a value, such as {flag} {'job' if flag in {'--cfg', '-c'} else 'DIR'}")
            value = value if equals else rest.pop(0)
            if WITH_VALUE[flag] == "config_dir":
                asked.config_dirs.append(value)
            else:
                setattr(asked, WITH_VALUE[flag], value)
        elif flag in {"--info", "-i"}:
            asked.info = value if equals else rest.pop(0) if rest and rest[0] in INFO else "all"
        elif word in PLAIN:
            setattr(asked, PLAIN[word], True)
        else:
            known = [*WITH_VALUE, *PLAIN, "--info", "--debug"]
            raise AssayError(f"{word}: no such flag of assay run{nearest(flag, known) or '; see assay run --help'}")
    for flag, given in (("--package", asked.package), ("--resolve", asked.resolve)):
        if given and asked.cfg is None:
            raise AssayError(f"{flag}: needs --cfg, as in assay run --cfg job {flag}")
    if asked.cfg is not None and asked.cfg not in {"job", "hydra", "all"}:
        raise AssayError(f"--cfg: {asked.cfg!r} is not one of job, hydra, all")
    if asked.info is not None and asked.info not in INFO:
        raise AssayError(f"--info: {asked.info!r} is not one of {', '.join(INFO)}")
    return asked


def run_command(arguments: Sequence[str]) -> int:
    """Do what the command line says; the exit status."""
    asked = parse(arguments)
    if asked.help or asked.hydra_help or asked.cfg or asked.info:
        return show(asked)
    return run_sweep(asked) if asked.multirun else run_once(asked)


def run_once(asked: Asked) -> int:
    """One run: compose, judge, run, print."""
    from assay.composition import compose

    composed = compose(asked.overrides, asked.config_dirs, saved=saved_config(asked))
    if composed.hydra.sweeper.get("params"):
        raise ConfigError(f"experiment: sweeps {', '.join(composed.hydra.sweeper.params)}; add -m (assay run -m …)")
    config = judge(composed.job)
    from assay.api import execute, workbench
    from assay.reports.console import show_run
    from assay.reports.progress import reporter
    from assay.reports.text import console
    from assay.sweep import remembering_interrupts

    bench = workbench()
    told = reporter(config.progress, json_wanted=False)
    try:
        with remembering_interrupts():
            run = execute(config, asked.overrides, bench, told)
    finally:
        bench.close()
    out = console()
    show_run(run, out)
    print(f"\nwritten to {run.folder}")
    show_telling(config, run.folder)
    sys.stdout.flush()
    told.flush()
    return 0


def show_telling(config: Config, folder: Path) -> None:
    """Print where ``folder`` was told, if a tracker was to be told."""
    from assay.trackers.record import where_told

    told = where_told(folder) if config.tracker.kind != "none" else None
    if told is not None:
        print(told)


def saved_config(asked: Asked) -> dict[str, Any] | None:
    """The saved config that ``--from`` names, judged; None without the flag."""
    if asked.from_run is None:
        return None
    from assay.config import saved_part
    from assay.config.saved import load_config
    from assay.runs import files

    given = Path(asked.from_run)
    return saved_part(load_config(given if given.is_file() else given / files.CONFIG))


def run_sweep(asked: Asked) -> int:
    """A sweep: Hydra makes the grid and launches it, the sweeper judges it first; leaderboard at the end."""
    from hydra._internal.hydra import Hydra
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from assay.composition import compose, hydra_fault, loader, primary_from_saved, primary_name, search_path
    from assay.reports.sweep_console import show_sweep
    from assay.reports.sweep_verdict import lines
    from assay.reports.text import console
    from assay.runs.leaderboard import write_leaderboard
    from assay.runs.verdict import write_verdict
    from assay.sweep import (
        bench,
        end_telling,
        job_task,
        remembering_interrupts,
        rows_of,
        stop_telling,
        whole_folders,
    )

    saved = saved_config(asked)
    master = compose(asked.overrides, asked.config_dirs, multirun=True, saved=saved)
    folder = str(master.hydra.sweep.dir)
    overrides = [
        f"hydra.sweep.dir={folder_override(folder)}",
        *(o for o in asked.overrides if not o.startswith("hydra.sweep.dir=")),
    ]
    name = primary_name(asked.config_dirs) if saved is None else primary_from_saved(saved)
    GlobalHydra.instance().clear()
    hydra = Hydra.create_main_hydra2("assay", search_path(asked.config_dirs))
    hydra.config_loader = loader(asked.config_dirs)
    try:
        with remembering_interrupts():
            plan, outcomes = hydra.multirun(name, job_task, overrides, with_log_configuration=False)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(hydra_fault(error, asked.overrides)) from None
    except OSError as error:
        what = error.strerror or error
        raise ConfigError(f"hydra.sweep.dir: {folder} can't be written ({what}); give another folder") from None
    except KeyboardInterrupt:
        whole = len(whole_folders(Path(folder)))
        print(
            without_logins(
                f"interrupted; {whole} jobs are whole in {folder}. Go on with: assay run -m "
                f"{shlex.join([*asked.overrides, f'hydra.sweep.dir={folder}', 'resume=true'])}"
            ),
            file=sys.stderr,
        )
        stop_telling(Path(folder))
        return 130
    finally:
        GlobalHydra.instance().clear()
        bench().close()
    rows = rows_of(plan)
    write_leaderboard(rows, plan.folder)
    out = console()
    show_sweep(rows, out, asked.sort)
    for line in lines(write_verdict(rows, plan.folder, asked.sort)):
        out.print(line, markup=False)
    untold = end_telling(plan, rows)
    print(f"\nwritten to {plan.folder}")
    show_telling(plan.jobs[0].config, plan.folder)
    sys.stdout.flush()
    if untold is not None:
        print(f"warning: {untold}", file=sys.stderr)
    failed = [row for row in rows if row.run is None]
    for text in dict.fromkeys(text for outcome in outcomes for text in outcome["warnings"]):
        print(f"warning: {one_line(text)}", file=sys.stderr)
    for row in failed:
        print(one_line(f"job {row.number} failed: {row.error}"), file=sys.stderr)
    return 1 if failed else 0


def folder_override(folder: str) -> str:
    """A folder's name as Hydra's grammar reads it."""
    return '"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"'


def show(asked: Asked) -> int:
    """Print Hydra's help, config or information; a config that can't hold is refused first."""
    from hydra._internal.hydra import Hydra
    from hydra._internal.utils import get_args_parser
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from assay.composition import compose, hydra_fault, loader, primary_from_saved, primary_name, search_path

    saved = saved_config(asked)
    job = compose(asked.overrides, asked.config_dirs, saved=saved).job
    if asked.cfg:
        judge(job)
    GlobalHydra.instance().clear()
    hydra = Hydra.create_main_hydra2("assay", search_path(asked.config_dirs))
    hydra.config_loader = loader(asked.config_dirs)
    name = primary_name(asked.config_dirs) if saved is None else primary_from_saved(saved)
    shown: Any = get_args_parser().parse_args(asked.overrides)
    shown.resolve = asked.resolve
    try:
        if asked.help:
            hydra.app_help(config_name=name, args_parser=get_args_parser(), args=shown)
        elif asked.hydra_help:
            hydra.hydra_help(config_name=name, args_parser=get_args_parser(), args=shown)
        elif asked.cfg:
            try:
                with _without_logins():
                    hydra.show_cfg(
                        config_name=name,
                        overrides=asked.overrides,
                        cfg_type=asked.cfg,
                        package=asked.package,
                        resolve=asked.resolve,
                    )
            except SystemExit:  # Hydra's way to say that the package is not there; it has said so on stderr
                return 2
        elif asked.info:
            with _log_to_stdout():
                hydra.show_info(asked.info, config_name=name, overrides=asked.overrides)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(hydra_fault(error, asked.overrides)) from None
    finally:
        GlobalHydra.instance().clear()
    return 0


@contextlib.contextmanager
def _without_logins() -> Iterator[None]:
    """What is printed inside comes out without the logins of URLs: a printed config ends up in logs."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            yield
    finally:
        sys.stdout.write(without_logins(printed.getvalue()))


@contextlib.contextmanager
def _log_to_stdout() -> Iterator[None]:
    """Hydra prints its information through a logger on stderr or stdout by its own config; keep one stream."""
    with contextlib.redirect_stderr(sys.stdout if not isinstance(sys.stdout, io.StringIO) else sys.stderr):
        yield
