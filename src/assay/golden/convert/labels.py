"""A row of a table: a question, its document, and perhaps a grade, a type, a quote; many rows make a golden set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.errors import DataError
from assay.golden.convert.columns import Columns
from assay.golden.convert.grades import grade_of, wrong_grade
from assay.golden.convert.intake import At, Intake
from assay.golden.convert.json_rows import as_id, is_whole
from assay.golden.convert.options import SPLIT
from assay.golden.convert.quotes import Finder, Place
from assay.golden.convert.squad import not_found
from assay.golden.faults import quoted
from assay.golden.fields import is_blank
from assay.golden.jsonl import decoder, kind_of
from assay.records import Document, Judgement, Query, Span

_TRUE, _FALSE = {"true", "yes", "1", "y"}, {"false", "no", "0", "n"}
_ID_KEYS = ("id", "_id", "doc_id", "document_id", "docid", "passage_id", "pid", "corpus_id")
_TEXT_KEYS = ("text", "contents", "content", "passage_text", "passage", "page_content")
_FINDERS = 4


class Wrong(ValueError):
    """What keeps a row from being used; the text is the fault."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage as a row has it: a quote, offsets, or both."""

    quote: str | None
    start: int | None
    end: int | None
    group: str | None = None


@dataclass(slots=True)
class _Seen:
    id: str
    facts: tuple[Any, ...]
    at: At
    kept: bool


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
    texts: dict[bytes, str] = field(default_factory=dict)
    digests: dict[str, bytes] = field(default_factory=dict)
    stems: dict[str, str | None] | None = None
    finders: dict[str, Finder] = field(default_factory=dict)
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
        try:
            query = self._query(at, row)
            if query is None:
                self.left_out += 1
                return
            documents = list(self._documents(at, row))
            evidence = self._evidence(row)
            grade = self._grade(row) if documents else 0
        except Wrong as error:
            self.left_out += 1
            self.intake.refuse(None, at, str(error))
            return
        if not documents:
            if evidence:
                self.left_out += 1
                self.intake.refuse(None, at, "a quote and no document to find it in; a document is right")
            elif query.facts[2]:
                self.intake.count("{n} rows have a question and no document: they judge nothing")
            return
        split = self._text(row, "split") or SPLIT
        for doc_id in documents:
            self._judge(at, query.id, doc_id, grade, split, evidence)

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

    def _query(self, at: At, row: Mapping[str, Any]) -> _Seen | None:
        text = self._text(row, "question") or ""
        given = self._value(row, "query_id")
        query_id = None
        if given is not None and given != "":
            query_id = as_id(given, self.intake)
            if query_id is None:
                raise Wrong(f"the query's id is {kind_of(given)}; a string is right")
        if is_blank(text):
            raise Wrong(f"the question is {quoted(text)}; words are right")
        key = text if query_id is None else f"#{query_id}"
        metadata = self._metadata(row)
        kind = self._text(row, "type") or None
        facts = (text, kind, self._answerable(row), json.dumps(metadata, sort_keys=True, default=str))
        seen = self.queries.get(key)
        if seen is None:
            made = query_id or f"q{len(self.queries) + 1}"
            query = Query(made, text, kind, facts[2], metadata)
            seen = self.queries[key] = _Seen(made, facts, at, self.intake.query(at, query))
            if not seen.kept:
                return None
        elif seen.facts != facts:
            names = ("question", "type", "answerable", "metadata")
            name, one, other = next(
                (name, one, other) for name, one, other in zip(names, seen.facts, facts, strict=True) if one != other
            )
            raise Wrong(
                f"{name} {quoted(other)} of query {quoted(seen.id)} was {quoted(one)} at {seen.at}; one of them is right"
            )
        return seen

    def _documents(self, at: At, row: Mapping[str, Any]) -> Iterator[str]:
        ids = self._listed(row, "document_id")
        texts = self._listed(row, "document")
        title = self._text(row, "title") or ""
        if self.corpus:
            for value in ids or texts:
                found = as_id(_of(value, _ID_KEYS) if isinstance(value, Mapping) else value, self.intake)
                if found is None:
                    raise Wrong(f"the document is {kind_of(value)}; its id, a string, is right")
                yield self._known(found)
            return
        own = self._text(row, "text")
        if own is not None and own != "" and not texts:
            texts = [own]
        if ids and len(ids) != len(texts):
            raise Wrong(f"{len(ids)} ids of documents and {len(texts)} texts; as many of both are right")
        for place, value in enumerate(texts):
            found, text, its_title = ids[place] if ids else None, value, title
            if isinstance(value, Mapping):
                found, text = (_of(value, _ID_KEYS) if found is None else found), _of(value, _TEXT_KEYS)
                its_title = value.get("title") or title
            if not isinstance(text, str) or not isinstance(its_title, str):
                raise Wrong(f"the document is {kind_of(text)}; its text is right")
            doc_id = None if found is None or found == "" else as_id(found, self.intake)
            if doc_id is None and found not in (None, ""):
                raise Wrong(f"the document's id is {kind_of(found)}; a string is right")
            yield self._new(at, doc_id, text, its_title)

    def _new(self, at: At, doc_id: str | None, text: str, title: str) -> str:
        digest = hashlib.blake2b(f"{title}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if doc_id is None:
            if digest in self.texts:
                return self.texts[digest]
            doc_id = f"d{len(self.texts) + 1}"
            self.texts[digest] = doc_id
        elif doc_id in self.digests:
            if self.digests[doc_id] != digest:
                raise Wrong(f"document {quoted(doc_id)} has another text or title than before; one text an id is right")
            return doc_id
        else:
            self.digests[doc_id] = digest
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

    def _evidence(self, row: Mapping[str, Any]) -> list[Evidence]:
        group = self._text(row, "group") or None
        found = [self._reference(value, group) for value in self._listed(row, "references")]
        quotes = self._value(row, "quote")
        start, end = self._offset(row, "start"), self._offset(row, "end")
        if isinstance(quotes, list):
            return found + [self._reference(quote, group) for quote in quotes]
        if not isinstance(quotes, str | None):
            raise Wrong(f"the quote is {kind_of(quotes)}; a string is right")
        if quotes or start is not None or end is not None:
            found.append(Evidence(quotes or None, start, end, group))
        return found

    def _reference(self, value: object, group: str | None) -> Evidence:
        if isinstance(value, str):
            return Evidence(value, None, None, group)
        if not isinstance(value, Mapping):
            raise Wrong(f"a reference is {kind_of(value)}; an object with content and offsets, or a quote, is right")
        quote = _of(value, ("content", "quote", "text"))
        start = _of(value, ("start_index", "start", "answer_start"))
        end = _of(value, ("end_index", "end", "answer_end"))
        if not isinstance(quote, str | None) or not all(one is None or is_whole(one) for one in (start, end)):
            raise Wrong("a reference's content is no string or its offsets are no whole numbers; these are right")
        if quote is None and (start is None or end is None):
            raise Wrong("a reference without content and without offsets; one of the two is right")
        return Evidence(quote, start, end, group)

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

    def _grade(self, row: Mapping[str, Any]) -> int:
        if "grade" not in self.columns:
            return 1
        value = self._value(row, "grade")
        if isinstance(value, bool) or value is None:
            raise Wrong(f"grade is {kind_of(value)}; an integer is right, > 0 for relevant")
        grade = grade_of(str(value))
        if grade is None:
            raise Wrong(wrong_grade(value))
        return grade

    def _answerable(self, row: Mapping[str, Any]) -> bool:
        for role, sense in (("answerable", True), ("impossible", False)):
            value = self._value(row, role)
            if value is None or value == "":
                continue
            text = str(value).strip().lower()
            if text not in _TRUE | _FALSE:
                raise Wrong(f"{role} is {quoted(value)}; true or false is right")
            if (text in _TRUE) is not sense:
                return False
        return True

    def _metadata(self, row: Mapping[str, Any]) -> dict[str, Any]:
        value = _parsed(self._value(row, "metadata"), "{")
        if value is None or value == "":
            return {}
        if not isinstance(value, dict):
            raise Wrong(f"metadata is {kind_of(value)}; a JSON object is right")
        return value

    def _offset(self, row: Mapping[str, Any], role: str) -> int | None:
        value = self._value(row, role)
        if value is None or value == "":
            return None
        if is_whole(value):
            return int(value)
        if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 16:
            return int(value)
        raise Wrong(f"{role} {quoted(value)} is not a whole number; a place in the text, in characters, is right")

    def _listed(self, row: Mapping[str, Any], role: str) -> Sequence[Any]:
        """The value of a role as a list: one value, a list, or a list as JSON in a cell."""
        raw = self._value(row, role)
        if self.corpus and isinstance(raw, str) and self.intake.knows_document(raw):
            return [raw]
        value = _parsed(raw, "[")
        if value is None or value == "":
            return []
        if not isinstance(value, list):
            return [value]
        if value is not raw and role == "document" and not self.corpus:
            self.intake.count("{n} cells hold a JSON list of documents, each of which is one")
        # Other tools nest lists: alternatives within what is needed.
        flat = [inner for one in value for inner in (one if isinstance(one, list) else [one])]
        return [one for one in flat if one is not None and one != ""]

    def _text(self, row: Mapping[str, Any], role: str) -> str | None:
        value = self._value(row, role)
        if not isinstance(value, str | None):
            raise Wrong(f"{role} is {kind_of(value)}; a string is right")
        return value

    def _value(self, row: Mapping[str, Any], role: str) -> Any:
        name = self.columns.get(role)
        if name is None:
            return None
        if name in row:
            return row[name]
        value: Any = row
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return value


def _of(value: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _parsed(value: object, opens: str) -> Any:
    """A cell that holds JSON, read; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(opens):
        return value
    try:
        return decoder().decode(value.strip())
    except RecursionError:
        raise Wrong("JSON in a cell is nested too deeply") from None
    except ValueError as error:
        if opens == "[":
            return value
        raise Wrong(f"JSON in a cell can't be read ({error}); whole JSON is right") from None
