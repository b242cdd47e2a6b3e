"""TREC runs and judgements: written so that every tool reads our order, read from anybody.

A run's line has six columns: query, ``Q0``, document, rank, score, tag. Columns are parted by white space,
so the ids that are written here have theirs percent-encoded, and ``%`` too, that it can be undone. The score
that is written is derived from the rank alone: falling whole numbers, which no tool can tie or round.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from assay.errors import AssayError, DataError

# White space of every script, the control characters (a NUL ends an id in tools written in C) and the byte
# order mark (at the head of a file it would be taken for one).
_UNSAFE = re.compile(r"[%\s\x00-\x1f\x7f-\x9f\ufeff]")
_PLAIN = {quote(c, safe=""): c for c in map(chr, [*range(0x3001), 0xFEFF]) if _UNSAFE.match(c)}
_ESCAPES = re.compile("|".join(_PLAIN), re.IGNORECASE)
_GRADE = re.compile(r"[+-]?[0-9]{1,9}")
_BEIR_HEADER = ["query-id", "corpus-id", "score"]
_BOM = b"\xef\xbb\xbf"


def encode_id(text: str) -> str:
    """``text`` as one column: white space, control characters and ``%`` as percent-escapes of their UTF-8."""
    return _UNSAFE.sub(lambda match: quote(match[0], safe=""), text)


def decode_id(text: str) -> str:
    """The id that ``encode_id`` made ``text`` of; escapes that it never writes, such as ``%2F``, are left."""
    return _ESCAPES.sub(lambda match: _PLAIN[match[0].upper()], text) if "%" in text else text


def write_trec(path: Path, rankings: Mapping[str, Sequence[str]], tag: str) -> None:
    """Write ``rankings`` (query id to document ids, best first) to ``path``, a line a document.

    A query without documents leaves no line: the format can't hold it. An empty id is an AssayError.
    """
    label = encode_id(tag) or "assay"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for query, ranking in rankings.items():
            if ranking and not (query and all(ranking)):
                raise AssayError(f"query {query!r}: an empty id can't be written to a TREC run")
            head, last = encode_id(query), len(ranking)
            file.writelines(
                f"{head} Q0 {encode_id(doc_id)} {rank} {last - rank + 1} {label}\n"
                for rank, doc_id in enumerate(ranking, 1)
            )


def read_trec(path: Path, *, decode: bool = True) -> dict[str, list[str]]:
    """Query id to document ids, best first, queries in the file's order.

    The order is score, highest first, and of equal scores by id, ascending; the rank column is not read, as
    no TREC tool reads it (trec_eval breaks ties by id too, but descending). Ids are decoded unless ``decode``
    is false. A line without six columns, a score that is not finite and a document that a query has twice are
    DataErrors with file:line.
    """
    scores: dict[str, dict[str, float]] = {}
    for number, columns in _rows(path):
        if len(columns) != 6:
            raise DataError(
                f"{path}:{number}: {len(columns)} columns; a TREC run has 6: query Q0 document rank score tag"
            )
        query, doc_id = (decode_id(columns[0]), decode_id(columns[2])) if decode else (columns[0], columns[2])
        try:
            score = float(columns[4])
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise DataError(f"{path}:{number}: score {columns[4]!r} is not a finite number")
        documents = scores.setdefault(query, {})
        if doc_id in documents:
            raise DataError(f"{path}:{number}: document {doc_id!r} is ranked twice for query {query!r}")
        documents[doc_id] = score
    return {
        query: sorted(documents, key=lambda doc_id: (-documents[doc_id], doc_id)) for query, documents in scores.items()
    }


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Query id to document id to grade, in the file's order, ids as they stand.

    Reads TREC's judgements (``query 0 document grade``, parted by white space) and BEIR's TSV (a header line
    ``query-id``, ``corpus-id``, ``score``, then three columns parted by tabs, in which ids may hold spaces).
    A wrong number of columns, a grade that is no integer and a pair that is judged twice are DataErrors with
    file:line; so is a file without a judgement.
    """
    judged: dict[str, dict[str, int]] = {}
    beir = False
    for count, (number, columns, line) in enumerate(_rows_and_lines(path)):
        if count == 0:
            beir = [part.strip() for part in line.split("\t")] == _BEIR_HEADER
            if beir:
                continue
        if beir:
            columns = line.split("\t")
        if len(columns) != (3 if beir else 4):
            raise DataError(f"{path}:{number}: {_wrong_columns(len(columns), beir, count)}")
        query, doc_id, grade = columns[0], columns[-2], columns[-1].strip()
        if not query or not doc_id:
            raise DataError(f"{path}:{number}: an empty id")
        if not _GRADE.fullmatch(grade):
            raise DataError(f"{path}:{number}: grade {grade!r} is not an integer of at most nine digits")
        documents = judged.setdefault(query, {})
        if doc_id in documents:
            raise DataError(f"{path}:{number}: document {doc_id!r} is judged twice for query {query!r}")
        documents[doc_id] = int(grade)
    if not judged:
        raise DataError(f"{path}: no judgements in it")
    return judged


def _wrong_columns(found: int, beir: bool, rows_before: int) -> str:
    if beir:
        return f"{found} columns parted by tabs; this file's header has 3: query-id corpus-id score"
    if rows_before == 0:
        return f"{found} columns; expected BEIR's header query-id<TAB>corpus-id<TAB>score, or TREC's 4 columns"
    return f"{found} columns; TREC judgements have 4: query 0 document grade"


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    for number, columns, _ in _rows_and_lines(path):
        yield number, columns


def _rows_and_lines(path: Path) -> Iterator[tuple[int, list[str], str]]:
    """Line number, columns and text of each line of ``path`` that is not blank.

    Lines end at line feeds only and columns at ASCII white space only: an id of another tool may hold any
    other character that Unicode calls a space or a line end.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    with file:
        for number, raw in enumerate(file, 1):
            if number == 1:
                raw = raw.removeprefix(_BOM)
            columns = raw.split()
            if not columns:
                continue
            try:
                yield number, [column.decode() for column in columns], raw.decode().rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise DataError(f"{path}:{number}: not UTF-8 (byte {error.object[error.start]:#04x})") from None
