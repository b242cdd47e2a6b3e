"""A row of a table: a question, its document, and perhaps a grade, a type, a quote; many rows make a golden set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.errors import DataError
from assay.golden.convert.cells import Cells, Evidence, Wrong, of_keys
from assay.golden.convert.columns import Columns
from assay.golden.convert.intake import Intake
from assay.golden.convert.json_rows import as_id
from assay.golden.convert.ledger import At
from assay.golden.convert.options import SPLIT
from assay.golden.convert.quotes import Finder, Place
from assay.golden.convert.squad import not_found
from assay.golden.faults import quoted
from assay.golden.fields import is_blank
from assay.golden.jsonl import kind_of
from assay.records import Document, Judgement, Query, Span

_ID_KEYS = ("id", "_id", "doc_id", "document_id", "docid", "passage_id", "pid", "corpus_id")
_TEXT_KEYS = ("text", "contents", "content", "passage_text", "passage", "page_content")
_FINDERS = 4


@dataclass(frozen=True, slots=True)
class _Seen:
    """A query as its first row has it; a later row may leave out what this one said, and not say otherwise."""

    id: str
    at: At
    kept: bool
    text: str
    type: str | None
    answerable: bool | None
    metadata: str

    def check(self, text: str, kind: str | None, answerable: bool | None, metadata: dict[str, Any]) -> None:
        """Raise ``Wrong`` where a later row of the query differs."""
        for name, before, now in (
            ("question", self.text, text),
            ("type", self.type, kind),
            ("answerable", self.answerable is not False, None if answerable is None else answerable),
            ("metadata", self.metadata, json.dumps(metadata, sort_keys=True) if metadata else None),
        ):
            if now is not None and now != before:
                what = f"{name} {quoted(now)} of query {quoted(self.id)} was {quoted(before)} at {self.at}"
                raise Wrong(f"{what}; one of them is right")


@dataclass(slots=True)
class Labels:
    """Rows of one table on their way into ``intake``.

    ``corpus`` says that the documents were read before, and a row's document is an id of theirs; without it the
    text is in the row, and equal texts are one document. Equal questions (or ids, where there is a column for
    them) are one query.
    """

    intake: Intake
    columns: Columns
    corpus: bool
    queries: dict[str, _Seen] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    digests: dict[str, bytes] = field(default_factory=dict)
    stems: dict[str, str | None] | None = None
    finders: dict[str, Finder] = field(default_factory=dict)
    wordy: bool = False
    rows: int = 0
    left_out: int = 0

    def check(self, where: str) -> None:
        """Raise where no row could ever be used: ids of documents, and no texts to be found."""
        columns = self.columns
        if not self.corpus and "document_id" in columns and not {"text", "document"} & columns.of.keys():
            name = quoted(columns.of["document_id"])
            raise DataError(
                f"{where}: column {name} names documents whose texts are not there; --docs with a file or folder of "
                "them, or --text COLUMN, is right"
            )
        if not {"document_id", "document", "text", "references"} & columns.of.keys():
            raise DataError(f"{where}: no column is the document; --document COLUMN is right")
        if columns.unread:
            self.intake.note(f"{where}: columns left out: {', '.join(map(quoted, columns.unread))}")

    def take(self, at: At, row: Mapping[str, Any]) -> None:
        """Put one row into ``intake``; one that can't be used is a fault that names it."""
        self.rows += 1
        cells = Cells(row, self.columns)
        try:
            query = self._query(at, cells)
            if query is None:
                self.left_out += 1
                self.intake.omit(None, at, "the row's query was left out")
                return
            documents = list(self._documents(at, cells))
            evidence = cells.evidence()
            grade = cells.grade() if documents else 0
            split = cells.text("split") or SPLIT
        except Wrong as error:
            self.left_out += 1
            self.intake.refuse(None, at, str(error))
            return
        if not documents:
            if evidence:
                self.left_out += 1
                self.intake.refuse(None, at, "a quote and no document to find it in; a document is right")
            elif query.answerable is not False:
                self.intake.count("{n} rows have a question and no document: they judge nothing")
            return
        for doc_id in documents:
            self._judge(at, query.id, doc_id, grade, split, self._about(doc_id, documents, evidence))

    def finish(self, where: str) -> None:
        """Say what only all rows together show."""
        self.intake.note(f"{where}: {self.rows:,} rows read{f', {self.left_out:,} left out' if self.left_out else ''}")
        if self.texts and not self.wordy:
            what = "every document is a single word; if these are ids of documents, --docs with their texts is right"
            self.intake.note(f"{where}: {what}")

    def _about(self, doc_id: str, documents: list[str], evidence: list[Evidence]) -> list[Evidence]:
        """The evidence to look for in one of a row's documents: what none of them has is missed in the first."""
        if len(documents) == 1 or not evidence:
            return evidence
        known = [one for one in documents if self.intake.knows_document(one)]
        chosen = []
        for one in evidence:
            homes = [home for home in known if one.quote and self._finder(home).find(one.quote, one.start) is not None]
            if doc_id in homes or (not homes and doc_id == documents[0]):
                chosen.append(one)
        return chosen

    def _judge(self, at: At, query_id: str, doc_id: str, grade: int, split: str, evidence: list[Evidence]) -> None:
        intake = self.intake
        known = intake.knows_query(query_id) and intake.knows_document(doc_id)
        before = intake.grade(query_id, doc_id, split) if known else None
        spans, missed = self._spans(query_id, doc_id, evidence) if known and grade > 0 else ([], [])
        fresh = [span for span in spans if not intake.has_span(span)]
        # Another passage of a pair that is judged already is no second judgement.
        if before is None or before != grade or not (fresh or missed):
            intake.judgement(at, Judgement(query_id, doc_id, grade), split)
        for what in missed:
            intake.read["spans"] += 1
            intake.omit("spans", at, what)
        if known and intake.grade(query_id, doc_id, split) == grade:
            for span in fresh:
                intake.span(at, span)

    def _query(self, at: At, cells: Cells) -> _Seen | None:
        text = cells.text("question") or ""
        given = cells.value("query_id")
        query_id = None
        if given is not None and given != "":
            query_id = as_id(given, self.intake)
            if query_id is None:
                raise Wrong(f"the query's id is {kind_of(given)}; a string is right")
        if is_blank(text):
            raise Wrong(f"the question is {quoted(text)}; words are right")
        kind, answerable, metadata = cells.text("type") or None, cells.answerable(), cells.metadata()
        key = text if query_id is None else f"#{query_id}"
        seen = self.queries.get(key)
        if seen is not None:
            seen.check(text, kind, answerable, metadata)
            return seen if seen.kept else None
        made = query_id or f"q{len(self.queries) + 1}"
        kept = self.intake.query(at, Query(made, text, kind, answerable is not False, metadata))
        self.queries[key] = _Seen(made, at, kept, text, kind, answerable, json.dumps(metadata, sort_keys=True))
        return self.queries[key] if kept else None

    def _documents(self, at: At, cells: Cells) -> Iterator[str]:
        if self.corpus:
            yield from map(self._known, self._named(cells))
            return
        ids, texts = cells.listed("document_id"), cells.listed("document")
        title, own = cells.text("title") or "", cells.text("text")
        if isinstance(cells.value("document"), str) and len(texts) > 1:
            self.intake.count("{n} cells hold a JSON list of documents, each of which is one")
        if own and not texts:
            texts = [own]
        if ids and len(ids) != len(texts):
            raise Wrong(f"{len(ids)} ids of documents and {len(texts)} texts; as many of both are right")
        for place, value in enumerate(texts):
            found, text, its_title = ids[place] if ids else None, value, title
            if isinstance(value, Mapping):
                found = of_keys(value, _ID_KEYS) if found is None else found
                text, its_title = of_keys(value, _TEXT_KEYS), value.get("title") or title
            if not isinstance(text, str) or not isinstance(its_title, str):
                raise Wrong(f"the document is {kind_of(text)}; its text is right")
            doc_id = None if found is None or found == "" else as_id(found, self.intake)
            if doc_id is None and found not in (None, ""):
                raise Wrong(f"the document's id is {kind_of(found)}; a string is right")
            yield self._new(at, doc_id, text, its_title)

    def _named(self, cells: Cells) -> Iterator[str]:
        """The ids that a row names, where the documents are there already."""
        for role in ("document_id", "document"):
            cell = cells.value(role)
            # An id may look like a list in JSON.
            whole = isinstance(cell, str) and self.intake.knows_document(cell)
            values = [cell] if whole else cells.listed(role)
            for value in values:
                found = as_id(of_keys(value, _ID_KEYS) if isinstance(value, Mapping) else value, self.intake)
                if found is None:
                    raise Wrong(f"the document is {kind_of(value)}; its id, a string, is right")
                yield found
            if values:
                return

    def _new(self, at: At, doc_id: str | None, text: str, title: str) -> str:
        self.wordy = self.wordy or len(text) > 60 or len(text.split()) > 1
        if doc_id is None:
            # Equal texts are found by a short hash, and compared: digests of a million would take too much memory.
            key = hash((title, text))
            while (known := self.texts.get(key)) is not None:
                if self.intake.knows_document(known) and self.intake.text_of(known) == text:
                    return known
                key += 1
            doc_id = self.texts[key] = f"d{len(self.texts) + 1}"
        else:
            digest = hashlib.blake2b(f"{title}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
            before = self.digests.setdefault(doc_id, digest)
            if before != digest:
                raise Wrong(f"document {quoted(doc_id)} has another text or title than before; one text an id is right")
            if self.intake.knows_document(doc_id):
                return doc_id
        self.intake.document(at, Document(doc_id, text, title))
        return doc_id

    def _known(self, doc_id: str) -> str:
        """The id itself, or that of the one file whose name without its ending it is."""
        if self.intake.knows_document(doc_id):
            return doc_id
        if self.stems is None:
            self.stems = {}
            for one in self.intake.ids("documents"):
                stem = one.rsplit("/", 1)[-1]
                stem = stem.rsplit(".", 1)[0] if "." in stem[1:] else stem
                for name in {stem, one.rsplit("/", 1)[-1]}:
                    self.stems[name] = None if self.stems.get(name, one) != one else one
        found = self.stems.get(doc_id)
        if found is None:
            return doc_id
        self.intake.count("{n} documents were found by their file's name")
        return found

    def _spans(self, query_id: str, doc_id: str, evidence: list[Evidence]) -> tuple[list[Span], list[str]]:
        """The spans that were found, once each, and why others were not."""
        spans: list[Span] = []
        missed: list[str] = []
        for one in evidence:
            if one.quote is None:
                if one.start is None or one.end is None:
                    missed.append(f"query {quoted(query_id)} has one offset of two and no quote; no span was made")
                else:
                    spans.append(Span(query_id, doc_id, one.start, one.end, one.group))
                continue
            place = self._finder(doc_id).find(one.quote, one.start)
            if not isinstance(place, Place):
                what = f"quote {quoted(one.quote)} of query {quoted(query_id)} in document {quoted(doc_id)}"
                missed.append(f"{what} {not_found(place)}")
                continue
            if not place.exact:
                self.intake.count("{n} quotes were found by a normalising match")
            if one.start is not None and place.start != one.start:
                self.intake.count("{n} quotes were not at their offset, and were found by their words")
            elif one.end is not None and place.end != one.end:
                self.intake.count("{n} offsets did not end where their quote does; the quote was taken")
            spans.append(Span(query_id, doc_id, place.start, place.end, one.group))
        return list(dict.fromkeys(spans)), missed

    def _finder(self, doc_id: str) -> Finder:
        if doc_id not in self.finders:
            while len(self.finders) >= _FINDERS:
                self.finders.pop(next(iter(self.finders)))
            self.finders[doc_id] = Finder(self.intake.text_of(doc_id))
        return self.finders[doc_id]
