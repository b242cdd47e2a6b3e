"""The options of the group ``filter``."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from assay.config.base import Model, fault
from assay.filters.language import EXAMPLE, ROOT, WhereFault, mapping_of

MinScore = float | Literal["auto"] | None
Worth = Annotated[float, Field(ge=-1000, le=1000)]


class _Filter(Model):
    min_score: MinScore = Field(None, description="final scores below it are dropped; auto: chosen; null: nothing is")
    utility_right: Worth = Field(1.0, description="auto: worth of a right answer, or of none where there is none")
    utility_wrong: Worth = Field(-1.0, description="auto: worth of a wrong answer")
    utility_empty: Worth = Field(0.0, description="auto: worth of no answer to an answerable query")


class NoFilter(_Filter):
    """Every document may come back; ``min_score`` drops what scores below it."""

    kind: Literal["none"] = "none"


class WhereFilter(_Filter):
    """Documents whose metadata meet a condition; its language is told by ``assay.filters.language``."""

    kind: Literal["where"] = "where"
    where: dict[str, Any] | None = Field(None, description="the condition: a mapping, or a quoted string of YAML")
    mode: Literal["pre", "post"] = Field("pre", description="filter while searching, or what was fetched")
    missing: Literal["ignore", "error"] = Field(
        "ignore", description="a query that lacks a field that the condition asks of it: leave that out, or refuse"
    )

    @field_validator("where", mode="before")
    @classmethod
    def _one_form(cls, value: Any) -> Any:
        """Equal conditions are one job, however they are written."""
        if value is None:
            return None
        try:
            return mapping_of(value)
        except WhereFault as wrong:
            raise fault(wrong.key, wrong.message) from None

    @model_validator(mode="after")
    def _some_condition(self) -> WhereFilter:
        if self.where is None:
            raise fault(ROOT, f"null holds no condition; give one such as '{ROOT}={EXAMPLE}', or choose filter=none")
        return self

    def _identity(self) -> str:
        return json.dumps(self.model_dump(mode="json"), sort_keys=True)

    def __hash__(self) -> int:
        return hash(self._identity())

    def __eq__(self, other: object) -> bool:
        # Python holds 1 and True for equal; a condition does not.
        return type(other) is type(self) and self._identity() == other._identity()


Filter = Annotated[NoFilter | WhereFilter, Field(discriminator="kind")]
