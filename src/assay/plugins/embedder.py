"""The option ``plugin`` of the group ``embedder``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from assay.config import models
from assay.embedders.base import Measured, Progress, Vectors, truncated
from assay.plugins.component import Component
from assay.words import word_spans


class PluginEmbedder:
    """A user's embedder. Its tokens are words by the project's rule, and it is taken to read every text to its end."""

    def __init__(self, config: models.PluginEmbedder) -> None:
        self.config = config
        self._component: Component | None = None
        self._dimensions: int | None = None

    @property
    def kind(self) -> str:
        return self.config.kind

    @property
    def component(self) -> Component:
        """The plugin, looked up once."""
        if self._component is None:
            self._component = Component(self.config)
        return self._component

    def check(self) -> None:
        """Find the entry point; nothing of it is imported."""
        _ = self.component

    def identity(self) -> dict[str, Any]:
        scaled = {"normalize": self.config.normalize, "truncate_dim": self.config.truncate_dim}
        return self.component.identity() | scaled

    def promises_equal_bits(self) -> bool:
        return self.component.deterministic

    def loaded(self) -> bool:
        return self._component is not None and self._component.loaded

    def token_offsets(self, text: str) -> Sequence[tuple[int, int]]:
        return word_spans(text)

    def measure(self, texts: Sequence[str]) -> Measured:
        return Measured(
            np.array([len(word_spans(text)) for text in texts], np.int64),
            np.array([len(text) for text in texts], np.int64),
        )

    def fit(self, texts: Sequence[str]) -> None:
        """Nothing: a plugin has learned before."""

    def embed_documents(self, texts: Sequence[str], progress: Progress) -> Vectors:
        vectors = self._embed(list(texts), "document")
        progress(len(texts))
        return vectors

    def embed_query(self, text: str) -> Vectors:
        return self._embed([text], "query").reshape(-1)

    def _embed(self, texts: list[str], role: Literal["document", "query"]) -> Vectors:
        found = self.component.call("embed", texts, role)
        vectors = self.component.floats("embed", found, (len(texts), self._dimensions))
        self._dimensions = vectors.shape[1]
        return truncated(vectors, self.config.truncate_dim, self.config.normalize)
