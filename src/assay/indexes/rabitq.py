"""RaBitQ codes in inverted lists (FAISS ``IndexIVFRaBitQ``, ``IndexIVFRaBitQFastScan``).

Gao and Long (2024), "RaBitQ: Quantizing High-Dimensional Vectors with a Theoretical Error Bound for Approximate Nearest
Neighbor Search".
"""

from __future__ import annotations

from typing import Any

from assay.config.models import RabitqIndex as RabitqConfig
from assay.indexes.approximate import Approximate, on_threads, rotation
from assay.indexes.base import Vectors, library
from assay.indexes.cells import plan_cells, training_sample
from assay.indexes.flat import faiss_metric

BLOCK = 32  # vectors scanned together


class RabitqIndex(Approximate):
    """The option ``rabitq``."""

    def __init__(self, vectors: Vectors, config: RabitqConfig, seed: int) -> None:
        faiss = library()

        n, dim = vectors.shape
        metric = faiss_metric(config.metric)
        cells = plan_cells(config, n)
        quantizer = faiss.IndexFlat(dim, metric)
        built: Any
        if config.fast_scan:
            built = faiss.IndexIVFRaBitQFastScan(quantizer, dim, cells.nlist, metric, BLOCK, True, config.nbits)
        else:
            built = faiss.IndexIVFRaBitQ(quantizer, dim, cells.nlist, metric, True, config.nbits)
        built.qb = config.query_bits
        cells.settle(built, seed)
        owned: tuple[Any, ...] = (quantizer, built)
        if config.rotate:
            turned = rotation(dim, dim, seed)
            built, owned = faiss.IndexPreTransform(turned, built), (*owned, turned)
        with on_threads(config.build_threads):
            built.train(training_sample(vectors, cells.training, seed))
            built.add(vectors)
        super().__init__(built, cells.notes, config.k_factor, owned)
