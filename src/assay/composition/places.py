"""Where config options and bundled data lie, and in which order Hydra looks."""

from __future__ import annotations

import importlib.resources
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from hydra._internal.config_search_path_impl import ConfigSearchPathImpl
from hydra.core.config_search_path import ConfigSearchPath

from assay.errors import ConfigError


def shipped_conf() -> Path:
    """The folder of the shipped ``conf/``: inside the installed package, or beside ``src/`` in a checkout."""
    return shipped("conf")


def shipped_data() -> Path:
    """The folder of the bundled golden sets."""
    return shipped("data")


def shipped(name: str) -> Path:
    """A folder that travels with the package."""
    inside = Path(str(importlib.resources.files("assay"))) / name
    return inside if inside.is_dir() else Path(__file__).resolve().parents[3] / name


def user_confs(config_dirs: Sequence[str] = ()) -> list[Path]:
    """Folders searched before the shipped one: each ``--config-dir``, then ``conf/`` in the working directory.

    Raises
    ------
    ConfigError
        A ``--config-dir`` is no folder.
    """
    found = []
    for given in config_dirs:
        folder = Path(given).absolute()
        if not given or not folder.is_dir():
            raise ConfigError(
                f"--config-dir: {given or repr(given)} is no folder; give one that holds options such as chunker/mine.yaml"
            )
        found.append(folder)
    own = Path.cwd() / "conf"
    if own.is_dir():
        found.append(own)
    shipped_folder = shipped_conf().resolve()
    return [folder for folder in found if folder.resolve() != shipped_folder]


def search_path(config_dirs: Sequence[str] = ()) -> ConfigSearchPath:
    """Where Hydra looks: its own options, the user's folders, the shipped ``conf/``, schemas last."""
    from hydra.core.plugins import Plugins
    from hydra.plugins.search_path_plugin import SearchPathPlugin

    path = ConfigSearchPathImpl()
    path.append("hydra", "pkg://hydra.conf")
    for folder in user_confs(config_dirs):
        path.append("command-line", f"file://{folder}")
    path.append("main", f"file://{shipped_conf()}")
    for plugin in Plugins.instance().discover(SearchPathPlugin):
        cast(type[SearchPathPlugin], plugin)().manipulate_search_path(path)
    path.append("schema", "structured://")
    return path
