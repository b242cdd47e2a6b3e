"""``assay.compare``: runs on one golden set held against each other, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, DataError
from assay.evaluation.names import NEEDS_SPANS, parse
from assay.evaluation.paired import PairedDifference, corrected, paired_differences
from assay.evaluation.resampling import SEED
from assay.runs import files
from assay.runs.chosen import Chosen, Given, choose, metrics_to_compare
from assay.runs.common_questions import Common, common_questions, refuse_other_measures
from assay.runs.comparison import ABSENT, ComparedRun, Comparison, Moved, Pair, Question
from assay.runs.leaderboard import flat
from assay.runs.outcomes import outcomes
from assay.runs.run import Run

SHOWN_MOVES = 5
ADVICE = "--common compares the questions that are the same in both"


def compare(
    runs: Sequence[Given] | Given,
    metrics: Sequence[str] | None = None,
    baseline: int | Given = 0,
    *,
    all_pairs: bool = False,
    common: bool = False,
    seed: int = SEED,
) -> Comparison:
    """How runs on one golden set differ, paired by query.

    Parameters
    ----------
    runs
        Two or more runs or run folders, or one sweep folder, whose whole runs are taken.
    metrics
        Names such as ``recall@5``, the one that verdicts rest on first; by default the headline metrics that all of
        the runs have.
    baseline
        The run that the others are held against: a place in ``runs``, a job's number or a folder's name among them, or
        a run (added if it is not among them).
    all_pairs
        Hold every run against every run before it instead.
    common
        Where golden sets differ, go on over the questions that are the same in all.
    seed
        Of the bootstrap and the randomisation test; equal seeds give equal numbers.

    Raises
    ------
    AssayError
        Fewer than two runs; another golden set (what changed is named); metrics computed in another way; a metric
        that a run lacks; a damaged folder.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise AssayError(f"seed: {seed!r} is no seed; give a whole number from 0")
    chosen = choose([runs] if isinstance(runs, Run | str | Path) else list(runs), baseline)
    first = chosen.runs[chosen.baseline]
    for other in chosen.runs:
        refuse_other_measures(first, other)
    shared = common_questions(chosen.runs, chosen.baseline, only_common=common, advice=ADVICE)
    names, notes = metrics_to_compare(chosen, metrics)
    if shared.spans_differ:
        names, notes = without_evidence(names, notes, asked=bool(metrics))
    found = [read_run(run, label, names) for run, label in zip(chosen.runs, chosen.labels, strict=True)]
    questions = tuple(
        one for one in found[chosen.baseline][0] if shared.queries is None or one.query_id in shared.queries
    )
    if not questions:
        raise DataError(f"{first.folder}: no query was evaluated, so there is nothing to compare")
    read = tuple(aligned(run, own, questions, shared) for own, run in found)
    places = range(len(read))
    who = (
        [(a, b) for b in places for a in range(b)]
        if all_pairs
        else [(chosen.baseline, b) for b in places if b != chosen.baseline]
    )
    pairs = pairs_of(sorted(who), read, questions, names, seed)
    return Comparison(
        runs=read,
        questions=questions,
        metrics=names,
        baseline=None if all_pairs else chosen.baseline,
        pairs=pairs,
        config=config_differences([run.config for run in chosen.runs]),
        unfinished=chosen.unfinished,
        notes=(*shared.notes, *notes, *notes_on(chosen, pairs, read)),
        seed=seed,
    )


def refuse_other_golden_set(a: Run, b: Run) -> None:
    """Raise a DataError that names what changed if the two were scored on different golden sets."""
    common_questions((a, b), 0)


def without_evidence(names: Sequence[str], notes: Sequence[str], *, asked: bool) -> tuple[tuple[str, ...], list[str]]:
    """``names`` without metrics of evidence, which other spans make another measure; a DataError if those were asked for."""
    evidence = [name for name in names if parse(name).family in NEEDS_SPANS]
    left = tuple(name for name in names if name not in evidence)
    if (asked and evidence) or not left:
        raise DataError(f"metric {evidence[0]!r} rests on spans, which differ between the runs; leave it out")
    return left, [*notes, *(f"{name} is left out: the spans differ" for name in evidence)]


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


def aligned(one: ComparedRun, own: Sequence[Question], questions: Sequence[Question], shared: Common) -> ComparedRun:
    """``one``, whose scores are on ``own``, with its scores in the order of ``questions``, paired by id."""
    places = {question.query_id: i for i, question in enumerate(own)}
    wanted = {question.query_id for question in questions}
    alien = next((query for query in places if query not in wanted), None)
    if alien is not None and shared.queries is None:
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


def pairs_of(
    who: Sequence[tuple[int, int]],
    runs: Sequence[ComparedRun],
    questions: Sequence[Question],
    names: Sequence[str],
    seed: int,
) -> tuple[Pair, ...]:
    """The second of each two places held against the first.

    All pairs and metrics are resampled and exchanged with the same draws. Each metric's comparisons are one family,
    corrected by Holm's procedure.
    """
    before, after = (
        np.stack([runs[pair[side]].values[name] for name in names for pair in who], axis=1) for side in (0, 1)
    )
    found = paired_differences(before, after, seed=seed, family=len(who))
    families = [corrected(found[start : start + len(who)]) for start in range(0, len(found), len(who))]
    by_type = differences_by_type(before[:, : len(who)], after[:, : len(who)], questions, seed)
    pairs = []
    for i, (a, b) in enumerate(who):
        up, down = moves(runs[a], runs[b], questions, names[0])
        pairs.append(
            Pair(
                a,
                b,
                {name: family[i] for name, family in zip(names, families, strict=True)},
                {kind: of_pairs[i] for kind, of_pairs in by_type.items() if of_pairs[i].n},
                up[:SHOWN_MOVES],
                down[:SHOWN_MOVES],
            )
        )
    return tuple(pairs)


def moves(
    before: ComparedRun, after: ComparedRun, questions: Sequence[Question], metric: str
) -> tuple[tuple[Moved, ...], tuple[Moved, ...]]:
    """The questions that ``after`` scores higher, and those that it scores lower, the furthest first."""
    x, y = before.values[metric], after.values[metric]
    moved = [
        Moved(questions[i], float(x[i]), float(y[i]), before.first_relevant[i], after.first_relevant[i])
        for i in np.flatnonzero(np.abs(y - x) > 1e-12).tolist()
    ]
    up = sorted((one for one in moved if one.after > one.before), key=lambda one: (one.before - one.after, -_gain(one)))
    down = sorted(
        (one for one in moved if one.after < one.before), key=lambda one: (one.after - one.before, _gain(one))
    )
    return tuple(up), tuple(down)


def differences_by_type(
    before: NDArray[np.float64], after: NDArray[np.float64], questions: Sequence[Question], seed: int
) -> dict[str, list[PairedDifference]]:
    """Each pair's difference (a column) within each type, types in string order."""
    kinds = sorted({question.type for question in questions if question.type is not None})
    rows = {kind: [i for i, question in enumerate(questions) if question.type == kind] for kind in kinds}
    return {kind: paired_differences(before[rows[kind]], after[rows[kind]], seed=seed, tested=False) for kind in kinds}


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
