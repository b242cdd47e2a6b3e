"""What every model of the config is made of: closed, strict and frozen, with errors that name a key."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError


def fault(key: str, message: str) -> PydanticCustomError:
    """An error about ``key`` (dotted, from the root) whose text is shown as it stands."""
    return PydanticCustomError("assay", "{message}", {"message": message, "key": key})


class Model(BaseModel):
    """Frozen, strict (``true`` is no number, ``"3"`` is none either), and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


Positive = Annotated[int, Field(ge=1, le=2**31 - 1)]
NonNegative = Annotated[int, Field(ge=0, le=2**31 - 1)]
AutoPositive = Positive | Literal["auto"]
Text = Annotated[str, Field(min_length=1)]
OptionalText = Annotated[str | None, Field(min_length=1)]
