"""qrels/SPLIT.tsv: which documents answer which query, and how well.

Columns are cut at tabs and nowhere else: no quoting (a reader of CSV swallows lines after an id that opens
with a quotation mark), no stripping, no reading of ids as numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assay.golden.documents import Questions
from assay.golden.faults import Faults, quoted
from assay.golden.fields import is_blank
from assay.golden.layout import HEADER, Source
from assay.golden.lines import Line, read_lines
from assay.golden.references import References

INTEGER = re.compile(r"[+-]?[0-9]+")
MAX_GRADE = 1_000_000


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judgements of one split, as they were read.

    ``grades`` holds those kept, ``lines`` the line of every pair seen, kept or not. ``faulty`` holds, by
    query, the documents of rows that could not be used: what they would have said is not known, so nothing is
    concluded from their absence. ``lost`` are the queries that had a dropped positive.
    """

    grades: dict[str, dict[str, int]] = field(default_factory=dict)
    lines: dict[str, dict[str, int]] = field(default_factory=dict)
    faulty: dict[str, set[str]] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)

    def positive(self, query_id: str) -> bool:
        """Whether a kept judgement of the query is relevant."""
        return any(grade > 0 for grade in self.grades.get(query_id, {}).values())


def read_qrels(source: Source, questions: Questions, references: References, faults: Faults) -> Qrels:
    """The judgements of ``source``, each checked against the ids and marks of the other two files."""
    qrels = Qrels()
    header_seen = False
    before = faults.total
    for line in read_lines(source, faults):
        if not header_seen:
            header_seen = True
            if _opens(line, references, source, faults):
                continue
        _read_row(line, source, qrels, questions, references, faults)
    if not header_seen and faults.total == before:
        faults.add(str(source.path), f"is empty; the header {HEADER} and a line a judgement is right")
    _check_labels(source, qrels, questions, faults)
    _drop_remnants(source, qrels, questions, references)
    return qrels


def _opens(line: Line, references: References, source: Source, faults: Faults) -> bool:
    """Whether the first line is a header; one that is missing or wrong is noted."""
    columns = line.text.split("\t")
    if line.fault is not None:
        return False
    if len(columns) != 3:
        faults.add(source.at(line.number), f"the header has {_columns(line.text)}; {HEADER} is right")
        # It may as well be a first judgement gone wrong: one fault says both.
        return True
    names = tuple(name.strip().lower() for name in columns)
    if names[0] in ("corpus-id", "doc-id", "docid") and names[1] in ("query-id", "queryid"):
        faults.add(source.at(line.number), f"the columns are swapped; {HEADER} is right")
        return True
    known = columns[0] in references.queries and columns[1] in references.documents
    if known or _is_number(columns[2]):
        what = f"no header line, this is a judgement; {HEADER} is right as the first line"
        faults.add(source.at(line.number), what)
        return False
    return True


def _read_row(
    line: Line,
    source: Source,
    qrels: Qrels,
    questions: Questions,
    references: References,
    faults: Faults,
) -> None:
    columns = line.text.split("\t")
    query_id, doc_id = columns[0], columns[1] if len(columns) > 1 else ""
    grade = _judge_row(line, columns, source, faults)
    if grade is not None:
        first = qrels.lines.setdefault(query_id, {}).setdefault(doc_id, line.number)
        if first != line.number:
            pair = f"query {quoted(query_id)} and document {quoted(doc_id)}"
            what = f"{pair} are judged twice, first on line {first}; one judgement a pair is right"
            faults.add(source.at(line.number), what)
            return
        if references.resolve(query_id, doc_id, source, line.number, faults):
            qrels.grades.setdefault(query_id, {})[doc_id] = grade
            if grade > 0 and query_id in questions.unanswerable:
                marked = f"is marked unanswerable (queries.jsonl:{questions.lines[query_id]})"
                what = f"query {quoted(query_id)} {marked} but document {quoted(doc_id)} has grade {grade}"
                faults.add(source.at(line.number), f"{what}; grade 0, or no such mark, is right")
            return
        if references.drop:
            if grade > 0:
                qrels.lost.add(query_id)
            return
    qrels.faulty.setdefault(query_id, set()).add(doc_id)


def _judge_row(line: Line, columns: list[str], source: Source, faults: Faults) -> int | None:
    """The row's grade; None where the row as such is wrong, which is noted."""
    if line.fault is not None:
        fault = line.fault
    elif len(columns) != 3:
        fault = f"{_columns(line.text)}; {HEADER} is right"
    elif is_blank(columns[0]):
        fault = f"empty query id {quoted(columns[0])}; {HEADER} is right"
    elif is_blank(columns[1]):
        fault = f"empty document id {quoted(columns[1])}; {HEADER} is right"
    else:
        grade = _grade(columns[2])
        if grade is not None:
            return grade
        fault = f"grade {quoted(columns[2])} is {_why_no_grade(columns[2])}"
    faults.add(source.at(line.number), fault)
    return None


def _check_labels(source: Source, qrels: Qrels, questions: Questions, faults: Faults) -> None:
    for query_id, lines in qrels.lines.items():
        if query_id not in questions.lines or query_id in questions.unanswerable:
            continue
        if qrels.positive(query_id) or query_id in qrels.faulty or query_id in qrels.lost:
            continue
        what = f"query {quoted(query_id)} is judged but has no positive"
        right = 'a grade > 0, or "answerable": false in queries.jsonl, is right'
        faults.add(source.at(min(lines.values())), f"{what}; {right}")


def _drop_remnants(source: Source, qrels: Qrels, questions: Questions, references: References) -> None:
    """Take out what is left of queries that lost all their positives: they count as never judged."""
    for query_id in sorted(qrels.lost - questions.unanswerable):
        if not qrels.positive(query_id):
            for doc_id in sorted(qrels.grades.pop(query_id, {})):
                where = f"{source.name}:{qrels.lines[query_id][doc_id]}"
                pair = f"(query {quoted(query_id)}, document {quoted(doc_id)})"
                references.dropped.append(f"{where}: the query has no positive left {pair}")


def _grade(text: str) -> int | None:
    if INTEGER.fullmatch(text) is None or len(text) > 20:
        return None
    grade = int(text)
    return grade if abs(grade) <= MAX_GRADE else None


def _why_no_grade(text: str) -> str:
    if INTEGER.fullmatch(text) is not None:
        return f"absurd; an integer within {MAX_GRADE:,} of 0 is right"
    return "not an integer; one such as 0, 1 or 2 is right, > 0 for relevant"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _columns(text: str) -> str:
    count = text.count("\t") + 1
    hint = " (is it cut by spaces, not by tabs?)" if count == 1 and len(text.split()) > 2 else ""
    return f"{count} column{'s' if count > 1 else ''}{hint}, not 3 cut by tabs"
