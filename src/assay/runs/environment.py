"""What differs between two manifests apart from the inputs: versions, machine, threads, the model's settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SINGLE = ("assay_version", "threads", "seed")
MACHINE = ("python", "system", "architecture", "cores")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing by its name, as it was and as it is."""

    name: str
    before: Any
    after: Any


def environment_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """What differs, in a fixed order. A manifest from a stranger may lack any part; a part it lacks is None."""
    found = [Difference(name, before.get(name), after.get(name)) for name in SINGLE]
    found += _part(before, after, "versions", None)
    found += _part(before, after, "machine", MACHINE)
    found += _cpu_flags(before, after)
    found += [
        one for one in _part(before, after, "embedder", None) if one.name not in ("embedder.model", "embedder.fit")
    ]
    return [one for one in found if one.before != one.after]


def unequal_bits(manifest: Mapping[str, Any]) -> list[str]:
    """Why the run may come out with other bits each time, as its manifest says; empty where it may not."""
    reasons = manifest.get("unequal_bits_because")
    return [str(reason) for reason in reasons] if isinstance(reasons, list) else []


def _part(
    before: Mapping[str, Any], after: Mapping[str, Any], part: str, names: tuple[str, ...] | None
) -> list[Difference]:
    old, new = _mapping(before, part), _mapping(after, part)
    return [
        Difference(name if part == "versions" else f"{part}.{name}", old.get(name), new.get(name))
        for name in (dict.fromkeys((*old, *new)) if names is None else names)
    ]


def _cpu_flags(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    """The vector extensions that only one machine has."""
    old, new = _flags(before), _flags(after)
    if old != new:
        yield Difference("machine.cpu_flags", " ".join(sorted(old - new)) or None, " ".join(sorted(new - old)) or None)


def _flags(manifest: Mapping[str, Any]) -> set[str]:
    flags = _mapping(manifest, "machine").get("cpu_flags")
    return set(map(str, flags)) if isinstance(flags, list) else set()


def _mapping(manifest: Mapping[str, Any], part: str) -> Mapping[str, Any]:
    found = manifest.get(part)
    return found if isinstance(found, Mapping) else {}
