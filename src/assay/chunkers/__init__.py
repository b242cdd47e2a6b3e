"""Documents into pieces: offsets into the original text, always.

``TokensChunker``, ``SentencesChunker``, ``RecursiveChunker`` and ``DocumentChunker`` are the options; what
they share is in ``token_map`` (where tokens and graphemes lie) and ``packing`` (how units become pieces).
"""

from __future__ import annotations

from assay.chunkers.base import STAGE_VERSION, Chunker, Piece, TokenOffsets
from assay.chunkers.document import DocumentChunker
from assay.chunkers.recursive import RecursiveChunker
from assay.chunkers.sentences import SentencesChunker
from assay.chunkers.tokens import TokensChunker

__all__ = [
    "STAGE_VERSION",
    "Chunker",
    "DocumentChunker",
    "Piece",
    "RecursiveChunker",
    "SentencesChunker",
    "TokenOffsets",
    "TokensChunker",
]
