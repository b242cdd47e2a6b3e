"""The cells of a row by role, each with the type it must have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.golden.convert.columns import Columns
from assay.golden.convert.grades import grade_of, wrong_grade
from assay.golden.convert.json_rows import is_whole
from assay.golden.faults import quoted
from assay.golden.jsonl import decoder, kind_of

_TRUE, _FALSE = {"true", "yes", "1", "y"}, {"false", "no", "0", "n"}


class Wrong(ValueError):
    """What keeps a row from being used; the text is the fault."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage as a row has it: a quote, offsets, or both."""

    quote: str | None
    start: int | None
    end: int | None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Cells:
    """One row; every method raises ``Wrong`` where a cell can't be what its role asks."""

    row: Mapping[str, Any]
    columns: Columns

    def evidence(self) -> list[Evidence]:
        """The passages that the row names."""
        group = self.text("group") or None
        found = [self._reference(value, group) for value in self.listed("references")]
        quotes = self.value("quote")
        start, end = self.offset("start"), self.offset("end")
        if isinstance(quotes, list):
            return found + [self._reference(quote, group) for quote in quotes]
        if not isinstance(quotes, str | None):
            raise Wrong(f"the quote is {kind_of(quotes)}; a string is right")
        if quotes or start is not None or end is not None:
            found.append(Evidence(quotes or None, start, end, group))
        return found

    def _reference(self, value: object, group: str | None) -> Evidence:
        if isinstance(value, str):
            return Evidence(value, None, None, group)
        if not isinstance(value, Mapping):
            raise Wrong(f"a reference is {kind_of(value)}; an object with content and offsets, or a quote, is right")
        quote = of_keys(value, ("content", "quote", "text"))
        start = of_keys(value, ("start_index", "start", "answer_start"))
        end = of_keys(value, ("end_index", "end", "answer_end"))
        if not isinstance(quote, str | None) or not all(one is None or is_whole(one) for one in (start, end)):
            raise Wrong("a reference's content is no string or its offsets are no whole numbers; these are right")
        if quote is None and (start is None or end is None):
            raise Wrong("a reference without content and without offsets; one of the two is right")
        return Evidence(quote, start, end, group)

    def grade(self) -> int:
        """The grade, 1 where no column has it."""
        if "grade" not in self.columns:
            return 1
        value = self.value("grade")
        if isinstance(value, bool) or value is None:
            raise Wrong(f"grade is {kind_of(value)}; an integer is right, > 0 for relevant")
        grade = grade_of(str(value))
        if grade is None:
            raise Wrong(wrong_grade(value))
        return grade

    def answerable(self) -> bool | None:
        """Whether the question has an answer; None where the row doesn't say."""
        for role, sense in (("answerable", True), ("impossible", False)):
            value = self.value(role)
            if value is None or value == "":
                continue
            text = str(value).strip().lower()
            if text not in _TRUE | _FALSE:
                raise Wrong(f"{role} is {quoted(value)}; true or false is right")
            return (text in _TRUE) is sense
        return None

    def metadata(self) -> dict[str, Any]:
        """The query's metadata, a JSON object in a cell."""
        value = parsed(self.value("metadata"), "{")
        if value is None or value == "":
            return {}
        if not isinstance(value, dict):
            raise Wrong(f"metadata is {kind_of(value)}; a JSON object is right")
        return value

    def offset(self, role: str) -> int | None:
        """A place in the text, or None where the cell is empty."""
        value = self.value(role)
        if value is None or value == "":
            return None
        if is_whole(value):
            return int(value)
        if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 16:
            return int(value)
        raise Wrong(f"{role} {quoted(value)} is not a whole number; a place in the text, in characters, is right")

    def listed(self, role: str) -> Sequence[Any]:
        """The value of a role as a list: one value, a list, or a list as JSON in a cell."""
        value = parsed(self.value(role), "[")
        if value is None or value == "":
            return []
        if not isinstance(value, list):
            return [value]
        # Other tools nest lists: alternatives within what is needed.
        flat = [inner for one in value for inner in (one if isinstance(one, list) else [one])]
        return [one for one in flat if one is not None and one != ""]

    def text(self, role: str) -> str | None:
        """A string, or None."""
        value = self.value(role)
        if not isinstance(value, str | None):
            raise Wrong(f"{role} is {kind_of(value)}; a string is right")
        return value

    def value(self, role: str) -> Any:
        """The cell as it is, None where there is no such column or field."""
        name = self.columns.get(role)
        if name is None:
            return None
        if name in self.row:
            return self.row[name]
        value: Any = self.row
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return value


def of_keys(value: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """The first of ``keys`` that ``value`` has, or None."""
    return next((value[key] for key in keys if value.get(key) is not None), None)


def parsed(value: object, opens: str) -> Any:
    """A cell that holds JSON, read; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(opens):
        return value
    try:
        return decoder().decode(value.strip())
    except RecursionError:
        raise Wrong("JSON in a cell is nested too deeply") from None
    except ValueError as error:
        if opens == "[":
            return value
        raise Wrong(f"JSON in a cell can't be read ({error}); whole JSON is right") from None
