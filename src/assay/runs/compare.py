"""``assay.compare``: runs on one golden set held against each other, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.evaluation import PairedDifference, paired_difference
from assay.runs import files
from assay.runs.chosen import Chosen, Given, choose, metrics_to_compare
from assay.runs.comparison import ABSENT, ComparedRun, Comparison, Moved, Pair, Question
from assay.runs.golden_changes import changes, differing_parts, hashes_of, in_words, questions_of
from assay.runs.leaderboard import flat
from assay.runs.outcomes import outcomes
from assay.runs.run import Run

SHOWN_MOVES = 5


def compare(
    runs: Sequence[Given] | Given,
    metrics: Sequence[str] | None = None,
    baseline: int | Given = 0,
    *,
    all_pairs: bool = False,
) -> Comparison:
    """How runs on one golden set differ, paired by query.

    Parameters
    ----------
    runs
        Two or more runs or run folders, or one sweep folder, whose whole runs are taken.
    metrics
        Names such as ``recall@5``; by default the headline metrics that all of them have.
    baseline
        The run that the others are held against: a place in ``runs``, or a run (added if it is not among them).
    all_pairs
        Hold every run against every run before it instead.

    Raises
    ------
    AssayError
        Fewer than two runs; another golden set (what changed is named); a metric that a run lacks; a damaged folder.
    """
    chosen = choose([runs] if isinstance(runs, Run | str | Path) else list(runs), baseline)
    first = chosen.runs[chosen.baseline]
    for other in chosen.runs:
        refuse_other_golden_set(first, other)
    names, notes = metrics_to_compare(chosen, metrics)
    found = [read_run(run, label, names) for run, label in zip(chosen.runs, chosen.labels, strict=True)]
    questions = found[chosen.baseline][0]
    if not questions:
        raise DataError(f"{first.folder}: no query was evaluated, so there is nothing to compare")
    read = tuple(aligned(run, own, questions) for own, run in found)
    places = range(len(read))
    who = (
        [(a, b) for b in places for a in range(b)]
        if all_pairs
        else [(chosen.baseline, b) for b in places if b != chosen.baseline]
    )
    pairs = tuple(pair_of(a, b, read, questions, names) for a, b in sorted(who))
    return Comparison(
        runs=read,
        questions=questions,
        metrics=names,
        baseline=None if all_pairs else chosen.baseline,
        pairs=pairs,
        config=config_differences([run.config for run in chosen.runs]),
        unfinished=chosen.unfinished,
        notes=(*notes, *notes_on(chosen, pairs, read)),
    )


def refuse_other_golden_set(a: Run, b: Run) -> None:
    """Raise a DataError that names what changed if the two were scored on different golden sets."""
    parts = differing_parts(hashes_of(a), hashes_of(b))
    if parts:
        found = changes(questions_of(outcomes(a)), questions_of(outcomes(b)))
        raise DataError(
            f"{b.folder}: scored on another golden set than {a.folder}, so their numbers can't be compared; "
            f"it differs in {in_words(parts, found)}"
        )


def read_run(run: Run, label: str, names: Sequence[str]) -> tuple[tuple[Question, ...], ComparedRun]:
    """The questions of ``run``, and its scores on them in their order."""
    questions: list[Question] = []
    ranks: list[int | None] = []
    values: dict[str, list[float]] = {name: [] for name in names}
    for one in outcomes(run):
        questions.append(Question(one.query_id, one.type, one.text))
        ranks.append(one.first_relevant)
        for name in names:
            value = one.values.get(name)
            values[name].append(np.nan if value is None else value)
    arrays = {name: np.array(column, dtype=np.float64) for name, column in values.items()}
    return tuple(questions), ComparedRun(label, run, arrays, tuple(ranks))


def aligned(one: ComparedRun, own: Sequence[Question], questions: Sequence[Question]) -> ComparedRun:
    """``one``, whose scores are on ``own``, with its scores in the order of ``questions``, paired by id."""
    places = {question.query_id: i for i, question in enumerate(own)}
    wanted = {question.query_id for question in questions}
    alien = next((query for query in places if query not in wanted), None)
    if alien is not None:
        raise DataError(f"{one.run.folder}: query {alien!r} is not in its golden set; the folder is damaged, run again")
    missing = next((question.query_id for question in questions if question.query_id not in places), None)
    if missing is not None:
        raise DataError(f"{one.run.folder}: query {missing!r} is missing; the folder is damaged, run again")
    order = [places[question.query_id] for question in questions]
    return ComparedRun(
        one.label,
        one.run,
        {name: values[order] for name, values in one.values.items()},
        tuple(one.first_relevant[i] for i in order),
    )


def pair_of(a: int, b: int, runs: Sequence[ComparedRun], questions: Sequence[Question], names: Sequence[str]) -> Pair:
    """Run ``b`` against run ``a``."""
    before, after = runs[a], runs[b]
    x, y = before.values[names[0]], after.values[names[0]]
    moved = [
        Moved(questions[i], float(x[i]), float(y[i]), before.first_relevant[i], after.first_relevant[i])
        for i in np.flatnonzero(np.abs(y - x) > 1e-12).tolist()
    ]
    up = sorted((one for one in moved if one.after > one.before), key=lambda one: (one.before - one.after, -_gain(one)))
    down = sorted(
        (one for one in moved if one.after < one.before), key=lambda one: (one.after - one.before, _gain(one))
    )
    return Pair(
        a,
        b,
        {name: paired_difference(before.values[name], after.values[name]) for name in names},
        dict(differences_by_type(x, y, questions)),
        tuple(up[:SHOWN_MOVES]),
        tuple(down[:SHOWN_MOVES]),
    )


def differences_by_type(
    x: NDArray[np.float64], y: NDArray[np.float64], questions: Sequence[Question]
) -> Iterator[tuple[str, PairedDifference]]:
    """The difference within each type that has a value in both, in string order."""
    for kind in sorted({question.type for question in questions if question.type is not None}):
        rows = [i for i, question in enumerate(questions) if question.type == kind]
        found = paired_difference(x[rows], y[rows])
        if found.n:
            yield kind, found


def config_differences(configs: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """For each dotted key that differs, every config's value; a group's option is named by the group alone."""
    plain = [
        {key.removesuffix(".kind"): files.plain(value) for key, value in flat(config).items()} for config in configs
    ]
    keys = dict.fromkeys(key for config in plain for key in config)
    values = {key: tuple(config.get(key, ABSENT) for config in plain) for key in keys}
    return {key: found for key, found in values.items() if any(repr(value) != repr(found[0]) for value in found)}


def notes_on(chosen: Chosen, pairs: Sequence[Pair], runs: Sequence[ComparedRun]) -> Iterator[str]:
    """What a reader should know before believing the numbers."""
    if chosen.unfinished:
        yield f"unfinished, not compared: {', '.join(chosen.unfinished)}"
    own = {repr(flat(run.config).get("evaluation.exclude_self")) for run in chosen.runs}
    if len(own) > 1:
        yield "evaluation.exclude_self differs, so the runs were not scored on the same judgements"
    versions = dict.fromkeys(str(run.manifest.get("assay_version")) for run in chosen.runs)
    if len(versions) > 1:
        yield f"written by different versions of assay: {', '.join(versions)}"
    for pair in pairs:
        for name, found in pair.metrics.items():
            values = (runs[pair.a].values[name], runs[pair.b].values[name])
            lone = int((np.isnan(values[0]) != np.isnan(values[1])).sum())
            if lone:
                who = f"{runs[pair.a].label} and {runs[pair.b].label}"
                yield f"{name}: {lone} queries have a value in only one of {who} and are left out ({found.n} compared)"


def _gain(one: Moved) -> float:
    """How much nearer the top the first relevant document came, as a difference of reciprocal ranks."""
    return (1 / one.rank_after if one.rank_after else 0.0) - (1 / one.rank_before if one.rank_before else 0.0)
