"""Overrides to a plain, resolved config. Nothing is instantiated here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra import version
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobRuntime, setup_globals
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from assay.composition.faults import hydra_fault
from assay.composition.overrides import check_hydra_part, check_overrides
from assay.composition.places import search_path
from assay.composition.primary import primary_from_saved, primary_name
from assay.composition.whole import WholeLoader
from assay.config.gate import refuse_targets
from assay.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Composed:
    """A composed config: ``job`` is plain and resolved, ``hydra`` is Hydra's own part."""

    job: dict[str, Any]
    hydra: DictConfig


def loader(config_dirs: Sequence[str] = ()) -> ConfigLoaderImpl:
    """A Hydra config loader over ``search_path``."""
    version.setbase("1.3")
    setup_globals()
    JobRuntime().set("name", "assay")
    return WholeLoader(config_search_path=search_path(config_dirs))


def compose(
    overrides: Sequence[str],
    config_dirs: Sequence[str] = (),
    multirun: bool = False,
    saved: Mapping[str, Any] | None = None,
) -> Composed:
    """The config that ``overrides`` make, resolved.

    With ``multirun``, sweeping overrides are left out, as Hydra does; the result then serves only to read and
    check Hydra's own part.

    Raises
    ------
    ConfigError
        One line: key, value, what would be right.
    """
    check_overrides(overrides, multirun)
    name = primary_name(config_dirs) if saved is None else primary_from_saved(saved)
    return compose_with(loader(config_dirs), name, overrides, multirun)


def compose_with(source: ConfigLoaderImpl, name: str, overrides: Sequence[str], multirun: bool = False) -> Composed:
    """``compose`` with a loader at hand, for many jobs of one sweep."""
    mode = RunMode.MULTIRUN if multirun else RunMode.RUN
    try:
        config = source.load_configuration(config_name=name, overrides=list(overrides), run_mode=mode)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{_not_utf8(source)}: byte {error.start} is no UTF-8; save the file as UTF-8") from None
    except (HydraException, OmegaConfBaseException, YAMLError) as error:
        raise ConfigError(hydra_fault(error, overrides)) from None
    except (ValueError, AttributeError) as error:
        # What Hydra raises over an option file that is YAML but no config, such as a number among its defaults.
        raise ConfigError(f"config: an option file is no config ({error}); give lines such as size: 64") from None
    try:
        return _resolved(config)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(hydra_fault(error, overrides)) from None


def _not_utf8(source: ConfigLoaderImpl) -> Path | str:
    """The first config file on the search path that is no UTF-8; Hydra doesn't say which it was reading."""
    for entry in source.get_search_path().get_path():
        folder = Path(entry.path.removeprefix("file://"))
        for file in sorted(folder.rglob("*.yaml")) if entry.path.startswith("file://") else []:
            try:
                file.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                return file
            except OSError:
                continue
    return "config"


def _resolved(config: DictConfig) -> Composed:
    check_hydra_part(config.hydra)
    previous = HydraConfig.instance().cfg
    HydraConfig.instance().set_config(config)
    try:
        job = {
            str(key): OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node := config[key]) else node
            for key in config
            if key != "hydra"
        }
    finally:
        HydraConfig.instance().cfg = previous
    refuse_targets(job)
    with open_dict(config):
        return Composed(job, config.hydra)
