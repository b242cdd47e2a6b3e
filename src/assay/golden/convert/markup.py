"""SGML and XML as TREC uses them, read without a parser of either: no entity is ever expanded into more text."""

from __future__ import annotations

import re
from html.entities import html5

_ENTITY = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>|<!--.*?-->", re.DOTALL)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;", "\x0b": "&#11;", "\x0c": "&#12;"}


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
    for match in _CDATA.finditer(text):
        plain, number = _TAG.subn("", text[at : match.start()])
        parts += [unescape(plain), match[1]]
        taken += number
        at = match.end()
    plain, number = _TAG.subn("", text[at:])
    return "".join([*parts, unescape(plain)]), taken + number


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
