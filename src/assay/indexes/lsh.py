"""Locality-sensitive hashing: signs of random projections, compared by Hamming distance (FAISS ``IndexLSH``).

Charikar (2002), "Similarity Estimation Techniques from Rounding Algorithms".
"""

from __future__ import annotations

from typing import Any

from assay.config.models import LshIndex as LshConfig
from assay.errors import StageError
from assay.indexes.approximate import Approximate, on_threads, rotation
from assay.indexes.base import Vectors, library
from assay.indexes.trained import Trained, build_now

BITS_A_DIMENSION = 4


class LshIndex(Approximate):
    """The option ``lsh``, a generator of candidates: its own order knows only how many signs agree."""

    def __init__(self, vectors: Vectors, config: LshConfig, seed: int, trained: Trained = build_now) -> None:
        dim = vectors.shape[1]
        nbits = config.nbits if config.nbits != "auto" else auto_bits(dim) if config.rotate else dim
        if nbits > dim and not config.rotate:
            raise StageError(
                f"index.nbits: {nbits} bits need as many dimensions without a rotation, there are {dim}; "
                f"give at most {dim}, or index.rotate=true"
            )

        def build() -> tuple[Any, tuple[Any, ...]]:
            with on_threads(1):  # the constructor draws a rotation too
                made = library().IndexLSH(dim, nbits, config.rotate, config.thresholds)
                if config.rotate:
                    made.rrot = rotation(dim, nbits, seed)
                made.train(vectors)
                made.add(vectors)
            return made, ()

        built, owned = trained(build)
        note = "index=lsh: signs tell directions only; under {} lengths count in the re-scoring of its candidates alone"
        notes = () if config.metric == "cosine" else (note.format(config.metric),)
        super().__init__(built, notes, config.k_factor, owned)


def auto_bits(dim: int) -> int:
    """Four bits a dimension, in whole words of 64."""
    return -(-BITS_A_DIMENSION * dim // 64) * 64
