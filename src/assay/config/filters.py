"""The options of the group ``filter``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from assay.config.base import Model, fault


def _min_score(value: Any) -> Any:
    if value == "auto":
        raise fault("filter.min_score", "auto is not available yet; give a number or null")
    return value


MinScore = Annotated[float | None, BeforeValidator(_min_score)]


class NoFilter(Model):
    """Every document may come back; ``min_score`` drops what scores below it."""

    kind: Literal["none"] = "none"
    min_score: MinScore = Field(None, description="final scores below it are dropped; null: nothing is")


Filter = NoFilter
