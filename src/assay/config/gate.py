"""From a plain mapping to a ``Config``, or one line that says what would be right."""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from assay.config.models import Config
from assay.errors import ConfigError


def judge(raw: Mapping[str, Any]) -> Config:
    """The typed config of ``raw``, a mapping without interpolations.

    Raises
    ------
    ConfigError
        Names the first key that can't hold, its value, and what would be right.
    """
    refuse_targets(raw)
    try:
        return Config.model_validate(dict(raw))
    except ValidationError as error:
        raise ConfigError(explain(error.errors()[0], raw)) from None


def refuse_targets(raw: Any, path: str = "") -> None:
    """Raise a ConfigError if any key anywhere in ``raw`` is ``_target_``: configs name options, never code."""
    if isinstance(raw, Mapping):
        for key, value in raw.items():
            here = f"{path}.{key}" if path else str(key)
            if "_target_" in str(key):
                raise ConfigError(f"{here}: {value!r} names code to run; a config may only choose options by kind")
            refuse_targets(value, here)
    elif isinstance(raw, list | tuple):
        for i, value in enumerate(raw):
            refuse_targets(value, f"{path}[{i}]")


def nearest(word: str, known: Iterable[str]) -> str:
    """``; did you mean X?`` for the closest known name, or an empty string when none is close."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""


def explain(error: ErrorDetails, raw: Mapping[str, Any]) -> str:
    """One line for one pydantic error: key, value, what would be right."""
    if error["type"] == "assay":
        context = error.get("ctx", {})
        return f"{context['key']}: {context['message']}"
    names = [str(part) for part in error["loc"]]
    model, field, path = _walk(names, raw)
    key = ".".join(path)
    value = _value_at(raw, path)
    if error["type"] == "extra_forbidden":
        siblings = list(model.model_fields) if model else []
        prefix = ".".join(path[:-1])
        close = nearest(path[-1], siblings).replace("mean ", f"mean {prefix}." if prefix else "mean ")
        choice = f" of {prefix}={raw[prefix]['kind']}" if prefix and _has_kind(raw, prefix) else ""
        return f"{key}: no such key{choice} (value {_shown(value)}){close or '; keys: ' + ', '.join(siblings)}"
    if error["type"] == "missing":
        return f"{key}: missing; give {expected(field) if field else 'a value'}"
    if error["type"] == "union_tag_not_found":
        return f"{key}.kind: missing; give {expected(field) if field else 'a kind'}"
    if error["type"] == "union_tag_invalid":
        found = value.get("kind") if isinstance(value, Mapping) else value
        return f"{key}.kind: {_shown(found)} is no option; give {expected(field) if field else 'a kind'}"
    right = expected(field) if field else error["msg"]
    most = str(error.get("ctx", {}).get("le")).removesuffix(".0")
    if error["type"] == "less_than_equal" and most not in right:
        right += f" and at most {most}"
    return f"{key}: {_shown(value)} is not allowed; give {right}"


def expected(field: FieldInfo) -> str:
    """What a field takes, in words: the options of a group, or type and range."""
    if field.discriminator is not None:
        kinds = [option.model_fields["kind"].default for option in typing.get_args(field.annotation)]
        return f"one of {', '.join(kinds)}"
    return _words(field.annotation, list(field.metadata))


def _words(annotation: Any, limits: list[Any]) -> str:
    if typing.get_origin(annotation) is typing.Annotated:
        inner, *more = typing.get_args(annotation)
        unpacked = [m for item in more for m in (item.metadata if isinstance(item, FieldInfo) else [item])]
        return _words(inner, [*limits, *unpacked])
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return "one of " + ", ".join(map(str, args)) if len(args) > 1 else str(args[0])
    if origin in (typing.Union, types.UnionType):
        parts = [_words(arg, limits) for arg in args if arg is not type(None)]
        parts += ["null"] if type(None) in args else []
        return " or ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    if origin is list:
        of_names = _words(args[0], []) == "text"
        return "a list of names" if of_names else f"a list such as [1, 5], each {_words(args[0], [])}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "a mapping with the keys " + ", ".join(annotation.model_fields)
    low = next((m.ge for m in limits if getattr(m, "ge", None) is not None), None)
    high = next((m.le for m in limits if getattr(m, "le", None) is not None), None)
    bounds = (
        f" from {low} to {high}"
        if low is not None and high is not None and high < 2**31 - 1
        else f" of at least {low}"
        if low is not None
        else ""
    )
    if annotation is bool:
        return "true or false"
    if annotation is int:
        return "a whole number" + bounds
    if annotation is float:
        return "a finite number" + bounds
    return "text" if annotation is str else str(annotation)


def _walk(names: list[str], raw: Mapping[str, Any]) -> tuple[type[BaseModel] | None, FieldInfo | None, list[str]]:
    """Model and field that an error's location leads to, and the location without union tags."""
    model: type[BaseModel] | None = Config
    field: FieldInfo | None = None
    path: list[str] = []
    here: Any = raw
    for name in names:
        if model is None:
            # Inside a scalar union pydantic adds type names ("int", "literal['auto']"), inside a list an index.
            if isinstance(here, list) and name.isdigit():
                path[-1] += f"[{name}]"
            continue
        if name not in model.model_fields and isinstance(here, Mapping) and here.get("kind") == name:
            model = _option(field, name)
            continue
        path.append(name)
        here = here.get(name) if isinstance(here, Mapping) else None
        field = model.model_fields.get(name)
        inner = field.annotation if field else None
        is_model = isinstance(inner, type) and issubclass(inner, BaseModel)
        tagged = field is not None and field.discriminator is not None
        if field is None:
            return model, None, path
        model = typing.cast(type[BaseModel], inner) if is_model else model if tagged else None
    return model, field, path


def _option(field: FieldInfo | None, kind: str) -> type[BaseModel] | None:
    for option in typing.get_args(field.annotation) if field else ():
        if option.model_fields["kind"].default == kind:
            return typing.cast(type[BaseModel], option)
    return None


def _has_kind(raw: Mapping[str, Any], group: str) -> bool:
    return isinstance(raw.get(group), Mapping) and "kind" in raw[group]


def _value_at(raw: Any, path: list[str]) -> Any:
    for part in path:
        name, _, index = part.partition("[")
        raw = raw.get(name) if isinstance(raw, Mapping) else None
        if index and isinstance(raw, list):
            raw = raw[int(index.rstrip("]"))]
    return raw


def _shown(value: Any) -> str:
    text = (
        {None: "null", True: "true", False: "false"}[value] if value is None or isinstance(value, bool) else repr(value)
    )
    return text if len(text) <= 80 else text[:77] + "…"
