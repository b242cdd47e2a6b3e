"""What a word is, in every script: the one rule behind reading budgets, ``lsa`` and ``bm25``.

A word is a run of letters, marks and numbers, with what holds it together:

========================  ==========================================  ======================================
between                   kept inside the word                        examples
========================  ==========================================  ======================================
letters or numbers        apostrophes, middle dot, geresh, gershayim  ``don't`` ``l’eau`` ``col·lega``
letters or numbers        soft hyphen, word joiner                    ``Donau\\u00addampfer``
digits                    decimal and grouping signs                  ``3.14`` ``1,000`` ``v1.2.3`` ``٣٫١٤``
anywhere after a letter   marks, ZWJ, ZWNJ                            ``क्षत्रिय`` ``می‌روم``
========================  ==========================================  ======================================

Everything else parts words: hyphens (``well-known`` is two), slashes, underscores, colons, the dots of
``e.g.``. Scripts that are written without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar)
have no word boundaries to find without a dictionary: there every grapheme cluster is a word. Digits of
those scripts still form numbers. Symbols, punctuation and emoji are no words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import regex

_UNSPACED = (
    r"[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]"
    r"&&[\p{L}\p{Nl}]--[\p{GCB=Extend}\p{GCB=SpacingMark}]]"
)
_FIRST = rf"[[\p{{L}}\p{{N}}]--[\p{{GCB=Extend}}\p{{GCB=SpacingMark}}]--{_UNSPACED}]"
_NEXT = rf"[[\p{{L}}\p{{M}}\p{{N}}\p{{GCB=Extend}}\p{{GCB=ZWJ}}]--{_UNSPACED}]"
_JOINT = (
    r"(?:['’＇·‧\u05F3\u05F4\u00AD\u2060]"
    r"|(?<=\p{Nd})[.,．，\u066B\u066C](?=\p{Nd})"
    r'|(?<=\p{Hebrew})"(?=\p{Hebrew}))'
)
_WORD = regex.compile(rf"(?V1)(?P<unspaced>(?={_UNSPACED})\X)|{_FIRST}{_NEXT}*+(?:{_JOINT}(?={_FIRST}){_NEXT}++)*+")
# Arabic number signs and their like stand before the letter whose grapheme cluster they open.
_PREPENDED = frozenset(regex.findall(r"\p{GCB=Prepend}", "".join(map(chr, range(0x600, 0x12000)))))
_IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}+")
_APOSTROPHES = str.maketrans({"’": "'", "＇": "'"})


def word_spans(text: str) -> list[tuple[int, int]]:
    """Offsets of the words of ``text`` in code points, end exclusive, in order, never overlapping.

    A span covers whole grapheme clusters, so a mark never parts from its letter.
    """
    return [(start, end) for start, end, _ in _words(text)]


def terms(text: str) -> list[str]:
    """The terms of ``text`` for lexical models, in order: its words in one spelling.

    The spelling is NFKC and case-folded, without characters that nobody sees (ZWJ, ZWNJ, soft hyphen,
    variation selectors), with one kind of apostrophe. A run of a script without spaces gives each
    grapheme cluster, and each pair of neighbours, because single characters say too little there.
    """
    spelled = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    found: list[str] = []
    previous, previous_end = "", -1
    for start, end, unspaced in _words(spelled):
        term = _IGNORABLE.sub("", spelled[start:end]).translate(_APOSTROPHES)
        if not term:
            continue
        if unspaced and previous and previous_end == start:
            found.append(previous + term)
        found.append(term)
        previous, previous_end = (term if unspaced else ""), end
    return found


def _words(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, whether it is a grapheme cluster of a script without spaces) of each word."""
    done = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        while start > done and text[start - 1] in _PREPENDED:
            start -= 1
        yield start, end, match.lastgroup is not None
        done = end
