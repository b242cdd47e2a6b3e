"""From a quoted passage to its place in a text: exactly, else by a normalising match, else not at all.

Nothing is guessed: a quote that is there several times is ambiguous, with its places, and one that isn't
there is missing.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

import regex

MAX_PLACES = 10
_CLUSTER = regex.compile(r"\X")
_WIDE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_QUOTES = {**dict.fromkeys("‘’‚‛′`´ʼ＇", "'"), **dict.fromkeys("“”„‟«»″〝〞＂", '"')}
_DASHES = dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
_SAME = {ord(key): value for key, value in {**_QUOTES, **_DASHES}.items()}


@dataclass(frozen=True, slots=True)
class Place:
    """Code points of the text as it stands, end exclusive; ``exact`` says that they are the quote itself."""

    start: int
    end: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The quote is there ``total`` times; ``places`` are the first ones."""

    places: tuple[Place, ...]
    total: int


class Finder:
    """Looks for quotes in one text; what a normalising match needs is made once, when it is first needed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._forms: dict[bool, _Form] = {}

    def find(self, quote: str, start: int | None = None) -> Place | Ambiguous | None:
        """Where ``quote`` is; None where it isn't. ``start`` settles it if the quote is there too."""
        if quote and start is not None and start >= 0 and self.text.startswith(quote, start):
            return Place(start, start + len(quote), True)
        if not quote.strip():
            return None
        exact = [Place(at, at + len(quote), True) for at in _occurrences(self.text, quote)]
        if exact:
            return _one_of(exact)
        for joined in (False, True):
            form = self._forms.get(joined) or self._forms.setdefault(joined, _Form(self.text, joined))
            found = form.find(quote)
            if found:
                settled = [place for place in found if place.start == start]
                return settled[0] if len(settled) == 1 else _one_of(found)
        return None


class _Form:
    """A text with white space, Unicode form, quotation marks, dashes and hyphenation made equal.

    ``joined`` says what a hyphen before a line break is: nothing (a word was cut there) or a hyphen.
    """

    def __init__(self, text: str, joined: bool) -> None:
        self.joined = joined
        self.starts, self.ends = array("q"), array("q")
        parts: list[str] = []
        for piece, start, end in _pieces(text, joined):
            parts.append(piece)
            self.starts.extend([start] * len(piece))
            self.ends.extend([end] * len(piece))
        self.text = "".join(parts)

    def find(self, quote: str) -> list[Place]:
        needle = "".join(piece for piece, _, _ in _pieces(quote, self.joined)).strip(" ")
        if not needle:
            return []
        found = [
            Place(self.starts[at], self.ends[at + len(needle) - 1], False) for at in _occurrences(self.text, needle)
        ]
        return list(dict.fromkeys(found))


def _pieces(text: str, joined: bool) -> Iterator[tuple[str, int, int]]:
    """Each normalised piece with the start and end of what it stands for.

    White space is held back until what follows is known, and so is a hyphen behind a letter: at a line's end it
    may be none, and between two characters of a script without spaces a line break is nothing.
    """
    before = ""
    gap: tuple[int, int, bool] | None = None
    hyphen: tuple[int, int] | None = None
    for match in _CLUSTER.finditer(text):
        cluster, start, end = match[0], match.start(), match.end()
        piece = cluster if cluster.isascii() else _normal(cluster)
        if not piece:
            continue
        if piece.isspace():
            gap = (start if gap is None else gap[0], end, "\n" in cluster or (gap is not None and gap[2]))
            continue
        broken = hyphen is not None and gap is not None and gap[2]
        if hyphen is not None and not (broken and joined):
            yield "-", *hyphen
        if gap is not None and before and not broken and not (_WIDE.match(before[-1]) and _WIDE.match(piece[0])):
            yield " ", gap[0], gap[1]
        gap, hyphen = None, None
        if piece == "-" and before.isalpha():
            hyphen = (start, end)
        else:
            yield piece, start, end
        before = piece
    if hyphen is not None:
        yield "-", *hyphen


def _normal(cluster: str) -> str:
    piece = unicodedata.normalize("NFKC", cluster.translate(_SAME))
    kept = "".join(one for one in piece if unicodedata.category(one) != "Cf")
    return kept.translate(_SAME)


def _occurrences(text: str, needle: str) -> list[int]:
    found: list[int] = []
    at = text.find(needle)
    while at >= 0 and len(found) < 10_000:
        found.append(at)
        at = text.find(needle, at + 1)
    return found


def _one_of(places: list[Place]) -> Place | Ambiguous:
    return places[0] if len(places) == 1 else Ambiguous(tuple(places[:MAX_PLACES]), len(places))
