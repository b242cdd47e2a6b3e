"""Inverted lists over k-means cells (FAISS ``IndexIVFFlat``).

Jégou, Douze and Schmid (2011), "Product Quantization for Nearest Neighbor Search", for the inverted file.
"""

from __future__ import annotations

from assay.config.models import IvfIndex as IvfConfig
from assay.indexes.approximate import Approximate, on_threads
from assay.indexes.base import Vectors, library
from assay.indexes.cells import auto_nlist as auto_nlist
from assay.indexes.cells import auto_nprobe as auto_nprobe
from assay.indexes.cells import plan_cells, training_sample
from assay.indexes.flat import faiss_metric


class IvfIndex(Approximate):
    """The option ``ivf``."""

    def __init__(self, vectors: Vectors, config: IvfConfig, seed: int) -> None:
        faiss = library()

        n, dim = vectors.shape
        metric = faiss_metric(config.metric)
        cells = plan_cells(config, n)
        self.nlist, self.nprobe = cells.nlist, cells.nprobe
        quantizer = faiss.IndexFlat(dim, metric)
        built = faiss.IndexIVFFlat(quantizer, dim, cells.nlist, metric)
        cells.settle(built, seed)
        with on_threads(config.build_threads):
            built.train(training_sample(vectors, cells.training, seed))
            built.add(vectors)
        super().__init__(built, cells.notes, owned=(quantizer,))
