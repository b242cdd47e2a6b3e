"""One line for whatever Hydra, OmegaConf or PyYAML raise while composing."""

from __future__ import annotations

import re
import typing
from collections.abc import Sequence
from pathlib import Path

from hydra.errors import MissingConfigException
from yaml import YAMLError

from assay.config import GROUPS, Config, nearest
from assay.config.models import Model

PRIMARY_NAMES = {"config", "assay_primary"}


def yaml_fault(file: Path | str, error: Exception) -> str:
    """One line for a YAML file that can't be read."""
    mark = getattr(error, "problem_mark", None)
    line = f":{mark.line + 1}" if mark else ""
    return f"{file}{line}: {getattr(error, 'problem', None) or error}; give plain YAML"


def hydra_fault(error: Exception, overrides: Sequence[str]) -> str:
    """One line for what Hydra, OmegaConf or PyYAML raised while composing."""
    text = str(error)
    if isinstance(error, MissingConfigException) and error.missing_cfg_file and error.options is not None:
        group, _, option = error.missing_cfg_file.rpartition("/")
        options = [name for name in error.options if not name.startswith("_")]  # what --from stored is none
        if group and not options and group != "experiment":
            return unknown_key(group, [f"{group}={option}"])
        return f"{group}: {option!r} is no option{nearest(option, options)}; options: {', '.join(sorted(options))}"
    missed = re.search(r"Could not override '([^']+)'", text)
    if missed:
        return unknown_key(missed.group(1), overrides)
    absent = re.search(r"Could not delete from config. '([^']+)' does not exist", text)
    if absent:
        return unknown_key(absent.group(1), overrides)
    twice = re.search(r"Multiple values for (\S+)\. To override a value use 'override \S+: ([^']*)'", text)
    if twice:
        group, option = twice.groups()
        return f"{group}: chosen twice; give {group}={option} without +, or - override /{group}: {option} in a file"
    unread = re.search(r"In '([^']+)': Could not load '([^']+)'", text)
    if unread:
        where, what = unread.groups()
        where = "conf/config.yaml" if where in PRIMARY_NAMES else f"{where}.yaml"
        return f"{where}: its defaults name {what!r}, which is no option; give lines such as - chunker: document"
    if isinstance(error, YAMLError):
        mark = getattr(error, "problem_mark", None)
        return yaml_fault(mark.name if mark else getattr(error, "name", "a config file"), error)
    cause = error.__cause__
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if cause is not None:
        lines += [line.strip() for line in str(cause).splitlines() if line.strip()][:1]
    if lines and "interpolation" in " ".join(lines).lower():
        key = getattr(error, "full_key", None) or getattr(cause, "full_key", None)
        return f"{key or 'config'}: {lines[0]}"
    wrong = re.search(r"Key '[^']+' not in '[^']+'\s+full_key: (\S+)", f"{text}\n{cause}")
    if wrong:
        return unknown_key(wrong.group(1), overrides)
    for override in overrides:
        key = override.split("=", 1)[0].lstrip("+~")
        if override in text or f"'{key}'" in text:
            return f"{key}: {' '.join(lines[:3])}"
    return "config: " + " ".join(lines[:3])


def unknown_key(key: str, overrides: Sequence[str]) -> str:
    """One line for an override of a key that no option has."""
    value = next((text.split("=", 1)[1] for text in overrides if text.split("=", 1)[0] == key and "=" in text), "")
    known = known_keys()
    top = key.split(".")[0]
    shown = f" (value {value!r})" if value else ""
    if top == "hydra":
        return f"{key}: no such key of Hydra's{shown}; assay run --cfg hydra shows them"
    if key in known and "." in key:
        having = " or ".join(f"{top}={kind}" for kind in kinds_with(top, key.split(".")[1]))
        return f"{key}: the chosen option of {top} has no such key{shown}; {having} has it"
    if key.split(".")[1:2] == ["params"] and key.count(".") > 1:
        return f"{key}: no such key{shown}; add one that is not there yet with a plus: +{key}={value or 'VALUE'}"
    pool = known if "." in key else [*GROUPS, *[name for name in known if "." not in name]]
    same_group = [name for name in known if name.startswith(top + ".")]
    inside = nearest(key.removeprefix(f"{top}."), [name.removeprefix(f"{top}.") for name in same_group])
    close = inside.replace("mean ", f"mean {top}.") if same_group and "." in key else nearest(key, pool)
    return f"{key}: no such key{shown}{close or '; keys: ' + ', '.join(same_group or sorted({n.split('.')[0] for n in known}))}"


def kinds_with(group: str, key: str) -> list[str]:
    """The kinds of ``group`` that have ``key``."""
    annotation = Config.model_fields[group].annotation
    options = typing.get_args(annotation) or (annotation,)
    return [str(option.model_fields["kind"].default) for option in options if key in option.model_fields]


def known_keys() -> list[str]:
    """Every dotted key of every option, in the models' order."""
    keys: list[str] = []
    for name, field in Config.model_fields.items():
        options = [field.annotation, *typing.get_args(field.annotation)]
        models = [option for option in options if isinstance(option, type) and issubclass(option, Model)]
        if not models:
            keys.append(name)
        for model in models:
            keys.extend(f"{name}.{inner}" for inner in model.model_fields if f"{name}.{inner}" not in keys)
    return keys
