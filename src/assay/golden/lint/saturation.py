"""GS604: cutoffs that are large against the corpus, where every system looks good."""

from __future__ import annotations

from assay.golden.lint.finding import Finding, finding
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject

SATURATED = 0.1


def saturation(subject: Subject, setting: Setting) -> list[Finding]:
    """Cutoffs at a tenth of the corpus or more, with the recall of a random order."""
    documents = subject.golden.counts.documents
    large = [k for k in setting.ks if k >= SATURATED * documents]
    if not large:
        return []
    chance = ", ".join(f"recall@{k} {min(k, documents) / documents:.2f}" for k in large)
    message = f"with {documents:,} documents a random order already gets {chance}"
    advice = "add documents that answer nothing but look alike, or read smaller cutoffs (evaluation.ks)"
    return [finding("GS604", message, [f"k = {k}" for k in large], advice)]
