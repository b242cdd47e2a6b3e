"""YAML that says what it means: no aliases, no duplicate keys, only text as keys; and for values typed by hand, plain types."""

from __future__ import annotations

import re
from typing import Any

import yaml


class StrictLoader(yaml.SafeLoader):
    """PyYAML's safe loader that also refuses duplicate keys and aliases (a few bytes of them unfold to gigabytes)."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases are not allowed", self.get_mark())
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is not text", key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"duplicate key {key!r}", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


class PlainLoader(StrictLoader):
    """As JSON reads plain values: ``no`` is text, so are ``2024-03-01``, ``12:30`` and ``01234``; tags are refused."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "tag", None) is not None:
            raise yaml.composer.ComposerError(None, None, f"the tag {event.tag} is not allowed", event.start_mark)
        return super().compose_node(parent, index)


PlainLoader.yaml_implicit_resolvers = {}  # none of YAML 1.1's
_NUMBER = r"-?(0|[1-9][0-9]*)"
for _name, _pattern, _first in (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", list("tf")),
    ("int", _NUMBER, list("-0123456789")),
    ("float", rf"{_NUMBER}(\.[0-9]+)?([eE][-+]?[0-9]+)?", list("-0123456789")),
):
    PlainLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"^(?:{_pattern})$"), _first)


def plain_yaml(text: str) -> Any:
    """The value that ``text`` says; a ValueError of one line says what is wrong with it."""
    try:
        return yaml.load(text, Loader=PlainLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at character {mark.index + 1}" if mark else ""
        raise ValueError(f"{getattr(error, 'problem', None) or 'no YAML'}{where}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
