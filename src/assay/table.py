"""A small table of rows that becomes a DataFrame where pandas or polars is installed."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
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

        return polars.DataFrame(self.to_dicts(), schema=list(self.columns))

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
        head = "".join(f"<th>{html.escape(column)}</th>" for column in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(shown(row.get(column)))}</td>" for column in self.columns) + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shown(value: Any) -> str:
    """A cell as text: three decimals, an empty cell for None."""
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
