"""CSV, TSV and Excel's export: delimiter, quoting and encoding found in the file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.errors import DataError
from assay.golden.convert.columns import find_columns
from assay.golden.convert.corpora import read_corpus
from assay.golden.convert.decoding import find_encoding, text_lines
from assay.golden.convert.intake import Intake
from assay.golden.convert.labels import Labels
from assay.golden.convert.ledger import At
from assay.golden.convert.options import Options
from assay.golden.faults import quoted
from assay.golden.jsonl import decoder, kind_of
from assay.records import Document

DELIMITERS = ",;\t|"
SAMPLE = 200
MAX_CELL = 32 * (1 << 20)
DOCUMENTS, QUESTIONS = "documents.csv", "questions.csv"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the cells of a file are parted; ``quoting`` is false where a quotation mark is a character as others."""

    encoding: str
    delimiter: str
    quoting: bool
    skipped: int


def read_csv(source: Path, intake: Intake, options: Options) -> None:
    """Put the rows of ``source`` into ``intake``; a folder has the questions in one table, the documents beside it."""
    table = source
    docs = options.docs
    if source.is_dir():
        table, found = _in_folder(source)
        docs = docs or found
    if docs is not None:
        read_corpus(docs, intake, read_document_table)
    rows = table_rows(table, intake)
    header = next(rows)[1]
    columns = find_columns(str(table), list(header), options.columns)
    labels = Labels(intake, columns, corpus=docs is not None)
    labels.check(str(table))
    for at, cells in rows:
        labels.take(at, cells)
    labels.finish(str(table))


def read_document_table(path: Path, intake: Intake) -> None:
    """Put the rows of a table of documents into ``intake``: columns id, text, and perhaps title and metadata."""
    rows = table_rows(path, intake)
    header = next(rows)[1]
    names = {name.lower().strip().replace("-", "_"): name for name in header}
    own = {
        role: next((names[name] for name in known if name in names), None)
        for role, known in {
            "id": ("id", "_id", "doc_id", "document_id", "docid", "corpus_id"),
            "text": ("text", "contents", "content", "body", "document"),
            "title": ("title",),
            "metadata": ("metadata",),
        }.items()
    }
    if own["id"] is None or own["text"] is None:
        raise DataError(f"{path}:1: no column id or no column text; both are right, beside title and metadata")
    for at, cells in rows:
        metadata = {name: cells[name] for name in header if name not in own.values() and cells[name]}
        if own["metadata"] and cells[own["metadata"]]:
            try:
                given = decoder().decode(cells[own["metadata"]])
            except (ValueError, RecursionError) as error:
                given = None
                fault = f"metadata can't be read as JSON ({error}); an object is right"
            else:
                fault = f"metadata is {kind_of(given)}; a JSON object is right"
            if not isinstance(given, dict):
                intake.read["documents"] += 1
                intake.refuse("documents", at, fault)
                continue
            metadata = {**given, **metadata}
        title = cells[own["title"]] if own["title"] else ""
        intake.document(at, Document(cells[own["id"]], cells[own["text"]], title, metadata))


def table_rows(path: Path, intake: Intake) -> Iterator[tuple[At, dict[str, str]]]:
    """The header (each name twice, as key and as value), then each row by column name, with the line it begins on.

    Rows that are blank are passed over; a row of another width than the header's is a fault.
    """
    dialect = find_dialect(path, intake)
    header: list[str] | None = None
    for at, cells in _cells(path, dialect):
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = [name.strip("\ufeff ") for name in cells]
            while header and not header[-1]:
                header.pop()
            twice = next((name for name in header if header.count(name) > 1), None)
            if twice is not None:
                raise DataError(f"{at}: column {quoted(twice)} is there twice; each name once is right")
            yield at, {name: name for name in header}
            continue
        extra = cells[len(header) :]
        if len(cells) < len(header) or any(extra):
            what = f"{len(cells)} cells where the header has {len(header)}"
            intake.refuse(None, at, f"{what} ({quoted(cells[0])}, …); as many are right")
            continue
        yield at, dict(zip(header, cells, strict=False))
    if header is None:
        raise DataError(f"{path}: is empty; a header line and a row a question are right")


