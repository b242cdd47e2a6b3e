"""Threads of the libraries that compute, set where they listen: environment variables come too late."""

from __future__ import annotations

import os
import sys


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_threads(threads: int | None) -> int:
    """Give ``threads`` (all cores where None) to FAISS and, once it is imported, to torch; the number given."""
    count = threads or cores()
    import faiss

    faiss.omp_set_num_threads(count)
    os.environ["OMP_NUM_THREADS"] = str(count)
    os.environ["RAYON_NUM_THREADS"] = str(count)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(count)
    return count
