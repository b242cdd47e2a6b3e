"""Documents into pieces: offsets into the original text, always.

``TokensChunker``, ``SentencesChunker``, ``RecursiveChunker``, ``MarkdownChunker``, ``SemanticChunker``, ``ParentChunker``
and ``DocumentChunker`` are the options; what they share is in ``token_map`` (where tokens and graphemes lie) and
``packing`` (how units become pieces). ``under_headings`` puts the headings above a piece in front of it, whoever cut it.
"""

from __future__ import annotations

from assay.chunkers.base import STAGE_VERSION, Chunker, Piece, TokenOffsets
from assay.chunkers.document import DocumentChunker
from assay.chunkers.headings import under_headings
from assay.chunkers.markdown import MarkdownChunker
from assay.chunkers.parent import ParentChunker
from assay.chunkers.recursive import RecursiveChunker
from assay.chunkers.semantic import Embed, SemanticChunker, sentences_of, windows_of
from assay.chunkers.sentences import SentencesChunker
from assay.chunkers.tokens import TokensChunker

__all__ = [
    "STAGE_VERSION",
    "Chunker",
    "DocumentChunker",
    "Embed",
    "MarkdownChunker",
    "ParentChunker",
    "Piece",
    "RecursiveChunker",
    "SemanticChunker",
    "SentencesChunker",
    "TokenOffsets",
    "TokensChunker",
    "sentences_of",
    "under_headings",
    "windows_of",
]
