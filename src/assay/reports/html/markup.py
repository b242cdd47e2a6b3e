"""HTML made of values: text is escaped unless it is ``Markup``, so nothing from a corpus can become a tag."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

VOID = frozenset({"input", "br", "hr", "col"})
# What HTML can't hold as text: control characters but tab and line breaks, halves of surrogate pairs, non-characters.
_NO_TEXT = dict.fromkeys((*range(9), 11, *range(14, 32), *range(127, 160), *range(55296, 57344)), "�")
_NO_TEXT |= dict.fromkeys((65534, 65535, 12), "�")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """A table's cell whose column is sorted by ``value``, not by what it shows; None comes last."""

    shown: Child
    value: float | None


Child: TypeAlias = "str | int | Cell | Iterable[Child] | None"


def tag(name: str, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """``<name …>children</name>``, children escaped unless they are ``Markup``; None is left out.

    An attribute's ``_`` stands for ``-`` and a last one is dropped (``class_``, ``aria_label``); True is an attribute
    without a value, False and None none at all.
    """
    opening = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escaped(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    inner = joined(*children)
    return Markup(f"<{name}{opening}>" if name in VOID else f"<{name}{opening}>{inner}</{name}>")


def joined(*children: Child) -> Markup:
    """``children`` one after the other, escaped unless they are ``Markup``."""
    return Markup("".join(_as_html(child) for child in children))


def escaped(text: str) -> str:
    """``text`` for an element or a quoted attribute; what HTML can't hold becomes U+FFFD."""
    return html.escape(clean(text), quote=True)


def clean(text: str) -> str:
    """``text`` with what neither HTML nor UTF-8 can hold replaced by U+FFFD."""
    return text.translate(_NO_TEXT)


def table(
    caption: str,
    head: Sequence[Child],
    rows: Iterable[Sequence[Child]],
    *,
    text_columns: int = 1,
    sortable: bool = False,
    row_classes: Mapping[int, str] | None = None,
) -> Markup:
    """A table that scrolls sideways where it is too wide; the first ``text_columns`` hold text, the others numbers.

    The first column holds the row's header. ``caption`` is what a screen reader calls the table.
    """
    classes = row_classes or {}

    def kind(place: int) -> str | None:
        return None if place < text_columns else "number"

    header = tag("tr", *(tag("th", cell, scope="col", class_=kind(i)) for i, cell in enumerate(head)))
    body = [
        tag(
            "tr",
            *(
                tag("th", cell, scope="row", data_value=_key(cell))
                if i == 0
                else tag("td", cell, class_=kind(i), data_value=_key(cell))
                for i, cell in enumerate(row)
            ),
            class_=classes.get(number),
        )
        for number, row in enumerate(rows)
    ]
    inner = tag(
        "table",
        tag("caption", caption, class_="unseen"),
        tag("thead", header),
        tag("tbody", *body),
        data_sortable=sortable,
    )
    return tag("div", inner, class_="wide", role="region", aria_label=caption)


def _key(cell: Child) -> str | None:
    return None if not isinstance(cell, Cell) else "" if cell.value is None else repr(cell.value)


def _as_html(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int):
        return escaped(str(child))
    if isinstance(child, Cell):
        return _as_html(child.shown)
    return "".join(_as_html(inner) for inner in child)
