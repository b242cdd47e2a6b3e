"""The typed shape of a run: one model per option of a config group, told apart by ``kind``.

These models are the only gate. A config that Hydra composed and a config saved in a run folder pass through
the same fields, ranges and cross-field checks, and nothing in them can name code. Every field's
``description`` is what the YAML comment says, and a test holds YAML keys and model fields equal.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Literal

from pydantic import Field, model_validator

from assay.config.base import Model as Model
from assay.config.base import OptionalText, Positive, Text, fault
from assay.config.chunkers import Chunker as Chunker
from assay.config.chunkers import DocumentChunker as DocumentChunker
from assay.config.chunkers import MarkdownChunker as MarkdownChunker
from assay.config.chunkers import ParentChunker as ParentChunker
from assay.config.chunkers import RecursiveChunker as RecursiveChunker
from assay.config.chunkers import SemanticChunker as SemanticChunker
from assay.config.chunkers import SentencesChunker as SentencesChunker
from assay.config.chunkers import TokensChunker as TokensChunker
from assay.config.embedders import Embedder as Embedder
from assay.config.embedders import LsaEmbedder as LsaEmbedder
from assay.config.embedders import MiniLMEmbedder as MiniLMEmbedder
from assay.config.embedders import SentenceTransformerEmbedder as SentenceTransformerEmbedder
from assay.config.filters import Filter as Filter
from assay.config.filters import NoFilter as NoFilter
from assay.config.filters import WhereFilter as WhereFilter
from assay.config.indexes import FactoryIndex as FactoryIndex
from assay.config.indexes import FastScanIndex as FastScanIndex
from assay.config.indexes import FlatIndex as FlatIndex
from assay.config.indexes import Fp16Index as Fp16Index
from assay.config.indexes import HnswIndex as HnswIndex
from assay.config.indexes import HnswSqIndex as HnswSqIndex
from assay.config.indexes import Index as Index
from assay.config.indexes import IvfIndex as IvfIndex
from assay.config.indexes import IvfPqIndex as IvfPqIndex
from assay.config.indexes import LshIndex as LshIndex
from assay.config.indexes import Metric as Metric
from assay.config.indexes import PqIndex as PqIndex
from assay.config.indexes import RabitqIndex as RabitqIndex
from assay.config.indexes import Sq4Index as Sq4Index
from assay.config.indexes import Sq8Index as Sq8Index
from assay.config.plugins import PluginChunker as PluginChunker
from assay.config.plugins import PluginEmbedder as PluginEmbedder
from assay.config.plugins import PluginReranker as PluginReranker
from assay.config.plugins import PluginRetriever as PluginRetriever
from assay.config.rerankers import CrossEncoderReranker as CrossEncoderReranker
from assay.config.rerankers import LateInteractionReranker as LateInteractionReranker
from assay.config.rerankers import LexicalReranker as LexicalReranker
from assay.config.rerankers import MmrReranker as MmrReranker
from assay.config.rerankers import NoReranker as NoReranker
from assay.config.rerankers import Reranker as Reranker
from assay.config.retrievers import Bm25Retriever as Bm25Retriever
from assay.config.retrievers import DenseRetriever as DenseRetriever
from assay.config.retrievers import HybridRetriever as HybridRetriever
from assay.config.retrievers import Retriever as Retriever
from assay.config.retrievers import Stemmer as Stemmer
from assay.config.trackers import MlflowTracker as MlflowTracker
from assay.config.trackers import NoTracker as NoTracker
from assay.config.trackers import Tracker as Tracker
from assay.records import METRIC_FAMILIES as METRIC_FAMILIES

DEFAULT_KS = (1, 3, 5, 10)


class Dataset(Model):
    """Which golden set; ``path`` wins over the bundled set's ``name``."""

    name: OptionalText = Field(None, description="a bundled golden set")
    path: OptionalText = Field(None, description="folder of a golden set; relative to the working directory")
    split: Text = Field("test", description="which qrels/<split>.tsv")
    on_unknown: Literal["error", "drop"] = Field("error", description="judgements of unknown ids")

    @model_validator(mode="after")
    def _somewhere(self) -> Dataset:
        if self.name is None and self.path is None:
            raise fault(
                "dataset.path",
                "null names no golden set; give a folder in BEIR's layout, or choose dataset=handbook",
            )
        if "/" in self.split or self.split in {".", ".."}:
            raise fault(
                "dataset.split",
                f"{self.split!r} is not a split; give the name of a file in qrels/, without .tsv",
            )
        return self


