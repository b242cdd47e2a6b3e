"""Texts as rows of numbers, a number a word, so that wordings can be compared by the million."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.golden.lint.scripts import is_unspaced
from assay.words import word_spans

Numbers = NDArray[np.int64]
RARE_SHARE = 0.05  # a word that a twentieth of the documents have says little about any of them
COPIED_WORDS = 4
COPIED_CHARACTERS = 8  # where every character counts as a word
SHORT_PART = 32  # characters between white space that are worth remembering


class Wording:
    """The words of a corpus, NFKC and case-folded, in rows of numbers by document."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._numbers: dict[str, int] = {}
        self._unspaced: list[bool] = []
        self._features: dict[int, Numbers] = {}
        self._runs: dict[tuple[int, int], NDArray[np.uint64]] = {}
        self.rows: list[Numbers] = [self.numbers(text) for text in texts]

    def numbers(self, text: str) -> Numbers:
        """The words of ``text`` in order, each as its number."""
        known = self._numbers
        found = np.fromiter((known.setdefault(word, len(known)) for word in spelled_words(text)), np.int64)
        if len(known) > len(self._unspaced):
            self._unspaced += [is_unspaced(word) for word in list(known)[len(self._unspaced) :]]
        return found

    def features(self, row: Numbers) -> Numbers:
        """The distinct words of ``row``, rising; of scripts without spaces, its pairs of neighbouring characters."""
        single = self.unspaced(row)
        if not single.any():
            return np.unique(row)
        pairs = single[:-1] & single[1:]
        joined = ((row[:-1] + 1) << 32) | row[1:]
        return np.unique(np.concatenate([row[~single], joined[pairs]]))

    def unspaced(self, row: Numbers) -> NDArray[np.bool_]:
        """Whether each word of ``row`` is a character of a script without spaces."""
        return np.array([self._unspaced[number] for number in row], np.bool_)

    @cached_property
    def _frequencies(self) -> tuple[Numbers, Numbers]:
        found = [self.features(row) for row in self.rows]
        values, counts = np.unique(np.concatenate(found) if found else np.empty(0, np.int64), return_counts=True)
        return values, counts

    def is_rare(self, features: Numbers) -> NDArray[np.bool_]:
        """Whether at most a twentieth of the documents (one at least) have each of ``features``."""
        values, counts = self._frequencies
        if not len(values):
            return np.ones(len(features), np.bool_)
        at = np.minimum(np.searchsorted(values, features), len(values) - 1)
        documents = np.where(values[at] == features, counts[at], 0)
        return np.asarray(documents <= max(1, RARE_SHARE * len(self.rows)))

    def features_of(self, at: int) -> Numbers:
        """``features`` of the document in row ``at``, kept."""
        if at not in self._features:
            self._features[at] = self.features(self.rows[at])
        return self._features[at]

    def copied(self, question: Numbers, at: int) -> tuple[int, int] | None:
        """The first run of words of ``question``, from which on and up to which, in the document of row ``at``.

        A run has four words or more (eight characters in scripts without spaces), and a rare one among them.
        """
        width = COPIED_CHARACTERS if self.unspaced(question).any() else COPIED_WORDS
        if min(len(question), len(self.rows[at])) < width:
            return None
        if (at, width) not in self._runs:
            self._runs[at, width] = np.unique(run_codes(self.rows[at], width))
        there = contained(run_codes(question, width), self._runs[at, width])
        start = 0
        while start < len(there):
            end = start
            while end < len(there) and there[end]:
                end += 1
            if end > start and self.is_rare(self.features(question[start : end - 1 + width])).any():
                return start, end - 1 + width
            start = end + 1
        return None


def spelled_words(text: str) -> list[str]:
    """The words of ``text`` by the project's rule, NFKC and case-folded.

    No word has white space in it, so that what stands between white space can be looked up: most of it is there
    again and again.
    """
    spelled = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    found: list[str] = []
    for part in spelled.split():
        found += _words_of_short(part) if len(part) <= SHORT_PART else _words_of(part)
    return found


def _words_of(part: str) -> tuple[str, ...]:
    return tuple(part[start:end] for start, end in word_spans(part))


_words_of_short = lru_cache(maxsize=1 << 17)(_words_of)


def contained(values: NDArray[Any], rising: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each of ``values`` is in ``rising``, by binary search: a few values in many."""
    if not len(rising):
        return np.zeros(len(values), np.bool_)
    return np.asarray(rising[np.minimum(np.searchsorted(rising, values), len(rising) - 1)] == values)


def run_codes(row: Numbers, width: int) -> NDArray[np.uint64]:
    """A 64-bit code of each run of ``width`` neighbouring numbers of ``row``; equal runs have equal codes."""
    if len(row) < width:
        return np.empty(0, np.uint64)
    code = np.zeros(len(row) - width + 1, np.uint64)
    for i in range(width):
        code = mixed(code * np.uint64(31) + row[i : len(row) - width + 1 + i].astype(np.uint64) + np.uint64(1))
    return code


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """``values`` scattered over all 64 bits (the finaliser of SplitMix64, Steele et al. 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
