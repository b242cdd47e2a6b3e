"""Texts to vectors: ``minilm`` and ``st`` (sentence-transformers), ``lsa`` (scikit-learn)."""

from assay.embedders.base import Embedder, Measured, Vectors, unit

__all__ = ["Embedder", "Measured", "Vectors", "unit"]
