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
from assay.indexes.trained import Trained, build_now

BLOCK = 32  # vectors scanned together


class RabitqIndex(Approximate):
    """The option ``rabitq``."""

    def __init__(self, vectors: Vectors, config: RabitqConfig, seed: int, trained: Trained = build_now) -> None:
        n, dim = vectors.shape
        cells = plan_cells(config, n)

        def build() -> tuple[Any, tuple[Any, ...]]:
            faiss = library()
            metric = faiss_metric(config.metric)
            quantizer = faiss.IndexFlat(dim, metric)
            made: Any
            if config.fast_scan:
                made = faiss.IndexIVFRaBitQFastScan(quantizer, dim, cells.nlist, metric, BLOCK, True, config.nbits)
            else:
                made = faiss.IndexIVFRaBitQ(quantizer, dim, cells.nlist, metric, True, config.nbits)
            cells.settle(made, seed)
            owned: tuple[Any, ...] = (quantizer, made)
            if config.rotate:
                turned = rotation(dim, dim, seed)
                made, owned = faiss.IndexPreTransform(turned, made), (*owned, turned)
            with on_threads(config.build_threads):
                made.train(training_sample(vectors, cells.training, seed))
                made.add(vectors)
            return made, owned

        built, owned = trained(build)
        cells.search(built).qb = config.query_bits
        super().__init__(built, cells.notes, config.k_factor, owned)
