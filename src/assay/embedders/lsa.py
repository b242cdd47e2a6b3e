"""Latent semantic analysis: TF-IDF and truncated SVD, fitted on the run's own chunks.

Deerwester et al. (1990), "Indexing by Latent Semantic Analysis". A baseline that needs no model and reads any
language that ``assay.words`` can split.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.config.models import LsaEmbedder
from assay.embedders.base import Measured, Progress, Vectors, finite, truncated
from assay.words import terms, word_spans

STAGE_VERSION = 1


class LsaModel:
    """The option ``lsa``. ``fit`` comes before any embedding; a vector depends on the texts it was fitted on.

    What is learned from them is computed when the first text is embedded: a run whose vectors are kept needs none of it.
    """

    def __init__(self, config: LsaEmbedder, seed: int) -> None:
        self.config = config
        self.seed = seed
        self._vectorizer: Any = None
        self._components: NDArray[np.float64] | None = None
        self._fitted_on = ""
        self._texts: Sequence[str] = ()

    @property
    def kind(self) -> str:
        return self.config.kind

    def check(self) -> None:
        """Nothing to find."""

    def identity(self) -> dict[str, Any]:
        return {
            "kind": "lsa",
            "version": STAGE_VERSION,
            "fit": self._fitted_on,
            "dim": self.config.dim,
            "seed": self.seed,
            "normalize": self.config.normalize,
            "truncate_dim": self.config.truncate_dim,
        }

    def promises_equal_bits(self) -> bool:
        return True

    def loaded(self) -> bool:
        return self._components is not None

    def token_offsets(self, text: str) -> Sequence[tuple[int, int]]:
        return word_spans(text)

    def measure(self, texts: Sequence[str]) -> Measured:
        return Measured(
            np.array([len(word_spans(text)) for text in texts], np.int64),
            np.array([len(text) for text in texts], np.int64),
        )

    def fit(self, texts: Sequence[str]) -> None:
        self._fitted_on = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
        self._texts, self._vectorizer, self._components = texts, None, None

    def _learn(self) -> NDArray[np.float64]:
        """What the texts teach, once: the vectorizer and the components, shape (dimensions, terms)."""
        if self._components is None:
            assert self._fitted_on, "fit comes first"
            self._components = self._decomposed(self._texts)
            self._texts = ()
        return self._components

    def _decomposed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from threadpoolctl import threadpool_limits

        vectorizer = TfidfVectorizer(analyzer=terms, sublinear_tf=True, dtype=np.float64)
        try:
            counts = vectorizer.fit_transform(texts)
        except ValueError:  # no term in any text
            return np.zeros((1, 0), np.float64)
        dim = max(1, min(self.config.dim, *counts.shape))
        self._vectorizer = vectorizer
        if counts.shape[1] == 1:  # one term: nothing to decompose, and scikit-learn refuses to
            return np.ones((1, 1), np.float64)
        # On two BLAS threads the decomposition comes out with other bits than on one. Equal texts have no
        # variance to explain, over which scikit-learn divides.
        with threadpool_limits(1, user_api="blas"), np.errstate(divide="ignore", invalid="ignore"):
            svd = TruncatedSVD(n_components=dim, algorithm="randomized", n_iter=7, random_state=self.seed)
            svd.fit(counts)
        return np.asarray(svd.components_, dtype=np.float64)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        components = self._learn()
        if self._vectorizer is None:
            return np.zeros((len(texts), 1), np.float32)
        # A sparse row times a dense matrix is summed in the row's own order: no BLAS, no batch mates.
        projected = self._vectorizer.transform(texts) @ components.T
        return np.asarray(projected, dtype=np.float32)

    def embed_documents(self, texts: Sequence[str], progress: Progress) -> Vectors:
        vectors = self._embed(texts)
        progress(len(texts))
        return truncated(finite(vectors, "chunk"), self.config.truncate_dim, self.config.normalize)

    def embed_query(self, text: str) -> Vectors:
        return truncated(finite(self._embed([text]), "query"), self.config.truncate_dim, self.config.normalize).reshape(
            -1
        )
