"""What can go wrong through a user's doing, and nothing else.

::

    AssayError                 one line, exit status 2
    ├── ConfigError            a config key, its value, and what would be right
    ├── GoldenSetError         faults in a golden set, each with file:line
    ├── DataError              another input file (a TREC run, qrels, a run folder)
    └── StageError             a stage can't do what the config asks on this data (model missing, too few vectors)

A message says what is wrong, where (``file:line`` or config key), and what would be right. Anything that
is not an ``AssayError`` is a bug in assay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

SHOWN_FAULTS = 20
# A login ends at the last @; a password may hold what a URL should not.
_LOGIN = re.compile(r"(?<=://)(?:[^/\s@:\"']*:[^\s\"']*|[^/\s\"']+)@")
_SECRET_OF_URL = re.compile(r"(?i)([?&][\w.\-]*(?:password|passwd|pwd|secret|token|key)=)[^&\s\"']+")


class AssayError(Exception):
    """Base of every fault that a user can cause; its text is the line that is shown."""

    def lines(self) -> list[str]:
        """The lines to print on stderr, each free of line breaks."""
        return [one_line(str(self))]


class ConfigError(AssayError):
    """A config key has a value that can't hold; the message opens with the key."""


class DataError(AssayError):
    """An input file other than a golden set is faulty; the message opens with file:line."""


class StageError(AssayError):
    """A stage can't do what the config asks for; the message opens with the config key."""


class GoldenSetError(AssayError):
    """One or more faults in a golden set, in reading order, each opening with ``file:line``.

    Parameters
    ----------
    faults
        The lines to show; ``total`` may be larger when reading stopped counting them one by one.
    total
        Number of faults found.
    """

    def __init__(self, faults: Sequence[str], total: int | None = None) -> None:
        self.faults = list(faults)
        self.total = len(self.faults) if total is None else total
        super().__init__("\n".join(self.lines()))

    def lines(self) -> list[str]:
        shown = [one_line(fault) for fault in self.faults[:SHOWN_FAULTS]]
        if self.total > len(shown):
            shown.append(f"{self.total} faults in all, {len(shown)} shown")
        return shown


def one_line(text: str) -> str:
    """``text`` as one line without logins: control characters and line breaks are made visible."""
    return "".join(
        c if c.isprintable() or c == " " else f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}"
        for c in without_logins(" ".join(text.splitlines()))
    )


def without_logins(text: str) -> str:
    """``text`` with the login in each URL, and what its query calls a secret, written ``***``."""
    return _SECRET_OF_URL.sub(r"\1***", _LOGIN.sub("***@", text))
