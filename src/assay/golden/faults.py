"""Faults are gathered, not raised one by one: a person mends a file in one go."""

from __future__ import annotations

from assay.errors import SHOWN_FAULTS, GoldenSetError

SHOWN_CHARACTERS = 60


class Faults:
    """The first faults of a golden set in reading order, and how many there were."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.total = 0

    def add(self, where: str, what: str) -> None:
        """Note one fault; past those that are shown, only its number is kept."""
        self.total += 1
        if len(self.shown) < SHOWN_FAULTS:
            self.shown.append(f"{where}: {what}")

    def raise_if_any(self) -> None:
        """Raise ``GoldenSetError`` with all that was gathered, if anything was."""
        if self.total:
            raise GoldenSetError(self.shown, self.total)


def quoted(value: object) -> str:
    """``value`` as a fault shows it: in quotes, and cut where it is too long for a line."""
    if isinstance(value, str) and len(value) > SHOWN_CHARACTERS:
        return f"{value[:SHOWN_CHARACTERS]!r}… ({len(value)} characters)"
    return repr(value)
