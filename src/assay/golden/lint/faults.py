"""GS101 to GS103: what keeps the set from being read, and rows that name ids which aren't there."""

from __future__ import annotations

from assay.errors import GoldenSetError, one_line
from assay.golden.golden_set import GoldenSet
from assay.golden.lint.finding import Finding, count, finding


def reading_faults(error: GoldenSetError) -> Finding:
    """GS101: each fault that reading found, with file:line; the first twenty, and how many there are."""
    return finding(
        "GS101",
        f"{count(error.total, 'fault')} in the files; the other checks need a set that can be read",
        [one_line(fault) for fault in error.faults],
        "mend each line as it says, then check again",
        error.total,
    )


def unknown_ids(golden: GoldenSet, drop: bool) -> list[Finding]:
    """GS102, or GS103 with ``drop``: rows of ids that corpus.jsonl or queries.jsonl doesn't have."""
    if not golden.dropped:
        return []
    rows = count(len(golden.dropped), "row")
    if drop:
        message = f"{rows} of unknown ids left out; the questions that lost all their positives are not evaluated"
        advice = "runs need dataset.on_unknown=drop too; mending the ids is better"
        return [finding("GS103", message, golden.dropped, advice)]
    message = f"{rows} name documents or questions that don't exist, or are what is left of their question"
    advice = "mend the ids, or leave the rows out with dataset.on_unknown=drop (--drop-unknown here)"
    return [finding("GS102", message, golden.dropped, advice)]
