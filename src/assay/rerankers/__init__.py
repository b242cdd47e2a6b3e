"""Hits to re-scored hits: ``cross_encoder``, ``late_interaction``, ``mmr``, ``lexical``."""

from assay.rerankers.base import Candidates, Reranker

__all__ = ["Candidates", "Reranker"]
