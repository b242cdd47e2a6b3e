"""From the files that people have to a golden set, and from a golden set to the files that other tools read.

A reader a format puts what it finds into an ``Intake``, which judges and writes each row as it comes; what it
wrote is a golden set in BEIR's layout. The writers of other formats read that::

    source ─► reader ─► Intake ─► corpus.jsonl, queries.jsonl, qrels/, spans.jsonl ─► writer ─► destination
"""

from __future__ import annotations

from assay.golden.convert.convert import convert
from assay.golden.convert.options import FORMATS, TARGETS, Options
from assay.golden.convert.report import Report, Tally

__all__ = ["FORMATS", "TARGETS", "Options", "Report", "Tally", "convert"]
