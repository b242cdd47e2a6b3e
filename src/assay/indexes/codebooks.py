"""The codebooks of product quantization: how many parts a vector has, how many bits each, and what trains them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.config.models import FastScanIndex, IvfPqIndex, PqIndex
from assay.errors import StageError
from assay.indexes.approximate import TooFew
from assay.indexes.cells import ADVISED_POINTS

# Half as wide parts with 4 bits find as much as parts with 8 bits in as many bytes, and train about 80 times as fast.
AUTO_BITS = 4


@dataclass(frozen=True, slots=True)
class Codebooks:
    """``m`` parts of ``nbits`` each, and what a user should know of it."""

    m: int
    nbits: int

    @property
    def centroids(self) -> int:
        """Centroids of one codebook."""
        return int(2**self.nbits)

    def settle(self, quantizer: Any, iterations: int, seed: int) -> None:
        """Set k-means of a FAISS product quantizer."""
        quantizer.cp.seed = seed
        quantizer.cp.niter = iterations
        quantizer.cp.min_points_per_centroid = 1  # FAISS would print what the notes say

    def notes(self, kind: str, used: int) -> tuple[str, ...]:
        """Whether ``used`` training vectors are thin."""
        advised = ADVISED_POINTS * self.centroids
        if used >= advised:
            return ()
        return (
            f"index={kind}: {used} training vectors for {self.centroids} centroids ({self.nbits} bits), "
            f"{advised} are advised",
        )


def plan_codebooks(config: PqIndex | IvfPqIndex | FastScanIndex, n: int, dim: int) -> Codebooks:
    """The codebooks that ``config`` asks for over ``n`` vectors.

    Raises
    ------
    StageError
        What was set by hand can't be.
    TooFew
        Nothing was set by hand and there are fewer vectors than the smallest codebook has centroids.
    """
    asked = "auto" if isinstance(config, FastScanIndex) else config.nbits
    nbits = AUTO_BITS if asked == "auto" else asked
    m = config.m if config.m != "auto" else auto_m(dim, nbits)
    if dim % m:
        raise StageError(
            f"index.m: {m} does not divide the {dim} dimensions; give one of {', '.join(map(str, divisors(dim)))}, or auto"
        )
    if isinstance(config.train_size, int) and config.train_size < 2**nbits:
        raise StageError(
            f"index.train_size: {config.train_size} vectors can't train {2**nbits} centroids ({nbits} bits); "
            f"give at least {2**nbits}, or auto"
        )
    if n < 2**nbits:
        if asked == "auto":
            raise TooFew(f"{n} chunks can't train {2**nbits} centroids ({nbits} bits)")
        most = n.bit_length() - 1
        right = f"give at most {most}, or auto" if most else "give auto"
        raise StageError(
            f"index.nbits: {nbits} bits need at least {2**nbits} chunks to train on, there are {n}; {right}"
        )
    return Codebooks(m, nbits)


def auto_m(dim: int, nbits: int) -> int:
    """Parts of a vector: as wide as divides ``dim``, at most half as many dimensions as bits."""
    return dim // next(width for width in range(max(1, nbits // 2), 0, -1) if dim % width == 0)


def divisors(dim: int) -> list[int]:
    """All divisors of ``dim``, ascending."""
    return [m for m in range(1, dim + 1) if dim % m == 0]
