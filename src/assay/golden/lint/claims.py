"""What the name of a type promises about how many documents answer its questions."""

from __future__ import annotations

import re

SEVERAL, ONE, UNANSWERABLE = "several", "one", "none"

_CLAIMS: dict[str, str] = {
    **dict.fromkeys(
        (
            "multi_document", "multi_doc", "multidocument", "multidoc", "multi_hop", "multihop", "bridge",
            "comparison", "compare", "comparative", "aggregation", "synthesis",
        ),
        SEVERAL,
    ),
    **dict.fromkeys(
        ("lookup", "look_up", "single_document", "single_doc", "single_hop", "singlehop", "factoid", "fact"),
        ONE,
    ),
    **dict.fromkeys(("unanswerable", "no_answer", "not_answerable", "impossible"), UNANSWERABLE),
}  # fmt: skip


def claim_of(type_name: str | None) -> str | None:
    """``several``, ``one`` or ``none`` relevant documents, or None where the name promises nothing."""
    if type_name is None:
        return None
    return _CLAIMS.get(re.sub(r"[\s_-]+", "_", type_name.strip().casefold()))
