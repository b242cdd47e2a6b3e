"""The questions that runs on different golden sets have in common, and what became of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import DataError
from assay.runs.golden_changes import (
    Change,
    Question,
    changes,
    differing_parts,
    hashes_of,
    in_words,
    judged_otherwise,
    questions_of,
)
from assay.runs.outcomes import outcomes
from assay.runs.run import Run


@dataclass(frozen=True, slots=True)
class Common:
    """The ids of questions that all runs were asked in the same way, None for all; and notes on the others."""

    queries: frozenset[str] | None
    notes: tuple[str, ...]
    spans_differ: bool


def common_questions(runs: Sequence[Run], baseline: int, *, only_common: bool = False, advice: str = "") -> Common:
    """The questions on which ``runs`` can be compared.

    Without ``only_common`` another golden set is refused. With it, questions that are missing, or whose text, mark or
    judgements changed, are left out and named, as far as the runs' own files tell; another corpus is refused still,
    since a ranking of other documents is another task. ``advice`` tells a user how to ask for the common ones.

    Raises
    ------
    DataError
        Other golden sets, naming what differs; no question in common.
    """
    first = runs[baseline]
    queries: frozenset[str] | None = None
    notes: list[str] = []
    spans_differ = False
    for other in runs:
        parts = differing_parts(hashes_of(first), hashes_of(other))
        if not parts:
            continue
        before, after = questions_of(outcomes(first)), questions_of(outcomes(other))
        told = in_words(parts, named(before, after))
        if not only_common or "corpus" in parts:
            hint = advice if advice and "corpus" not in parts and _share(before, after) else ""
            raise DataError(
                f"{other.folder}: scored on another golden set than {first.folder}, so their numbers can't be "
                f"compared{f' ({hint})' if hint else ''}; it differs in {told}"
            )
        same = _share(before, after)
        queries = same if queries is None else queries & same
        spans_differ = spans_differ or "spans" in parts
        notes.append(f"{other.folder}: another golden set than {first.folder}; it differs in {told}")
    if queries is not None:
        if not queries:
            raise DataError(
                f"{first.folder}: has no question in common with the others, so there is nothing to compare"
            )
        asked = len(questions_of(outcomes(first)))
        only = f"the {len(queries)} common questions" if len(queries) > 1 else "the one common question"
        notes.append(f"compared over {only} only (of {asked} in {first.folder})")
    return Common(queries, tuple(notes), spans_differ)


def _share(before: Mapping[str, Question], after: Mapping[str, Question]) -> frozenset[str]:
    """The ids whose question is the same in both, as far as can be told."""
    return frozenset(
        query
        for query in before.keys() & after.keys()
        if before[query].text == after[query].text
        and before[query].answerable == after[query].answerable
        and not judged_otherwise(before[query], after[query])
    )


def named(before: Mapping[str, Question], after: Mapping[str, Question]) -> list[Change]:
    """What became of the questions; one that is gone, while another id asks the same, is renamed."""
    gone = {query: one.text for query, one in before.items() if query not in after}
    new = {query: one.text for query, one in after.items() if query not in before}
    renamed = []
    for query, text in gone.items():
        same = [other for other, own in new.items() if own == text]
        if len(same) == 1 and list(gone.values()).count(text) == 1:
            renamed.append((query, same[0]))
    if not renamed:
        return changes(before, after)
    olds, news = ({pair[side] for pair in renamed} for side in (0, 1))
    rest = changes(
        {query: one for query, one in before.items() if query not in olds},
        {query: one for query, one in after.items() if query not in news},
    )
    return [Change("renamed", tuple(f"{old} to {new_}" for old, new_ in renamed)), *rest]


def refuse_other_measures(a: Run, b: Run) -> None:
    """Raise a DataError if the two runs' metrics were computed in different ways, naming the difference."""
    for key in ("schema_version", "ci_method"):
        if a.metrics.get(key) != b.metrics.get(key):
            raise DataError(
                f"{b.folder}: its metrics were computed by another version than those of {a.folder} "
                f"({key} {b.metrics.get(key)!r}, against {a.metrics.get(key)!r}); run one of them again"
            )
