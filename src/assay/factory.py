"""From a typed option to the class that does it; the only module that knows every implementation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.chunkers import (
    Chunker,
    DocumentChunker,
    Embed,
    MarkdownChunker,
    ParentChunker,
    RecursiveChunker,
    SemanticChunker,
    SentencesChunker,
    TokensChunker,
)
from assay.chunks import ChunkSet
from assay.config import models
from assay.embedders.base import Embedder, Vectors
from assay.errors import StageError
from assay.indexes.base import Index
from assay.indexes.trained import Trained
from assay.rerankers.base import Reranker
from assay.store import DEFAULT_MAX_BYTES, DEFAULT_MEMORY_BYTES, DiskStore, MemoryStore, Store, default_folder
from assay.trackers.base import Tracker


def make_chunker(config: models.Chunker, embed: Embed | None = None) -> Chunker:
    """The chunker that ``config`` names; ``semantic`` needs ``embed``."""
    match config:
        case models.DocumentChunker():
            return DocumentChunker()
        case models.PluginChunker():
            from assay.plugins import PluginChunker

            return PluginChunker(config)
        case models.SemanticChunker():
            assert embed is not None, "semantic cuts by vectors"
            return SemanticChunker(config.size, config.overlap, config.threshold, config.buffer, config.min_size, embed)
        case models.ParentChunker():
            return ParentChunker(config.size, config.overlap, config.parent_size)
    kinds: dict[str, Callable[[int, int], Chunker]] = {
        "tokens": TokensChunker,
        "sentences": SentencesChunker,
        "recursive": RecursiveChunker,
        "markdown": MarkdownChunker,
    }
    return kinds[config.kind](config.size, config.overlap)


def make_embedder(config: models.Embedder, seed: int) -> Embedder:
    """The embedder that ``config`` names; nothing heavy is imported before it embeds."""
    if isinstance(config, models.LsaEmbedder):
        from assay.embedders.lsa import LsaModel

        return LsaModel(config, seed)
    if isinstance(config, models.PluginEmbedder):
        from assay.plugins import PluginEmbedder

        return PluginEmbedder(config)
    from assay.embedders.sentence_transformer import SentenceTransformerModel

    return SentenceTransformerModel(config)


def make_index(
    config: models.Index, vectors: Vectors, seed: int, depth: int, trained: Trained | None = None
) -> tuple[Index, tuple[str, ...]]:
    """The index that ``config`` names, built over ``vectors``, and its warnings.

    ``trained`` gives the FAISS index back that was built before from the same (``assay.store.stages``); None builds it.
    Where there is no vector, or too few for what ``auto`` needs at least, exact search takes the kind's place, and the
    warning says so.
    """
    from assay.indexes.approximate import TooFew
    from assay.indexes.flat import FlatIndex
    from assay.indexes.trained import build_now

    if isinstance(config, models.FlatIndex):
        return FlatIndex(vectors, config.metric), ()
    try:
        if not len(vectors):
            raise TooFew("there is no chunk to build it from")
        index = approximate_index(config, vectors, seed, depth, trained or build_now)
    except TooFew as few:
        return FlatIndex(vectors, config.metric), (f"index={config.kind}: {few}; EXACT SEARCH (flat) RAN INSTEAD",)
    return index, index.notes


def approximate_index(config: models.Index, vectors: Vectors, seed: int, depth: int, trained: Trained) -> Index:
    """Any kind but flat, over at least one vector."""
    from assay.indexes.any_spec import SpecIndex
    from assay.indexes.fastscan import FastScanIndex
    from assay.indexes.hnsw import HnswIndex
    from assay.indexes.ivf import IvfIndex
    from assay.indexes.lsh import LshIndex
    from assay.indexes.pq import IvfPqIndex, PqIndex
    from assay.indexes.rabitq import RabitqIndex
    from assay.indexes.scalar import ScalarIndex

    match config:
        case models.IvfIndex():
            return IvfIndex(vectors, config, seed, trained)
        case models.HnswIndex() | models.HnswSqIndex():
            return HnswIndex(vectors, config, seed, depth, trained)
        case models.PqIndex():
            return PqIndex(vectors, config, seed, trained)
        case models.IvfPqIndex():
            return IvfPqIndex(vectors, config, seed, trained)
        case models.FastScanIndex():
            return FastScanIndex(vectors, config, seed, trained)
        case models.RabitqIndex():
            return RabitqIndex(vectors, config, seed, trained)
        case models.Sq8Index() | models.Sq4Index() | models.Fp16Index():
            return ScalarIndex(vectors, config, trained)
        case models.LshIndex():
            return LshIndex(vectors, config, seed, trained)
        case models.FactoryIndex():
            return SpecIndex(vectors, config, seed, depth, trained)
        case models.FlatIndex():
            raise AssertionError("flat is no approximate kind")


def make_reranker(config: models.Reranker, embedder: Embedder, chunks: ChunkSet) -> Reranker | None:
    """The reranker that ``config`` names, None for none; ``lexical`` reads the corpus's passages."""
    if isinstance(config, models.PluginReranker):
        from assay.plugins import PluginReranker

        return PluginReranker(config)
    if isinstance(config, models.CrossEncoderReranker):
        from assay.rerankers.cross_encoder import CrossEncoderModel

        return CrossEncoderModel(config)
    if isinstance(config, models.LateInteractionReranker):
        from assay.embedders.sentence_transformer import SentenceTransformerModel
        from assay.rerankers.late_interaction import LateInteraction

        assert isinstance(embedder, SentenceTransformerModel), "the gate lets no other embedder through"
        return LateInteraction(embedder)
    if isinstance(config, models.MmrReranker):
        from assay.rerankers.mmr import Mmr

        return Mmr(config)
    if isinstance(config, models.LexicalReranker):
        from assay.rerankers.lexical import LexicalModel

        return LexicalModel(config, chunks.passages)
    return None


def check_reranker(config: models.Reranker) -> None:
    """Raise a StageError if the reranker's model can't be had; one that has none of its own passes."""
    if isinstance(config, models.CrossEncoderReranker):
        from assay.rerankers.cross_encoder import CrossEncoderModel

        CrossEncoderModel(config).check()


def make_store(config: models.Cache) -> Store:
    """The store that ``config`` names.

    Raises
    ------
    StageError
        The folder that ``cache.dir`` names can't be used. Where the user's own cache folder can't, things are kept in
        memory, and the store's ``troubles`` say so.
    """
    if isinstance(config, models.NoCache):
        return MemoryStore(config.max_bytes or DEFAULT_MEMORY_BYTES)
    if config.dir is not None:
        return DiskStore(Path(config.dir).expanduser(), config.max_bytes or DEFAULT_MAX_BYTES)
    try:
        return DiskStore(default_folder(), config.max_bytes or DEFAULT_MAX_BYTES)
    except StageError as error:
        return MemoryStore(troubles=(f"{error.lines()[0]}; nothing is kept from this run to the next",))


def make_tracker(config: models.Tracker) -> Tracker | None:
    """The tracker that ``config`` names, None for none; nothing heavy is imported before it tells."""
    if isinstance(config, models.NoTracker):
        return None
    from assay.trackers.mlflow import Mlflow

    return Mlflow(config)


def check_tracker(config: models.Tracker) -> None:
    """Raise a StageError if what the tracker needs is not installed."""
    tracker = make_tracker(config)
    if tracker is not None:
        tracker.check()
