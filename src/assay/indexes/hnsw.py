"""A hierarchical navigable small-world graph, over raw vectors or over scalar-quantized ones (FAISS ``IndexHNSW``).

Malkov and Yashunin (2018), "Efficient and robust approximate nearest neighbor search using Hierarchical Navigable
Small World graphs".
"""

from __future__ import annotations

from typing import Any

from assay.config.models import HnswIndex as HnswConfig
from assay.config.models import HnswSqIndex as HnswSqConfig
from assay.indexes.approximate import Approximate, on_threads
from assay.indexes.base import Vectors, library
from assay.indexes.flat import faiss_metric
from assay.indexes.parameters import search_parameters
from assay.indexes.scalar import quantizer_type
from assay.indexes.trained import Trained, build_now

LEAST_EF = 128


class HnswIndex(Approximate):
    """The options ``hnsw`` and ``hnswsq``; vectors are added in one call, on one thread unless asked otherwise."""

    def __init__(
        self,
        vectors: Vectors,
        config: HnswConfig | HnswSqConfig,
        seed: int,
        depth: int,
        trained: Trained = build_now,
    ) -> None:
        def build() -> tuple[Any, tuple[Any, ...]]:
            faiss = library()
            dim, metric = vectors.shape[1], faiss_metric(config.metric)
            if isinstance(config, HnswSqConfig):
                made = faiss.IndexHNSWSQ(dim, quantizer_type(config.code), config.m, metric)
            else:
                made = faiss.IndexHNSWFlat(dim, config.m, metric)
            made.hnsw.efConstruction = config.ef_construction
            made.hnsw.rng = faiss.RandomGenerator(seed)
            with on_threads(config.build_threads):
                made.train(vectors)
                made.add(vectors)
            return made, ()

        built, owned = trained(build)
        self.ef_search = config.ef_search if config.ef_search != "auto" else max(LEAST_EF, depth)
        built.hnsw.efSearch = self.ef_search
        note = (
            f"index={config.kind}: index.ef_search {self.ef_search} is below the depth {depth}, which acts as ef_search"
        )
        super().__init__(built, (note,) if self.ef_search < depth else (), owned=owned)

    def _parameters(self, k: int, selector: Any, effort: int) -> Any:
        return search_parameters(self._faiss, k, selector, effort)
