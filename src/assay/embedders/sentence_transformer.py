"""Any SentenceTransformer, with vectors that do not depend on what else is embedded.

A vector of a transformer depends, in its last bits, on how far its batch was padded. Here the padded length
of a text is a function of its own token count alone, so the same text always comes out with the same bits,
whatever its batch mates, the batch size, the order or the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from assay.config.models import MiniLMEmbedder, SentenceTransformerEmbedder
from assay.embedders.base import Measured, Progress, Vectors, finite, truncated
from assay.embedders.device import only_cpu
from assay.embedders.model_folder import folder_hash, local_folder, minilm_folder, read_json, refuse_code
from assay.errors import StageError

LENGTH_STEP = 8
STAGE_VERSION = 1


class SentenceTransformerModel:
    """The option ``st``, and ``minilm`` on its verified folder."""

    def __init__(self, config: MiniLMEmbedder | SentenceTransformerEmbedder) -> None:
        self.config = config

    @property
    def kind(self) -> str:
        return self.config.kind

    def check(self) -> None:
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
        return "cpu" if only_cpu() else str(self._model.device)

    @cached_property
    def _tokenizer(self) -> Any:
        """The model's fast tokenizer without truncation and padding, loaded without torch."""
        from tokenizers import Tokenizer

        first = self.folder / "tokenizer.json"
        found = first if first.is_file() else next(iter(sorted(self.folder.glob("*/tokenizer.json"))), None)
        if found is None:
            raise StageError(
                f"embedder.model: {self.folder} has no tokenizer.json; chunk sizes are measured by a fast tokenizer"
            )
        try:
            tokenizer = Tokenizer.from_file(str(found))
        except Exception as error:  # the library raises bare Exception
            raise StageError(f"embedder.model: {found} can't be read as a tokenizer ({error})") from None
        tokenizer.no_truncation()
        tokenizer.no_padding()
        if self._settings.get("do_lower_case"):  # sentence-transformers' own switch, beside the tokenizer's
            from tokenizers.normalizers import Lowercase, Normalizer, Sequence

            own: list[Normalizer] = [tokenizer.normalizer] if tokenizer.normalizer else []
            tokenizer.normalizer = Sequence([Lowercase(), *own])
        return tokenizer

    @cached_property
    def _model(self) -> Any:
        from assay.embedders.quiet import quiet_libraries

        quiet_libraries()
        from sentence_transformers import SentenceTransformer

        device: str | None = self.config.device
        if device == "auto":
            device = "cpu" if only_cpu() else None
        try:
            model = SentenceTransformer(
                str(self.folder),
                device=device,
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"use_safetensors": True},
            )
        except Exception as error:  # any library below may fail on a damaged folder
            raise StageError(f"embedder.model: {self.folder} can't be loaded ({_first_line(error)})") from None
        model.eval()
        return model

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
        limit = self._model.max_seq_length
        return int(limit) if limit is not None else None

    def prompt(self, role: str) -> str:
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
        length = -(-tokens // LENGTH_STEP) * LENGTH_STEP
        return min(length, self.max_length) if self.max_length is not None else length

    def embed_documents(self, texts: Sequence[str], progress: Progress) -> Vectors:
        lengths = np.array([self.padded_length(int(n)) for n in self._measure(texts, self.prompt("document")).tokens])
        out: Vectors | None = None
        for length in sorted(set(lengths.tolist()), reverse=True):
            rows = np.flatnonzero(lengths == length)
            size = max(1, self.config.batch_tokens // max(1, length))
            for at in range(0, len(rows), size):
                batch = rows[at : at + size]
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

    def _forward(self, texts: list[str], length: int, role: str) -> Vectors:
        encode = self._model.encode_query if role == "query" else self._model.encode_document
        # Padding to a fixed length keeps a vector apart from its batch mates (see the module's docstring).
        vectors = encode(
            texts,
            prompt=self.prompt(role),
            batch_size=len(texts),
            show_progress_bar=False,
            convert_to_numpy=True,
            processing_kwargs={"text": {"padding": "max_length", "max_length": length}},
        )
        return np.ascontiguousarray(vectors, dtype=np.float32)


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