def find_dialect(path: Path, intake: Intake) -> Dialect:
    """How the file is written: of the delimiters that make rows as wide as the header, the one that makes most columns."""
    encoding, note = find_encoding(path)
    if note is not None:
        intake.note(note)
    skipped, best = 0, (0, 0, 0, 0)
    choice: tuple[str, bool] | None = None
    head = next((line.text for line in text_lines(path, encoding)), "")
    if head.lower().startswith("sep=") and len(head) == 5:
        return Dialect(encoding, head[4], True, 1)
    for order, delimiter in enumerate(DELIMITERS):
        for quoting in (True, False):
            if not quoting and delimiter != "\t":
                # Only tab-separated files are written without quoting: a tab within a cell is rare.
                continue
            rows = _sample(path, Dialect(encoding, delimiter, quoting, skipped))
            if not rows or len(rows[0]) < 2:
                continue
            even = sum(len(row) == len(rows[0]) for row in rows)
            score = (int(even == len(rows)), len(rows[0]), int(quoting), -order)
            if score > best:
                best, choice = score, (delimiter, quoting)
    if choice is None:
        return Dialect(encoding, ",", True, skipped)
    if choice[0] != ",":
        named = {";": "semicolons", "\t": "tabs", "|": "bars"}[choice[0]]
        intake.note(f"{path}: cells are parted by {named}{'' if choice[1] else ', without quoting'}")
    return Dialect(encoding, *choice, skipped)


def _sample(path: Path, dialect: Dialect) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for _, cells in _cells(path, dialect):
            if any(cells):
                rows.append(cells)
            if len(rows) >= SAMPLE:
                break
    except DataError:
        return rows if len(rows) > SAMPLE // 2 else []
    return rows


def _cells(path: Path, dialect: Dialect) -> Iterator[tuple[At, list[str]]]:
    """Each row's cells and the line it begins on."""
    faults: list[DataError] = []
    place = [0]

    def lines() -> Iterator[str]:
        for line in text_lines(path, dialect.encoding, keep_ends=True):
            if line.number <= dialect.skipped:
                continue
            place[0] = line.number
            if line.fault is not None:
                faults.append(DataError(f"{path}:{line.number}: {line.fault}"))
                return
            yield line.text

    source = lines()
    if not dialect.quoting:
        for text in source:
            yield At(str(path), place[0]), text.rstrip("\r\n").split(dialect.delimiter)
        if faults:
            raise faults[0]
        return
    with _wide_cells():
        reader = csv.reader(source, delimiter=dialect.delimiter, strict=True)
    begins = 1 + dialect.skipped
    while True:
        with _wide_cells():
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise DataError(
                    f"{path}:{begins}: {error}; {quoted(dialect.delimiter)} between cells and quotation "
                    "marks in pairs are right"
                ) from None
        if faults:
            raise faults[0]
        if cells is None:
            return
        yield At(str(path), begins), cells
        begins = place[0] + 1


@contextmanager
def _wide_cells() -> Iterator[None]:
    """Let a cell be as long as a document; the limit is the whole process's, so it is put back."""
    before = csv.field_size_limit(MAX_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _in_folder(source: Path) -> tuple[Path, Path | None]:
    tables = sorted(path for path in source.iterdir() if path.suffix.lower() in (".csv", ".tsv") and path.is_file())
    questions = [path for path in tables if path.name == QUESTIONS] or [
        path for path in tables if path.name != DOCUMENTS
    ]
    if len(questions) != 1:
        names = ", ".join(path.name for path in questions) or "none"
        raise DataError(f"{source}: one table of questions is right, there is {names}; name the file")
    docs: Path | None = source / DOCUMENTS
    if docs is not None and not docs.is_file():
        docs = next(
            (path for path in (source / "corpus.jsonl", source / "corpora", source / "documents") if path.exists()),
            None,
        )
    return questions[0], docs
