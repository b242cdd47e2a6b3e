"""Runs and comparisons as a notebook shows them: what was measured, charts, tables; nothing from a corpus as markup."""

from __future__ import annotations

from assay.notebook.comparison_face import comparison_face
from assay.notebook.run_face import run_face

__all__ = ["comparison_face", "run_face"]
