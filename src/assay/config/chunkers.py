"""The options of the group ``chunker``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from assay.config.base import Model, NonNegative, Positive, fault


class _SizedChunker(Model):
    size: Positive = Field(128, description="tokens of the embedder's tokenizer (lsa: words)")
    overlap: NonNegative = Field(16, description="tokens shared with the chunk before")
    context: Literal["none", "title"] = Field("title", description="what is put in front of the embedded text")

    @model_validator(mode="after")
    def _overlap_below_size(self) -> _SizedChunker:
        if self.overlap >= self.size:
            raise fault(
                "chunker.overlap",
                f"{self.overlap} with chunker.size {self.size} makes no progress; "
                f"give an overlap of at most {self.size - 1}",
            )
        return self


class TokensChunker(_SizedChunker):
    """Windows of ``size`` tokens, ``overlap`` of them shared."""

    kind: Literal["tokens"] = "tokens"


class SentencesChunker(_SizedChunker):
    """Whole sentences, packed up to ``size`` tokens."""

    kind: Literal["sentences"] = "sentences"


class RecursiveChunker(_SizedChunker):
    """Paragraph, line, sentence, word: the coarsest cut that keeps pieces within ``size`` tokens."""

    kind: Literal["recursive"] = "recursive"


class DocumentChunker(Model):
    """One chunk a document."""

    kind: Literal["document"] = "document"
    context: Literal["none", "title"] = Field("title", description="what is put in front of the embedded text")


Chunker = Annotated[TokensChunker | SentencesChunker | RecursiveChunker | DocumentChunker, Field(discriminator="kind")]
