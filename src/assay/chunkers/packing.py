"""Units into pieces: the one loop that every chunker with a size runs.

A text is first parted into units (tokens, sentences, paragraphs) by a rising list of bounds, the first 0 and
the last the text's length. Units are then packed into pieces, in order.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from assay.chunkers.base import Piece
from assay.chunkers.token_map import TokenMap

_VISIBLE = re.compile(r"\S")


def refined(bounds: Sequence[int], cuts: Sequence[int], tokens: TokenMap, size: int) -> list[int]:
    """``bounds``, with those of ``cuts`` added that lie inside a unit of more than ``size`` tokens.

    Both rise. A cut that would leave a unit without tokens at the front of a parted one is left out.
    """
    before = tokens.before(bounds)
    out = [bounds[0]]
    for i, end in enumerate(bounds[1:], 1):
        start = bounds[i - 1]
        if before[i] - before[i - 1] > size:
            inside = list(cuts[bisect_right(cuts, start) : bisect_left(cuts, end)])
            if inside and tokens.count(start, inside[0]) == 0:
                del inside[0]
            out += inside
        out.append(end)
    return out


def packed(bounds: Sequence[int], tokens: TokenMap, size: int, overlap: int) -> list[Piece]:
    """Pieces of as many whole units as fit into ``size`` tokens.

    A piece begins with the last units of the one before that fit into ``overlap`` tokens, fewer if the
    next unit would not fit otherwise. A unit above ``size`` is a piece of its own. Every piece starts
    after the one before, and has text that it lacks.
    """
    last = len(bounds) - 1
    before = tokens.before(bounds)
    pieces: list[Piece] = []
    covered = 0
    first = _next_visible(0, bounds, tokens.text)
    while first < last:
        stop = max(bisect_right(before, before[first] + size) - 1, first + 1)
        stop = bisect_right(before, before[stop]) - 1  # units without tokens belong to the token before them
        extent = tokens.trimmed(bounds[first], bounds[stop])
        if extent is not None and extent[1] > covered:
            pieces.append(Piece(*extent))
            covered = extent[1]
        if stop == last:
            break
        # At most ``overlap`` tokens from there to here, and room for the next unit behind them. The latter also
        # moves it past ``first``, whatever the overlap: from there the next unit did not fit.
        shared = bisect_left(before, max(before[stop] - overlap, before[stop + 1] - size))
        shared = bisect_right(before, before[shared]) - 1
        first = _next_visible(min(shared, stop), bounds, tokens.text)
    return pieces


def _next_visible(unit: int, bounds: Sequence[int], text: str) -> int:
    """The first unit from ``unit`` on that is not only white space; the number of units if there is none."""
    match = _VISIBLE.search(text, bounds[unit])
    return bisect_right(bounds, match.start()) - 1 if match else len(bounds) - 1
