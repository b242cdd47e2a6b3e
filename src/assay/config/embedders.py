"""The options of the group ``embedder``."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from assay.config.base import Model, OptionalText, Positive, fault
from assay.config.plugins import PluginEmbedder


def _device(value: Any) -> Any:
    if isinstance(value, str) and not re.fullmatch(r"auto|cpu|(cuda|xpu)(:[0-9]{1,3})?|mps", value):
        raise fault("embedder.device", f"{value!r} is no device; give auto, cpu, cuda, cuda:0, xpu or mps")
    return value


Device = Annotated[str, BeforeValidator(_device)]


class _NeuralEmbedder(Model):
    revision: OptionalText = Field(None, description="commit or tag on the hub")
    dtype: Literal["float32", "bfloat16"] = Field(
        "float32",
        description="arithmetic of the transformer; bfloat16 is about twice as fast where the processor has it",
    )
    backend: Literal["torch", "openvino"] = Field(
        "torch", description="what runs the transformer; openvino, on CPUs, needs assay[openvino]"
    )
    device: Device = Field("auto", description="auto, cpu, cuda, cuda:0, mps")
    normalize: bool = Field(False, description="scale vectors to length 1 (cosine does so anyway)")
    truncate_dim: Positive | None = Field(None, description="keep the first dimensions only (Matryoshka)")
    batch_tokens: Positive = Field(2048, description="tokens a batch; speed only")
    query_prompt: str | None = Field(None, description="text in front of queries; null: the model's own")
    document_prompt: str | None = Field(None, description="text in front of chunks; null: the model's own")

    @model_validator(mode="after")
    def _openvino_on_the_cpu(self) -> Self:
        if self.backend == "openvino" and self.device not in ("auto", "cpu"):
            raise fault("embedder.device", f"{self.device!r}: backend=openvino runs on the CPU; give auto or cpu")
        return self


class MiniLMEmbedder(_NeuralEmbedder):
    """all-MiniLM-L6-v2 from an installed package, verified by its hash; nothing is downloaded."""

    kind: Literal["minilm"] = "minilm"
    model: Literal["all-MiniLM-L6-v2"] = Field("all-MiniLM-L6-v2", description="fixed; embedder=st takes any other")


class SentenceTransformerEmbedder(_NeuralEmbedder):
    """Any SentenceTransformer, by folder or by name on the hub; safetensors only, no remote code."""

    kind: Literal["st"] = "st"
    model: OptionalText = Field(None, description="folder, or name on the hub")

    @model_validator(mode="after")
    def _named(self) -> SentenceTransformerEmbedder:
        if self.model is None:
            raise fault(
                "embedder.model",
                "null names no model; give a folder or a name on the hub, such as "
                "sentence-transformers/all-mpnet-base-v2",
            )
        return self


class LsaEmbedder(Model):
    """TF-IDF and truncated SVD, fitted on the run's own chunks: a baseline that needs no model."""

    kind: Literal["lsa"] = "lsa"
    dim: Positive = Field(256, description="dimensions, fewer where the corpus has fewer")
    normalize: bool = Field(False, description="scale vectors to length 1 (cosine does so anyway)")
    truncate_dim: Positive | None = Field(None, description="keep the first dimensions only")


Embedder = Annotated[
    MiniLMEmbedder | SentenceTransformerEmbedder | LsaEmbedder | PluginEmbedder, Field(discriminator="kind")
]
