"""Where every reader puts what it found: judged at once, written at once, only ids kept in memory.

Documents come before what names them, queries before their judgements, judgements before spans. Memory grows
with the number of ids, not with their texts: a million documents take some 250 MB.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from assay.errors import DataError
from assay.golden.convert.ledger import REMEDY, At, Ledger, Places
from assay.golden.convert.pairs import Pairs
from assay.golden.convert.report import KINDS, Tally
from assay.golden.convert.texts import TextStore
from assay.golden.faults import quoted
from assay.golden.fields import id_fault, is_blank
from assay.golden.qrels import MAX_GRADE
from assay.golden.write import QRELS_HEADER, document_line, query_line, span_line
from assay.records import Document, Judgement, Query, Span


@dataclass(slots=True)
class _Split:
    """Judgements of one split.

    ``first`` is the place of the first judgement of each query without a positive so far; ``lost`` are the queries
    of which a judgement was not kept.
    """

    file: IO[str]
    pairs: Pairs = field(default_factory=Pairs)
    first: dict[int, At] = field(default_factory=dict)
    lost: set[int] = field(default_factory=set)


class Intake(Ledger):
    """Rows in; a golden set in BEIR's layout out, in ``folder``.

    ``keep_texts`` makes ``text_of`` work.
    """

    def __init__(self, folder: Path, *, drop: bool, keep_texts: bool = False) -> None:
        super().__init__(folder, drop=drop)
        self._documents: dict[str, int] = {}
        self._queries: dict[str, int] = {}
        self._unanswerable: set[int] = set()
        self._places = {kind: Places() for kind in ("documents", "queries")}
        self._lengths = array("I")
        self._splits: dict[str, _Split] = {}
        self._spans: set[Span] = set()
        (folder / "qrels").mkdir()
        self._texts = TextStore(folder.parent / "texts") if keep_texts else None

    def document(self, at: At, document: Document) -> bool:
        """Take a document; whether it was kept."""
        self.read["documents"] += 1
        if not self._identify(at, "document", document.id, self._documents):
            return False
        if not self._write("corpus.jsonl", "documents", at, document_line, document):
            return False
        self._documents[document.id] = len(self._documents)
        self._places["documents"].add(at)
        self._lengths.append(len(document.text))
        if self._texts is not None:
            self._texts.add(document.text)
        return True

    def query(self, at: At, query: Query) -> bool:
        """Take a query; whether it was kept."""
        self.read["queries"] += 1
        if not self._identify(at, "query", query.id, self._queries):
            return False
        if is_blank(query.text):
            self.refuse("queries", at, f"query {quoted(query.id)} has no words; a question is right")
            return False
        kind = query.metadata.get("type")
        if kind is not None and not isinstance(kind, str):
            self.refuse("queries", at, f"type {quoted(kind)} of query {quoted(query.id)} is not a string; one is right")
            return False
        mark = query.metadata.get("answerable", True)
        if not isinstance(mark, bool):
            what = f"the mark answerable of query {quoted(query.id)} is {quoted(mark)}; true or false is right"
            self.refuse("queries", at, what)
            return False
        if not self._write("queries.jsonl", "queries", at, query_line, query):
            return False
        number = self._queries[query.id] = len(self._queries)
        self._places["queries"].add(at)
        if not query.answerable:
            self._unanswerable.add(number)
        return True

    def judgement(self, at: At, judgement: Judgement, split: str = "test", hint: str = "") -> bool:
        """Take a judgement; whether it was kept. ``hint`` ends the fault of an unknown id."""
        self.read["judgements"] += 1
        query_id, doc_id, grade = judgement.query_id, judgement.doc_id, judgement.grade
        query, document = self._queries.get(query_id), self._documents.get(doc_id)
        if abs(grade) > MAX_GRADE:
            self.refuse("judgements", at, f"grade {grade} is absurd; an integer within {MAX_GRADE:,} of 0 is right")
            return False
        kept = self._split(split)
        if query is None or document is None:
            if query is not None:
                kept.lost.add(query)
            self.doubt("judgements", at, self._unknown(query_id, doc_id), hint)
            return False
        what = f"query {quoted(query_id)} and document {quoted(doc_id)}"
        before = kept.pairs.grade(query, document)
        if before is not None:
            self.doubt("judgements", at, f"{what} are judged twice (grade {before} before, {grade} here)")
            return False
        if grade > 0 and query in self._unanswerable:
            self.refuse(
                "judgements", at, f"{what} have grade {grade}, but the query is marked unanswerable; 0 is right"
            )
            return False
        kept.pairs.add(query, document, grade)
        if kept.pairs.positive(query):
            kept.first.pop(query, None)
        else:
            kept.first.setdefault(query, at)
        kept.file.write(f"{query_id}\t{doc_id}\t{grade}\n")
        self.written["judgements"] += 1
        return True

    def span(self, at: At, span: Span) -> bool:
        """Take an evidence span; whether it was kept."""
        self.read["spans"] += 1
        query, document = self._queries.get(span.query_id), self._documents.get(span.doc_id)
        if query is None or document is None:
            self.doubt("spans", at, self._unknown(span.query_id, span.doc_id))
            return False
        what = f"span {span.start} to {span.end} of query {quoted(span.query_id)}"
        length = self._lengths[document]
        if not 0 <= span.start < span.end <= length:
            right = f"0 <= start < end <= {length}, the characters of document {quoted(span.doc_id)}, is right"
            self.refuse("spans", at, f"{what} can't be; {right}")
            return False
        if query in self._unanswerable:
            self.refuse("spans", at, f"{what}: the query is marked unanswerable; no span is right")
            return False
        judging = [split for split in self._splits.values() if split.pairs.judged(query)]
        if not judging or any((split.pairs.grade(query, document) or 0) <= 0 for split in judging):
            self.doubt("spans", at, f"{what}: document {quoted(span.doc_id)} is not judged relevant for it")
            return False
        if span in self._spans:
            self.doubt("spans", at, f"{what} is there twice")
            return False
        if not self._write("spans.jsonl", "spans", at, span_line, span):
            return False
        self._spans.add(span)
        return True

    def knows_document(self, doc_id: str) -> bool:
        """Whether a document with this id was kept."""
        return doc_id in self._documents

    def knows_query(self, query_id: str) -> bool:
        """Whether a query with this id was kept."""
        return query_id in self._queries

    def ids(self, kind: str) -> list[str]:
        """Ids in the order they came, of ``documents`` or ``queries``."""
        return list(self._documents if kind == "documents" else self._queries)

    def text_of(self, doc_id: str) -> str:
        """The text of a kept document."""
        if self._texts is None:
            raise LookupError("texts were not kept")
        return self._texts[self._documents[doc_id]]

    def grade(self, query_id: str, doc_id: str, split: str) -> int | None:
        """The grade of a kept judgement, or None."""
        if split not in self._splits or query_id not in self._queries or doc_id not in self._documents:
            return None
        return self._splits[split].pairs.grade(self._queries[query_id], self._documents[doc_id])

    def has_span(self, span: Span) -> bool:
        """Whether this very span was kept."""
        return span in self._spans

    def finish(self, source: str) -> dict[str, Tally]:
        """A tally a kind, after judging what only the end can tell; ``source`` opens what is said of it as a whole.

        Raises
        ------
        GoldenSetError
            All faults.
        """
        for name, split in self._splits.items():
            self._check_labels(name, split)
        if not self._documents and not self.faults.total:
            raise DataError(f"{source}: no document in it; one at least is right")
        self.note_counts()
        if not self.written["queries"]:
            self.note("no query in it: a corpus only; queries.jsonl and qrels/test.tsv are still to be written")
        elif not self._unanswerable and not any(split.pairs.any_positive() for split in self._splits.values()):
            self.note("no query has a relevant document: the set can't be scored before it is judged")
        self.close()
        self.faults.raise_if_any()
        if self.written["queries"] and not self._splits:
            (self.folder / "qrels" / "test.tsv").write_text(QRELS_HEADER + "\n", encoding="utf-8")
        if not any((self.folder / "qrels").iterdir()):
            (self.folder / "qrels").rmdir()
        tallies = {kind: Tally(self.read[kind], self.written[kind], self.left_out[kind]) for kind in KINDS}
        for kind, tally in tallies.items():
            assert tally.read == tally.written + tally.left_out, (kind, tally)
        return tallies

    def close(self) -> None:
        """Close every file."""
        super().close()
        for split in self._splits.values():
            split.file.close()
        if self._texts is not None:
            self._texts.close()

    def _identify(self, at: At, kind: str, found: str, seen: dict[str, int]) -> bool:
        plural = "documents" if kind == "document" else "queries"
        if (fault := id_fault(found)) is not None:
            self.refuse(plural, at, f"{kind} id {fault}")
            return False
        if found in seen:
            first = self._places[plural][seen[found]]
            self.doubt(plural, at, f"{kind} id {quoted(found)} is there twice, first at {first}")
            return False
        return True

    def _unknown(self, query_id: str, doc_id: str) -> str:
        unknown = [f"unknown query {quoted(query_id)}"] if query_id not in self._queries else []
        unknown += [f"unknown document {quoted(doc_id)}"] if doc_id not in self._documents else []
        return f"{' and '.join(unknown)} (query {quoted(query_id)}, document {quoted(doc_id)})"

    def _check_labels(self, name: str, split: _Split) -> None:
        """A query that is judged needs a positive; what a query that lost all of them has left goes too."""
        ids = list(self._queries) if split.first else []
        gone: set[int] = set()
        for query, at in split.first.items():
            if query in self._unanswerable:
                continue
            if self.drop:
                gone.add(query)
            elif query not in split.lost:
                what = f"query {quoted(ids[query])} is judged in split {quoted(name)} but has no positive"
                self.faults.add(str(at), f"{what}; a grade > 0, or a mark that it has no answer, is right ({REMEDY})")
        if not gone:
            return
        split.file.close()
        path, names = Path(split.file.name), {ids[query] for query in gone}
        rest = path.with_suffix(".rest")
        with path.open(encoding="utf-8", newline="\n") as old, rest.open("w", encoding="utf-8", newline="\n") as new:
            for line in old:
                query_id, doc_id = line.split("\t")[:2]
                if query_id not in names:
                    new.write(line)
                    continue
                self.written["judgements"] -= 1
                what = f"the query has no positive (query {quoted(query_id)}, document {quoted(doc_id)})"
                self.omit("judgements", At(f"split {name}"), what)
        rest.replace(path)

    def _split(self, name: str) -> _Split:
        if name not in self._splits:
            if not name or any(mark in name for mark in "/\\\0:\n\r\t") or name in (".", "..") or len(name) > 100:
                raise DataError(f"split {quoted(name)} can't be the name of a file, such as 'test'")
            try:
                file = (self.folder / "qrels" / f"{name}.tsv").open("w", encoding="utf-8", newline="\n")
            except (OSError, ValueError):
                raise DataError(f"split {quoted(name)} can't be the name of a file, such as 'test'") from None
            file.write(QRELS_HEADER + "\n")
            self._splits[name] = _Split(file)
        return self._splits[name]

    def open_split(self, name: str) -> None:
        """Make a split that may stay without a judgement."""
        self._split(name)

    def _write(self, name: str, kind: str, at: At, to_line: object, record: object) -> bool:
        try:
            line = to_line(record)  # type: ignore[operator]
        except DataError as error:
            self.refuse(kind, at, str(error))
            return False
        self.file(name).write(line + "\n")
        self.written[kind] += 1
        return True
