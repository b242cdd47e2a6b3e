"""MaxSim: each token of the query against the token of the text that is nearest to it.

Khattab and Zaharia (2020), "ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction over
BERT". Here the tokens are those of the run's own embedder, so nothing has to be downloaded, and nothing was trained for
this use either. Differences from the paper: the sum is divided by the number of query tokens, so that a score is a mean
cosine from -1 to 1 and ``min_score`` means the same for short and long queries (the order within a query is the
same); prompt and special tokens are left out, since they say nothing of the text and match each other in every pair;
queries are not filled up with mask tokens, which the embedder was not trained to use.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.embedders.base import TokenVectors, Vectors, unit
from assay.rerankers.base import Candidates
from assay.rerankers.pairs import Cuts, PairRows, pair_rows

MEMORY = 512 * 2**20  # bytes of token vectors that are kept
STAGE_VERSION = 1


class TokenEmbedder(Protocol):
    """An embedder with a vector for each token."""

    def check(self) -> None:
        """Raise a StageError if the model can't be had."""

    def identity(self) -> dict[str, Any]:
        """What a vector depends on besides its text."""

    def promises_equal_bits(self) -> bool:
        """Whether a vector is the same bits whatever else is embedded with it."""

    def embed_tokens(self, texts: Sequence[str], role: Literal["query", "document"]) -> list[TokenVectors]:
        """The vectors of each text's own tokens."""


class LateInteraction:
    """The option ``late_interaction``. Texts are remembered, as long as there is room: queries share candidates."""

    kind = "late_interaction"
    needs_vectors = False
    uses_embedder = True

    def __init__(self, embedder: TokenEmbedder, memory: int = MEMORY) -> None:
        self._embedder = embedder
        self._memory = memory
        self._held = 0
        self._known: OrderedDict[bytes, TokenVectors] = OrderedDict()
        self._cuts = Cuts()

    def check(self) -> None:
        self._embedder.check()

    def identity(self) -> dict[str, Any]:
        return {"kind": self.kind, "version": STAGE_VERSION, "embedder": self._embedder.identity()}

    def promises_equal_bits(self) -> bool:
        return self._embedder.promises_equal_bits()

    def scores(self, candidates: Candidates) -> NDArray[np.float32]:
        rows = self.pair_rows(candidates.query, candidates.texts)
        self.count(rows)
        return rows[:, 0]

    def pair_rows(self, query: str, texts: Sequence[str]) -> PairRows:
        (of_query,) = self._embedder.embed_tokens([query], "query")
        of_texts = self._documents(texts)
        tokens = unit(of_query.vectors)
        rows = pair_rows(len(texts), np.array([text.cut for text in of_texts], np.bool_), of_query.cut, None)
        rows[:, 0] = [max_sim(tokens, text.vectors) for text in of_texts]
        return rows

    def count(self, rows: PairRows) -> None:
        self._cuts.add(rows)

    def notes(self) -> tuple[str, ...]:
        cuts, self._cuts = self._cuts, Cuts()
        if not cuts.texts and not cuts.queries:
            return ()
        return (
            f"reranker=late_interaction: the model cut off {cuts.queries} queries, and the texts of {cuts.texts} of "
            f"{cuts.pairs} pairs; tokens behind the cut count for nothing",
        )

    def _documents(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Token vectors of ``texts``, of unit length; those not yet known are computed together."""
        keys = [hashlib.blake2b(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        fresh = self._embedder.embed_tokens(list(missing.values()), "document") if missing else []
        for key, tokens in zip(missing, fresh, strict=True):
            self._known[key] = TokenVectors(unit(tokens.vectors), tokens.cut)
            self._held += self._known[key].vectors.nbytes
        for key in keys:
            self._known.move_to_end(key)
        found = [self._known[key] for key in keys]
        while self._held > self._memory:
            self._held -= self._known.popitem(last=False)[1].vectors.nbytes
        return found


def max_sim(query: Vectors, text: Vectors) -> float:
    """Mean over the query's tokens of the largest cosine with a token of the text; rows are of unit length.

    A query without tokens scores 0 everywhere, a text without tokens -1, the least there is.
    """
    if not len(query):
        return 0.0
    if not len(text):
        return -1.0
    # einsum sums in one fixed order on one thread; a matrix product's bits depend on the threads it finds.
    return float(np.einsum("qd,td->qt", query, text).max(axis=1).mean(dtype=np.float64))
