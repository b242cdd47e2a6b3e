"""What is kept between the runs of one process: golden sets, models, the store, chunk sets.

A sweep's jobs share one workbench, so each is loaded or computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay import factory, plugins
from assay.chunkers import Chunker, sentences_of, windows_of
from assay.chunks import ChunkSet, cut, seen_ends
from assay.config import Config, models
from assay.embedders.base import Embedder, Progress, Vectors
from assay.errors import ConfigError
from assay.golden import GoldenSet, load_golden_set
from assay.indexes.exact import Scores
from assay.records import Document
from assay.rerankers.base import Reranker
from assay.retrieval.stage import DenseStage
from assay.store import Counted as Counted
from assay.store import Store, kept, key_of, rows_of, space_of, space_of_stage
from assay.store.stages import (
    chunks_key,
    digest_of,
    exact_key,
    pack_chunks,
    pack_lists,
    unpack_chunks,
    unpack_lists,
)

PORTION = 512
QUERY_PORTION = 128
LARGEST_CHUNK_SETS = 8
MOST_EXACT = 2**24  # whole numbers below it are exact in float32, which rows of the store are


class Workbench:
    """Hands out what runs share. ``data`` is the folder of the bundled golden sets."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._golden: dict[tuple[str, str, str], GoldenSet] = {}
        self._embedders: dict[tuple[models.Embedder, int], Embedder] = {}
        self._stores: dict[models.Cache, Store] = {}
        self._fitted: dict[tuple[models.Embedder, int, bytes], Embedder] = {}
        self._chunks: dict[str, ChunkSet] = {}
        self._rerankers: dict[tuple[object, ...], Reranker] = {}
        self._answers: dict[str, list[Scores]] = {}

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

    def store(self, config: models.Cache) -> Store:
        """The store, opened once."""
        if config not in self._stores:
            self._stores[config] = factory.make_store(config)
        return self._stores[config]

    def chunks(self, golden: GoldenSet, config: Config, embedder: Embedder, counted: Counted) -> ChunkSet:
        """The chunk set of a corpus: cut in this process before, from the store, or cut now."""
        chunker = {"config": config.chunker.model_dump(mode="json"), "plugin": plugins.described(config).get("chunker")}
        key = chunks_key(golden.hashes.corpus, chunker, token_rule(config, embedder))
        if key in self._chunks:
            counted.add(True)
            return self._chunks[key]
        if len(self._chunks) >= LARGEST_CHUNK_SETS:
            self._chunks.pop(next(iter(self._chunks)))
        store = self.store(config.cache)

        def make() -> ChunkSet:
            made = chunker_for(config, golden.documents, embedder, store)
            return cut(golden.documents, made, embedder.token_offsets, config.chunker.context)

        self._chunks[key] = kept(
            store,
            space_of_stage("chunks", {"kind": config.chunker.kind}),
            key,
            counted,
            make,
            pack_chunks,
            lambda payload: unpack_chunks(payload, tuple(golden.documents)),
        )
        return self._chunks[key]

    def exact_answers(self, dense: DenseStage, k: int, store: Store, label: str, counted: Counted) -> list[Scores]:
        """``dense.exact_answers``, computed once for all indexes over the same vectors under the same filter."""
        retrieval, allowed = dense.retrieval, dense.allowed
        masks = None if allowed is None else digest_of(*allowed.masks, allowed.of)
        key = exact_key(digest_of(retrieval.vectors), digest_of(dense.queries), retrieval.metric, k, masks)
        if key in self._answers:
            counted.add(True)
            return self._answers[key]
        if len(self._answers) >= LARGEST_CHUNK_SETS:
            self._answers.pop(next(iter(self._answers)))
        self._answers[key] = kept(
            store,
            space_of_stage("exact_neighbours", {"model": label}, label),
            key,
            counted,
            lambda: dense.exact_answers(k),
            lambda scores: pack_lists({"scores": scores}),
            lambda payload: unpack_lists(payload, ("scores",), len(dense.queries))[0]["scores"],
        )
        return self._answers[key]

    def reranker(self, config: Config, embedder: Embedder, chunks: ChunkSet) -> Reranker | None:
        """The reranker that ``config`` names, None for none; one with a model is loaded once."""
        if not isinstance(config.reranker, models.CrossEncoderReranker | models.LateInteractionReranker):
            return factory.make_reranker(config.reranker, embedder, chunks)
        key = (config.reranker, config.embedder if config.reranker.kind == "late_interaction" else None)
        if key not in self._rerankers:
            self._rerankers.clear()  # one model in memory at a time
            made = factory.make_reranker(config.reranker, embedder, chunks)
            assert made is not None
            self._rerankers[key] = made
        return self._rerankers[key]

    def close(self) -> None:
        """Close what is open."""
        for store in self._stores.values():
            store.close()
        self._stores.clear()


