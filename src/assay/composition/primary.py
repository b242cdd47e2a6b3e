"""The primary config: the shipped one, the user's partial one laid over it, or a saved one to start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from assay.composition.faults import yaml_fault
from assay.composition.overrides import FIXED_HYDRA_KEYS
from assay.composition.places import shipped_conf, user_confs
from assay.config import GROUPS
from assay.errors import ConfigError

PRIMARY = "config"
MERGED_PRIMARY = "assay_primary"
SAVED_OPTION = "_saved"


def primary_from_saved(saved: Mapping[str, Any]) -> str:
    """Name of a primary config that stands for a saved one: each group is an option of its own.

    So a group override (``chunker=sentences``) brings that option's own defaults, and a key override changes one
    thing. Groups that a saved config has none of (cache, …) are the shipped ones.
    """
    store = ConfigStore.instance()
    shipped_primary = _load_yaml(shipped_conf() / "config.yaml")
    defaults: list[Any] = []
    for entry in shipped_primary.pop("defaults"):
        group = str(next(iter(entry))) if isinstance(entry, dict) else ""
        if group in saved and isinstance(saved[group], Mapping):
            store.store(group=group, name=SAVED_OPTION, node=dict(saved[group]), provider="assay")
            entry = {group: SAVED_OPTION}
        defaults.append(entry)
    values = {key: value for key, value in saved.items() if key not in GROUPS}
    node = OmegaConf.create({"defaults": defaults})
    node.merge_with(OmegaConf.merge(OmegaConf.create(shipped_primary), OmegaConf.create(values)))
    store.store(name=MERGED_PRIMARY, node=node, provider="assay")
    return MERGED_PRIMARY


def primary_name(config_dirs: Sequence[str] = ()) -> str:
    """Name of the primary config: the shipped one, or the shipped one with the user's ``config.yaml`` laid over it.

    A user's file may be partial: its values win, its ``defaults`` entries replace those of the same group.
    """
    partial = [
        folder / "config.yaml" for folder in reversed(user_confs(config_dirs)) if (folder / "config.yaml").is_file()
    ]
    if not partial:
        return PRIMARY
    merged = _load_yaml(shipped_conf() / "config.yaml")
    defaults = list(merged.pop("defaults"))
    body = OmegaConf.create(merged)
    for file in partial:
        own = _load_yaml(file)
        entries = own.pop("defaults", None) or []
        _check_partial(file, own, entries)
        for entry in entries:
            defaults = _with_default(defaults, entry)
        body = OmegaConf.merge(body, OmegaConf.create(own))  # type: ignore[assignment]
    node = OmegaConf.create({"defaults": defaults})
    node.merge_with(body)
    ConfigStore.instance().store(name=MERGED_PRIMARY, node=node, provider="assay")
    return MERGED_PRIMARY


def _check_partial(file: Path, own: dict[str, Any], entries: Any) -> None:
    """Refuse what Hydra would stumble over, or act on before the gate can judge it."""
    if not isinstance(entries, list):
        raise ConfigError(f"{file}: defaults: {entries!r} is no list; give lines such as - chunker: document")
    for entry in entries:
        if not isinstance(entry, str) and not (isinstance(entry, dict) and len(entry) == 1):
            raise ConfigError(f"{file}: defaults: {entry!r} is no entry; give lines such as - chunker: document")
    hydra = own.get("hydra", {})
    if not isinstance(hydra, dict):
        raise ConfigError(f"{file}: hydra: {hydra!r} is no mapping; leave it out")
    if hydra.get("searchpath"):
        raise ConfigError(f"{file}: hydra.searchpath: can't be set; {FIXED_HYDRA_KEYS['hydra.searchpath']}")


def _with_default(defaults: list[Any], entry: Any) -> list[Any]:
    if entry == "_self_":
        return defaults
    if isinstance(entry, dict):
        group = next(iter(entry))
        plain = str(group).removeprefix("override ").removeprefix("/")
        for i, old in enumerate(defaults):
            if isinstance(old, dict) and str(next(iter(old))).removeprefix("override ").removeprefix("/") == plain:
                return [*defaults[:i], {next(iter(old)): entry[group]}, *defaults[i + 1 :]]
        if str(group).startswith("override "):
            return [*defaults, entry]  # Hydra wants these last
    at = defaults.index("_self_")
    return [*defaults[:at], entry, *defaults[at:]]


def _load_yaml(file: Path) -> dict[str, Any]:
    try:
        loaded = OmegaConf.to_container(OmegaConf.load(file), resolve=False)
    except (YAMLError, OmegaConfBaseException, UnicodeDecodeError, OSError) as error:
        raise ConfigError(yaml_fault(file, error)) from None
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ConfigError(f"{file}:1: no mapping; give lines such as seed: 7")
    return {str(key): value for key, value in loaded.items()}
