"""What faces share: they stand in a page that is not ours, so styles are inline and ids are their own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable

from assay.errors import AssayError
from assay.reports.html.markup import Child, Markup, joined, tag
from assay.table import Table

QUIET = "opacity:.75"
STRONG = "font-weight:600"
_TAG = re.compile(r"<[^>]*>")
_ID = re.compile(r'(?<=\bid=")|(?<=href="#)|(?<=url\(#)|(?<=labelledby=")|(?<=-t )(?=[a-z]+-d")')


def face(make: Callable[[], Markup]) -> str:
    """What ``make`` makes; the fault in a line where a folder is damaged or gone, since a display must not raise."""
    try:
        return make()
    except AssayError as fault:
        return joined(*(tag("p", line) for line in fault.lines()))
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        return tag("p", f"a file of the run is damaged ({type(fault).__name__}: {fault}); run again")


def own_ids(chart: Markup, key: str) -> Markup:
    """``chart`` with ids that no other output of the notebook has, unless it shows the same chart of ``key``."""
    prefix = "assay-" + hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:12] + "-"
    return Markup(_TAG.sub(lambda found: _ID.sub(prefix, found[0]), chart))


def chart_of(shown: str, table: Table) -> Markup:
    """The chart in ``shown``, which ends with ``table``; empty where there is none."""
    return Markup(shown.removesuffix(table._repr_html_()))


def side_by_side(charts: Iterable[tuple[str, Markup]]) -> Markup:
    """``charts`` under their titles, in a row as far as there is room."""
    boxes = [
        tag("div", lines([title], QUIET), chart, style="flex:1 1 20rem;max-width:30rem") for title, chart in charts
    ]
    return tag("div", *boxes, style="display:flex;flex-wrap:wrap;gap:1rem")


def lines(texts: Iterable[str], style: str | None = None) -> Markup:
    """A paragraph each."""
    return joined(*(tag("p", text, style=f"margin:.3em 0;{style or ''}") for text in texts))


def folded(summary: str, *content: Child) -> Markup:
    """``content`` behind a line that opens it."""
    return tag("details", tag("summary", summary), *content)
