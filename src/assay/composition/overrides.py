"""What an override or an option file may not do: name code, set what assay fixes, or say what Hydra can't read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, Override
from hydra.errors import HydraException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf import grammar_parser as interpolations
from omegaconf.errors import GrammarParseError

from assay.composition.faults import unknown_key
from assay.config import GROUPS
from assay.config.gate import refuse_targets
from assay.errors import ConfigError

ASSAY_SWEEPER = "hydra_plugins.assay_sweeper.AssaySweeper"
FIXED_HYDRA_KEYS = {
    "hydra.run.dir": "a run's folder is run_dir=…",
    "hydra.sweep.subdir": "jobs are named by their numbers",
    "hydra.output_subdir": "the run folder has its own config.yaml and manifest.json",
    "hydra.job.chdir": "runs never change the working directory",
    "hydra.mode": "use -m for a sweep",
    "hydra.sweeper": "sweeps are assay's own; set hydra.sweep.dir or hydra/launcher",
    "hydra/sweeper": "sweeps are assay's own; set hydra.sweep.dir or hydra/launcher",
    "hydra.callbacks": "callbacks are not supported",
    "hydra/callbacks": "callbacks are not supported",
    "hydra.searchpath": "use --config-dir DIR for options of your own",
    "hydra.job_logging": "assay keeps no log files",
    "hydra/job_logging": "assay keeps no log files",
    "hydra.hydra_logging": "assay keeps no log files",
    "hydra/hydra_logging": "assay keeps no log files",
}
# What Hydra's own part must hold, whichever file it came from.
FIXED_VALUES: dict[str, tuple[Any, ...]] = {
    "hydra.run.dir": (".",),
    "hydra.output_subdir": (None,),
    "hydra.job.chdir": (False, None),
    "hydra.searchpath": ([],),
}


def check_overrides(overrides: Sequence[str], multirun: bool) -> None:
    """Refuse, in one line, overrides that name code, that assay fixes, or that Hydra's grammar can't read."""
    parser = OverridesParser.create()
    for text in overrides:
        key = text.split("=", 1)[0]
        bare = key.lstrip("+~").split("@")[0]
        if "_target_" in key:
            named = repr(text.partition("=")[2])
            raise ConfigError(f"{bare}: {named} names code to run; a config may only choose options by kind")
        for fixed, instead in FIXED_HYDRA_KEYS.items():
            if bare == fixed or bare.startswith(fixed + "."):
                raise ConfigError(f"{bare}: can't be set ({text}); {instead}")
        if bare == "run_dir" and multirun:
            raise ConfigError(f"run_dir: names the folder of one run ({text}); for a sweep give hydra.sweep.dir=…")
        try:
            parsed = parser.parse_override(text)
        except (OverrideParseException, HydraException) as error:
            raise ConfigError(_grammar_fault(text, error, parser)) from None
        if not bare:
            raise ConfigError(f"{text}: no override; give KEY=VALUE, such as chunker.size=64")
        _check_value(bare, parsed)
        if parsed.is_sweep_override() and not multirun:
            raise ConfigError(
                f"{bare}: {text.split('=', 1)[1]!r} is several values; add -m for a sweep, "
                f"[…] for a list, or quote one value: {quoted(text)}"
            )


def _check_value(key: str, parsed: Override) -> None:
    """Refuse a value that names code, and one that can't choose an option of a group."""
    value = parsed.value()
    for one in value.list if isinstance(value, ChoiceSweep) else [value]:
        refuse_targets(one, key)
        if key in (*GROUPS, "experiment") and not parsed.is_delete() and (one is None or isinstance(one, int | float)):
            shown = parsed.get_value_string()
            raise ConfigError(f"{key}: {shown} is no option; give {key}=NAME, one that assay run --help lists")


def quoted(text: str) -> str:
    """The override ``text`` with its value quoted for Hydra's grammar and for the shell."""
    key, _, value = text.partition("=")
    try:
        interpolations.parse(value)
    except GrammarParseError:
        value = re.sub(r"(\\*)\$\{", r"\1\1\\${", value)
    # In quotes Hydra halves the backslashes in front of a quotation mark and keeps all others.
    inner = re.sub(r'(\\*)"', r'\1\1\\"', value)
    inner = re.sub(r"(\\+)$", r"\1\1", inner)
    return "'" + f'{key}="{inner}"'.replace("'", "'\\''") + "'"


def _grammar_fault(text: str, error: Exception, parser: OverridesParser) -> str:
    key, equals, value = text.partition("=")
    if not equals:
        return f"{text}: no override; give KEY=VALUE, such as chunker.size=64"
    fixed = quoted(text)
    try:
        parser.parse_override(fixed[1:-1].replace("'\\''", "'"))
    except HydraException:
        return unknown_key(key, [text])
    return f"{key}: Hydra's grammar can't read the value {value!r} as it stands; quote it: {fixed}"


def check_hydra_part(hydra: DictConfig) -> None:
    """Refuse every ``_target_`` in Hydra's part but those that an installed sweeper or launcher declares."""
    plain = OmegaConf.to_container(hydra, resolve=False)
    assert isinstance(plain, dict)
    for part in ("launcher", "sweeper"):
        node = plain.get(part)
        if isinstance(node, dict) and "_target_" in node:
            target = node.pop("_target_")
            if part == "sweeper" and target in _declared_targets(part) and target != ASSAY_SWEEPER:
                raise ConfigError(f"hydra/sweeper: can't be set ({target!r}); {FIXED_HYDRA_KEYS['hydra/sweeper']}")
            if target not in _declared_targets(part):
                raise ConfigError(
                    f"hydra.{part}._target_: {target!r} names code to run; "
                    f"choose an installed plugin by hydra/{part}=NAME"
                )
    refuse_targets(plain, "hydra")
    for key, allowed in FIXED_VALUES.items():
        node = OmegaConf.select(hydra, key.removeprefix("hydra."))
        value = OmegaConf.to_container(node) if OmegaConf.is_config(node) else node
        if value not in allowed:
            raise ConfigError(f"{key}: can't be set ({value!r}); {FIXED_HYDRA_KEYS[key]}")
    for part in ("job_logging", "hydra_logging"):
        # Python's logging calls whatever a handler, a formatter or a filter names.
        for name in plain.get(part) or {}:
            if name not in {"version", "root", "disable_existing_loggers"}:
                raise ConfigError(f"hydra.{part}.{name}: can't be set; {FIXED_HYDRA_KEYS[f'hydra.{part}']}")


def _declared_targets(part: str) -> set[str]:
    options = ConfigStore.instance().repo.get("hydra", {}).get(part, {})
    return {str(OmegaConf.select(option.node, "_target_")) for option in options.values()}
