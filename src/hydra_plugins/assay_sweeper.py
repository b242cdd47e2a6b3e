"""Hydra's sweeper for assay: judges every job before the first starts, then launches them."""

from __future__ import annotations

from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.plugins.sweeper import Sweeper

ConfigStore.instance().store(
    group="hydra/sweeper",
    name="assay",
    node={"_target_": "hydra_plugins.assay_sweeper.AssaySweeper"},
    provider="assay",
)


class AssaySweeper(Sweeper):
    def setup(self, **kw: Any) -> None: ...
    def sweep(self, arguments: list[str]) -> Any: ...
