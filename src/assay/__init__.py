"""assay: did that change make retrieval better?

``run`` runs a pipeline on a golden set, ``load_run`` reads a run folder, ``evaluate`` scores anybody's rankings,
``compare`` holds runs against each other, ``load_golden_set`` reads and checks a golden set. Nothing heavy is
imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.api import run as run
    from assay.errors import AssayError as AssayError
    from assay.evaluation import evaluate as evaluate
    from assay.golden import GoldenSet as GoldenSet
    from assay.golden import load_golden_set as load_golden_set
    from assay.runs import Run as Run
    from assay.runs import load_run as load_run
    from assay.runs.compare import compare as compare
    from assay.runs.comparison import Comparison as Comparison

_PUBLIC = {
    "AssayError": "assay.errors",
    "Comparison": "assay.runs.comparison",
    "GoldenSet": "assay.golden",
    "Run": "assay.runs.run",
    "compare": "assay.runs.compare",
    "evaluate": "assay.evaluation",
    "load_golden_set": "assay.golden",
    "load_run": "assay.runs.run",
    "run": "assay.api",
}

__all__ = ["AssayError", "Comparison", "GoldenSet", "Run", "compare", "evaluate", "load_golden_set", "load_run", "run"]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
