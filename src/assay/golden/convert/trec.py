"""TREC collections: documents, topics, qrels, each in whatever dialect it comes, SMART's among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from assay.errors import DataError
from assay.golden.convert.decoding import find_encoding, text_lines
from assay.golden.convert.grades import read_judgements
from assay.golden.convert.intake import Intake
from assay.golden.convert.json_rows import read_documents, read_queries
from assay.golden.convert.ledger import At
from assay.golden.convert.options import SPLIT, Options
from assay.golden.convert.smart import is_smart, read_smart_documents, read_smart_queries
from assay.golden.convert.trec_documents import read_trec_documents
from assay.golden.convert.trec_topics import read_topics
from assay.golden.faults import quoted
from assay.records import Judgement

_NAMES = {
    "docs": re.compile(r"doc|corpus|collection|\.all(\.|$)|\.sgml?$|\.xml$", re.IGNORECASE),
    "topics": re.compile(r"topic|quer|qry|\.que$", re.IGNORECASE),
    "qrels": re.compile(r"qrel|\.rel(\.|$)|judg", re.IGNORECASE),
}
_ORDER = ("qrels", "topics", "docs")


def read_trec(source: Path | None, intake: Intake, options: Options) -> None:
    """Put the collection into ``intake``: files by flag, the others found in ``source`` by their names."""
    files = _find(source, {"docs": options.docs, "topics": options.topics, "qrels": options.qrels}, intake)
    for path in files["docs"]:
        for one in _below(path):
            read_any_documents(one, intake)
    for path in files["topics"]:
        _topics(path, intake)
    for path in files["qrels"]:
        _qrels(path, intake, options, _split_of(path, files["qrels"]))


def read_any_documents(path: Path, intake: Intake) -> None:
    """Put the documents of one file into ``intake``: TREC's SGML, SMART's, or JSON Lines, as its head says."""
    encoding, note = find_encoding(path)
    if note is not None:
        intake.note(note)
    head = _head(path, encoding)
    if is_smart(head):
        read_smart_documents(path, encoding, intake)
    elif head.startswith("{"):
        read_documents(path, intake)
    elif head.startswith("<"):
        read_trec_documents(path, encoding, intake)
    else:
        right = "<DOC>, .I or *TEXT, or a JSON object, is right at its head"
        intake.refuse(None, At(str(path)), f"opens with {quoted(head)}, not as documents do; {right}")


def _below(path: Path) -> list[Path]:
    """The file itself, or every file below the folder that isn't hidden, in the order of their paths."""
    if not path.is_dir():
        return [path]
    found = sorted(one for one in path.rglob("*") if one.is_file())
    return [one for one in found if not any(part.startswith(".") for part in one.relative_to(path).parts)]


def _topics(path: Path, intake: Intake) -> None:
    encoding, note = find_encoding(path)
    if note is not None:
        intake.note(note)
    head = _head(path, encoding)
    if is_smart(head):
        read_smart_queries(path, encoding, intake)
    elif head.startswith("{"):
        read_queries(path, intake)
    else:
        read_topics(path, encoding, intake)


def _qrels(path: Path, intake: Intake, options: Options, split: str) -> None:
    intake.open_split(split)
    positions = options.qrels_ids == "positions"
    names = {
        "queries": _Numbers(intake.ids("queries"), intake.knows_query, positions),
        "documents": _Numbers(intake.ids("documents"), intake.knows_document, positions),
    }
    hint = ""
    for row in read_judgements(path, intake):
        if row.fault is not None:
            intake.read["judgements"] += 1
            intake.refuse("judgements", row.at, row.fault)
            continue
        query_id, doc_id = names["queries"].of(row.query_id), names["documents"].of(row.doc_id)
        if not positions and row.query_id.isdigit() and not intake.knows_query(query_id):
            hint = "--drop-unknown leaves such rows out, --qrels-ids positions counts entries from 1 instead"
        intake.judgement(row.at, Judgement(query_id, doc_id, row.grade), split, hint)
    if hint and options.drop_unknown:
        intake.note(f"{path}: some of its queries are unknown; --qrels-ids positions counts entries from 1 instead")
    padded = sum(one.padded for one in names.values())
    if padded:
        intake.note(f"{path}: {padded:,} ids were found without regard to leading zeros")
    if positions:
        intake.note(f"{path}: numbers were read as positions, counted from 1")


class _Numbers:
    """What a judgement's column stands for: an id, an id but for its leading zeros, or a position."""

    def __init__(self, ids: list[str], known: Callable[[str], bool], positions: bool) -> None:
        self._ids, self._known, self._positions, self.padded = ids, known, positions, 0
        self._bare: dict[str, str | None] = {}
        if not positions and any(one.startswith("0") for one in ids):
            for one in ids:
                if one.isdigit():
                    bare = one.lstrip("0") or "0"
                    self._bare[bare] = None if bare in self._bare else one

    def of(self, text: str) -> str:
        if self._positions:
            if text.isascii() and text.isdigit() and len(text) <= 10 and 1 <= int(text) <= len(self._ids):
                return self._ids[int(text) - 1]
            return f"position {text}"
        if self._known(text) or not text.isdigit():
            return text
        found = self._bare.get(text.lstrip("0") or "0")
        if found is None:
            return text
        self.padded += 1
        return found


def _head(path: Path, encoding: str) -> str:
    for line in text_lines(path, encoding):
        if line.text.strip("\ufeff \t\r"):
            return line.text.strip("\ufeff \t\r")
    return ""


def _split_of(path: Path, paths: list[Path]) -> str:
    """``qrels.dev.txt`` is the split dev where there are several files; one file alone is the test split."""
    if len(paths) == 1:
        return SPLIT
    name = re.sub(r"(^qrels[._-]?|[._-]?qrels$)", "", path.name.removesuffix(".gz").removesuffix(path.suffix))
    return name.removesuffix(".txt") or SPLIT


def _find(source: Path | None, given: Mapping[str, Path | None], intake: Intake) -> dict[str, list[Path]]:
    unread: list[str] = []
    found: dict[str, list[Path]] = {kind: [path] if path else [] for kind, path in given.items()}
    if source is not None and not source.is_dir():
        raise DataError(f"{source}: is not a folder; a folder, or --docs FILE --topics FILE --qrels FILE, is right")
    if source is not None:
        for path in sorted(source.iterdir()):
            if path.name.startswith(".") or path.name.lower().startswith("readme"):
                continue
            kind = next((kind for kind in _ORDER if _NAMES[kind].search(path.name)), None)
            if path.is_dir() and kind != "docs":
                kind = None
            if kind is not None and given[kind] is None:
                found[kind].append(path)
            elif kind is None:
                unread.append(path.name)
    if unread:
        intake.note(f"{source}: files left out, since their names tell nothing: {', '.join(unread[:12])}")
    for kind in ("docs", "topics", "qrels"):
        if not found[kind]:
            where = f"{source}: no file in it has a name such as *{kind}*" if source else f"--{kind} is missing"
            raise DataError(f"{where}; --{kind} FILE is right")
        several = len(found[kind]) > 1
        if kind == "topics" and several:
            names = ", ".join(path.name for path in found[kind])
            raise DataError(f"{source}: several files could be the topics ({names}); --topics FILE is right")
    return found
