"""``assay.run``: what the command does, from Python."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay import factory, plugins
from assay.config import Config, config_yaml, judge
from assay.errors import ConfigError, DataError
from assay.runs.claim import claim
from assay.runs.run import Run, load_run
from assay.trackers import Telling
from assay.workbench import Workbench


def run(
    overrides_or_config: Sequence[str] | Mapping[str, Any] | Config = (),
    *,
    run_dir: str | Path | None = None,
    config_dir: str | Path | None = None,
    bench: Workbench | None = None,
) -> Run:
    """Run a pipeline on a golden set and write its folder.

    Parameters
    ----------
    overrides_or_config
        Overrides as on the command line (``["chunker.size=64"]``), or a whole config as a mapping or a ``Config``.
    run_dir
        Where to write; by default ``outputs/runs/<date>/<time>`` below the working directory.
    config_dir
        A folder of further options, as ``--config-dir``.
    bench
        Shares models, golden sets and the store with other runs of this process.

    Raises
    ------
    AssayError
        As the command's one line.
    """
    from assay.composition import compose

    dirs = [str(config_dir)] if config_dir is not None else []
    overrides: list[str] = []
    if isinstance(overrides_or_config, Config):
        config = overrides_or_config
    elif isinstance(overrides_or_config, Mapping):
        config = judge(overrides_or_config)
    else:
        overrides = list(overrides_or_config)
        config = judge(compose(overrides, dirs).job)
    if run_dir is not None:
        config = config.model_copy(update={"run_dir": str(run_dir)})
    if config.run_dir is None:
        config = config.model_copy(update={"run_dir": default_run_dir()})
    return execute(config, overrides, bench or workbench(), None)


def workbench() -> Workbench:
    """A workbench over the bundled golden sets."""
    from assay.composition import shipped_data

    return Workbench(shipped_data())


def default_run_dir() -> str:
    """The folder of a run that nobody named, as conf/config.yaml has it."""
    from assay.composition import compose

    return str(compose([]).job["run_dir"])


def execute(
    config: Config, overrides: Sequence[str], bench: Workbench, reporter: Any, telling: Telling | None = None
) -> Run:
    """Claim ``config.run_dir``, run the pipeline, write the folder, tell the tracker.

    Everything is taken back if the run fails. A tracker that fails gives a warning; ``telling`` is a sweep's, which
    warns for all of its jobs at the end.
    """
    factory.check_tracker(config.tracker)
    run = executed(config, overrides, bench, reporter)
    own = telling or Telling(factory.make_tracker(config.tracker))
    own.run(run)
    warning = own.warning(run) if telling is None else None
    if warning is not None and reporter is not None:
        reporter.warn(warning)
    elif warning is not None:
        warnings.warn(warning, stacklevel=3)
    return run


def executed(config: Config, overrides: Sequence[str], bench: Workbench, reporter: Any) -> Run:
    """The run that ``config.run_dir`` holds once this returns, made unless it is whole there."""
    from assay.reports.progress import Silent

    if config.run_dir is None:
        raise ConfigError("run_dir: null names no folder; give one, or leave it out")
    reporter = reporter or Silent()
    text = config_yaml(config)
    bench.golden_path(config.dataset)
    plugins.check(config)
    bench.embedder(config).check()
    factory.check_reranker(config.reranker)
    ours = claim(Path(config.run_dir).expanduser(), text, config.resume)
    if ours.whole:
        return load_run(ours.folder)
    try:
        from assay import pipeline
        from assay.runs.write import write_run
        from assay.threads import use_threads

        result = pipeline.run(config, bench, reporter)
        write_run(result, ours.folder, overrides, use_threads(config.threads))
    except OSError as error:
        ours.abandon()
        what = error.strerror or error
        raise DataError(
            f"run_dir: {ours.folder} can't be written ({what}); free some space or give another folder"
        ) from None
    except BaseException:
        ours.abandon()
        raise
    ours.finish()
    return load_run(ours.folder)
