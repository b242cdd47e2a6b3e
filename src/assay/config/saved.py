"""A config as a file: what can change a number, and nothing else.

The hash of a job is the hash of this file, so its bytes are fixed: block style, the field order of the models,
no interpolations, no secrets.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import yaml

from assay.config.gate import judge
from assay.config.models import UNSAVED, Config
from assay.errors import ConfigError, DataError
from assay.strict_yaml import StrictLoader

MAX_BYTES = 1_000_000


def saved_part(config: Config) -> dict[str, Any]:
    """``config`` without what can't change a number, as plain values; a dataset path below the working directory relative to it."""
    plain = config.model_dump(mode="json", exclude=set(UNSAVED))
    dataset = plain["dataset"]
    if dataset["path"] is not None:
        dataset["name"] = None
        dataset["path"] = _portable(dataset["path"])
    return plain


def config_yaml(config: Config) -> str:
    """The text of ``config.yaml``."""
    return yaml.safe_dump(
        saved_part(config), sort_keys=False, default_flow_style=False, allow_unicode=True, width=10_000
    )


def config_hash(config: Config) -> str:
    """SHA-256 of ``config.yaml``, in hexadecimal: the identity of a job."""
    return hashlib.sha256(config_yaml(config).encode()).hexdigest()


def load_saved(path: Path) -> dict[str, Any]:
    """The plain mapping in a ``config.yaml``, for the gate to judge.

    Raises
    ------
    DataError
        The file is missing, too large, no YAML mapping, holds a tag, a duplicate key or an interpolation.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read ({error.strerror}); give a run folder that holds config.yaml"
        ) from None
    if len(raw) > MAX_BYTES:
        raise DataError(f"{path}: larger than {MAX_BYTES} bytes; a saved config is a few kilobytes")
    try:
        plain = yaml.load(raw.decode("utf-8"), Loader=StrictLoader)
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: byte {error.start} is no UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise DataError(
            f"{path}{line}: {getattr(error, 'problem', None) or 'no YAML'}; a saved config is plain YAML"
        ) from None
    except RecursionError:
        raise DataError(f"{path}: nested too deeply for a config") from None
    if not isinstance(plain, dict):
        raise DataError(f"{path}: holds no mapping; a saved config has the keys dataset, chunker, …")
    _refuse_interpolations(plain, path)
    return plain


def load_config(path: Path) -> Config:
    """The typed config in a ``config.yaml``; unsaved keys in it are refused, since they never belong there."""
    plain = load_saved(path)
    for key in UNSAVED:
        if key in plain:
            raise ConfigError(f"{path}: {key} does not belong in a saved config; remove it")
    return judge(plain)


def _portable(path: str) -> str:
    flat = os.path.abspath(path)
    # x/../y is y, unless x is a link that leads elsewhere.
    same = os.path.exists(flat) and os.path.exists(path) and os.path.samefile(flat, path)
    try:
        return (Path(flat) if same else Path(path).absolute()).relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path


def _refuse_interpolations(value: Any, path: Path, key: str = "") -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _refuse_interpolations(name, path, key)
            _refuse_interpolations(inner, path, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for inner in value:
            _refuse_interpolations(inner, path, key)
    elif isinstance(value, str) and "${" in value:
        raise DataError(f"{path}: {key} holds an interpolation ({value!r}); a saved config holds plain values")
