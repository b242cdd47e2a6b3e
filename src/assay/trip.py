"""What the stages of one run share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.chunks import ChunkSet
from assay.clock import Clock
from assay.config import Config
from assay.embedders.base import Embedder, Vectors, unit
from assay.filters import Allowed
from assay.golden import GoldenSet
from assay.notices import Warnings
from assay.results import Reporter
from assay.store import Counted, Store, space_of
from assay.workbench import Workbench, embed_documents, embed_queries


@dataclass(slots=True)
class Trip:
    """A run under way: its config and data, who is told, and how the store served it.

    ``embedder`` is fitted before it embeds; ``allowed`` is None where no filter is set.
    """

    config: Config
    bench: Workbench
    golden: GoldenSet
    chunks: ChunkSet
    embedder: Embedder
    allowed: Allowed | None
    clock: Clock
    reporter: Reporter
    warnings: Warnings
    counted: dict[str, Counted]

    @property
    def store(self) -> Store:
        """What keeps what was computed."""
        return self.bench.store(self.config.cache)

    @property
    def model_label(self) -> str:
        """A few words that tell a person which model made the vectors."""
        return space_of(self.embedder.identity(), "document").label

    @property
    def texts(self) -> list[str]:
        """The texts of the evaluated queries, in order."""
        return [query.text for query in self.golden.evaluated]

    @property
    def wanted(self) -> int:
        """Documents that a ranking must hold where there are as many: max(ks), and one more that may be left out."""
        return max(self.config.evaluation.ks) + self.config.evaluation.exclude_self

    def fit(self) -> None:
        """Let the embedder learn from the chunks what it must."""
        with self.clock.stage("fit"):
            self.embedder = self.bench.fitted(self.config, self.embedder, self.chunks)

    def document_vectors(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts in the role of documents, row i for text i."""
        with (
            self.clock.stage("embed_chunks"),
            self.reporter.stage("embed chunks", len(texts)) as done,
        ):
            return embed_documents(self.embedder, texts, self.store, self.counted["document_vectors"], done)

    def query_vectors(self) -> Vectors:
        """Vectors of the evaluated queries, in order."""
        with (
            self.clock.stage("embed_queries"),
            self.reporter.stage("embed queries", len(self.golden.evaluated)) as done,
        ):
            return embed_queries(self.embedder, self.texts, self.store, self.counted["query_vectors"], done)

    def scaled(self, vectors: Vectors) -> Vectors:
        """``vectors`` as the metric compares them: of unit length under cosine."""
        return unit(vectors) if self.config.index.metric == "cosine" else vectors
