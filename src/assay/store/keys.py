"""What a stored thing is found by: the hash of everything that it depends on.

A *space* holds what one model (or one chunker) made in one stage; eviction goes by it. Inside a space a row is found
by the hash of its text, a blob by the hash of all its inputs.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STAGES = (
    "chunks",
    "measured",
    "document_vectors",
    "query_vectors",
    "indexes",
    "exact_neighbours",
    "rerank_scores",
    "rankings",
)
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Space:
    """A stage and the hash of what all its entries depend on; ``label`` tells a person which model that is."""

    stage: str
    key: str
    label: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.stage not in STAGES:
            raise ValueError(f"{self.stage!r} is no stage of the store")
        if len(self.key) != 2 * KEY_BYTES or set(self.key) - set("0123456789abcdef"):
            raise ValueError(f"{self.key!r} is no hash")


def key_of(*texts: str) -> bytes:
    """The hash of one text, or of several in order (a query and a passage, say), 32 bytes."""
    if len(texts) == 1:
        return hashlib.sha256(texts[0].encode("utf-8", "surrogatepass")).digest()
    digest = hashlib.sha256(b"several texts")
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.digest()


def key_of_parts(parts: Mapping[str, Any]) -> str:
    """The hash of plain values (null, booleans, finite numbers, text, lists, mappings with text keys), in hexadecimal.

    The order of keys is nothing, everything else counts: 1, 1.0, true and "1" are four different values.

    Raises
    ------
    TypeError, ValueError
        A value is not plain.
    """
    _refuse_other_keys(parts)
    plain = json.dumps(parts, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(plain.encode("ascii")).hexdigest()


def _refuse_other_keys(value: Any) -> None:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} is not text")
            _refuse_other_keys(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            _refuse_other_keys(inner)


def space_of(identity: Mapping[str, Any], role: str, label: str = "") -> Space:
    """The space of the vectors that a model makes in ``role``, query or document."""
    stage = {"query": "query_vectors", "document": "document_vectors"}[role]
    return Space(stage, key_of_parts({"identity": identity, "role": role}), label or label_of(identity))


def space_of_stage(stage: str, identity: Mapping[str, Any], label: str = "") -> Space:
    """The space of what comes of ``identity`` in any other stage."""
    return Space(stage, key_of_parts({"stage": stage, "identity": identity}), label or label_of(identity))


def label_of(identity: Mapping[str, Any]) -> str:
    """A few words that tell a person which model (or chunker) an identity is of."""
    parts = [identity.get("kind"), identity.get("name"), identity.get("model") or identity.get("fit")]
    parts += [identity.get("backend"), identity.get("dtype"), identity.get("size")]
    return " ".join(
        str(part)[:12] if part == identity.get("fit") or _is_hash(part) else str(part) for part in parts if part
    )


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and len(value) >= 32 and not set(value) - set("0123456789abcdef")


def default_folder() -> Path:
    """The user's cache folder on this system."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "assay"
