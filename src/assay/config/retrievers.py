"""The options of the group ``retriever``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from assay.config.base import Model, NonNegative, Positive, fault
from assay.config.plugins import PluginRetriever

Depth = Annotated[Positive, Field(description="chunks first fetched; grows until max(ks) documents are there")]
Saturation = Annotated[float, Field(ge=0, le=100)]
LengthShare = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0, le=1000)]
Stemmer = Literal[
    "none",
    "arabic",
    "armenian",
    "basque",
    "catalan",
    "czech",
    "danish",
    "dutch",
    "dutch_porter",
    "english",
    "esperanto",
    "estonian",
    "finnish",
    "french",
    "german",
    "greek",
    "hindi",
    "hungarian",
    "indonesian",
    "irish",
    "italian",
    "lithuanian",
    "nepali",
    "norwegian",
    "persian",
    "polish",
    "porter",
    "portuguese",
    "romanian",
    "russian",
    "serbian",
    "sesotho",
    "spanish",
    "swedish",
    "tamil",
    "turkish",
    "yiddish",
]
"""``none``, and every algorithm of PyStemmer 3.1 by its own name."""


class DenseRetriever(Model):
    """Nearest chunks by embedding."""

    kind: Literal["dense"] = "dense"
    depth: Depth = 100


class Bm25Retriever(Model):
    """Lexical retrieval by BM25; the embedder only measures chunks, the index is not used."""

    kind: Literal["bm25"] = "bm25"
    depth: Depth = 100
    k1: Saturation = Field(1.5, description="saturation of term frequency")
    b: LengthShare = Field(0.75, description="normalisation by chunk length")
    stemmer: Stemmer = Field("none", description="language whose word endings are taken off, in chunks and queries")


class HybridRetriever(Model):
    """Nearest chunks by embedding and by BM25, fused into one list."""

    kind: Literal["hybrid"] = "hybrid"
    depth: Depth = 100
    fusion: Literal["rrf", "weighted"] = Field("rrf", description="by ranks, or by scores normalised per query")
    rrf_k: NonNegative = Field(60, description="rrf: a hit at rank r adds weight / (rrf_k + r)")
    dense_weight: Weight = Field(1.0, description="of the list by embedding; 0 leaves it out")
    bm25_weight: Weight = Field(1.0, description="of the list by words; 0 leaves it out")
    normalisation: Literal["min_max", "sum", "z_score"] = Field(
        "min_max", description="weighted: how the scores of a list become comparable"
    )
    k1: Saturation = Field(1.5, description="bm25: saturation of term frequency")
    b: LengthShare = Field(0.75, description="bm25: normalisation by chunk length")
    stemmer: Stemmer = Field("none", description="bm25: language whose word endings are taken off")

    @model_validator(mode="after")
    def _something_to_fuse(self) -> HybridRetriever:
        if self.dense_weight == 0 and self.bm25_weight == 0:
            raise fault(
                "retriever.dense_weight",
                f"{self.dense_weight} with retriever.bm25_weight {self.bm25_weight} leaves no list to fuse; "
                "give at least one of them above 0",
            )
        return self


Retriever = Annotated[DenseRetriever | Bm25Retriever | HybridRetriever | PluginRetriever, Field(discriminator="kind")]
