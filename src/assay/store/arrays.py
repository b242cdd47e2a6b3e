"""Named arrays and plain values as bytes, and back, without pickle.

::

    length of the description (8, little-endian) | description (JSON) | the arrays' bytes, each from a multiple of 64

Only the number types below exist, shapes are held against the bytes that are there, and what does not fit is a
ValueError: a blob's hash says that it is what was written, this says that it can only be arrays.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

DTYPES = frozenset({"<i8", "<i4", "<u4", "<u8", "<f4", "<f8", "|u1", "|b1"})
_ALIGN = 64
_DEEPEST = 4


def to_bytes(arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any] | None = None) -> bytes:
    """``arrays`` and ``meta`` (plain values) as bytes; equal input gives equal bytes."""
    told, parts, at = [], [], 0
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        if array.dtype.byteorder == ">":
            array = array.astype(array.dtype.newbyteorder("<"))
        if array.dtype.str not in DTYPES:
            raise ValueError(f"{name}: arrays of {array.dtype} are not kept")
        told.append([name, array.dtype.str, list(np.shape(arrays[name]))])
        raw = array.tobytes()
        parts += [bytes(-at % _ALIGN), raw]
        at += -at % _ALIGN + len(raw)
    plain = json.dumps({"arrays": told, "meta": dict(meta or {})}, sort_keys=True, allow_nan=False).encode("ascii")
    plain += b" " * (-(8 + len(plain)) % _ALIGN)
    return b"".join([len(plain).to_bytes(8, "little"), plain, *parts])


def from_bytes(payload: bytes) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays (read-only, without a copy) and the values that ``to_bytes`` wrote.

    Raises
    ------
    ValueError
        ``payload`` is not of that form.
    """
    length = int.from_bytes(payload[:8], "little")
    if len(payload) < 8 or length > len(payload) - 8:
        raise ValueError("a description longer than the payload")
    try:
        plain = json.loads(payload[8 : 8 + length])
    except RecursionError:
        raise ValueError("a description nested too deeply") from None
    if not isinstance(plain, dict) or set(plain) != {"arrays", "meta"} or not isinstance(plain["meta"], dict):
        raise ValueError("no description of arrays")
    arrays: dict[str, NDArray[Any]] = {}
    at = 8 + length
    for told in plain["arrays"] if isinstance(plain["arrays"], list) else [None]:
        name, dtype, shape = _described(told)
        at += -(at - 8 - length) % _ALIGN
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if size > len(payload) - at:
            raise ValueError(f"{name}: longer than the payload")
        flat = np.frombuffer(payload, np.dtype(dtype), math.prod(shape), at) if size else np.empty(0, np.dtype(dtype))
        if dtype == "|b1" and size and flat.view(np.uint8).max() > 1:
            raise ValueError(f"{name}: not true or false")
        arrays[name] = flat.reshape(shape)
        at += size
    if at != len(payload):
        raise ValueError("longer than its arrays")
    return arrays, plain["meta"]


def _described(told: Any) -> tuple[str, str, tuple[int, ...]]:
    if isinstance(told, list) and len(told) == 3:
        name, dtype, shape = told
        sizes = shape if isinstance(shape, list) and len(shape) <= _DEEPEST else [None]
        whole = all(isinstance(size, int) and not isinstance(size, bool) and 0 <= size < 2**48 for size in sizes)
        if isinstance(name, str) and isinstance(dtype, str) and dtype in DTYPES and whole:
            return name, dtype, tuple(sizes)
    raise ValueError("no description of an array")
