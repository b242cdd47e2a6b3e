"""FAISS behind one small face, and the exact scores that every hit gets."""

from assay.indexes.base import Built, Index
from assay.indexes.exact import (
    exact_best,
    exact_ranks,
    exact_top,
    largest_norm,
    ordered,
    pair_scores,
    rough_scores,
    scored,
    tolerance,
)

__all__ = [
    "Built",
    "Index",
    "exact_best",
    "exact_ranks",
    "exact_top",
    "largest_norm",
    "ordered",
    "pair_scores",
    "rough_scores",
    "scored",
    "tolerance",
]
