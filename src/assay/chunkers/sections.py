"""Which sections of a Markdown text stay together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.chunkers.markdown_blocks import Heading
from assay.chunkers.token_map import TokenMap


def section_runs(headings: Sequence[Heading], tokens: TokenMap, size: int) -> list[int]:
    """Offsets at which a new piece must begin, rising, the first 0.

    A section is a heading, what stands below it, and the sections of deeper headings that follow. It begins a piece,
    unless it and the sections right before it under the same parent, the parent's own text first, fit into ``size``
    tokens together. A heading with nothing between it and the next deeper one goes with that one.
    """
    return list(_runs(headings, 0, 0, len(tokens.text), tokens, size))


def _runs(headings: Sequence[Heading], first: int, start: int, end: int, tokens: TokenMap, size: int) -> Iterator[int]:
    """Runs of the section ``text[start:end]``, whose own heading is the one before ``headings[first]``."""
    run: int | None = start  # where the run begins that the next section may join; None: it may join none
    head_end = headings[first - 1].end if first else 0
    bare = first < len(headings) and not tokens.text[head_end : headings[first].start].strip()
    while first < len(headings) and headings[first].start < end:
        here = headings[first]
        following = _next_sibling(headings, first)
        stop = min(end, headings[following].start) if following < len(headings) else end
        if run is None or (tokens.count(run, stop) > size and not bare):
            if run is not None:
                yield run
            run = here.start
        bare = False
        if tokens.count(run, stop) > size:
            yield from _runs(headings, first + 1, run, stop, tokens, size)
            run = None
        first = following
    if run is not None:
        yield run


def _next_sibling(headings: Sequence[Heading], at: int) -> int:
    """The next heading that is not deeper than the one ``at``; the number of headings if there is none."""
    return next((i for i in range(at + 1, len(headings)) if headings[i].level <= headings[at].level), len(headings))
