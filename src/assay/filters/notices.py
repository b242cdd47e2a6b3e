"""What a user should know of a filter, one line each, with numbers."""

from __future__ import annotations

from collections.abc import Sequence

from assay.filters.columns import nearest_field
from assay.filters.served import Served
from assay.records import Metadata


def unknown_field(field: str, documents: Sequence[Metadata]) -> str:
    """A condition names a field that no document has."""
    close = nearest_field(field, documents)
    return f"filter.where: no document has {field!r} in its metadata" + (f"; did you mean {close!r}?" if close else "")


def unknown_query_field(field: str, queries: Sequence[Metadata]) -> str:
    """A condition asks for a field that no query has."""
    close = nearest_field(field, queries)
    return f"filter.where: no query has {field!r} in its metadata" + (f"; did you mean {close!r}?" if close else "")


def none_allowed(queries: int, of: int, first: str) -> str:
    """Queries that may get nothing back."""
    return f"filter.where lets no document through for {queries} of {of} queries (first: {first})"


def search_notices(served: Served, index: str, wanted: int) -> list[str]:
    """How a search under a filter went; ``index`` is the kind, ``wanted`` the documents that a ranking should hold."""
    notices = []
    if served.exact:
        why = {
            "at most a tenth of the chunks, or no more than the depth, is allowed": served.selective,
            f"index={index} can't search among chosen chunks": served.no_selector,
            "the index left slots unfilled": served.fell_back,
        }
        reasons = "; ".join(f"{count}: {reason}" for reason, count in why.items() if count)
        notices.append(
            f"filter: {served.exact} of {served.queries} queries were answered by exact search over what is allowed, "
            f"not by index={index} ({reasons})"
        )
    if served.grown:
        notices.append(
            f"filter.mode=post: the fetch of {served.grown} of {served.queries} queries was grown, since too little of it was allowed"
        )
    if served.under_filled:
        notices.append(
            f"filter: {served.under_filled} of {served.queries} queries got fewer than {wanted} documents though more are "
            "allowed: those have no chunk in the index"
        )
    return notices
