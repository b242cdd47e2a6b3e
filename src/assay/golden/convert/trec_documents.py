"""TREC's documents in SGML: ``<DOC>`` with a ``<DOCNO>``, a text, and whatever else a collection has."""

from __future__ import annotations

import re
from pathlib import Path

from assay.golden.convert.decoding import text_lines
from assay.golden.convert.intake import At, Intake
from assay.golden.convert.markup import unescape, without_tags
from assay.golden.faults import quoted
from assay.records import Document

_DOC = re.compile(r"<DOC(?:\s[^<>]*)?>", re.IGNORECASE)
_END = re.compile(r"</DOC>", re.IGNORECASE)
_DOCNO = re.compile(r"<DOCNO>(.*?)</DOCNO>", re.IGNORECASE | re.DOTALL)
_TEXT = re.compile(r"<TEXT>\n?(.*?)\n?</TEXT>", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(r"<(TITLE|HEADLINE|HEAD|HL|TI|TTL)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_OTHER = re.compile(r"<([A-Za-z][A-Za-z0-9_.-]*)(?:\s[^<>]*)?>(.*?)</\1>", re.DOTALL)
MAX_DOCUMENT = 64 * (1 << 20)


def read_trec_documents(path: Path, encoding: str, intake: Intake) -> None:
    """Put every ``<DOC>`` of ``path`` into ``intake``.

    The text is what stands in ``<TEXT>``, or, where there is none, all that stands in no other element. A
    title is ``<TITLE>``, ``<HEADLINE>`` or the like; other elements are metadata by their names in lower case.
    """
    lines: list[str] | None = None
    begun, size = At(str(path)), 0
    fault: str | None = None
    outside = False
    for line in text_lines(path, encoding):
        rest = line.text
        at = At(str(path), line.number)
        if line.fault is not None:
            if lines is None:
                intake.refuse(None, at, line.fault)
                continue
            fault = fault or f"{line.fault} (line {line.number})"
        while True:
            if lines is None:
                start = _DOC.search(rest)
                before = rest if start is None else rest[: start.start()]
                if before.strip() and not before.lstrip().startswith(
                    ("<?", "<!", "<root", "</root", "<ROOT", "</ROOT")
                ):
                    if not outside:
                        intake.refuse(None, at, f"{quoted(before.strip())} is in no document; <DOC> before it is right")
                    outside = True
                if start is None:
                    break
                lines, begun, size, fault, outside = [], at, 0, None, False
                rest = rest[start.end() :]
            end = _END.search(rest)
            nested = _DOC.search(rest if end is None else rest[: end.start()])
            if nested is not None:
                fault = fault or f"another <DOC> before </DOC> (line {line.number}); </DOC> first is right"
            part = rest if end is None else rest[: end.start()]
            size += len(part) + 1
            if size <= MAX_DOCUMENT:
                lines.append(part)
            else:
                fault = fault or f"has more than {MAX_DOCUMENT:,} characters; shorter documents are right"
            if end is None:
                break
            _take(begun, "\n".join(lines), fault, intake)
            lines, rest = None, rest[end.end() :]
    if lines is not None:
        _take(begun, "\n".join(lines), fault or "no </DOC> up to the end of the file; one is right", intake)


def _take(at: At, body: str, fault: str | None, intake: Intake) -> None:
    number = _DOCNO.search(body)
    if fault is None and number is None:
        fault = "no <DOCNO>…</DOCNO> in the document; an id is right"
    if fault is not None or number is None:
        intake.read["documents"] += 1
        intake.refuse("documents", at, fault or "")
        return
    body = body[: number.start()] + body[number.end() :]
    texts = _TEXT.findall(body)
    outside = _TEXT.sub("", body)
    title = ""
    if (found := _TITLE.search(outside)) is not None:
        title = " ".join(without_tags(found[2])[0].split())
        outside = outside[: found.start()] + outside[found.end() :]
    metadata: dict[str, object] = {}
    for name, content in _OTHER.findall(outside):
        plain = without_tags(content)[0].strip()
        key = name.lower()
        if plain and key not in metadata:
            metadata[key] = plain
        elif plain:
            metadata[key] = f"{metadata[key]}\n{plain}"
    rest, tags = without_tags(_OTHER.sub("", outside))
    if texts:
        parts = [without_tags(part) for part in texts]
        text, tags = "\n".join(part for part, _ in parts), sum(number for _, number in parts)
        if rest.strip():
            metadata["outside_text"] = rest.strip()
    else:
        text = rest.strip("\n")
    if tags:
        intake.count("{n} tags within texts were taken out", tags)
    intake.document(at, Document(unescape(number[1].strip()), text, title, metadata))
