"""The option ``plugin`` of the group ``reranker``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.config import models
from assay.plugins.component import Component
from assay.rerankers.base import Candidates


class PluginReranker:
    """A user's reranker; it gets the texts of the hits, contexts included, best first."""

    needs_vectors = False
    uses_embedder = False

    def __init__(self, config: models.PluginReranker) -> None:
        self.config = config
        self._component: Component | None = None

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
        return self.component.identity()

    def promises_equal_bits(self) -> bool:
        return self.component.deterministic

    def scores(self, candidates: Candidates) -> NDArray[np.float32]:
        if not candidates.texts:
            return np.empty(0, np.float32)
        texts = list(candidates.texts)
        return self.component.floats("scores", self.component.call("scores", candidates.query, texts), (len(texts),))

    def notes(self) -> tuple[str, ...]:
        return ()
