"""Look up, compute what is missing, keep it: each thing once, ever, by whichever process comes first."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from assay.store.base import Counted, Store
from assay.store.keys import Space
from assay.store.row_file import Matrix

Made = TypeVar("Made")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.5


def rows_of(
    store: Store,
    space: Space,
    keys: Sequence[bytes],
    compute: Callable[[list[int]], Matrix],
    portion: int,
    counted: Counted,
    progress: Callable[[int], None] = lambda _: None,
    order: Callable[[int], tuple[Any, ...]] | None = None,
) -> Matrix:
    """A matrix with a row a key: from the store, else computed and kept, ``portion`` distinct keys at a time.

    Without keys it has the shape (0, 1).

    Parameters
    ----------
    compute
        Makes the rows of these places in ``keys``, in the same order.
    progress
        Gets counts of keys whose rows are there and that ``compute`` did not make; it tells of its own itself.
    order
        Sorts places: what is computed first; the order of ``keys`` by default.

    What another process is computing is waited for, not computed again. Hits are keys that were there at first or came
    from another process, misses are distinct keys computed here.
    """
    if not keys:
        return np.empty((0, 1), np.float32)
    matrix, there = store.get_rows(space, keys)
    counted.hits += int(there.sum())
    progress(int(there.sum()))
    first: dict[bytes, int] = {}
    for place in np.flatnonzero(~there).tolist():
        first.setdefault(keys[place], place)
    left = dict(sorted(first.items(), key=lambda item: order(item[1])) if order is not None else first)
    pause = _FIRST_PAUSE
    while left:
        mine = store.claim(space, left, portion)
        try:
            looked = mine or list(islice(left, 8 * portion))
            rows, known = store.get_rows(space, looked)
            places = [left[key] for key in looked]
            if known.any():
                matrix = _with(matrix, [place for place, k in zip(places, known, strict=True) if k], rows[known])
                counted.hits += int(known.sum())
                progress(int(known.sum()))
            missing = [key for key, k in zip(mine, known, strict=False) if not k]
            if missing:
                fresh = compute([left[key] for key in missing])
                store.put_rows(space, missing, fresh)
                matrix = _with(matrix, [left[key] for key in missing], fresh)
                counted.misses += len(missing)
        finally:
            store.release(space)
        done = {key for key, k in zip(looked, known, strict=True) if k} | set(missing)
        if done:
            for key in done:
                del left[key]
            pause = _FIRST_PAUSE
        else:  # others are at it
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
    again = [(place, first[keys[place]]) for place in np.flatnonzero(~there).tolist() if first[keys[place]] != place]
    if again:
        matrix[[place for place, _ in again]] = matrix[[source for _, source in again]]
        progress(len(again))
    return matrix


def _with(matrix: Matrix, places: list[int], rows: Matrix) -> Matrix:
    """``matrix`` with these rows; a new one where it had no columns yet."""
    if matrix.shape[1] != rows.shape[1]:
        if matrix.shape[1]:
            raise ValueError(f"rows of {rows.shape[1]} numbers in a space of rows of {matrix.shape[1]}")
        matrix = np.zeros((len(matrix), rows.shape[1]), np.float32)
    matrix[places] = rows
    return matrix


def kept(
    store: Store,
    space: Space,
    key: str,
    counted: Counted,
    make: Callable[[], Made],
    pack: Callable[[Made], bytes],
    unpack: Callable[[bytes], Made],
) -> Made:
    """What lies under ``key``, else what ``make`` gives, kept. Bytes that ``unpack`` refuses by a ValueError are made anew."""
    payload = store.get_blob(space, key)
    if payload is not None:
        try:
            found = unpack(payload)
        except ValueError:
            payload = None
        else:
            counted.add(True)
            return found
    counted.add(False)
    made = make()
    store.put_blob(space, key, pack(made))
    return made
