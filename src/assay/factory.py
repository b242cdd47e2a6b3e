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

    Without any vector there is nothing to build: every kind becomes exact search, and the warning says so.
    """
    from assay.indexes.flat import FlatIndex

    if isinstance(config, models.FlatIndex):
        return FlatIndex(vectors, config.metric), ()
    if not len(vectors):
        return FlatIndex(vectors, config.metric), (
            f"index={config.kind}: there is no chunk to build it from; EXACT SEARCH (flat) RAN INSTEAD",
        )
    if isinstance(config, models.IvfIndex):
        from assay.indexes.ivf import IvfIndex

        ivf = IvfIndex(vectors, config, seed)
        return ivf, ivf.notes
    from assay.indexes.hnsw import HnswIndex

    hnsw = HnswIndex(vectors, config, seed, depth)
    return hnsw, hnsw.notes


def make_store(config: models.Cache) -> VectorStore:
    """The store that ``config`` names."""
    if isinstance(config, models.NoCache):
        return MemoryStore()
    folder = Path(config.dir).expanduser() if config.dir else default_folder()
    return DiskStore(folder, config.max_bytes or DEFAULT_MAX_BYTES)
