"""A hierarchical navigable small-world graph (FAISS ``IndexHNSWFlat``).

Malkov and Yashunin (2018), "Efficient and robust approximate nearest neighbor search using Hierarchical Navigable
Small World graphs".
"""

from __future__ import annotations

from assay.config.models import HnswIndex as HnswConfig
from assay.indexes.base import Rows, Vectors, clean, library
from assay.indexes.flat import faiss_metric, serialized_bytes

LEAST_EF = 128


class HnswIndex:
    """The option ``hnsw``; vectors are added in one call, on one thread unless asked otherwise."""

    exact = False

    def __init__(self, vectors: Vectors, config: HnswConfig, seed: int, depth: int) -> None:
        faiss = library()

        self._faiss = faiss.IndexHNSWFlat(vectors.shape[1], config.m, faiss_metric(config.metric))
        self._faiss.hnsw.efConstruction = config.ef_construction
        self._faiss.hnsw.rng = faiss.RandomGenerator(seed)
        self.ef_search = config.ef_search if config.ef_search != "auto" else max(LEAST_EF, depth)
        self.notes = (
            (f"index=hnsw: index.ef_search {self.ef_search} is below the depth {depth}, which acts as ef_search",)
            if self.ef_search < depth
            else ()
        )
        before = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(config.build_threads)
        try:
            self._faiss.add(vectors)
        finally:
            faiss.omp_set_num_threads(before)

    @property
    def size(self) -> int:
        return int(self._faiss.ntotal)

    def propose(self, queries: Vectors, k: int) -> list[Rows]:
        faiss = library()

        k = min(k, self.size)
        parameters = faiss.SearchParametersHNSW(efSearch=max(self.ef_search, k))
        before = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)
        try:
            return [clean(self._faiss.search(query[None], k, params=parameters)[1])[0] for query in queries]
        finally:
            faiss.omp_set_num_threads(before)

    def nbytes(self) -> int:
        return serialized_bytes(self._faiss)
