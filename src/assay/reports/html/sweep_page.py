"""The page of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.evaluation.names import HEADLINE
from assay.reports.html import effect_charts, sweep_charts
from assay.reports.html.chart import figures
from assay.reports.html.markup import Cell, Child, Markup, joined, table, tag
from assay.reports.html.page import page
from assay.reports.html.parts import dataset_name, notices, queries_in_words
from assay.reports.html.run_page import refuse_damaged
from assay.reports.html.sweep import Sweep, read_sweep, shown
from assay.reports.html.sweep_pairs import pairs
from assay.reports.sweep_verdict import rounded, size
from assay.reports.text import interval, number
from assay.runs.pareto import pareto_front, quality_metric
from assay.runs.sweep_folder import Jobs

REPORT = "report.html"
TELLING = (*HEADLINE, "evidence_recall@5", "evidence_recall@2000w", "index_recall@10")


def sweep_page(folder: Path, jobs: Jobs) -> str:
    """The HTML of the report of the sweep in ``folder``; a DataError where it holds no whole run or a damaged one."""
    sweep = read_sweep(folder, jobs)
    for i in range(len(sweep.rows)):
        refuse_damaged(sweep.run(i))
    first = sweep.run(0)
    sizes, no_sizes = sweep_charts.chunk_sizes(sweep)
    drawn = [sweep_charts.board(sweep), sizes, *sweep_charts.costs(sweep)]
    sections = [
        ("verdict", "Verdict", _verdict(sweep)),
        ("board", "Leaderboard", _board(sweep, folder)),
        ("drawn", "Quality and cost", joined(notices([no_sizes] if no_sizes else (), plain=True), figures(drawn))),
        ("effects", "Main effects", _effects(sweep)),
        ("pairs", "Every pair", pairs(sweep)),
        ("failed", "Failed jobs", _failed(sweep)),
    ]
    name = dataset_name(first.config)
    failed = f", {len(sweep.failed)} failed" if sweep.failed else ""
    header = joined(
        tag("h1", f"{name}: sweep of {_counted(len(sweep.rows) + len(sweep.failed), 'job')}"),
        tag("p", f"{_counted(len(sweep.rows), 'whole run')}{failed} · {', '.join(sweep.keys) or 'nothing differs'}"),
        tag("p", queries_in_words(first.metrics["queries"]), class_="quiet"),
    )
    footer = joined(
        tag(
            "p",
            f"Made by assay {first.manifest.get('assay_version', '')} from a sweep folder. Intervals: {first.metrics.get('ci_method', '')}",
        ),
        tag("p", "This file holds everything it shows and asks nothing of a network."),
    )
    return page(f"{name}: assay sweep", header, sections, footer)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _verdict(sweep: Sweep) -> Markup:
    found = sweep.verdict
    if found is None:
        best = f"Job {sweep.jobs[0]}{_chosen(sweep, 0)} has the highest {sweep.metric}, {number(sweep.mean(0, sweep.metric))}."
        why = (
            f"No verdict: {sweep.no_verdict}."
            if sweep.no_verdict
            else "The folder holds no verdict.json, so nothing is said about whether the lead is real."
        )
        return joined(tag("p", best, class_="verdict"), notices([why], plain=True))
    leader = next(one for one in found["runs"] if str(one["job"]) == found["leader"])
    others = [job for job in map(str, found["indistinguishable"]) if job != found["leader"]]
    place = sweep.jobs.index(found["leader"])
    ci = f" (95 % {leader['ci95'][0]:.3f} to {leader['ci95'][1]:.3f})" if leader.get("ci95") else ""
    told = f"Job {found['leader']}{_chosen(sweep, place)} leads with {found['metric']} {number(leader.get('mean', sweep.mean(place, found['metric'])))}{ci}"
    if others:
        told += f", but can't be told from {'job' if len(others) == 1 else 'jobs'} {', '.join(others)}."
    elif len(sweep.rows) > 1:
        told += ", and all others are worse."
    else:
        told += "."
    facts = [*_facts(found, sweep), *map(str, found.get("notes") or ())]
    return joined(tag("p", told, class_="verdict"), tag("ul", *(tag("li", fact) for fact in facts)) if facts else None)


def _chosen(sweep: Sweep, place: int) -> str:
    """What a row chose, in brackets."""
    chosen = sweep.chosen(place)
    return f" ({', '.join(chosen)})" if chosen else ""


def _facts(found: Mapping[str, Any], sweep: Sweep) -> list[str]:
    """What else the verdict says, a sentence each, as far as it does."""
    told = []
    cheapest = found.get("cheapest") or {}
    named = [
        f"by {words} job {cheapest[key]}"
        for key, words in (("p50_ms", "latency"), ("bytes", "bytes"))
        if cheapest.get(key)
    ]
    if named:
        told.append(f"Cheapest among those that can't be told apart: {', '.join(named)}.")
    least = found.get("smallest_difference") or {}
    if least.get("in_this_sweep") is not None:
        told.append(
            f"This golden set can show differences of about {least['in_this_sweep']:.2f} in {found['metric']} between jobs of this sweep"
            + (
                f", {least['two_runs_alone']:.2f} between two runs alone."
                if least.get("two_runs_alone") is not None
                else "."
            )
        )
    second = next((one for one in found["runs"] if one["job"] != found["leader"] and one.get("questions_needed")), None)
    if second and second["job"] in found["indistinguishable"]:
        told.append(
            f"To tell the leader from job {second['job']}, {second['behind']:.3f} behind, about {rounded(second['questions_needed'])} questions would be needed."
        )
    if found.get("nested") is not None:
        told.append(
            f"Picked on one half of the questions, the best job scores {found['nested']:.3f} on the other half."
        )
    if found.get("optimism") is not None:
        told.append(
            f"Picking the best of {len(sweep.rows)} makes it look better than it is by about {found['optimism']:.3f}."
        )
    return told


def _board(sweep: Sweep, folder: Path) -> Markup:
    """The leaderboard, best first, with costs, and what the verdict says of each job."""
    known = {name for i in range(len(sweep.rows)) for name in sweep.run(i).metrics["metrics"]}
    names = [sweep.metric, *(name for name in TELLING if name != sweep.metric and name in known)]
    names = [name for name in names if any(sweep.mean(i, name) is not None for i in range(len(sweep.rows)))]
    judged = {str(one["job"]): one for one in sweep.verdict["runs"]} if sweep.verdict else {}
    against = quality_metric(sweep.rows, sweep.metric)
    front = pareto_front(sweep.rows, against)
    rows: list[list[Child]] = []
    classes = {}
    for i, job in enumerate(sweep.jobs):
        run = sweep.run(i)
        row: list[Child] = [Cell(_link(job, folder), float(job))]
        if judged:
            row.append(_standing(job, sweep))
        row += [_value(sweep.values[i].get(key), key in sweep.values[i]) for key in sweep.keys]
        if names:
            row += [_number(sweep.mean(i, names[0])), interval(run.metrics["metrics"].get(names[0], {}))]
        if judged:
            row += _judged(judged[job])
        p50, held = run.timings["search"].get("p50_ms"), run.timings["index"].get("bytes")
        row += [Cell("–" if p50 is None else f"{p50:.2f}", p50), Cell("–" if held is None else size(held), held)]
        row += ["yes" if front[i] else "", *(_number(sweep.mean(i, name)) for name in names[1:])]
        rows.append(row)
        if job in sweep.together():
            classes[i] = "chosen"
    head = ["job", *(["standing"] if judged else []), *sweep.keys]
    words = len(head)
    head += [names[0], "95 %"] if names else []
    head += [*(["behind", "p (Holm)", "best in"] if judged else []), "p50 ms", "bytes", "front", *names[1:]]
    note = (
        "Shaded: can't be told from the leader. Best in: share of resampled question sets in which the job leads. "
        if judged
        else ""
    )
    note += f"Front: no other job is at least as good in {against}, p50 and bytes at once." if any(front) else ""
    return joined(
        tag("p", note, class_="quiet") if note else None,
        table("Leaderboard, best first", head, rows, text_columns=words, sortable=True, row_classes=classes),
    )


def _judged(one: Mapping[str, Any]) -> list[Child]:
    """What the verdict says of a job: how far behind, the corrected p-value, how often it leads."""
    best = one["probability_best"]
    return [Cell(f"{one['behind']:.3f}", one["behind"]), _p(one.get("p_holm")), Cell(f"{100 * best:.0f} %", best)]


def _standing(job: str, sweep: Sweep) -> str:
    leader = sweep.verdict["leader"] if sweep.verdict else None
    return "leads" if job == leader else "= leader" if job in sweep.together() else "worse"


def _link(job: str, folder: Path) -> Child:
    """The job's number, a link where its own report lies in its folder."""
    return tag("a", job, href=f"{job}/{REPORT}") if (folder / job / REPORT).is_file() else job


def _value(value: Any, known: bool) -> Child:
    if not known:
        return "–"
    if type(value) in (int, float):
        return Cell(shown(value), float(value))
    return shown(value)


def _number(value: float | None) -> Cell:
    return Cell(number(value), value)


def _p(value: float | None) -> Cell:
    return Cell("" if value is None else "<0.001" if value < 0.001 else f"{value:.3f}", value)


def _effects(sweep: Sweep) -> Markup:
    if sweep.verdict is None:
        return joined()
    charts = effect_charts.effects(sweep.verdict)
    if charts:
        return figures(charts)
    why = sweep.verdict.get("no_effects")
    return tag("p", f"Not to be had: {why}.") if why else joined()


def _failed(sweep: Sweep) -> Markup:
    if not sweep.failed:
        return joined()
    rows: Sequence[Sequence[Child]] = [(one.job, one.error) for one in sweep.failed]
    return table("Jobs without a whole run", ("job", "error"), rows, text_columns=2)
