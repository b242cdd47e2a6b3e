"""BM25 of each pair, with the statistics of all passages of the corpus: the words of ``assay.words`` decide.

The formula and its sources are those of ``assay.retrieval.lexical``. A text that shares no term with the query scores 0.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.chunks import ChunkSet
from assay.config.models import Bm25Retriever, LexicalReranker
from assay.rerankers.base import Candidates
from assay.retrieval import Bm25Retrieval

STAGE_VERSION = 1


class LexicalModel:
    """The option ``lexical`` over ``passages``; their words are counted when the first query comes."""

    needs_vectors = False
    uses_embedder = False

    def __init__(self, config: LexicalReranker, passages: ChunkSet) -> None:
        self.config = config
        self._passages = passages

    @property
    def kind(self) -> str:
        return self.config.kind

    def check(self) -> None:
        """Nothing to find."""

    def identity(self) -> dict[str, Any]:
        return {"kind": self.kind, "version": STAGE_VERSION, "k1": self.config.k1, "b": self.config.b}

    def promises_equal_bits(self) -> bool:
        return True

    @cached_property
    def _bm25(self) -> Bm25Retrieval:
        return Bm25Retrieval(self._passages, Bm25Retriever(k1=self.config.k1, b=self.config.b, stemmer="none"))

    def scores(self, candidates: Candidates) -> NDArray[np.float32]:
        return self._bm25.scores(candidates.query)[candidates.rows]

    def notes(self) -> tuple[str, ...]:
        return ()
