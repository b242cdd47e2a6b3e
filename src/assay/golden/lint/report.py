"""What ``assay check`` found, as a whole: findings, what the set holds, and what it can show."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from assay.evaluation.power import METHOD
from assay.golden.lint.finding import SEVERITIES, Finding, Severity
from assay.golden.lint.grades import grade_counts
from assay.golden.lint.setting import Setting
from assay.golden.lint.size import what_it_shows
from assay.golden.lint.subject import Subject


@dataclass(frozen=True, slots=True)
class Report:
    """Findings about the golden set in ``path``; ``subject`` and ``setting`` are None where it could not be read."""

    path: str
    split: str
    findings: tuple[Finding, ...]
    subject: Subject | None
    setting: Setting | None

    def number(self, severity: Severity) -> int:
        """How many findings are of ``severity``."""
        return sum(found.severity == severity for found in self.findings)

    def good(self, strict: bool) -> bool:
        """Whether there is no error, and with ``strict`` no warning either."""
        return not self.number("error") and not (strict and self.number("warning"))

    def document(self, strict: bool) -> dict[str, Any]:
        """As ``--json`` prints it; what a set that could not be read holds is null."""
        document: dict[str, Any] = {
            "path": self.path,
            "split": self.split,
            "good": self.good(strict),
            **{f"{severity}s": self.number(severity) for severity in SEVERITIES},
            "findings": [found.as_dict() for found in self.findings],
            "counts": None,
            "grades": None,
            "shows": None,
        }
        if self.subject is not None:
            overall, by_type = what_it_shows(self.subject)
            document["counts"] = asdict(self.subject.golden.counts)
            document["grades"] = {str(grade): number for grade, number in grade_counts(self.subject).items()}
            document["shows"] = {
                "method": METHOD,
                "all": overall.as_dict(),
                "by_type": {name: shown.as_dict() for name, shown in by_type.items()},
            }
        return document
