"""GS701 and GS702: what so many questions can show; and the table of the smallest differences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from assay.evaluation.power import TYPICAL_SD, smallest_difference
from assay.golden.lint.finding import Finding, count, finding
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject

FEW, FEW_OF_TYPE = 50, 10


@dataclass(frozen=True, slots=True)
class Shown:
    """What ``n`` answerable questions can show: the smallest difference of each metric, None for none at all."""

    n: int
    differences: dict[str, float | None]

    def as_dict(self) -> dict[str, float | int | None]:
        """``{"n", METRIC: difference}``."""
        return {"n": self.n, **self.differences}


def shown_by(n: int) -> Shown:
    """The smallest differences that a paired test would show with ``n`` questions."""
    return Shown(n, {metric: smallest_difference(n, sd) for metric, sd in TYPICAL_SD.items()})


def what_it_shows(subject: Subject) -> tuple[Shown, dict[str, Shown]]:
    """For all answerable questions, and by type, most frequent first."""
    types = Counter(query.type for query in subject.answerable if query.type is not None)
    by_type = {name: shown_by(n) for name, n in sorted(types.items(), key=lambda item: (-item[1], item[0]))}
    return shown_by(len(subject.answerable)), by_type


def size(subject: Subject, setting: Setting) -> list[Finding]:
    """Fewer than fifty answerable questions, and types with fewer than ten."""
    overall, by_type = what_it_shows(subject)
    found = []
    if overall.n < FEW:
        least = overall.differences["recall@5"]
        shows = (
            f"a difference in recall@5 below {least:.2f} would go unseen"
            if least is not None
            else "nothing can be shown"
        )
        message = f"{count(overall.n, 'answerable question')}: {shows}"
        found.append(finding("GS701", message, [], "50 to 200 questions are a start; add them where users really ask"))
    rare = [f"{name}: {shown.n}" for name, shown in by_type.items() if shown.n < FEW_OF_TYPE]
    if rare:
        message = f"{count(len(rare), 'type')} with fewer than {FEW_OF_TYPE} questions: anecdotes, not means"
        found.append(finding("GS702", message, rare, "add questions of the type, or join it with another"))
    return found
