"""TREC's documents in SGML: ``<DOC>`` with a ``<DOCNO>``, a text, and whatever else a collection has."""

from __future__ import annotations

import re
from pathlib import Path

from assay.golden.convert.decoding import text_lines
from assay.golden.convert.intake import Intake
from assay.golden.convert.ledger import At
from assay.golden.convert.markup import Element, elements, unescape, without_tags
from assay.golden.faults import quoted
from assay.records import Document

_DOC = re.compile(r"<DOC(?:\s[^<>]*)?>", re.IGNORECASE)
_END = re.compile(r"</DOC>", re.IGNORECASE)
_TITLES = ("title", "headline", "head", "hl", "ti", "ttl")
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
    found = elements(body)
    number = next((one for one in found if one.name == "docno"), None)
    if fault is None and number is None:
        fault = "no <DOCNO>…</DOCNO> in the document; an id is right"
    if fault is not None or number is None:
        intake.read["documents"] += 1
        intake.refuse("documents", at, fault or "")
        return
    title, texts, tags = "", [], 0
    metadata: dict[str, object] = {}
    for one in found:
        if one is number:
            continue
        plain, taken = without_tags(one.content)
        if one.name == "text":
            texts.append(plain.removeprefix("\n").removesuffix("\n"))
            tags += taken
        elif one.name in _TITLES and not title:
            title = " ".join(plain.split())
        elif plain.strip():
            before = metadata.get(one.name)
            metadata[one.name] = plain.strip() if before is None else f"{before}\n{plain.strip()}"
    rest, taken = without_tags(_outside(body, found))
    if texts:
        text = "\n".join(texts)
        if rest.strip():
            metadata["outside_text"] = rest.strip()
    else:
        text, tags = rest.strip("\n"), taken
    if tags:
        intake.count("{n} tags within texts were taken out", tags)
    intake.document(at, Document(unescape(number.content.strip()), text, title, metadata))


def _outside(body: str, found: list[Element]) -> str:
    """What stands in none of the elements."""
    starts = [0, *(one.end for one in found)]
    ends = [*(one.start for one in found), len(body)]
    return "".join(body[start:end] for start, end in zip(starts, ends, strict=True))