def chunker_for(config: Config, documents: Sequence[Document], embedder: Embedder, store: Store) -> Chunker:
    """The chunker that ``config`` names, for ``documents``.

    ``semantic`` gets the vectors of all their windows of sentences, embedded at once. ``lsa``, which learns from chunks
    that are not there yet, learns from the sentences for it.
    """
    if not isinstance(config.chunker, models.SemanticChunker):
        return factory.make_chunker(config.chunker)
    if config.embedder.kind == "lsa":
        embedder = factory.make_embedder(config.embedder, config.seed)
        embedder.fit([sentence for document in documents for sentence in sentences_of(document.text)])
    found = (window for document in documents for window in windows_of(document.text, config.chunker.buffer))
    rows = {window: row for row, window in enumerate(dict.fromkeys(found))}
    vectors = embed_documents(embedder, list(rows), store, Counted(), lambda _: None)
    return factory.make_chunker(config.chunker, lambda windows: vectors[[rows[window] for window in windows]])


def embed_documents(
    embedder: Embedder, texts: Sequence[str], store: Store, counted: Counted, progress: Progress
) -> Vectors:
    """Vectors of ``texts``, each distinct text computed once, ever; row i for text i."""
    return rows_of(
        store,
        space_of(embedder.identity(), "document"),
        [key_of(text) for text in texts],
        lambda places: embedder.embed_documents([texts[place] for place in places], progress),
        PORTION,
        counted,
        progress,
        # Longest first, so that the texts of one portion are padded alike and the time left can be told.
        order=lambda place: (-len(texts[place]), texts[place]),
    )


def embed_queries(
    embedder: Embedder, texts: Sequence[str], store: Store, counted: Counted, progress: Progress
) -> Vectors:
    """Vectors of queries, one at a time as a user would ask them; row i for text i."""

    def compute(places: Sequence[int]) -> Vectors:
        found = []
        for place in places:
            found.append(embedder.embed_query(texts[place]))
            progress(1)
        return np.stack(found)

    keys = [key_of(text) for text in texts]
    return rows_of(store, space_of(embedder.identity(), "query"), keys, compute, QUERY_PORTION, counted, progress)


def truncation(
    embedder: Embedder, chunks: ChunkSet, store: Store, counted: Counted
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], int]:
    """Where the model stops reading each chunk (an offset in its document), and how many chunks it cuts."""
    if embedder.kind in {"lsa", "plugin"}:  # nothing is cut, or nobody knows
        return chunks.end, 0
    texts = chunks.embedded_texts()
    if max(map(len, texts), default=0) >= MOST_EXACT:
        seen = embedder.measure(texts).seen
    else:
        rows = rows_of(
            store,
            space_of_stage("measured", embedder.identity()),
            [key_of(text) for text in texts],
            lambda places: embedder.measure([texts[place] for place in places]).seen.astype(np.float32)[:, None],
            len(texts),
            counted,
        )
        seen = rows[:, 0].astype(np.int64)[: len(texts)]
    ends = seen_ends(chunks, seen)
    return ends, int((ends < chunks.end).sum())


def token_rule(config: Config, embedder: Embedder) -> dict[str, object]:
    """What decides where tokens begin and end, and for ``semantic`` what its vectors depend on too."""
    if config.chunker.kind == "semantic" and config.embedder.kind == "lsa":
        return {"embedder": config.embedder.model_dump(mode="json"), "seed": config.seed}  # it learns from the corpus
    if config.chunker.kind == "semantic":
        return {"embedder": embedder.identity()}
    if config.embedder.kind in {"lsa", "plugin"}:
        return {"words": 1}
    return {"model": embedder.identity()["model"]}
