"""Which scripts a text is written in, by the Unicode property ``Script``: counting, no model."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

import regex

# Chinese and Japanese share characters, so their scripts count as one here.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Latin": ("Latin",),
    "Chinese or Japanese": ("Han", "Hiragana", "Katakana", "Bopomofo"),
    "Devanagari": ("Devanagari",),
    "Arabic": ("Arabic",),
    "Cyrillic": ("Cyrillic",),
    "Thai": ("Thai",),
    "Hangul": ("Hangul",),
    "Greek": ("Greek",),
    "Hebrew": ("Hebrew",),
    "Bengali": ("Bengali",),
    "Tamil": ("Tamil",),
    "Telugu": ("Telugu",),
    "Kannada": ("Kannada",),
    "Malayalam": ("Malayalam",),
    "Gujarati": ("Gujarati",),
    "Gurmukhi": ("Gurmukhi",),
    "Oriya": ("Oriya",),
    "Sinhala": ("Sinhala",),
    "Lao": ("Lao",),
    "Khmer": ("Khmer",),
    "Myanmar": ("Myanmar",),
    "Tibetan": ("Tibetan",),
    "Georgian": ("Georgian",),
    "Armenian": ("Armenian",),
    "Ethiopic": ("Ethiopic",),
}
OTHER = "another script"

_PATTERNS = [
    (name, regex.compile("(?V1)[" + "".join(rf"\p{{Script={script}}}" for script in scripts) + "]"))
    for name, scripts in GROUPS.items()
]
_SHARED = regex.compile(r"[\p{Script=Common}\p{Script=Inherited}]")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hira}\p{Kana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


def letters_by_script(text: str) -> Counter[str]:
    """How many letters of ``text`` each script has; digits, marks and letters that scripts share count nowhere."""
    found: Counter[str] = Counter()
    for character, number in Counter(text).items():
        script = _script(character)
        if script is not None:
            found[script] += number
    return found


def main_script(text: str) -> str | None:
    """The script that most letters of ``text`` are in; None without letters."""
    found = letters_by_script(text)
    return min(found, key=lambda script: (-found[script], script)) if found else None


def is_unspaced(word: str) -> bool:
    """Whether ``word`` opens in a script that is written without spaces between words."""
    return not word.isascii() and _UNSPACED.match(word) is not None


@lru_cache(maxsize=65536)
def _script(character: str) -> str | None:
    if not unicodedata.category(character).startswith("L") or _SHARED.match(character):
        return None
    return next((name for name, pattern in _PATTERNS if pattern.match(character)), OTHER)
