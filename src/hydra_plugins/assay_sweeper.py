"""Hydra's sweeper for assay: judges every job before the first starts, then launches what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

ConfigStore.instance().store(
    group="hydra/sweeper",
    name="assay",
    node={"_target_": "hydra_plugins.assay_sweeper.AssaySweeper", "params": None},
    provider="assay",
)


class AssaySweeper(Sweeper):
    """The grid of all values, as Hydra's basic sweeper makes it; ``params`` are a preset's own sweeping values."""

    def __init__(self, params: Mapping[str, str] | None = None) -> None:
        self.params = dict(params or {})

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Keep what Hydra hands over, and make the launcher that the config names."""
        from hydra.core.plugins import Plugins

        self.hydra_context = hydra_context
        self.config = config
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: list[str]) -> Any:
        """The plan of the sweep and what each launched job returned, by number."""
        from assay.sweep import begin_telling, expand, plan_sweep

        assert self.hydra_context is not None
        assert self.config is not None
        assert self.launcher is not None
        jobs = expand(
            [f"{key}={value}" for key, value in self.params.items()], arguments, self.hydra_context.config_loader
        )
        plan = plan_sweep(jobs, self.config, self.hydra_context.config_loader)
        begin_telling(plan)
        due = plan.due()
        returns = (
            self.launcher.launch(
                [[*job.overrides, f"hydra.sweep.subdir={job.number}"] for job in due], initial_job_idx=0
            )
            if due
            else []
        )
        return plan, [returned._return_value for returned in returns]
