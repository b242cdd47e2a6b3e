"""ISO 8601 dates in metadata, as instants.

``2024-03-01``, ``2024-03-01T09:30``, ``2024-03-01 09:30:00.5Z``, ``2024-03-01T09:30:00+05:30``. A date alone is its midnight;
a time without an offset is in UTC. So ``2024-03-01`` equals ``2024-03-01T00:00:00Z`` and lies before ``2024-03-01T09:30``.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache

_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
_START = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def looks_like_date(text: str) -> bool:
    """Whether ``text`` has the form of an ISO date, there or not on the calendar."""
    return _ISO.fullmatch(text) is not None


@lru_cache(maxsize=65536)
def instant(text: str) -> int | None:
    """Microseconds from 1970 in UTC; None where ``text`` is no ISO date."""
    if not text[:4].isdigit() or not looks_like_date(text):
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return None
    offset = read.utcoffset() or timedelta()
    return ((read.replace(tzinfo=None) - _START) - offset) // _MICROSECOND
