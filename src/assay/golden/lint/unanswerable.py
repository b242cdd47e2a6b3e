"""GS303 and GS304: how many questions have no answer in the corpus, against what is advised."""

from __future__ import annotations

from assay.golden.lint.finding import Finding, finding
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject

LEAST, MOST = 0.10, 0.20
ADVISED = "10 to 20 %"


def unanswerable_share(subject: Subject, setting: Setting) -> list[Finding]:
    """The share of unanswerable questions among those evaluated: none, or outside 10 to 20 %."""
    counts = subject.golden.counts
    evaluated = counts.answerable + counts.unanswerable
    share = counts.unanswerable / evaluated if evaluated else 0.0
    if not counts.unanswerable:
        message = "no question is marked unanswerable, so nothing is known about answers where there is none"
        advice = f'add questions that the corpus can\'t answer, {ADVISED} of all, with "answerable": false'
        return [finding("GS303", message, [], advice)]
    if LEAST <= share <= MOST:
        return []
    message = f"{counts.unanswerable:,} of {evaluated:,} questions ({share:.0%}) are unanswerable; {ADVISED} is advised"
    few = "few say little about abstention: add some near misses of what the corpus does answer"
    many = "they are in no recall mean, so fewer questions are left for it: add answerable ones"
    return [finding("GS304", message, [], few if share < LEAST else many)]
