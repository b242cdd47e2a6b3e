"""How text and numbers are shown in a terminal: one line, in as many columns as there are, nothing read as markup."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from assay.chunkers.graphemes import Graphemes

WIDTH = 80
# ZWNJ, ZWJ; LRM, RLM, ALM; the number signs of Arabic and its like, which are format characters that show.
SHAPING = frozenset("\u200c\u200d\u200e\u200f\u061c\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")


class Output(Console):
    """rich's console, but a reader who has gone is the caller's to deal with: rich would exit with status 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(file: TextIO | None = None) -> Console:
    """A console for results: as wide as the terminal up to 100 columns, 80 in a pipe; no colour in a pipe."""
    out = file or sys.stdout
    width = min(100, shutil.get_terminal_size((WIDTH, 24)).columns) if out.isatty() else WIDTH
    return Output(file=out, width=max(40, width), highlight=False, emoji=False, markup=False, soft_wrap=False)


def plain(text: str) -> str:
    """``text`` on one line, with control, format and private characters made visible.

    What words need stays as it is: joiners, marks of direction, Arabic number signs. What turns other text around
    (embeddings, overrides, isolates) does not.
    """
    return "".join(
        char
        if char in SHAPING or unicodedata.category(char) not in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
        else " "
        if char in "\n\r\t\u2028\u2029"
        else f"\\u{ord(char):04x}"
        for char in text
    )


def cut_to(text: str, width: int) -> str:
    """``text`` in at most ``width`` columns, with an ellipsis where it was cut, never inside a grapheme cluster."""
    text = plain(text)
    if cell_len(text) <= width:
        return text
    kept = ""
    for char in text:
        if cell_len(kept + char) > width - 1:
            break
        kept += char
    return text[: Graphemes(text).floor(len(kept))].rstrip() + "…"


def fitting(table: Table, out: Console, dispensable: Sequence[str]) -> Table:
    """``table``, drawn closer, then without the ``dispensable`` columns one by one, as far as it would not fit otherwise.

    rich would cut numbers short instead, which then read as other numbers.
    """

    def fits() -> bool:
        return out.measure(table, options=out.options.update(max_width=1000)).maximum <= out.width

    if not fits():
        table.collapse_padding = True
    for title in dispensable:
        if not fits():
            table.columns = [column for column in table.columns if str(column.header) != title]
            for place, column in enumerate(table.columns):  # by it rich tells which column is the last, and its padding
                column._index = place
    return table


def number(value: float | None) -> str:
    """Three decimals, a dash for none."""
    return "–" if value is None else f"{value:.3f}"


def interval(found: Mapping[str, Any]) -> str:
    """The 95 % interval as text."""
    ci = found.get("ci95")
    return "" if ci is None else f"{ci[0]:.3f} – {ci[1]:.3f}"
