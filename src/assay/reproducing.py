"""A run folder again: find its golden set, verify it, run its saved config into a new folder, hold both together.

The given folder is only read. Its config passes the same gate as any other, so it can choose options and never code.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.config import Config, judge, models, saved_part
from assay.config.saved import load_config
from assay.errors import AssayError, ConfigError, DataError
from assay.golden import GoldenSet
from assay.runs import files
from assay.runs.environment import environment_changes, unequal_bits
from assay.runs.golden_changes import (
    Change,
    changes,
    differing_parts,
    hashes_of,
    hashes_of_set,
    questions_of,
    questions_of_set,
)
from assay.runs.outcomes import outcomes
from assay.runs.reproduce import sameness
from assay.runs.reproduction import InputHash, Reproduction
from assay.runs.run import Run, load_run
from assay.runs.verify import disagreements
from assay.workbench import Workbench

UNSAVED_CHOICES = ("cache", "threads", "progress", "tracker", "executor")


@dataclass(frozen=True, slots=True)
class Wishes:
    """How to reproduce: the golden set's folder if not the saved one, without the store, only the hashes, silently."""

    dataset: str | None = None
    cold: bool = False
    only_verify: bool = False
    quiet: bool = False


def reproduce(folder: Path, wishes: Wishes, bench: Workbench, given: Path | None = None) -> Reproduction:
    """Verify the run in ``folder`` and, unless only that is wished, run it again and compare.

    Nothing is written into ``given``, by default ``folder``: the sweep's folder where the run is one of its jobs.

    Raises
    ------
    AssayError
        The folder is damaged, its config can't hold here, its golden set or model is not to be found.
    """
    run = load_run(folder)
    config = load_config(folder / files.CONFIG)
    contradictions = tuple(disagreements(run))
    dataset = dataset_of(config.dataset, folder, wishes.dataset, bench)
    config = config.model_copy(update={"dataset": dataset})
    golden = bench.golden_set(dataset)
    questions = changed_questions(run, golden)
    inputs = golden_inputs(run, golden)
    place = bench.golden_path(dataset)
    if wishes.only_verify:
        return Reproduction(folder, place, (*inputs, model_input(run, config)), questions, contradictions)
    fresh = run_again(config, given or folder, wishes, bench)
    return Reproduction(
        folder=folder,
        dataset=place,
        inputs=(*inputs, InputHash("model", _model(run), _model(fresh))),
        questions=questions,
        disagreements=contradictions,
        fresh=fresh.folder,
        same=sameness(run, fresh),
        environment=tuple(environment_changes(run.manifest, fresh.manifest)),
        unequal_bits=tuple(unequal_bits(fresh.manifest)),
    )


def dataset_of(saved: models.Dataset, folder: Path, given: str | None, bench: Workbench) -> models.Dataset:
    """The golden set to use: the one given, the bundled one, or the saved path from here or from above ``folder``.

    Raises
    ------
    DataError
        It is not to be found; the message proposes ``--dataset``.
    """
    if given is not None:
        if not Path(given).expanduser().is_dir():
            raise DataError(
                f"--dataset: {given} is no folder; give one that holds corpus.jsonl, queries.jsonl and qrels/"
            )
        return saved.model_copy(update={"name": None, "path": given})
    try:
        bench.golden_path(saved)
        return saved
    except ConfigError:
        path = Path(saved.path or "")
        for above in folder.resolve().parents if saved.path and not path.is_absolute() else ():
            if (above / path / "corpus.jsonl").is_file():
                return saved.model_copy(update={"name": None, "path": str(above / path)})
    raise DataError(
        f"{folder / files.CONFIG}: its golden set {saved.path or saved.name} is not here; say where it is with --dataset PATH"
    )


def golden_inputs(run: Run, golden: GoldenSet) -> list[InputHash]:
    """The golden set's hashes, as saved and as found."""
    now = hashes_of_set(golden)
    return [InputHash(part, saved, now[part]) for part, saved in hashes_of(run).items()]


def changed_questions(run: Run, golden: GoldenSet) -> tuple[Change, ...]:
    """What became of the questions, where queries or judgements have another hash."""
    parts = differing_parts(hashes_of(run), hashes_of_set(golden))
    if not {"queries", "qrels"} & set(parts):
        return ()
    return tuple(changes(questions_of(outcomes(run)), questions_of_set(golden)))


def model_input(run: Run, config: Config) -> InputHash:
    """The model's hash without loading it; a model that is fitted on the run's own chunks has none before it runs."""
    from assay.embedders.model_folder import folder_hash, local_folder, minilm_folder, refuse_code

    embedder = config.embedder
    embeds = isinstance(config.retriever, models.DenseRetriever | models.HybridRetriever)
    if not embeds or isinstance(embedder, models.LsaEmbedder | models.PluginEmbedder):
        return InputHash("model", _model(run), None, checked=False)
    if isinstance(embedder, models.MiniLMEmbedder):
        place = minilm_folder()
    else:
        assert embedder.model is not None
        place = local_folder(embedder.model, embedder.revision)
        refuse_code(place)
    return InputHash("model", _model(run), folder_hash(place))


def run_again(config: Config, given: Path, wishes: Wishes, bench: Workbench) -> Run:
    """Run ``config`` into a new folder in the default place, never below ``given``."""
    from assay.api import execute
    from assay.composition import compose
    from assay.reports.progress import reporter

    usual = compose([]).job
    target = Path(str(usual["run_dir"]))
    if target.resolve().is_relative_to(given.resolve()):
        raise AssayError(f"{target}: lies inside {given}, which is only read; go to another working directory")
    cache = {"kind": "none", "dir": None, "max_bytes": None} if wishes.cold else usual["cache"]
    chosen = {key: usual[key] for key in UNSAVED_CHOICES if key in usual}
    again = judge(saved_part(config) | chosen | {"cache": cache, "run_dir": str(target)})
    told = reporter(again.progress, json_wanted=wishes.quiet)
    fresh = execute(again, [], bench, told)
    told.flush()
    return fresh


def _model(run: Run) -> str | None:
    hashes = run.manifest.get("hashes")
    found = hashes.get("model") if isinstance(hashes, dict) else None
    return None if found is None else str(found)
