"""A run or a sweep as one self-contained HTML file: no network, no dependencies, nothing from a corpus as markup."""

from __future__ import annotations

from assay.reports.html.run_page import run_page
from assay.reports.html.sweep_page import sweep_page

__all__ = ["run_page", "sweep_page"]
