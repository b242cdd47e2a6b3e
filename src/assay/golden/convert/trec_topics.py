"""TREC's topics: SGML with unclosed elements, XML in its dialects, or a line a topic."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.golden.convert.decoding import text_lines
from assay.golden.convert.intake import Intake
from assay.golden.convert.ledger import At
from assay.golden.convert.markup import unescape, without_tags
from assay.golden.faults import quoted
from assay.golden.fields import is_blank
from assay.records import Query

_TOPIC = re.compile(r"<(top|topic|DOC)(\s[^<>]*)?>(.*?)(?:</\1>|(?=<\1[\s>])|\Z)", re.IGNORECASE | re.DOTALL)
_CLOSED = re.compile(r"</(?:top|topic|DOC)>", re.IGNORECASE)
_OPENED = re.compile(r"<(?:top|topic|DOC)[\s>]", re.IGNORECASE)
_NUMBER = re.compile(r"\b(?:number|id|num)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(\S+))", re.IGNORECASE)
_ELEMENT = re.compile(r"<([A-Za-z][A-Za-z0-9_.-]*)(?:\s[^<>]*)?>", re.IGNORECASE)
LABEL = re.compile(r"\s*(?:Number|Topic|Title|Description|Narrative)\s*:\s*", re.IGNORECASE)
_NUMBER_NAMES = ("num", "number", "id", "docno", "qid")
# What a question is taken from, in this order; the others become metadata.
FIELDS = ("title", "query", "question", "text", "summary", "desc", "description", "narr", "narrative")
# An element of our own: TREC has no word for a question without an answer.
_MARKS = {"true": True, "false": False}
MAX_FILE = 256 * (1 << 20)


@dataclass(slots=True)
class _Topic:
    at: At
    id: str
    fields: dict[str, str]


def read_topics(path: Path, encoding: str, intake: Intake) -> None:
    """Put every topic of ``path`` into ``intake``.

    The question is the first of ``FIELDS`` that says something: one that is blank, or the same in every topic
    (some collections write "empty"), is passed over, and a note says so.
    """
    text = _whole(path, encoding, intake)
    if text is None:
        return
    if not text.lstrip("\ufeff \t\r\n").startswith("<"):
        _read_lines(path, text, intake)
        return
    topics = _topics(path, text, intake)
    order = [name for name in FIELDS if _says(name, topics)]
    order = order or [name for name in FIELDS if any(not is_blank(topic.fields.get(name, "")) for topic in topics)]
    others = [name for name in order[1:] if any(name in topic.fields for topic in topics)]
    if others:
        kept = ", ".join(f"<{name}>" for name in others)
        intake.note(
            f"{path}: the question is <{order[0]}>; {kept} {'is' if len(others) == 1 else 'are'} in the metadata"
        )
    silent = [name for name in FIELDS if name not in order and any(topic.fields.get(name) for topic in topics)]
    for name in silent:
        same = quoted(next(topic.fields[name] for topic in topics if topic.fields.get(name)))
        intake.note(f"{path}: <{name}> is left out: it says {same} in every topic")
    for topic in topics:
        used = next((name for name in order if not is_blank(topic.fields.get(name, ""))), None)
        metadata: dict[str, Any] = {
            name: value for name, value in topic.fields.items() if name not in (used, *silent) and value.strip()
        }
        mark = _MARKS.get(metadata.get("answerable", "").lower())
        if mark is not None:
            metadata["answerable"] = mark
        intake.query(topic.at, Query(topic.id, topic.fields[used] if used else "", None, mark is not False, metadata))


def _whole(path: Path, encoding: str, intake: Intake) -> str | None:
    parts, size = [], 0
    for line in text_lines(path, encoding):
        if line.fault is not None:
            intake.refuse(None, At(str(path), line.number), line.fault)
            return None
        size += len(line.text)
        if size > MAX_FILE:
            raise DataError(f"{path}: topics of more than {MAX_FILE:,} characters; a smaller file is right")
        parts.append(line.text)
    return "\n".join(parts)


def _topics(path: Path, text: str, intake: Intake) -> list[_Topic]:
    found: list[_Topic] = []
    line, counted = 1, 0
    for match in _TOPIC.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        at = At(str(path), line)
        fields = _fields(match[3])
        number = _NUMBER.search(match[2] or "")
        topic_id = next(filter(None, number.groups()), "") if number else ""
        for name in _NUMBER_NAMES:
            value = fields.pop(name, "")
            topic_id = topic_id or value
        if not topic_id:
            intake.read["queries"] += 1
            intake.refuse("queries", at, 'a topic without a number; <num>…, or number="…", is right')
            continue
        if _CLOSED.search(match[0]) is None:
            intake.read["queries"] += 1
            intake.refuse("queries", at, f"topic {quoted(topic_id)} has no end; </{match[1]}> is right")
            continue
        if kinds := _kinds(match[2] or ""):
            fields.update({name: value for name, value in kinds.items() if name not in fields})
        found.append(_Topic(at, unescape(topic_id.strip()), fields))
    if not found and not intake.faults.total:
        what = "is cut off" if _OPENED.search(text) else "holds no topic"
        intake.refuse(None, At(str(path)), f'{what}; <top>…</top> or <topic number="1">…</topic> is right')
    return found


def _kinds(attributes: str) -> dict[str, str]:
    """Attributes of a topic beside its number, such as ``type="diagnosis"``."""
    pairs = re.findall(r"([A-Za-z_][\w.-]*)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", attributes)
    return {
        name.lower(): unescape(one or other)
        for name, one, other in pairs
        if name.lower() not in ("number", "id", "num") and (one or other)
    }


def _fields(body: str) -> dict[str, str]:
    """Elements by lower-case name; one that is never closed ends where the next begins."""
    fields: dict[str, str] = {}
    starts = list(_ELEMENT.finditer(body))
    first = body[: starts[0].start()] if starts else body
    if first.strip():
        fields["text"] = _plain(first)
    ends = [*(one.start() for one in starts[1:]), len(body)]
    for one, end in zip(starts, ends, strict=False):
        name = one[1].lower()
        piece = body[one.end() : end]
        closing = re.search(rf"</{re.escape(one[1])}\s*>", piece, re.IGNORECASE)
        piece = piece[: closing.start()] if closing else piece
        value = _plain(LABEL.sub("", piece, count=1) if LABEL.match(piece) else piece)
        fields[name] = value if name not in fields else f"{fields[name]} {value}".strip()
    return fields


def _plain(markup: str) -> str:
    """Content as one line: breaks are the file's, those of the question are written as entities."""
    lines = [line.strip(" \t\r") for line in markup.split("\n")]
    return without_tags(" ".join(line for line in lines if line))[0]


def _says(name: str, topics: list[_Topic]) -> bool:
    values = [topic.fields.get(name, "") for topic in topics]
    if all(is_blank(value) for value in values):
        return False
    return name not in FIELDS or len(topics) < 2 or len(set(values)) > 1


def _read_lines(path: Path, text: str, intake: Intake) -> None:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        at = At(str(path), number)
        topic_id, tab, question = line.partition("\t")
        if not tab:
            intake.read["queries"] += 1
            intake.refuse("queries", at, f"{quoted(line)} is no topic; id<TAB>question, or <top>…</top>, is right")
            continue
        intake.query(at, Query(topic_id.strip(), question.strip()))
