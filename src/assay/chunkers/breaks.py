"""Where paragraphs, lines and words begin, but for the first.

Offsets in code points, rising, never the text's length, none with only white space before it.
"""

from __future__ import annotations

import regex

from assay.words import word_spans

_LINE_ENDS = r"\n\r\v\f\x85\u2028"
_LINE_END = rf"(?:\r\n|[{_LINE_ENDS}])"
_LINE = regex.compile(rf"{_LINE_END}|\u2029")
_PARAGRAPH = regex.compile(rf"(?V1){_LINE_END}(?:[\s--[{_LINE_ENDS}\u2029]]*+{_LINE_END})++\s*+|\u2029\s*+")
_OPENING = regex.compile(r"[\p{Ps}\p{Pi}]")


def paragraph_breaks(text: str) -> list[int]:
    """Offsets after blank lines and paragraph separators, and the indentation behind them."""
    return _ends(_PARAGRAPH, text)


def line_breaks(text: str) -> list[int]:
    """Offsets after line breaks of every kind."""
    return _ends(_LINE, text)


def word_breaks(text: str) -> list[int]:
    """Offsets where words begin, with the opening marks right before them; other punctuation goes left."""
    breaks = []
    done = 0
    for start, end in word_spans(text):
        at = start
        while at > done and _OPENING.match(text, at - 1):
            at -= 1
        if at > 0:
            breaks.append(at)
        done = end
    return breaks


def _ends(pattern: regex.Pattern[str], text: str) -> list[int]:
    visible = len(text) - len(text.lstrip())
    return [end for match in pattern.finditer(text) if visible < (end := match.end()) < len(text)]
