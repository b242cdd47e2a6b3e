"""From a typed option to the class that does it; the only module that knows every implementation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.chunkers import Chunker, DocumentChunker, RecursiveChunker, SentencesChunker, TokensChunker
from assay.config import models
from assay.embedders.base import Embedder, Vectors
from assay.embedders.store import DEFAULT_MAX_BYTES, DiskStore, MemoryStore, VectorStore, default_folder
from assay.indexes.base import Index


def make_chunker(config: models.Chunker) -> Chunker:
    """The chunker that ``config`` names."""
    if isinstance(config, models.DocumentChunker):
        return DocumentChunker()
    kinds: dict[str, Callable[[int, int], Chunker]] = {
        "tokens": TokensChunker,
        "sentences": SentencesChunker,
        "recursive": RecursiveChunker,
    }
    return kinds[config.kind](config.size, config.overlap)


def make_embedder(config: models.Embedder, seed: int) -> Embedder:
    """The embedder that ``config`` names; nothing heavy is imported before it embeds."""
    if isinstance(config, models.LsaEmbedder):
        from assay.embedders.lsa import LsaModel

        return LsaModel(config, seed)
    from assay.embedders.sentence_transformer import SentenceTransformerModel

    return SentenceTransformerModel(config)


def make_index(config: models.Index, vectors: Vectors, seed: int, depth: int) -> tuple[Index, tuple[str, ...]]:
    """The index that ``config`` names, built over ``vectors``, and its warnings.

    Where there is no vector, or too few for what ``auto`` needs at least, exact search takes the kind's place, and the
    warning says so.
    """
    from assay.indexes.approximate import TooFew
    from assay.indexes.flat import FlatIndex

    if isinstance(config, models.FlatIndex):
        return FlatIndex(vectors, config.metric), ()
    try:
        if not len(vectors):
            raise TooFew("there is no chunk to build it from")
        index = approximate_index(config, vectors, seed, depth)
    except TooFew as few:
        return FlatIndex(vectors, config.metric), (f"index={config.kind}: {few}; EXACT SEARCH (flat) RAN INSTEAD",)
    return index, index.notes


def approximate_index(config: models.Index, vectors: Vectors, seed: int, depth: int) -> Index:
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
            return IvfIndex(vectors, config, seed)
        case models.HnswIndex() | models.HnswSqIndex():
            return HnswIndex(vectors, config, seed, depth)
        case models.PqIndex():
            return PqIndex(vectors, config, seed)
        case models.IvfPqIndex():
            return IvfPqIndex(vectors, config, seed)
        case models.FastScanIndex():
            return FastScanIndex(vectors, config, seed)
        case models.RabitqIndex():
            return RabitqIndex(vectors, config, seed)
        case models.Sq8Index() | models.Sq4Index() | models.Fp16Index():
            return ScalarIndex(vectors, config)
        case models.LshIndex():
            return LshIndex(vectors, config, seed)
        case models.FactoryIndex():
            return SpecIndex(vectors, config, seed, depth)
        case models.FlatIndex():
            raise AssertionError("flat is no approximate kind")


def make_store(config: models.Cache) -> VectorStore:
    """The store that ``config`` names."""
    if isinstance(config, models.NoCache):
        return MemoryStore()
    folder = Path(config.dir).expanduser() if config.dir else default_folder()
    return DiskStore(folder, config.max_bytes or DEFAULT_MAX_BYTES)
