"""Grades and judgements files: BEIR's TSV, TREC's four columns, SMART's three, and lists of relevant documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import DataError
from assay.golden.convert.decoding import find_encoding, text_lines
from assay.golden.convert.intake import Intake
from assay.golden.convert.ledger import At
from assay.golden.faults import quoted
from assay.golden.fields import is_blank
from assay.golden.lines import Line

_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_INTEGRAL = re.compile(r"[+-]?[0-9]{1,9}\.0*")
_ZERO = re.compile(r"0+(\.0*)?")
_QUERY_NAMES = {"query-id", "query_id", "queryid", "qid", "query"}
_SPACE = " \t\v\f"


@dataclass(frozen=True, slots=True)
class Row:
    """A judgement as it stands; ``fault`` where the row can't be one."""

    at: At
    query_id: str = ""
    doc_id: str = ""
    grade: int = 0
    fault: str | None = None


@dataclass(slots=True)
class _Shape:
    """What all lines of a file have in common."""

    header: bool = False
    tabs: bool = True
    widths: Counter[int] = field(default_factory=Counter)
    integers: bool = True
    distinct: bool = True
    undefined: bool = True
    rows: int = 0


def grade_of(text: str) -> int | None:
    """The grade that ``text`` says: an integer of at most nine digits, ``1.0`` too; else None."""
    text = text.strip()
    if _INTEGER.fullmatch(text) or _INTEGRAL.fullmatch(text):
        return int(text.split(".")[0])
    return None


def wrong_grade(text: object) -> str:
    """The fault of a grade that is none."""
    return f"grade {quoted(text)} is not an integer; one such as 0, 1 or 2 is right, > 0 for relevant"


def read_judgements(path: Path, intake: Intake) -> Iterator[Row]:
    """Each judgement of ``path``, in its order; how the file was understood is noted where it isn't plain.

    The file is read twice, once for its shape. Columns are parted by tabs where every line has two of them or a
    header says so, otherwise by any white space.
    """
    encoding, note = find_encoding(path)
    if note is not None:
        intake.note(note)
    shape = _shape(path, encoding)
    layout = _layout(path, shape, intake)
    first = True
    for line in text_lines(path, encoding):
        if not line.text.strip():
            continue
        at = At(str(path), line.number)
        if first and shape.header:
            first = False
            continue
        first = False
        if line.fault is not None:
            yield Row(at, fault=line.fault)
            continue
        columns = _columns(line, shape)
        if layout == "list":
            yield from _listed(at, columns)
        else:
            yield _judged(at, columns, layout)


def _shape(path: Path, encoding: str) -> _Shape:
    shape = _Shape()
    seen: set[str] = set()
    for line in text_lines(path, encoding):
        if not line.text.strip():
            continue
        if not shape.rows and not shape.header:
            names = [part.strip().lower() for part in line.text.replace(",", "\t").split("\t")]
            if len(names) in (3, 4) and names[0] in _QUERY_NAMES:
                shape.header = True
                shape.tabs = "\t" in line.text
                continue
        shape.rows += 1
        if not shape.header:
            shape.tabs = shape.tabs and line.text.count("\t") == 2
        columns = line.text.split()
        shape.widths[len(columns)] += 1
        shape.integers = shape.integers and all(column.isdigit() for column in columns)
        shape.distinct = shape.distinct and columns[0] not in seen
        seen.add(columns[0])
        shape.undefined = (
            shape.undefined and len(columns) == 4 and columns[2] == "0" and _ZERO.fullmatch(columns[3]) is not None
        )
    return shape


def _layout(path: Path, shape: _Shape, intake: Intake) -> str:
    if not shape.rows:
        intake.note(f"{path}: holds no judgement")
        return "tsv"
    if shape.header and shape.tabs:
        return "tsv"
    if shape.tabs:
        intake.note(f"{path}: no header line; read as query, document, grade")
        return "tsv"
    if shape.undefined:
        intake.note(f"{path}: its third and fourth column are zero on every line and no grades; every row has grade 1")
        return "pairs"
    common = shape.widths.most_common(1)[0][0]
    if len(shape.widths) > 1 and shape.integers and shape.distinct:
        intake.note(f"{path}: read as a query and its relevant documents a line; every document has grade 1")
        return "list"
    if common == 4:
        return "trec"
    if common == 3:
        intake.note(f"{path}: three columns; read as query, document, grade")
        return "smart"
    if common == 2:
        intake.note(f"{path}: two columns; read as query, document, every row with grade 1")
        return "pairs"
    raise DataError(
        f"{path}: most lines have {common} columns; judgements have 4 (query 0 document grade) or 3 (query document grade)"
    )


def _columns(line: Line, shape: _Shape) -> list[str]:
    if shape.tabs:
        return line.text.split("\t")
    # A no-break space may be a part of an id; only ASCII's white space parts columns.
    return [part for part in re.split(f"[{_SPACE}]+", line.text.strip(_SPACE + "\r")) if part]


def _judged(at: At, columns: list[str], layout: str) -> Row:
    widths = {"tsv": (3,), "trec": (4,), "smart": (3,), "pairs": (2, 3, 4)}[layout]
    if len(columns) not in widths:
        right = (
            "4 are right: query 0 document grade" if layout == "trec" else f"{widths[0]} are right, as on the others"
        )
        return Row(at, fault=f"{len(columns)} column{'s' if len(columns) != 1 else ''}; {right}")
    query_id, doc_id = columns[0], columns[2 if layout == "trec" else 1]
    if is_blank(query_id) or is_blank(doc_id):
        return Row(
            at, fault=f"an empty id (query {quoted(query_id)}, document {quoted(doc_id)}); a visible one is right"
        )
    grade = 1 if layout == "pairs" else grade_of(columns[-1])
    if grade is None:
        return Row(at, fault=wrong_grade(columns[-1]))
    return Row(at, query_id, doc_id, grade)


def _listed(at: At, columns: list[str]) -> Iterator[Row]:
    if len(columns) < 2:
        yield Row(at, fault=f"query {quoted(columns[0])} has no document; a number at least after it is right")
    for doc_id in columns[1:]:
        yield Row(at, columns[0], doc_id, 1)
