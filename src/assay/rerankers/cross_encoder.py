"""A model that reads query and text together: the most exact look at a pair, and the dearest.

Nogueira and Cho (2019), "Passage Re-ranking with BERT". The score is the raw logit: a sigmoid would push good pairs
together until they tie in float32. Where a pair is longer than the model reads, the text's end is cut off and the query
is kept. A pair's bits depend on the pair alone, on a CPU: its padded length is a function of its own token count, and
layers that get one row a pair are computed one row at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.config.models import CrossEncoderReranker
from assay.embedders.device import only_cpu
from assay.embedders.model_folder import first_line, folder_hash, local_folder, read_json, refuse_code
from assay.embedders.shapes import LENGTH_STEP, batches, padded_length, row_by_row
from assay.embedders.tokenizer_file import fast_tokenizer
from assay.errors import StageError
from assay.rerankers.base import Candidates
from assay.rerankers.pairs import Cuts, PairRows, pair_rows

KEY = "reranker.model"
STAGE_VERSION = 1


class CrossEncoderModel:
    """The option ``cross_encoder``; the model is loaded when the first pair is scored."""

    needs_vectors = False
    uses_embedder = False

    def __init__(self, config: CrossEncoderReranker) -> None:
        self.config = config
        self._cuts = Cuts()

    @property
    def kind(self) -> str:
        return self.config.kind

    def check(self) -> None:
        _ = self._tokenizer

    def identity(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "version": STAGE_VERSION,
            "model": folder_hash(self.folder),
            "device": self._device_name(),
            "max_length": self.config.max_length,
            "length_step": LENGTH_STEP,
        }

    def promises_equal_bits(self) -> bool:
        return self._device_name() == "cpu"

    def scores(self, candidates: Candidates) -> NDArray[np.float32]:
        rows = self.pair_rows(candidates.query, candidates.texts)
        self.count(rows)
        return rows[:, 0]

    def pair_rows(self, query: str, texts: Sequence[str]) -> PairRows:
        query, limit = self._prompt + query, self.max_length
        special = self._tokenizer.num_special_tokens_to_add(True)
        (of_query,) = self._counts([query])
        tokens = self._counts(texts) + of_query + special
        # The library refuses to cut all of a text away, so a query that leaves no room for one token is cut too.
        long_query = limit is not None and of_query + special >= limit
        lengths = np.array([padded_length(int(count), limit) for count in tokens], np.int64)
        out = pair_rows(len(texts), tokens > limit if limit is not None else False, bool(long_query), limit)
        for length, batch in batches(lengths, self.config.batch_tokens):
            pairs = [(query, texts[i]) for i in batch]
            out[batch, 0] = self._forward(pairs, length, "longest_first" if long_query else "only_second")
        return out

    def count(self, rows: PairRows) -> None:
        self._cuts.add(rows)

    def notes(self) -> tuple[str, ...]:
        cuts, self._cuts = self._cuts, Cuts()
        if not cuts.texts:
            return ()
        kept = f"{cuts.queries} queries that alone are as long were cut too" if cuts.queries else "queries are whole"
        return (
            f"reranker=cross_encoder: {cuts.texts} of {cuts.pairs} pairs are longer than the model reads ({cuts.limit} "
            f"tokens); the text's end was cut off, {kept}",
        )

    @cached_property
    def folder(self) -> Path:
        """Where the model lies; refused are code, pickles, and models that don't give a pair one score."""
        assert self.config.model is not None
        folder = local_folder(self.config.model, self.config.revision, KEY)
        refuse_code(folder, KEY)
        plain = read_json(folder / "config.json", KEY)
        settings = plain if isinstance(plain, dict) else {}
        architecture = str((settings.get("architectures") or ["nothing"])[0])
        if not architecture.endswith("ForSequenceClassification"):
            raise StageError(
                f"{KEY}: {folder} is no cross-encoder: its config.json names {architecture}; give a model that "
                "classifies sequences with one label"
            )
        # transformers leaves the labels out of the file where there are two, its default.
        _refuse_labels(len(settings.get("id2label") or (0, 1)), folder)
        return folder

    @cached_property
    def max_length(self) -> int | None:
        """Tokens of a pair that are read, special tokens included; None where there is no limit."""
        own = self._model.max_seq_length
        limit = int(own) if own is not None and own < 10**9 else None  # tokenizers say 10**30 for none
        wanted = self.config.max_length
        if wanted is not None and limit is not None and wanted > limit:
            raise StageError(f"reranker.max_length: {wanted} is more than the {limit} tokens that the model reads")
        return limit if wanted is None else wanted

    def _device_name(self) -> str:
        if self.config.device != "auto":
            return self.config.device
        return "cpu" if only_cpu() else str(self._model.device)

    @cached_property
    def _tokenizer(self) -> Any:
        file = self.folder / "sentence_bert_config.json"
        settings = read_json(file, KEY) if file.is_file() else {}
        lower_case = isinstance(settings, dict) and bool(settings.get("do_lower_case"))
        return fast_tokenizer(self.folder, lower_case, KEY)

    @cached_property
    def _model(self) -> Any:
        from assay.embedders.quiet import quiet_libraries

        quiet_libraries()
        import torch
        from sentence_transformers import CrossEncoder

        device: str | None = self.config.device
        if device == "auto":
            device = "cpu" if only_cpu() else None
        try:
            model = CrossEncoder(
                str(self.folder),
                device=device,
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"use_safetensors": True, "dtype": torch.float32},
                activation_fn=torch.nn.Identity(),
            )
        except Exception as error:  # any library below may fail on a damaged folder
            raise StageError(f"{KEY}: {self.folder} can't be loaded ({first_line(error)})") from None
        _refuse_labels(model.num_labels, self.folder)
        if "message" in model[0].modality_config:
            raise StageError(f"{KEY}: {self.folder} reads pairs through a chat template; give a model that reads text")
        model.eval()
        row_by_row(model)
        return model

    @cached_property
    def _prompt(self) -> str:
        """The model's own default prompt, in front of the query."""
        return str(self._model.prompts.get(self._model.default_prompt_name) or "")

    def _counts(self, texts: Sequence[str]) -> NDArray[np.int64]:
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return np.array([len(encoding) for encoding in encodings], np.int64)

    def _forward(
        self, pairs: list[tuple[str, str]], length: int, truncation: Literal["only_second", "longest_first"]
    ) -> NDArray[np.float32]:
        logits = self._model.predict(
            pairs,
            prompt="",  # it is in the query already
            batch_size=len(pairs),
            show_progress_bar=False,
            convert_to_numpy=True,
            processing_kwargs={"text": {"padding": "max_length", "max_length": length, "truncation": truncation}},
        )
        return np.asarray(logits, dtype=np.float32).reshape(-1)


def _refuse_labels(labels: int, folder: Path) -> None:
    if labels != 1:
        raise StageError(f"{KEY}: {folder} gives {labels} scores a pair; give a model with one label")
