"""Holm's correction for having looked at several comparisons."""

from __future__ import annotations

from collections.abc import Sequence


def holm(values: Sequence[float | None], family: int | None = None) -> list[float | None]:
    """The corrected p-values, in the order of ``values``; None (a comparison that was not made) stays None.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none is below one before it, none above 1.
    Rejecting those up to 5 % makes a false rejection among the whole family in at most 5 % of cases, however the
    comparisons hang together (Holm 1979). ``family``, if given, is a number of comparisons larger than those in
    ``values``: the others count as if their p-values were not small.
    """
    made = sorted((value, place) for place, value in enumerate(values) if value is not None)
    size = max(len(made), family or 0)
    corrected: list[float | None] = [None] * len(values)
    least = 0.0
    for rank, (value, place) in enumerate(made):
        least = max(least, min(1.0, (size - rank) * value))
        corrected[place] = least
    return corrected
