"""Which documents a query may get back. The config reads the language from here, so numpy is imported when a filter works."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from assay.filters.allowed import Allowed, allowed_documents
    from assay.filters.notices import search_notices
    from assay.filters.served import Served

Mode = Literal["pre", "post"]

__all__ = ["Allowed", "Mode", "Served", "allowed_documents", "search_notices"]


def __getattr__(name: str) -> Any:
    places = {"Allowed": "allowed", "allowed_documents": "allowed", "search_notices": "notices", "Served": "served"}
    if name not in places:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{places[name]}"), name)
