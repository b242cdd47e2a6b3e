"""What is kept between the runs of one process: golden sets, models, the store, chunk sets.

A sweep's jobs share one workbench, so each is loaded or computed once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay import factory
from assay.chunks import ChunkSet, Context, cut, seen_ends
from assay.config import Config, models
from assay.embedders.base import Embedder, Progress, Vectors
from assay.embedders.store import VectorStore, key_of, space_of
from assay.errors import ConfigError
from assay.golden import GoldenSet, load_golden_set
from assay.indexes.exact import Scores
from assay.retrieval import DenseRetrieval

PORTION = 512
LARGEST_CHUNK_SETS = 8


class Workbench:
    """Hands out what runs share. ``data`` is the folder of the bundled golden sets."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._golden: dict[tuple[str, str, str], GoldenSet] = {}
        self._embedders: dict[tuple[models.Embedder, int], Embedder] = {}
        self._stores: dict[models.Cache, VectorStore] = {}
        self._fitted: dict[tuple[models.Embedder, int, bytes], Embedder] = {}
        self._chunks: dict[tuple[object, ...], ChunkSet] = {}
        self._answers: dict[tuple[object, ...], list[Scores]] = {}

    def golden_set(self, config: models.Dataset) -> GoldenSet:
        """The golden set that ``config`` names, read and checked once."""
        key = (str(self.golden_path(config)), config.split, config.on_unknown)
        if key not in self._golden:
            self._golden[key] = load_golden_set(self.golden_path(config), config.split, config.on_unknown)
        return self._golden[key]

    def golden_path(self, config: models.Dataset) -> Path:
        """The folder of a golden set.

        Raises
        ------
        ConfigError
            There is no such folder.
        """
        if config.path is not None:
            folder = Path(config.path).expanduser()
            if not folder.is_dir():
                raise ConfigError(
                    f"dataset.path: {config.path} is no folder; give one that holds corpus.jsonl, queries.jsonl "
                    f"and qrels/{config.split}.tsv"
                )
            return folder
        bundled = sorted(path.parent.name for path in self.data.glob("*/corpus.jsonl"))
        if config.name not in bundled:
            raise ConfigError(
                f"dataset.name: {config.name!r} is no bundled golden set; give one of {', '.join(bundled)}, or dataset.path"
            )
        return self.data / str(config.name)

    def embedder(self, config: Config) -> Embedder:
        """The embedder, loaded once. ``lsa`` is made anew, since it learns from each run's chunks."""
        if config.embedder.kind == "lsa":
            return factory.make_embedder(config.embedder, config.seed)
        key = (config.embedder, 0)
        if key not in self._embedders:
            self._embedders.clear()  # one model in memory at a time
            self._embedders[key] = factory.make_embedder(config.embedder, config.seed)
        return self._embedders[key]

    def fitted(self, config: Config, embedder: Embedder, chunks: ChunkSet) -> Embedder:
        """``embedder`` once it has learned from ``chunks``; one that learned the same before is handed out again."""
        if embedder.kind != "lsa":
            return embedder
        texts = chunks.embedded_texts()
        key = (config.embedder, config.seed, key_of("\0".join(texts)))
        if key not in self._fitted:
            if len(self._fitted) >= LARGEST_CHUNK_SETS:
                self._fitted.pop(next(iter(self._fitted)))
            embedder.fit(texts)
            self._fitted[key] = embedder
        return self._fitted[key]

    def store(self, config: models.Cache) -> VectorStore:
        """The store, opened once."""
        if config not in self._stores:
            self._stores[config] = factory.make_store(config)
        return self._stores[config]

    def chunks(self, golden: GoldenSet, config: Config, embedder: Embedder) -> tuple[ChunkSet, bool]:
        """The chunk set of a corpus, cut once, and whether it was there already."""
        tokenizer = config.embedder.model_dump_json() if config.embedder.kind != "lsa" else "words"
        key = (golden.hashes.corpus, config.chunker, tokenizer)
        if key in self._chunks:
            return self._chunks[key], True
        if len(self._chunks) >= LARGEST_CHUNK_SETS:
            self._chunks.pop(next(iter(self._chunks)))
        context: Context = config.chunker.context
        self._chunks[key] = cut(golden.documents, factory.make_chunker(config.chunker), embedder.token_offsets, context)
        return self._chunks[key], False

    def exact_answers(self, retrieval: DenseRetrieval, queries: Vectors, k: int) -> list[Scores]:
        """``retrieval.exact_answers``, computed once for all indexes over the same vectors."""
        digest = hashlib.blake2b(np.ascontiguousarray(retrieval.vectors).data)
        digest.update(np.ascontiguousarray(queries).data)
        key = (digest.digest(), retrieval.vectors.shape, retrieval.metric, k)
        if key not in self._answers:
            if len(self._answers) >= LARGEST_CHUNK_SETS:
                self._answers.pop(next(iter(self._answers)))
            self._answers[key] = retrieval.exact_answers(queries, k)
        return self._answers[key]

    def close(self) -> None:
        """Close what is open."""
        for store in self._stores.values():
            store.close()
        self._stores.clear()


class Counted:
    """Hits and misses of one stage in the store."""

    def __init__(self) -> None:
        self.hits = 0
        self.misses = 0

    def as_dict(self) -> dict[str, int]:
        """As timings.json has it."""
        return {"hits": self.hits, "misses": self.misses}


def embed_documents(
    embedder: Embedder, texts: Sequence[str], store: VectorStore, counted: Counted, progress: Progress
) -> Vectors:
    """Vectors of ``texts``, each distinct text computed once, ever; row i for text i."""
    space = space_of(embedder.identity(), "document")
    keys = [key_of(text) for text in texts]
    found = store.get(space, keys)
    counted.hits += sum(key in found for key in keys)
    progress(sum(key in found for key in keys))
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
    counted.misses += len(missing)
    if missing:
        # Longest first, so that the texts of one portion are padded alike and the time left can be told.
        order = sorted(missing, key=lambda key: (-len(missing[key]), key))
        for at in range(0, len(order), PORTION):
            portion = order[at : at + PORTION]
            fresh = dict(
                zip(
                    portion,
                    embedder.embed_documents([missing[key] for key in portion], progress),
                    strict=True,
                )
            )
            store.put(space, fresh)
            found.update(fresh)
        progress(sum(key in missing for key in keys) - len(missing))
    return np.stack([found[key] for key in keys]) if keys else np.empty((0, 1), np.float32)


def embed_queries(
    embedder: Embedder, texts: Sequence[str], store: VectorStore, counted: Counted, progress: Progress
) -> Vectors:
    """Vectors of queries, one at a time as a user would ask them; row i for text i."""
    space = space_of(embedder.identity(), "query")
    keys = [key_of(text) for text in texts]
    found = store.get(space, keys)
    fresh: dict[bytes, Vectors] = {}
    for key, text in zip(keys, texts, strict=True):
        if key not in found and key not in fresh:
            fresh[key] = embedder.embed_query(text)
        progress(1)
    counted.hits += sum(key in found for key in keys)
    counted.misses += len(fresh)
    if fresh:
        store.put(space, fresh)
    found.update(fresh)
    return np.stack([found[key] for key in keys]) if keys else np.empty((0, 1), np.float32)


def truncation(embedder: Embedder, chunks: ChunkSet) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], int]:
    """Where the model stops reading each chunk (an offset in its document), and how many chunks it cuts."""
    measured = embedder.measure(chunks.embedded_texts())
    ends = seen_ends(chunks, measured.seen)
    return ends, int((ends < chunks.end).sum())
