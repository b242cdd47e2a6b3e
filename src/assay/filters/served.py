"""How searches under a filter were answered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Served:
    """Counts of queries.

    Attributes
    ----------
    queries
        All that were asked under a filter.
    nothing_allowed
        No chunk in the index is allowed.
    selective, no_selector, fell_back
        Answered by exact search over what is allowed: because that is little, because the index can't search among chosen
        rows, or because it left slots unfilled though there were more.
    grown
        More was fetched than first asked, since too little of it was allowed (``post``).
    under_filled
        Fewer documents than wanted, though the filter allows more.
    """

    queries: int = 0
    nothing_allowed: int = 0
    selective: int = 0
    no_selector: int = 0
    fell_back: int = 0
    grown: int = 0
    under_filled: int = 0

    @property
    def exact(self) -> int:
        """Queries answered by exact search over what is allowed."""
        return self.selective + self.no_selector + self.fell_back
