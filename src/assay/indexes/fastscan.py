"""4-bit product quantization in inverted lists, scanned in SIMD registers, then refined by finer vectors that the index
holds beside the codes (FAISS ``IndexIVFPQFastScan``, ``IndexRefine``).

André, Kermarrec and Le Scouarnec (2015), "Cache locality is not enough: High-Performance Nearest Neighbor Search with
Product Quantization Fast Scan".
"""

from __future__ import annotations

from typing import Any

from assay.config.models import FastScanIndex as FastScanConfig
from assay.indexes.approximate import Approximate, on_threads
from assay.indexes.base import Vectors, library
from assay.indexes.cells import plan_cells, training_sample
from assay.indexes.codebooks import plan_codebooks
from assay.indexes.flat import faiss_metric
from assay.indexes.scalar import quantizer_type
from assay.indexes.trained import Trained, build_now


class FastScanIndex(Approximate):
    """The option ``fastscan``. Its own order is the refined one; without a refinement, exact scores choose alone.

    Under cosine and ip FAISS leaves out a vector that is the farthest in every part: its table sum is 0, as an empty slot's.
    """

    def __init__(self, vectors: Vectors, config: FastScanConfig, seed: int, trained: Trained = build_now) -> None:
        n, dim = vectors.shape
        books = plan_codebooks(config, n, dim)
        cells = plan_cells(config, n, books.centroids)

        def build() -> tuple[Any, tuple[Any, ...]]:
            faiss = library()
            metric = faiss_metric(config.metric)
            quantizer = faiss.IndexFlat(dim, metric)
            codes = faiss.IndexIVFPQFastScan(quantizer, dim, cells.nlist, books.m, books.nbits, metric)
            codes.by_residual = config.by_residual
            cells.settle(codes, seed)
            books.settle(codes.pq, config.iterations, seed)
            made, finer = codes, None
            if config.refine == "flat":
                made = faiss.IndexRefineFlat(codes)
            elif config.refine != "none":
                finer = faiss.IndexScalarQuantizer(dim, quantizer_type(config.refine), metric)
                made = faiss.IndexRefine(codes, finer)
            with on_threads(config.build_threads):
                made.train(training_sample(vectors, cells.training, seed))
                made.add(vectors)
            return made, (quantizer, codes, finer)

        built, owned = trained(build)
        cells.search(built)
        refined = config.refine != "none"
        if refined:
            built.k_factor = float(config.k_factor)
        notes = (*books.notes(config.kind, cells.training), *cells.notes)
        super().__init__(built, notes, 1 if refined else config.k_factor, owned)
