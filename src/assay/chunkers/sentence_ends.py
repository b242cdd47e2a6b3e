"""Where sentences end, by rules, in scripts that mark it: no model, no dictionary, equal everywhere.

Terminators are those of Unicode Standard Annex 29 (``Sentence_Break``: STerm and ATerm) and the ellipsis.
Closing quotes and brackets, note marks such as ``[1]`` and white space behind a terminator go with its
sentence. A blank line ends one too.

* Terminators that mean nothing else (danda, 。, ؟, ۔, ။ and their like) need no space after them.
* ``! ?`` need white space, or a letter of a script without spaces, behind them: a URL's ``?`` ends nothing.
* ``. …`` need that too, and may not stand behind an abbreviation, an initial, a list number (``1.`` at
  the start of a line) or a German day of the month, nor before a small letter. The last rule rests in a
  text that has no capital letter at all, since some corpora are kept in lower case.

What is given up: a sentence that really ends in an abbreviation or an initial ("... of vitamin C. It
...") runs on into the next.
"""

from __future__ import annotations

import regex

from assay.chunkers.abbreviations import ANYWHERE, BEFORE_NUMBERS
from assay.chunkers.breaks import paragraph_breaks

_CLOSER = r"""[\p{Pe}\p{Pf}"'*_`]"""
_CANDIDATE = regex.compile(
    r"(?P<marks>[\p{SB=STerm}\p{SB=ATerm}…]++)\p{M}*+"
    rf"(?P<closers>{_CLOSER}*+(?:\p{{Pi}}+(?=\s|$))?+(?:\[\p{{Nd}}{{1,3}}\])*+)"
    r"(?P<space>\s*+)"
)
_PLAIN = frozenset("!?")
_STOPS = frozenset(".…․﹒．")
_UNSPACED = r"\p{Han}\p{Hira}\p{Kana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_UNSPACED_LETTER = regex.compile(rf"(?V1)[[{_UNSPACED}]&&\p{{L}}]|[「『（【《〈]")
_SMALL = regex.compile(r"""[\p{Ps}\p{Pi}"'¿¡]*\p{Ll}""")
_CAPITAL = regex.compile(r"\p{Lu}")
_LAST_WORD = regex.compile(r"(?:^|[\s\p{SB=STerm}])[^\s\p{L}\p{N}]*([^\s\p{SB=STerm}]+)$")
_LETTER = rf"[\p{{L}}--[{_UNSPACED}]]\p{{M}}*"
_DOTTED = regex.compile(rf"(?V1){_LETTER}(?:\.{_LETTER})*")  # an initial, or e.g, z.B, U.S.A
_LIST_NUMBER = regex.compile(
    r"(?:^|[\n\r\v\f\x85\u2028\u2029])[ \t>*+#(\[-]*(?:\p{Nd}{1,3}(?:\.\p{Nd}{1,3})*|[ivxIVX]{1,5})$"
)
_DAY = regex.compile(r"(?<!\p{Nd})\p{Nd}{1,2}$")
_LOOK_BACK = 40  # code points; longer than any abbreviation, and keeps the work linear

_GERMAN_MONTH = regex.compile(
    "Januar|Jänner|Februar|Feber|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|"
    "(?:Jan|Feb|Mrz|Apr|Jun|Jul|Aug|Sept?|Okt|Nov|Dez)\\b"
)


def sentence_ends(text: str) -> list[int]:
    """Offsets at which a sentence of ``text`` is over, the white space behind it included.

    Code points, rising, never 0 or the text's length. An offset can lie inside a grapheme cluster where a
    mark follows a terminator; callers that cut there move it to the cluster's end.
    """
    ends = set(paragraph_breaks(text))
    cased = _CAPITAL.search(text) is not None
    for match in _CANDIDATE.finditer(text):
        if match.end() < len(text) and _ends_here(text, match, cased):
            ends.add(match.end())
    return sorted(ends)


def _ends_here(text: str, match: regex.Match[str], cased: bool) -> bool:
    """Whether the terminators that ``match`` found, in the middle of ``text``, end a sentence."""
    marks, closers, space = match.group("marks", "closers", "space")
    if not all(mark in _PLAIN or mark in _STOPS for mark in marks):
        return True
    if not space and not _UNSPACED_LETTER.match(text, match.end()):
        return False
    before_small = cased and bool(_SMALL.match(text, match.end()))
    if not _STOPS.issuperset(marks):
        return not (before_small and closers)  # "Why?" she asked.
    if before_small:
        return False
    return len(marks) > 1 or not _is_part_of_word(text, match)


def _is_part_of_word(text: str, match: regex.Match[str]) -> bool:
    """Whether a single full stop belongs to the word or number before it."""
    at, following = match.start(), match.end()
    if at == 0 or text[at - 1].isspace():
        return False
    before = text[max(0, at - _LOOK_BACK) : at]
    if _LIST_NUMBER.search(before):
        return True
    if _DAY.search(before) and _GERMAN_MONTH.match(text, following):
        return True
    last = _LAST_WORD.search(before)
    if last is None:
        return False
    word = last[1].casefold()
    if word in ANYWHERE or _DOTTED.fullmatch(word):
        return True
    return word in BEFORE_NUMBERS and text[following].isnumeric()
