"""The run folder: claim it, write it, read it."""

from assay.runs.run import Run, load_run

__all__ = ["Run", "load_run"]
