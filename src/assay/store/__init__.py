"""What was computed once and is found again: vectors by text, chunk sets, indexes, scores and rankings by their inputs.

``rows_of`` and ``kept`` are what a stage calls; ``DiskStore`` and ``MemoryStore`` are where things lie; ``assay.store.stages``
has the keys and the bytes of each stage.
"""

from assay.store.arrays import from_bytes, to_bytes
from assay.store.base import DEFAULT_MAX_BYTES, DEFAULT_MEMORY_BYTES, Counted, Store
from assay.store.disk import DiskStore
from assay.store.keys import STAGES, Space, default_folder, key_of, key_of_parts, space_of, space_of_stage
from assay.store.memory import MemoryStore
from assay.store.once import kept, rows_of

__all__ = [
    "DEFAULT_MAX_BYTES",
    "DEFAULT_MEMORY_BYTES",
    "STAGES",
    "Counted",
    "DiskStore",
    "MemoryStore",
    "Space",
    "Store",
    "default_folder",
    "from_bytes",
    "kept",
    "key_of",
    "key_of_parts",
    "rows_of",
    "space_of",
    "space_of_stage",
    "to_bytes",
]
