"""The options of the group ``retriever``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from assay.config.base import Model, Positive


class DenseRetriever(Model):
    """Nearest chunks by embedding."""

    kind: Literal["dense"] = "dense"
    depth: Positive = Field(100, description="chunks first fetched; grows until max(ks) documents are there")


class Bm25Retriever(Model):
    """Lexical retrieval by BM25; the embedder only measures chunks, the index is not used."""

    kind: Literal["bm25"] = "bm25"
    depth: Positive = Field(100, description="chunks first fetched; grows until max(ks) documents are there")
    k1: Annotated[float, Field(ge=0, le=100)] = Field(1.5, description="saturation of term frequency")
    b: Annotated[float, Field(ge=0, le=1)] = Field(0.75, description="normalisation by chunk length")


Retriever = Annotated[DenseRetriever | Bm25Retriever, Field(discriminator="kind")]
