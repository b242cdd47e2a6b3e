"""Any SentenceTransformer, with vectors that do not depend on what else is embedded.

A vector of a transformer depends, in its last bits, on how far its batch was padded. Here the padded length
of a text is a function of its own token count alone, so the same text always comes out with the same bits,
whatever its batch mates, the batch size, the order or the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from assay.config.models import MiniLMEmbedder, SentenceTransformerEmbedder
from assay.embedders.base import Measured, Progress, TokenVectors, Vectors, finite, truncated
from assay.embedders.content_tokens import content_tokens
from assay.embedders.device import only_cpu
from assay.embedders.loading import check_arithmetic, load
from assay.embedders.model_folder import folder_hash, local_folder, minilm_folder, read_json, refuse_code
from assay.embedders.shapes import LENGTH_STEP, batches, padded_length
from assay.embedders.tokenizer_file import fast_tokenizer, written_limit
from assay.errors import StageError

STAGE_VERSION = 3
Role = Literal["query", "document"]


class SentenceTransformerModel:
    """The option ``st``, and ``minilm`` on its verified folder."""

    def __init__(self, config: MiniLMEmbedder | SentenceTransformerEmbedder) -> None:
        self.config = config

    @property
    def kind(self) -> str:
        return self.config.kind

    def check(self) -> None:
        check_arithmetic(self.config)
        _ = self._tokenizer

    @cached_property
    def folder(self) -> Path:
        """Where the model lies; code and pickles refused."""
        if isinstance(self.config, MiniLMEmbedder):
            return minilm_folder()
        assert self.config.model is not None
        folder = local_folder(self.config.model, self.config.revision)
        refuse_code(folder)
        return folder

    @cached_property
    def _hash(self) -> str:
        return folder_hash(self.folder)

    def identity(self) -> dict[str, Any]:
        return {
            "kind": "sentence-transformer",
            "version": STAGE_VERSION,
            "model": self._hash,
            "dtype": self.config.dtype,
            "backend": self.config.backend,
            "device": self._device_name(),
            "max_length": self.max_length,
            "query_prompt": self.prompt("query"),
            "document_prompt": self.prompt("document"),
            "normalize": self.config.normalize,
            "truncate_dim": self.config.truncate_dim,
            "length_step": LENGTH_STEP,
        }

    def promises_equal_bits(self) -> bool:
        return self._device_name() == "cpu"

    def loaded(self) -> bool:
        return "_model" in self.__dict__

    def _device_name(self) -> str:
        """Where the model runs; asked of torch, which takes seconds to import, only where there is a choice."""
        if self.config.device != "auto":
            return self.config.device
        return "cpu" if self._on_cpu() else str(self._model.device)

    def _on_cpu(self) -> bool:
        """Whether ``device: auto`` can be nothing but the CPU."""
        return self.config.backend == "openvino" or only_cpu()

    @cached_property
    def _tokenizer(self) -> Any:
        """The model's fast tokenizer without truncation and padding, loaded without torch."""
        return fast_tokenizer(self.folder, bool(self._settings.get("do_lower_case")))

    @cached_property
    def _model(self) -> Any:
        from assay.embedders.quiet import quiet_libraries

        quiet_libraries()
        device: str | None = self.config.device
        if device == "auto":
            device = "cpu" if self._on_cpu() else None
        return load(self.folder, self.config, device)

    @cached_property
    def _settings(self) -> dict[str, Any]:
        """What sentence_bert_config.json says, nothing where it is absent."""
        file = self.folder / "sentence_bert_config.json"
        plain = read_json(file) if file.is_file() else {}
        return plain if isinstance(plain, dict) else {}

    @cached_property
    def max_length(self) -> int | None:
        """Tokens that the model reads, special tokens included; None where there is no limit."""
        if isinstance(self._settings.get("max_seq_length"), int):
            return int(self._settings["max_seq_length"])
        told = written_limit(self.folder)
        if told is not None:
            return told
        limit = self._model.max_seq_length
        return int(limit) if limit is not None and limit != float("inf") else None  # static embeddings say infinity

    def prompt(self, role: Role) -> str:
        """The text in front of every query or document: the config's, else the model's own, else none.

        The model's own is the one that ``encode_query`` and ``encode_document`` of sentence-transformers use. They
        take no other prompt of the model in its place, so a model that names only a ``passage`` prompt has none here.
        """
        own = self.config.query_prompt if role == "query" else self.config.document_prompt
        if own is not None:
            return own
        settings = self.folder / "config_sentence_transformers.json"
        plain = read_json(settings) if settings.is_file() else {}
        prompts = plain.get("prompts") if isinstance(plain, dict) else None
        prompts = prompts if isinstance(prompts, dict) else {}
        return str(prompts.get(role) or "")

    def token_offsets(self, text: str) -> Sequence[tuple[int, int]]:
        return [tuple(pair) for pair in self._tokenizer.encode(text, add_special_tokens=False).offsets]

    def measure(self, texts: Sequence[str]) -> Measured:
        return self._measure(texts, self.prompt("document"))

    def _measure(self, texts: Sequence[str], prompt: str) -> Measured:
        special = self._tokenizer.num_special_tokens_to_add(False)
        limit = self.max_length
        tokens = np.empty(len(texts), np.int64)
        seen = np.empty(len(texts), np.int64)
        step = 256
        for at in range(0, len(texts), step):
            batch = [prompt + text for text in texts[at : at + step]]
            for i, encoding in enumerate(self._tokenizer.encode_batch(batch, add_special_tokens=False), at):
                content = len(encoding)
                tokens[i] = content + special
                if limit is None or tokens[i] <= limit:
                    seen[i] = len(texts[i])
                else:
                    kept = limit - special
                    seen[i] = max(0, encoding.offsets[kept - 1][1] - len(prompt)) if kept > 0 else 0
        return Measured(tokens, seen)

    def fit(self, texts: Sequence[str]) -> None:
        """Nothing to learn."""

    def padded_length(self, tokens: int) -> int:
        """The length a text of ``tokens`` tokens is padded to: a function of that count alone."""
        return padded_length(tokens, self.max_length)

    def embed_documents(self, texts: Sequence[str], progress: Progress) -> Vectors:
        lengths = np.array([self.padded_length(int(n)) for n in self._measure(texts, self.prompt("document")).tokens])
        out: Vectors | None = None
        for length, batch in batches(lengths, self.config.batch_tokens):
            vectors = self._forward([texts[i] for i in batch], length, "document")
            if out is None:
                out = np.empty((len(texts), vectors.shape[1]), np.float32)
            out[batch] = vectors
            progress(len(batch))
        if out is None:
            return np.empty((0, 1), np.float32)
        return truncated(finite(out, "chunk"), self.config.truncate_dim, self.config.normalize)

    def embed_query(self, text: str) -> Vectors:
        tokens = int(self._measure([text], self.prompt("query")).tokens[0])
        vector = self._forward([text], self.padded_length(tokens), "query")
        return truncated(finite(vector, "query"), self.config.truncate_dim, self.config.normalize).reshape(-1)

    def embed_tokens(self, texts: Sequence[str], role: Role) -> list[TokenVectors]:
        """For each text the model's last hidden states at the text's own tokens, in order.

        Prompt and special tokens are read by the model but have no row; ``truncate_dim`` and ``normalize`` hold for
        each token. Bits are as independent as those of ``embed_documents``.

        Raises
        ------
        StageError
            The model has no token vectors (static embeddings), or not as many as the tokenizer counts.
        """
        places = [content_tokens(self._tokenizer, text, self.prompt(role), self.max_length) for text in texts]
        lengths = np.array([self.padded_length(place.read) for place in places], np.int64)
        out: dict[int, TokenVectors] = {}
        for length, batch in batches(lengths, self.config.batch_tokens):
            try:
                states = self._encode([texts[i] for i in batch], length, role, output_value="token_embeddings")
            except KeyError:
                raise StageError(
                    f"embedder.model: {self.folder} gives no vectors of tokens; choose another model"
                ) from None
            for i, state in zip(batch.tolist(), states, strict=True):
                # Padding on the right is gone from ``state``; on the left it is still there.
                first = len(state) - places[i].read
                if first < 0:
                    raise StageError(
                        f"embedder.model: {self.folder} gives {len(state)} vectors for {places[i].read} tokens; "
                        "its tokenizer.json is not the one that it is loaded with"
                    )
                rows = np.asarray(state.float().cpu().numpy()[places[i].positions + first], dtype=np.float32)
                vectors = truncated(finite(rows, "token"), self.config.truncate_dim, self.config.normalize)
                out[i] = TokenVectors(vectors, places[i].cut)
        return [out[i] for i in range(len(texts))]

    def _forward(self, texts: list[str], length: int, role: Role) -> Vectors:
        return np.ascontiguousarray(self._encode(texts, length, role, convert_to_numpy=True), dtype=np.float32)

    def _encode(self, texts: list[str], length: int, role: Role, **output: Any) -> Any:
        encode = self._model.encode_query if role == "query" else self._model.encode_document
        # Padding to a fixed length keeps a vector apart from its batch mates (see the module's docstring).
        return encode(
            texts,
            prompt=self.prompt(role),
            batch_size=len(texts),
            show_progress_bar=False,
            processing_kwargs={"text": {"padding": "max_length", "max_length": length}},
            **output,
        )