class Evaluation(Model):
    """What is scored."""

    ks: list[Positive] = Field(list(DEFAULT_KS), min_length=1, max_length=100, description="cutoffs")
    metrics: Literal["all"] | list[Text] = Field("all", description="all, or family names such as recall")
    exclude_self: bool = Field(False, description="drop the document whose id equals the query's")

    @model_validator(mode="after")
    def _sorted_ks(self) -> Evaluation:
        object.__setattr__(self, "ks", sorted(set(self.ks)))
        return self

    @model_validator(mode="after")
    def _known_families(self) -> Evaluation:
        every = f"all, or a list of {', '.join(METRIC_FAMILIES)}"
        if not self.metrics:
            raise fault("evaluation.metrics", f"[] scores nothing; give {every}")
        for name in [] if self.metrics == "all" else self.metrics:
            family = name.partition("@")[0]
            if name in METRIC_FAMILIES:
                continue
            if family in METRIC_FAMILIES:
                raise fault("evaluation.metrics", f"{name!r} has a cutoff; give {family}: cutoffs are evaluation.ks")
            close = get_close_matches(family, METRIC_FAMILIES, n=1, cutoff=0.5)
            right = f"did you mean {close[0]}?" if close else f"give {every}"
            raise fault("evaluation.metrics", f"{name!r} is no family of metrics; {right}")
        return self


Bytes = Annotated[int, Field(ge=1, le=2**63 - 1)]


class _Cache(Model):
    dir: OptionalText = Field(None, description="folder of the store; null: the user's cache folder")
    max_bytes: Bytes | None = Field(None, description="bound of the store; null: 10 GB, in memory 2 GB")


class DiskCache(_Cache):
    """What was computed is kept from run to run."""

    kind: Literal["disk"] = "disk"


class NoCache(_Cache):
    """What was computed is kept in memory as long as the process lives."""

    kind: Literal["none"] = "none"


Cache = Annotated[DiskCache | NoCache, Field(discriminator="kind")]


class LocalExecutor(Model):
    """In this process."""

    kind: Literal["local"] = "local"


class Config(Model):
    """A whole run. What can't change a number is named in ``UNSAVED`` and is not part of its identity."""

    dataset: Dataset
    chunker: Chunker
    embedder: Embedder
    index: Index
    retriever: Retriever
    filter: Filter
    reranker: Reranker
    evaluation: Evaluation
    seed: int = Field(42, ge=0, le=2**31 - 1, description="every library's, by argument; 0 is a seed")
    cache: Cache = Field(default_factory=lambda: NoCache.model_validate({}))
    tracker: Tracker = NoTracker()
    executor: LocalExecutor = LocalExecutor()
    threads: Positive | None = Field(None, description="null: all cores")
    run_dir: OptionalText = Field(None, description="folder of a single run")
    resume: bool = Field(False, description="redo only what is missing")
    progress: bool = Field(True, description="progress bars and lines")

    @model_validator(mode="after")
    def _depths(self) -> Config:
        deepest = max(self.evaluation.ks)
        if self.retriever.depth < deepest:
            raise fault(
                "retriever.depth",
                f"{self.retriever.depth} chunks can't fill a cutoff of {deepest}; "
                f"give at least max(evaluation.ks) = {deepest}",
            )
        if not isinstance(self.reranker, NoReranker) and self.reranker.depth > self.retriever.depth:
            raise fault(
                "reranker.depth",
                f"{self.reranker.depth} hits are more than are fetched; give at most retriever.depth = "
                f"{self.retriever.depth}, or raise that",
            )
        return self

    @model_validator(mode="after")
    def _token_vectors(self) -> Config:
        neural = isinstance(self.embedder, MiniLMEmbedder | SentenceTransformerEmbedder)
        if isinstance(self.reranker, LateInteractionReranker) and not neural:
            raise fault(
                "reranker",
                f"late_interaction compares vectors of tokens, which embedder={self.embedder.kind} has not; take "
                "embedder=minilm or embedder=st, or reranker=mmr, lexical or cross_encoder",
            )
        return self


UNSAVED = ("run_dir", "resume", "progress", "threads", "cache", "tracker", "executor")
GROUPS = (
    "dataset",
    "chunker",
    "embedder",
    "index",
    "retriever",
    "filter",
    "reranker",
    "evaluation",
    "cache",
    "tracker",
    "executor",
)
