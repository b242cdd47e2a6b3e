"""Who else is told of a run, once its folder is whole: what is told, to whom, and what happens when they are away.

A tracker reads run folders and adds to them one file that says where the run was told. It changes no number, and when
it fails the run stays as it is.
"""

from __future__ import annotations

from assay.trackers.base import Tracker
from assay.trackers.telling import Telling

__all__ = ["Telling", "Tracker"]
