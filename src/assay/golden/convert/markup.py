"""SGML and XML as TREC uses them, read without a parser of either: no entity is ever expanded into more text."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from html.entities import html5

_ENTITY = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_MARK = re.compile(r"<!--|<!\[CDATA\[|</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>")
_CLOSING = {"<!--": "-->", "<![CDATA[": "]]>"}
_OPENED = re.compile(r"<([A-Za-z][A-Za-z0-9_.-]*)(?:\s[^<>]*)?>")
_CLOSED = re.compile(r"</([A-Za-z][A-Za-z0-9_.-]*)\s*>")
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;", "\x0b": "&#11;", "\x0c": "&#12;"}


@dataclass(frozen=True, slots=True)
class Element:
    """An element: its name in lower case, where it begins and ends, and what is in it."""

    name: str
    start: int
    end: int
    content: str


def unescape(text: str) -> str:
    """``text`` with entities that end in a semicolon resolved; others, as in ``AT&T``, stand."""
    return _ENTITY.sub(_resolve, text) if "&" in text else text


def escape(text: str) -> str:
    """``text`` such that ``unescape`` gives it back and no tag is found in it."""
    return "".join(_ESCAPED.get(character, character) for character in text) if _needs(text) else text


def without_tags(text: str) -> tuple[str, int]:
    """``text`` without tags and comments, with the content of CDATA as it is, and how many tags were taken out."""
    if "<" not in text:
        return unescape(text), 0
    parts, at, taken = [], 0, 0
    # Once a closing mark isn't found it is never looked for again: the time stays that of one reading.
    unclosed: set[str] = set()
    for match in _MARK.finditer(text):
        if match.start() < at:
            continue
        closing = _CLOSING.get(match[0])
        if closing is None:
            parts.append(unescape(text[at : match.start()]))
            at, taken = match.end(), taken + 1
            continue
        end = -1 if closing in unclosed else text.find(closing, match.end())
        if end < 0:
            unclosed.add(closing)
            continue
        parts.append(unescape(text[at : match.start()]))
        if closing == "]]>":
            parts.append(text[match.end() : end])
        at, taken = end + len(closing), taken + 1
    parts.append(unescape(text[at:]))
    return "".join(parts), taken


def elements(text: str) -> list[Element]:
    """The elements of ``text`` that are in no other, in order; one that is never closed is none."""
    closings: dict[str, list[int]] = {}
    for match in _CLOSED.finditer(text):
        closings.setdefault(match[1].lower(), []).append(match.start())
    found: list[Element] = []
    at = 0
    for match in _OPENED.finditer(text):
        if match.start() < at:
            continue
        name = match[1].lower()
        places = closings.get(name, [])
        place = bisect_left(places, match.end())
        if place < len(places):
            at = text.index(">", places[place]) + 1
            found.append(Element(name, match.start(), at, text[match.end() : places[place]]))
    return found


def _needs(text: str) -> bool:
    return any(character in text for character in _ESCAPED)


def _resolve(match: re.Match[str]) -> str:
    name = match[1]
    if not name.startswith("#"):
        return html5.get(f"{name};", match[0])
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return match[0]
    return chr(code)
