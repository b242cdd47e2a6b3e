"""A config loader that lets an override replace a free mapping; Hydra would merge it into the one that is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ValueType
from hydra.types import RunMode
from omegaconf import DictConfig, open_dict

from assay.config.models import GROUPS

WHOLE = ("filter.where", "chunker.params", "embedder.params", "retriever.params", "reranker.params")

LISTED = {ValueType.CHOICE_SWEEP, ValueType.SIMPLE_CHOICE_SWEEP}


class WholeLoader(ConfigLoaderImpl):
    """Hydra's loader, but a mapping given for a condition or a plugin's parameters is all of it."""

    def load_configuration(
        self,
        config_name: str | None,
        overrides: list[str],
        run_mode: RunMode,
        from_shell: bool = True,
        validate_sweep_overrides: bool = True,
    ) -> DictConfig:
        emptied = emptied_first(overrides)
        if run_mode == RunMode.MULTIRUN:
            emptied = [*first_options(overrides), *emptied]
        config: Any = super().load_configuration(config_name, emptied, run_mode, from_shell, validate_sweep_overrides)
        if len(emptied) > len(overrides):
            with open_dict(config):
                config.hydra.overrides.task = [text for text in overrides if text in config.hydra.overrides.task]
        found: DictConfig = config
        return found


def first_options(overrides: Sequence[str]) -> list[str]:
    """For each group that ``overrides`` list options of, the first of them.

    Hydra composes a sweep's own config without what is swept. A key that only the swept options have (``reranker=mmr,lexical
    reranker.chunks=all``) would have nowhere to go in it.
    """
    parsed = OverridesParser.create().parse_overrides(list(overrides))
    swept = [one for one in parsed if one.key_or_group in GROUPS and one.value_type in LISTED]
    return [f"{one.key_or_group}={next(iter(one.sweep_string_iterator()))}" for one in swept]


def emptied_first(overrides: Sequence[str]) -> list[str]:
    """``overrides``, with a key of WHOLE set to null in front of each that gives a mapping for it."""
    found: list[str] = []
    for text in overrides:
        prefix = text[: len(text) - len(text.lstrip("+"))]
        key = text[len(prefix) :].partition("=")[0]
        if key in WHOLE and _is_mapping(text):
            found.append(f"{prefix and '++'}{key}=null")
        found.append(text)
    return found


def _is_mapping(text: str) -> bool:
    return isinstance(OverridesParser.create().parse_override(text).value(), dict)
