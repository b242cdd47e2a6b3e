"""Documents' texts on disk, for those readers that must look into them again: quotes, offsets."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from pathlib import Path

KEPT = 8


class TextStore:
    """Texts by number, in the order they were added; the last few that were asked for stay in memory."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")
        self._starts = array("q", [0])
        self._recent: OrderedDict[int, str] = OrderedDict()

    def add(self, text: str) -> None:
        """Keep ``text`` under the next number."""
        raw = text.encode("utf-8")
        self._file.seek(0, 2)
        self._file.write(raw)
        self._starts.append(self._starts[-1] + len(raw))

    def __getitem__(self, number: int) -> str:
        if number in self._recent:
            self._recent.move_to_end(number)
            return self._recent[number]
        self._file.seek(self._starts[number])
        text = self._file.read(self._starts[number + 1] - self._starts[number]).decode("utf-8")
        self._recent[number] = text
        if len(self._recent) > KEPT:
            self._recent.popitem(last=False)
        return text

    def close(self) -> None:
        """Let the file go."""
        self._file.close()
