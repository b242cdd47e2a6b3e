"""What the option ``plugin`` of every group has: the name of an installed entry point, and plain values for it.

A config can choose among the plugins that are installed. It can't say where code lies.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from assay.config.base import Model, OptionalText, Positive, fault

DEEPEST = 10
_SECRET = re.compile(
    r"(?i)(.*[_-])?(api[_-]?key|password|passwd|secret([_-]?key)?|credentials?|(access|api|auth|bearer|hf)[_-]?token)|token"
)


class Plugin(Model):
    """An installed component of the user's; ``group`` is the config group that it belongs to."""

    group: ClassVar[str]

    name: OptionalText = Field(None, description="the entry point's name")
    params: dict[str, Any] | None = Field(None, description="what the class is made with: a mapping of plain values")

    @model_validator(mode="after")
    def _named(self) -> Plugin:
        if self.name is None:
            raise fault(
                f"{self.group}.name",
                f"null names no plugin; give the name of an installed entry point of the group assay.{self.group}s, "
                f"as in {self.group}=plugin {self.group}.name=mine",
            )
        return self

    @field_validator("params", mode="before")
    @classmethod
    def _plain_params(cls, value: Any) -> Any:
        """Sorted by key, so that equal params are one job; an empty mapping is none."""
        if value is None:
            return None
        if not isinstance(value, dict):
            key = f"{cls.group}.params"
            raise fault(key, f"{value!r} is no mapping; give one such as '{key}={{dim: 64}}', or null")
        return plain(value, f"{cls.group}.params") or None

    def __hash__(self) -> int:
        return hash(json.dumps(self.model_dump(mode="json"), sort_keys=True))

    def __eq__(self, other: object) -> bool:
        # Python holds 1, 1.0 and True for equal; a plugin need not.
        return type(other) is type(self) and json.dumps(self.model_dump(mode="json"), sort_keys=True) == json.dumps(
            other.model_dump(mode="json"), sort_keys=True
        )


def plain(value: Any, key: str, depth: int = 0) -> Any:
    """``value`` if it is made of null, booleans, finite numbers, text, lists and mappings with text keys, sorted by key."""
    if depth > DEEPEST:
        raise fault(key, f"lies more than {DEEPEST} levels deep; give a flatter mapping")
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str):
                raise fault(key, f"the key {name!r} is not text; put it in quotes")
            if _SECRET.fullmatch(name) and isinstance(value[name], str):
                raise fault(
                    f"{key}.{name}",
                    "looks like a secret, and params are saved with every run; let the plugin read it from the environment",
                )
        return {name: plain(value[name], f"{key}.{name}", depth + 1) for name in sorted(value)}
    if isinstance(value, list):
        return [plain(item, f"{key}[{i}]", depth + 1) for i, item in enumerate(value)]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise fault(key, f"{value!r} is no plain value; give null, true, false, a finite number, text, a list or a mapping")


class PluginChunker(Plugin):
    """An installed chunker of the user's."""

    group: ClassVar[str] = "chunker"

    kind: Literal["plugin"] = "plugin"
    context: Literal["none", "title", "headings"] = Field(
        "title", description="what is put in front of the embedded text"
    )


class PluginEmbedder(Plugin):
    """An installed embedder of the user's; its tokens are words."""

    group: ClassVar[str] = "embedder"

    kind: Literal["plugin"] = "plugin"
    normalize: bool = Field(False, description="scale vectors to length 1 (cosine does so anyway)")
    truncate_dim: Positive | None = Field(None, description="keep the first dimensions only (Matryoshka)")


class PluginRetriever(Plugin):
    """An installed retriever of the user's, over the texts of the chunks; the index is not used."""

    group: ClassVar[str] = "retriever"

    kind: Literal["plugin"] = "plugin"
    depth: Positive = Field(100, description="chunks first fetched; grows until max(ks) documents are there")


class PluginReranker(Plugin):
    """An installed reranker of the user's, over the texts of the hits."""

    group: ClassVar[str] = "reranker"

    kind: Literal["plugin"] = "plugin"
    depth: Positive = Field(50, description="hits handed to the reranker")
    chunks: Literal["best", "all"] = Field("best", description="the best hit of each document, or every hit")
