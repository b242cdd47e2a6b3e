"""Product quantization, alone and in inverted lists (FAISS ``IndexPQ``, ``IndexIVFPQ``).

Jégou, Douze and Schmid (2011), "Product Quantization for Nearest Neighbor Search"; Ge, He, Ke and Sun (2013),
"Optimized Product Quantization for Approximate Nearest Neighbor Search", for the rotation.
"""

from __future__ import annotations

from typing import Any

from assay.config.models import IvfPqIndex as IvfPqConfig
from assay.config.models import PqIndex as PqConfig
from assay.indexes.approximate import Approximate, on_threads, rotation
from assay.indexes.base import Vectors, library
from assay.indexes.cells import MOST_POINTS, plan_cells, training_sample
from assay.indexes.codebooks import Codebooks, plan_codebooks
from assay.indexes.flat import faiss_metric
from assay.indexes.trained import Trained, build_now


class PqIndex(Approximate):
    """The option ``pq``."""

    def __init__(self, vectors: Vectors, config: PqConfig, seed: int, trained: Trained = build_now) -> None:
        n, dim = vectors.shape
        books = plan_codebooks(config, n, dim)
        used = min(n, config.train_size if config.train_size != "auto" else MOST_POINTS * books.centroids)

        def build() -> tuple[Any, tuple[Any, ...]]:
            made = library().IndexPQ(dim, books.m, books.nbits, faiss_metric(config.metric))
            books.settle(made.pq, config.iterations, seed)
            made.pq.cp.max_points_per_centroid = max(1, -(-used // books.centroids))
            with on_threads(config.build_threads):
                made.train(training_sample(vectors, used, seed))
                made.add(vectors)
            return made, ()

        built, owned = trained(build)
        super().__init__(built, books.notes(config.kind, used), config.k_factor, owned)


class IvfPqIndex(Approximate):
    """The option ``ivfpq``."""

    def __init__(self, vectors: Vectors, config: IvfPqConfig, seed: int, trained: Trained = build_now) -> None:
        n, dim = vectors.shape
        books = plan_codebooks(config, n, dim)
        cells = plan_cells(config, n, books.centroids)

        def build() -> tuple[Any, tuple[Any, ...]]:
            faiss = library()
            metric = faiss_metric(config.metric)
            quantizer = faiss.IndexFlat(dim, metric)
            made = faiss.IndexIVFPQ(quantizer, dim, cells.nlist, books.m, books.nbits, metric)
            made.by_residual = config.by_residual
            cells.settle(made, seed)
            books.settle(made.pq, config.iterations, seed)
            owned: tuple[Any, ...] = (quantizer, made)
            with on_threads(config.build_threads):
                sample = training_sample(vectors, cells.training, seed)
                if config.opq:
                    turned = learned_rotation(sample, books, config.opq_iterations, seed)
                    made, owned = faiss.IndexPreTransform(turned, made), (*owned, turned)
                made.train(sample)
                made.add(vectors)
            return made, owned

        built, owned = trained(build)
        cells.search(built)
        super().__init__(built, (*books.notes(config.kind, cells.training), *cells.notes), config.k_factor, owned)


def learned_rotation(sample: Vectors, books: Codebooks, iterations: int, seed: int) -> Any:
    """OPQ's rotation, trained: it starts from a random one drawn by ``seed``."""
    faiss = library()

    dim = sample.shape[1]
    turned = faiss.OPQMatrix(dim, books.m, dim)
    turned.niter = iterations
    turned.max_train_points = MOST_POINTS * books.centroids
    first = rotation(dim, dim, seed)  # by name: its memory must outlive the copy
    faiss.copy_array_to_vector(faiss.vector_to_array(first.A), turned.A)
    codes = faiss.ProductQuantizer(dim, books.m, books.nbits)
    books.settle(codes, iterations, seed)
    turned.pq = codes
    turned.train(sample)
    turned.pq = None  # `codes` ends here
    return turned
