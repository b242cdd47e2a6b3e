"""The options of the group ``reranker``."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from assay.config.base import Model, OptionalText, Positive, fault
from assay.config.plugins import PluginReranker


def _device(value: Any) -> Any:
    if isinstance(value, str) and not re.fullmatch(r"auto|cpu|(cuda|xpu)(:[0-9]{1,3})?|mps", value):
        raise fault("reranker.device", f"{value!r} is no device; give auto, cpu, cuda, cuda:0, xpu or mps")
    return value


class NoReranker(Model):
    """The first stage's order stands."""

    kind: Literal["none"] = "none"


class _Reranker(Model):
    depth: Positive = Field(50, description="hits handed to the reranker, at most retriever.depth")
    chunks: Literal["best", "all"] = Field("best", description="the best hit of each document, or every hit")


class CrossEncoderReranker(_Reranker):
    """A model that reads query and text together, by folder or by name on the hub; safetensors only, no remote code."""

    kind: Literal["cross_encoder"] = "cross_encoder"
    model: OptionalText = Field(None, description="folder, or name on the hub")
    revision: OptionalText = Field(None, description="commit or tag on the hub")
    device: Annotated[str, BeforeValidator(_device)] = Field("auto", description="auto, cpu, cuda, cuda:0, mps")
    max_length: Annotated[int, Field(ge=8, le=2**31 - 1)] | None = Field(
        None, description="tokens of a pair that are read, the text's end is cut off; null: the model's own limit"
    )
    batch_tokens: Positive = Field(2048, description="tokens a batch; speed only")

    @model_validator(mode="after")
    def _named(self) -> CrossEncoderReranker:
        if self.model is None:
            raise fault(
                "reranker.model",
                "null names no model; give a folder or a name on the hub, such as cross-encoder/ms-marco-MiniLM-L6-v2",
            )
        return self


class LateInteractionReranker(_Reranker):
    """Each token of the query against its nearest token of the text, by the run's own embedder."""

    kind: Literal["late_interaction"] = "late_interaction"


class MmrReranker(_Reranker):
    """Maximal marginal relevance: near the query and unlike what stands above, by the run's own vectors."""

    kind: Literal["mmr"] = "mmr"
    trade_off: Annotated[float, Field(ge=0, le=1)] = Field(0.7, description="1: relevance alone, 0: novelty alone")


class LexicalReranker(_Reranker):
    """BM25 of query and text, with the statistics of the whole corpus."""

    kind: Literal["lexical"] = "lexical"
    k1: Annotated[float, Field(ge=0, le=100)] = Field(1.5, description="saturation of term frequency")
    b: Annotated[float, Field(ge=0, le=1)] = Field(0.75, description="normalisation by length")


Reranker = Annotated[
    NoReranker | CrossEncoderReranker | LateInteractionReranker | MmrReranker | LexicalReranker | PluginReranker,
    Field(discriminator="kind"),
]
