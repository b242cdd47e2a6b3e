"""``assay run``: flags and overrides in any order, one run or a sweep.

Hydra shows its help and configs and launches sweeps; a single run is composed here and run at once.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.config import judge, nearest
from assay.errors import AssayError, ConfigError

WITH_VALUE = {
    "--cfg": "cfg",
    "-c": "cfg",
    "--package": "package",
    "-p": "package",
    "--config-dir": "config_dir",
    "-cd": "config_dir",
    "--from": "from_run",
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
    if asked.multirun:
        raise ConfigError("-m: sweeps are not available yet; give one value for each key")
    return run_once(asked)


def run_once(asked: Asked) -> int:
    """One run: compose, judge, run, print."""
    from assay.composition import compose

    config = judge(compose(asked.overrides, asked.config_dirs).job)
    from assay.api import execute, workbench
    from assay.reports.console import console, show_run
    from assay.reports.progress import reporter

    bench = workbench()
    told = reporter(config.progress, json_wanted=False)
    try:
        run = execute(config, asked.overrides, bench, told)
    finally:
        bench.close()
    out = console()
    show_run(run, out)
    print(f"\nwritten to {config.run_dir}")
    sys.stdout.flush()
    told.flush()
    return 0


def show(asked: Asked) -> int:
    """Print Hydra's help, config or information; a config that can't hold is refused first."""
    from hydra._internal.hydra import Hydra
    from hydra._internal.utils import get_args_parser
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from assay.composition import compose, hydra_fault, primary_name, search_path

    job = compose(asked.overrides, asked.config_dirs).job
    if asked.cfg:
        judge(job)
    GlobalHydra.instance().clear()
    hydra = Hydra.create_main_hydra2("assay", search_path(asked.config_dirs))
    name = primary_name(asked.config_dirs)
    shown: Any = get_args_parser().parse_args(asked.overrides)
    shown.resolve = asked.resolve
    try:
        if asked.help:
            hydra.app_help(config_name=name, args_parser=get_args_parser(), args=shown)
        elif asked.hydra_help:
            hydra.hydra_help(config_name=name, args_parser=get_args_parser(), args=shown)
        elif asked.cfg:
            hydra.show_cfg(
                config_name=name,
                overrides=asked.overrides,
                cfg_type=asked.cfg,
                package=asked.package,
                resolve=asked.resolve,
            )
        elif asked.info:
            with _log_to_stdout():
                hydra.show_info(asked.info, config_name=name, overrides=asked.overrides)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(hydra_fault(error, asked.overrides)) from None
    finally:
        GlobalHydra.instance().clear()
    return 0


@contextlib.contextmanager
def _log_to_stdout() -> Iterator[None]:
    """Hydra prints its information through a logger on stderr or stdout by its own config; keep one stream."""
    with contextlib.redirect_stderr(sys.stdout if not isinstance(sys.stdout, io.StringIO) else sys.stderr):
        yield
