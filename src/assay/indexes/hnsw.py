"""A hierarchical navigable small-world graph, over raw vectors or over scalar-quantized ones (FAISS ``IndexHNSW``).

Malkov and Yashunin (2018), "Efficient and robust approximate nearest neighbor search using Hierarchical Navigable
Small World graphs".
"""

from __future__ import annotations

from assay.config.models import HnswIndex as HnswConfig
from assay.config.models import HnswSqIndex as HnswSqConfig
from assay.indexes.approximate import Approximate, on_threads
from assay.indexes.base import Rows, Vectors, library
from assay.indexes.flat import faiss_metric
from assay.indexes.scalar import quantizer_type

LEAST_EF = 128


class HnswIndex(Approximate):
    """The options ``hnsw`` and ``hnswsq``; vectors are added in one call, on one thread unless asked otherwise."""

    def __init__(self, vectors: Vectors, config: HnswConfig | HnswSqConfig, seed: int, depth: int) -> None:
        faiss = library()

        dim, metric = vectors.shape[1], faiss_metric(config.metric)
        if isinstance(config, HnswSqConfig):
            built = faiss.IndexHNSWSQ(dim, quantizer_type(config.code), config.m, metric)
        else:
            built = faiss.IndexHNSWFlat(dim, config.m, metric)
        built.hnsw.efConstruction = config.ef_construction
        built.hnsw.rng = faiss.RandomGenerator(seed)
        with on_threads(config.build_threads):
            built.train(vectors)
            built.add(vectors)
        self.ef_search = config.ef_search if config.ef_search != "auto" else max(LEAST_EF, depth)
        note = (
            f"index={config.kind}: index.ef_search {self.ef_search} is below the depth {depth}, which acts as ef_search"
        )
        super().__init__(built, (note,) if self.ef_search < depth else ())

    def _search(self, query: Vectors, k: int) -> Rows:
        faiss = library()

        parameters = faiss.SearchParametersHNSW(efSearch=max(self.ef_search, k))
        rows: Rows = self._faiss.search(query, k, params=parameters)[1]
        return rows
