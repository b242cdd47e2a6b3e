"""Find an installed entry point, load what it names, call it, and answer for what it does."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterator
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.config import Config, nearest
from assay.config.plugins import Plugin
from assay.errors import StageError

LONGEST = 300


class Component:
    """The plugin that ``option`` names: looked up at once, loaded at its first use.

    Raises
    ------
    StageError
        No such entry point is installed, or several distributions have it.
    """

    def __init__(self, option: Plugin) -> None:
        self.option = option
        self.entry = entry_of(option)

    @cached_property
    def _class(self) -> Any:
        try:
            return self.entry.load()
        except (Exception, SystemExit) as error:
            raise self.fault(f"can't be loaded from {self.entry.value} ({told(error)})") from error

    @cached_property
    def _instance(self) -> Any:
        try:
            return self._class(**(self.option.params or {}))
        except (Exception, SystemExit) as error:
            raise self.fault(f"can't be made with {self.option.group}.params ({told(error)})") from error

    @property
    def loaded(self) -> bool:
        """Whether the instance is there."""
        return "_instance" in self.__dict__

    @property
    def deterministic(self) -> bool:
        """Whether its class promises equal bits."""
        return getattr(self._class, "deterministic", False) is True

    def call(self, method: str, *arguments: Any) -> Any:
        """What ``method`` of the instance returns."""
        called = getattr(self._instance, method, None)
        if not callable(called):
            raise self.fault(f"has no method {method}; README says what a {self.option.group} of your own needs")
        try:
            return called(*arguments)
        except (Exception, SystemExit) as error:
            raise self.fault(f"failed in {method} ({told(error)})") from error

    def floats(self, method: str, value: Any, shape: tuple[int | None, ...]) -> NDArray[np.float32]:
        """``value``, which ``method`` returned, as finite float32 of ``shape``, where None is any length of at least 1."""
        wanted = f"({', '.join('d' if n is None else str(n) for n in shape)}{',' if len(shape) == 1 else ''})"
        try:
            array = np.asarray(value)
        except Exception as error:
            raise self.fault(f"{method} gives no array of shape {wanted} ({told(error)})") from error
        fits = array.ndim == len(shape) and all(
            found >= 1 if asked is None else found == asked for asked, found in zip(shape, array.shape, strict=True)
        )
        if not fits:
            raise self.fault(f"{method} gives shape {array.shape}; give {wanted}")
        if not array.size:
            return np.empty(array.shape, np.float32)
        if array.dtype.kind not in "fiu":
            raise self.fault(f"{method} gives values of type {array.dtype}; give finite numbers")
        with np.errstate(over="ignore"):
            floats = np.array(array, dtype=np.float32, order="C")
        bad = np.flatnonzero(~np.isfinite(floats).reshape(len(floats), -1).all(axis=1))
        if bad.size:
            raise self.fault(
                f"{method} gives a value that is not finite as float32 for text {bad[0]} ({bad.size} in all)"
            )
        return floats

    @cached_property
    def described(self) -> dict[str, Any]:
        """Which code it is, with which params, as plain values; the class is loaded, no instance is made."""
        return {
            "plugin": self.option.name,
            "distribution": distribution(self.entry),
            "code": source_hash(self._class),
            "params": self.option.params,
        }

    def identity(self) -> dict[str, Any]:
        """What its results depend on besides its input, as plain values: ``described``, and what it says itself."""
        own = self.call("identity") if hasattr(self._instance, "identity") else None
        try:
            json.dumps(own, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise self.fault(f"gives no plain values in identity ({told(error)})") from error
        return {"kind": "plugin", **self.described, **({} if own is None else {"own": own})}

    def fault(self, text: str) -> StageError:
        """``text`` about this plugin."""
        return StageError(f"{self.option.group}.name: plugin {self.option.name!r} of {distribution(self.entry)} {text}")


def entry_of(option: Plugin) -> EntryPoint:
    """The installed entry point that ``option`` names; nothing is imported.

    Raises
    ------
    StageError
        There is none, or more than one.
    """
    group, key = f"assay.{option.group}s", f"{option.group}.name"
    installed = entry_points(group=group)
    found = list(installed.select(name=option.name or ""))
    if not found:
        names = sorted(installed.names)
        right = (
            f"{nearest(option.name or '', names)}; installed: {', '.join(names)}"
            if names
            else (f"; none is installed: pip install a package that has an entry point of the group {group}")
        )
        raise StageError(f"{key}: {option.name!r} is no installed plugin of the group {group}{right}")
    if len(found) > 1:
        raise StageError(
            f"{key}: {option.name!r} is a plugin of {' and '.join(map(distribution, found))}; uninstall all but one"
        )
    return found[0]


def options_of(config: Config) -> Iterator[Plugin]:
    """The options of ``config`` that are plugins."""
    for group in (config.chunker, config.embedder, config.retriever, config.reranker):
        if isinstance(group, Plugin):
            yield group


def check(config: Config) -> None:
    """Raise a StageError if a plugin that ``config`` names is not installed; nothing is imported."""
    for option in options_of(config):
        entry_of(option)


def described(config: Config) -> dict[str, dict[str, Any]]:
    """Which plugins ``config`` uses, by group: entry point, distribution and version, source hash, params."""
    return {option.group: Component(option).described for option in options_of(config)}


def versions(config: Config) -> dict[str, str]:
    """The distributions that ``config``'s plugins come from, and their versions, as a manifest lists packages."""
    entries = [entry_of(option) for option in options_of(config)]
    return {entry.dist.name: entry.dist.version for entry in entries if entry.dist is not None}


def unequal_bits(config: Config) -> list[str]:
    """Which plugins of ``config`` make no promise of equal bits, a sentence each; their classes are loaded."""
    return [
        f"{option.group}=plugin: {option.name} does not promise equal bits (deterministic = True on its class)"
        for option in options_of(config)
        if not Component(option).deterministic
    ]


def distribution(entry: EntryPoint) -> str:
    """Name and version of the distribution that has ``entry``."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "no distribution"


def source_hash(code: Any) -> str | None:
    """SHA-256 of the file that defines ``code``, None where it has none: an edit without a new version is an edit all the same."""
    try:
        file = inspect.getsourcefile(code)
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
    except (TypeError, OSError):
        return None


def told(error: BaseException) -> str:
    """An exception in a few words."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
