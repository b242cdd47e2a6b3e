"""A golden set as the rules look at it: documents by id, relevant documents, its words as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from assay.golden.fields import is_blank
from assay.golden.golden_set import GoldenSet
from assay.golden.lint.wording import Wording
from assay.records import Document, Query


class Subject:
    """A golden set, and what several rules ask of it, worked out once."""

    def __init__(self, golden: GoldenSet) -> None:
        self.golden = golden

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """Documents by id."""
        return {document.id: document for document in self.golden.documents}

    @cached_property
    def answerable(self) -> tuple[Query, ...]:
        """The evaluated queries that have a relevant document, in file order."""
        return tuple(query for query in self.golden.evaluated if query.answerable)

    @cached_property
    def relevant(self) -> Mapping[str, tuple[str, ...]]:
        """Query id to the ids of its relevant documents, for every answerable query."""
        return {
            query.id: tuple(doc for doc, grade in self.golden.qrels[query.id].items() if grade > 0)
            for query in self.answerable
        }

    @cached_property
    def empty(self) -> frozenset[str]:
        """Ids of documents whose text shows nothing: no chunker makes a chunk that could be found."""
        return frozenset(document.id for document in self.golden.documents if is_blank(document.text))

    @cached_property
    def wording(self) -> Wording:
        """The words of every document."""
        return Wording(document.text for document in self.golden.documents)

    @cached_property
    def row(self) -> Mapping[str, int]:
        """Document id to its row in ``wording``."""
        return {document.id: row for row, document in enumerate(self.golden.documents)}
