"""The options of the group ``chunker``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from assay.config.base import Model, NonNegative, Positive, fault
from assay.config.plugins import PluginChunker

CONTEXT = "what is put in front of the embedded text"
Context = Literal["none", "title", "headings"]
Percentile = Annotated[float, Field(ge=0, le=100)]
Sentences = Annotated[int, Field(ge=0, le=10)]


class _SizedChunker(Model):
    size: Positive = Field(128, description="tokens of the embedder's tokenizer (lsa: words)")
    overlap: NonNegative = Field(16, description="tokens shared with the chunk before")
    context: Context = Field("title", description=CONTEXT)

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


class MarkdownChunker(_SizedChunker):
    """Sections, then blocks: tables, lists and code stay whole where they fit in ``size`` tokens."""

    kind: Literal["markdown"] = "markdown"
    context: Context = Field("headings", description=CONTEXT)


class SemanticChunker(_SizedChunker):
    """Sentences, cut where neighbours part by the run's own embedder."""

    kind: Literal["semantic"] = "semantic"
    overlap: NonNegative = Field(0, description="tokens shared with the chunk before, in whole sentences")
    threshold: Percentile = Field(
        80.0, description="percentile of a document's own distances above which neighbouring sentences part"
    )
    buffer: Sentences = Field(1, description="sentences on either side that are embedded with each")
    min_size: Positive = Field(32, description="tokens below which a chunk joins its nearer neighbour")

    @model_validator(mode="after")
    def _min_size_within_size(self) -> SemanticChunker:
        if self.min_size > self.size:
            raise fault(
                "chunker.min_size",
                f"{self.min_size} is more than chunker.size {self.size}; give a min_size of at most {self.size}",
            )
        return self


class ParentChunker(_SizedChunker):
    """Windows of ``size`` tokens within larger parents: the windows are searched, their parents are returned."""

    kind: Literal["parent"] = "parent"
    parent_size: Positive = Field(512, description="tokens of a parent, which is returned in place of its chunks")

    @model_validator(mode="after")
    def _size_within_parent(self) -> ParentChunker:
        if self.parent_size < self.size:
            raise fault(
                "chunker.parent_size",
                f"{self.parent_size} is less than chunker.size {self.size}; "
                f"give a parent_size of at least {self.size}, or a smaller chunker.size",
            )
        return self


class DocumentChunker(Model):
    """One chunk a document."""

    kind: Literal["document"] = "document"
    context: Context = Field("title", description=CONTEXT)


Chunker = Annotated[
    TokensChunker
    | SentencesChunker
    | RecursiveChunker
    | MarkdownChunker
    | SemanticChunker
    | ParentChunker
    | DocumentChunker
    | PluginChunker,
    Field(discriminator="kind"),
]
