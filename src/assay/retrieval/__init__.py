"""Query to hits: ``dense`` by embedding, ``bm25`` by words."""

from assay.retrieval.dense import DenseRetrieval, Unfilled
from assay.retrieval.lexical import Bm25Retrieval

__all__ = ["Bm25Retrieval", "DenseRetrieval", "Unfilled"]
