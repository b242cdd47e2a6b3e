"""The options of the group ``reranker``."""

from __future__ import annotations

from typing import Literal

from assay.config.base import Model


class NoReranker(Model):
    """The first stage's order stands."""

    kind: Literal["none"] = "none"


Reranker = NoReranker
