"""A chart as a part of a page: heading, one sentence that says what it shows, drawing, and its values as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.reports.html.markup import Child, Markup, joined, table, tag


@dataclass(frozen=True, slots=True)
class Chart:
    """``says`` is the sentence under the heading; ``head`` and ``rows`` are the values, ``text_columns`` of them words."""

    title: str
    says: str
    svg: Markup
    head: Sequence[str]
    rows: Sequence[Sequence[Child]]
    text_columns: int = 1
    legend: Sequence[tuple[str, str]] = ()

    def figure(self) -> Markup:
        """The ``figure`` element."""
        return tag(
            "figure",
            tag("figcaption", tag("h3", self.title), tag("p", self.says)),
            legend(self.legend) if self.legend else None,
            self.svg,
            tag(
                "details",
                tag("summary", "Values"),
                table(f"{self.title}: values", self.head, self.rows, text_columns=self.text_columns),
            ),
        )


def legend(entries: Sequence[tuple[str, str]]) -> Markup:
    """What the colours mean: ``(role, words)`` each, as text beside a swatch."""
    return tag(
        "ul",
        *(tag("li", tag("span", class_="swatch", style=f"background:var(--{role})"), words) for role, words in entries),
        class_="legend",
    )


def figures(charts: Sequence[Chart | None]) -> Markup:
    """The charts that there are, in a grid."""
    found = [chart.figure() for chart in charts if chart is not None]
    return tag("div", *found, class_="figures") if found else joined()
