"""All rows of one space, in as many files as there were puts (small ones are merged from time to time)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.store.container import Damaged
from assay.store.keys import KEY_BYTES, Space
from assay.store.row_file import SUFFIX, Keys, Matrix, Places, RowFile, open_row_file

NAME = re.compile(rf"[0-9a-f]{{32}}{re.escape(SUFFIX)}")
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Level:
    """Some files of a space and the first bytes of all their keys, sorted: in which file and row each key lies."""

    files: tuple[RowFile, ...]
    prefixes: NDArray[np.uint64]
    owner: Places
    row: Places

    def __len__(self) -> int:
        return len(self.prefixes)

    def find(self, keys: Keys, wanted: NDArray[np.uint64]) -> tuple[Places, Places]:
        """File (-1: none) and row of each key; ``wanted`` are the first bytes of ``keys``."""
        owner, row = np.full(len(keys), -1, np.int64), np.zeros(len(keys), np.int64)
        at = np.minimum(np.searchsorted(self.prefixes, wanted), len(self) - 1)
        near = np.flatnonzero(self.prefixes[at] == wanted)
        for number in np.unique(self.owner[at[near]]):
            mine = near[self.owner[at[near]] == number]
            rows = self.row[at[mine]]
            same = (self.files[number].keys[rows] == keys[mine]).all(axis=1)
            owner[mine[same]], row[mine[same]] = number, rows[same]
        return owner, row


def level(files: Sequence[RowFile]) -> Level:
    """The level of at least one file."""
    prefixes = np.concatenate([prefix_of(file.keys) for file in files])
    order = np.argsort(prefixes, kind="stable")
    sizes = [len(file) for file in files]
    owner, row = np.repeat(np.arange(len(files)), sizes), np.concatenate([np.arange(size) for size in sizes])
    return Level(tuple(files), prefixes[order], owner[order], row[order])


class RowSpace:
    """Finds keys in the files of ``folder``. Files may come and go at any time: each search looks at the folder anew.

    Each level has at least twice as many keys as the next, so that a put does not sort again what many puts have brought.
    """

    def __init__(self, folder: Path, space: Space) -> None:
        self.folder = folder
        self.space = space
        self.damaged: list[Path] = []
        self._levels: list[Level] = []

    @property
    def files(self) -> list[RowFile]:
        """The files that were there at the last look."""
        return [file for each in self._levels for file in each.files]

    def refresh(self) -> None:
        """Take up new files, forget those that are gone, note damaged ones in ``damaged``."""
        try:
            with os.scandir(self.folder) as found:
                names = {e.name for e in found if NAME.fullmatch(e.name) and e.is_file(follow_symlinks=False)}
        except OSError:
            names = set()
        self._keep(lambda file: file.path.name in names)
        new = []
        for name in sorted(names - {file.path.name for file in self.files}):
            try:
                new.append(open_row_file(self.folder / name, self.space.stage, self.space.key))
            except Damaged:
                self.damaged.append(self.folder / name)
            except OSError:
                continue  # gone, or out of reach: not there for us
        if new:
            self._add(level(new))

    def _keep(self, stays: Callable[[RowFile], bool]) -> None:
        """Forget the other files."""
        before, self._levels = self._levels, []
        for each in before:
            left = [file for file in each.files if stays(file)]
            if len(left) == len(each.files):
                self._levels.append(each)
            elif left:
                self._add(level(left))

    def _add(self, last: Level) -> None:
        while self._levels and len(self._levels[-1]) < 2 * len(last):
            last = level([*self._levels.pop().files, *last.files])
        self._levels.append(last)

    def find(self, keys: Keys) -> list[tuple[RowFile, Places, Places]]:
        """Each file that has any of ``keys``, the places of these in ``keys``, and their rows in the file, ascending."""
        found: list[tuple[RowFile, Places, Places]] = []
        wanted, left = prefix_of(keys), np.arange(len(keys))
        for each in self._levels:
            owner, row = each.find(keys[left], wanted[left])
            for number in np.unique(owner[owner >= 0]):
                places = np.flatnonzero(owner == number)
                places = places[np.argsort(row[places], kind="stable")]
                found.append((each.files[number], left[places], row[places]))
            left = left[owner < 0]
        return found

    def get(self, keys: Sequence[bytes]) -> tuple[Matrix, Mask, list[RowFile], list[RowFile]]:
        """A matrix with a row a key, which rows are there, and the files that were read and those found damaged."""
        self.refresh()
        found = self.find(as_keys(keys))
        width = _width(found)
        matrix, there = np.zeros((len(keys), width), np.float32), np.zeros(len(keys), np.bool_)
        read: list[RowFile] = []
        damaged: list[RowFile] = []
        for file, places, wanted in found:
            if file.width != width:
                continue
            try:
                rows, sound = file.read(wanted)
            except OSError:
                continue
            matrix[places[sound]] = rows[sound]
            there[places] = sound
            (read if sound.all() else damaged).append(file)
        return matrix, there, read, damaged

    def forget(self, paths: Collection[Path]) -> None:
        """Search the files at ``paths`` no more."""
        gone = set(paths)
        self.damaged = [path for path in self.damaged if path not in gone]
        self._keep(lambda file: file.path not in gone)


def _width(found: Sequence[tuple[RowFile, Places, Places]]) -> int:
    """The width that most of the wanted rows have; one space has one width, unless it was tampered with."""
    counts: dict[int, int] = {}
    for file, places, _ in found:
        counts[file.width] = counts.get(file.width, 0) + len(places)
    return max(counts, key=lambda width: counts[width], default=0)


def small_files(folder: Path, below: int) -> int:
    """How many row files of fewer than ``below`` bytes lie in ``folder``."""
    try:
        with os.scandir(folder) as found:
            return sum(1 for e in found if NAME.fullmatch(e.name) and e.stat(follow_symlinks=False).st_size < below)
    except OSError:
        return 0


def as_keys(keys: Sequence[bytes]) -> Keys:
    """Keys of 32 bytes as a matrix."""
    if any(len(key) != KEY_BYTES for key in keys):
        raise ValueError("a key is a hash of 32 bytes")
    return np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), KEY_BYTES)


def prefix_of(keys: Keys) -> NDArray[np.uint64]:
    """The first 8 bytes of each key as a number."""
    return np.ascontiguousarray(keys[:, :8]).view("<u8").reshape(-1).astype(np.uint64)
