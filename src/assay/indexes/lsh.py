"""Locality-sensitive hashing: signs of random projections, compared by Hamming distance (FAISS ``IndexLSH``).

Charikar (2002), "Similarity Estimation Techniques from Rounding Algorithms".
"""

from __future__ import annotations

from assay.config.models import LshIndex as LshConfig
from assay.errors import StageError
from assay.indexes.approximate import Approximate, on_threads, rotation
from assay.indexes.base import Vectors, library

BITS_A_DIMENSION = 4


class LshIndex(Approximate):
    """The option ``lsh``, a generator of candidates: its own order knows only how many signs agree."""

    def __init__(self, vectors: Vectors, config: LshConfig, seed: int) -> None:
        faiss = library()

        dim = vectors.shape[1]
        nbits = config.nbits if config.nbits != "auto" else auto_bits(dim) if config.rotate else dim
        if nbits > dim and not config.rotate:
            raise StageError(
                f"index.nbits: {nbits} bits need as many dimensions without a rotation, there are {dim}; "
                f"give at most {dim}, or index.rotate=true"
            )
        with on_threads(1):  # the constructor draws a rotation too
            built = faiss.IndexLSH(dim, nbits, config.rotate, config.thresholds)
            if config.rotate:
                built.rrot = rotation(dim, nbits, seed)
            built.train(vectors)
            built.add(vectors)
        note = "index=lsh: signs tell directions only; under {} lengths count in the re-scoring of its candidates alone"
        super().__init__(built, () if config.metric == "cosine" else (note.format(config.metric),), config.k_factor)


def auto_bits(dim: int) -> int:
    """Four bits a dimension, in whole words of 64."""
    return -(-BITS_A_DIMENSION * dim // 64) * 64
