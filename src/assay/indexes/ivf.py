"""Inverted lists over k-means cells (FAISS ``IndexIVFFlat``).

Jégou, Douze and Schmid (2011), "Product Quantization for Nearest Neighbor Search", for the inverted file.
"""

from __future__ import annotations

from typing import Any

from assay.config.models import IvfIndex as IvfConfig
from assay.indexes.approximate import Approximate, on_threads
from assay.indexes.base import Vectors, library
from assay.indexes.cells import auto_nlist as auto_nlist
from assay.indexes.cells import auto_nprobe as auto_nprobe
from assay.indexes.cells import plan_cells, training_sample
from assay.indexes.flat import faiss_metric
from assay.indexes.trained import Trained, build_now


class IvfIndex(Approximate):
    """The option ``ivf``."""

    def __init__(self, vectors: Vectors, config: IvfConfig, seed: int, trained: Trained = build_now) -> None:
        n, dim = vectors.shape
        cells = plan_cells(config, n)
        self.nlist, self.nprobe = cells.nlist, cells.nprobe

        def build() -> tuple[Any, tuple[Any, ...]]:
            faiss = library()
            metric = faiss_metric(config.metric)
            quantizer = faiss.IndexFlat(dim, metric)
            made = faiss.IndexIVFFlat(quantizer, dim, cells.nlist, metric)
            cells.settle(made, seed)
            with on_threads(config.build_threads):
                made.train(training_sample(vectors, cells.training, seed))
                made.add(vectors)
            return made, (quantizer,)

        built, owned = trained(build)
        built.nprobe = cells.nprobe
        super().__init__(built, cells.notes, owned=owned)
