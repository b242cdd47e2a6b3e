"""A small table of rows that becomes a DataFrame where pandas or polars is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_ROWS = 200  # that are shown
UNROLLED = 20  # rows that are shown without a box to scroll in
SHORT = 24  # characters of a cell that stays on one line
LEFT = "text-align:left"
RIGHT = "text-align:right;font-variant-numeric:tabular-nums"


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """Rows with the same keys, in a fixed order of columns."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> Table:
        """A table of ``rows``; columns in the order in which they first appear."""
        return cls(tuple(dict.fromkeys(key for row in rows for key in row)), tuple(rows))

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dict a row, None where a row has no value."""
        return [{column: row.get(column) for column in self.columns} for row in self.rows]

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``; ImportError where pandas is not installed."""
        import pandas

        return pandas.DataFrame(self.to_dicts(), columns=list(self.columns))

    def to_polars(self) -> Any:
        """A ``polars.DataFrame``; ImportError where polars is not installed."""
        import polars

        # Types are read from all rows: a column may begin with many nulls.
        return polars.DataFrame(self.to_dicts(), schema=list(self.columns), infer_schema_length=None)

    def __repr__(self) -> str:
        """The first rows as text."""
        more = len(self.rows) - MOST_ROWS
        if more <= 0:
            return str(self)
        return f"{Table(self.columns, self.rows[:MOST_ROWS])}\n{self._more(more)}"

    def __str__(self) -> str:
        cells = [
            list(self.columns),
            *([shown(row.get(column)) for column in self.columns] for row in self.rows),
        ]
        widths = [max(len(line[i]) for line in cells) for i in range(len(self.columns))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
        )

    def _repr_html_(self) -> str:
        """The first rows for a notebook: numbers to the right, many rows in a box that scrolls."""
        from assay.reports.html.markup import Markup, joined, tag

        rows = self.rows[:MOST_ROWS]
        is_text = {column: not _is_numeric(column, rows) for column in self.columns}

        def cell(column: str, text: str) -> Markup:
            style = None if not is_text[column] else LEFT if len(text) > SHORT else f"{LEFT};white-space:nowrap"
            return tag("td", text, style=style)

        head = tag("tr", *(tag("th", one, scope="col", style=LEFT if is_text[one] else None) for one in self.columns))
        body = [tag("tr", *(cell(column, shown(row.get(column))) for column in self.columns)) for row in rows]
        table = tag("table", tag("thead", head, style=RIGHT), tag("tbody", *body, style=RIGHT))
        more = len(self.rows) - len(rows)
        return joined(
            tag("div", table, style="overflow:auto" + (";max-height:30rem" if len(rows) > UNROLLED else "")),
            tag("p", self._more(more)) if more else None,
        )

    def _more(self, more: int) -> str:
        return f"{more:,} more rows; to_pandas() and to_polars() have all {len(self.rows):,}"


def shown(value: Any) -> str:
    """A cell as text: three decimals, an empty cell for None."""
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _is_numeric(column: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    values = [value for row in rows if (value := row.get(column)) is not None]
    return bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
