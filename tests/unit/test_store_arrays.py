"""Arrays and plain values as bytes and back; what is not of that form is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.store import from_bytes, to_bytes

EVERY = {
    "int64": np.array([[1, -2], [3, 2**62]]),
    "int32": np.array([7], np.int32),
    "float32": np.array([[0.1, -0.0, np.nan]], np.float32),
    "float64": np.linspace(0, 1, 7),
    "bytes": np.frombuffer(b"index", np.uint8),
    "mask": np.array([True, False, True]),
    "none": np.empty((0, 384), np.float32),
    "scalar": np.array(3.5),
    "ü": np.array([1], np.uint64),
}


def test_there_and_back() -> None:
    meta = {"notes": ["one", "zwei ü"], "nprobe": 8, "none": None, "share": 0.25}
    payload = to_bytes(EVERY, meta)
    arrays, told = from_bytes(payload)
    assert told == meta
    assert set(arrays) == set(EVERY)
    for name, array in EVERY.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].tobytes() == array.tobytes()
        assert not arrays[name].flags.writeable or not array.size
        assert arrays[name].flags.aligned
    assert to_bytes(dict(reversed(EVERY.items())), meta) == payload
    assert from_bytes(to_bytes({})) == ({}, {})


def test_arrays_of_any_layout() -> None:
    base = np.arange(12, dtype=np.int64).reshape(3, 4)
    for array in (base.T, base[::2], base[:, 1], base.astype(">i8")):
        assert from_bytes(to_bytes({"a": array}))[0]["a"].tolist() == array.tolist()


@pytest.mark.parametrize(
    "array",
    [
        np.array([{}], object),
        np.array(["text"]),
        np.array([1 + 2j]),
        np.array([(1, 2)], "i4,i4"),
        np.array(["2020"], "M8[D]"),
    ],
)
def test_other_kinds_of_arrays_are_not_written(array: np.ndarray) -> None:
    with pytest.raises(ValueError, match="are not kept"):
        to_bytes({"a": array})


def made(arrays: Any, data: bytes = b"", meta: Any = None, **more: Any) -> bytes:
    plain = json.dumps({"arrays": arrays, "meta": {} if meta is None else meta, **more}).encode()
    plain += b" " * (-(8 + len(plain)) % 64)
    return len(plain).to_bytes(8, "little") + plain + data


def test_the_form_of_the_refused_ones_is_right_otherwise() -> None:
    assert from_bytes(made([["a", "<i4", [2]]], bytes(8)))[0]["a"].tolist() == [0, 0]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"short",
        bytes(7),
        (2**63).to_bytes(8, "little"),
        (100).to_bytes(8, "little") + bytes(50),
        (2).to_bytes(8, "little") + b"[]",
        (2).to_bytes(8, "little") + b"{}",
        (4).to_bytes(8, "little") + b"null",
        made({}),
        made([["a", "<i4", [2]]], bytes(7)),
        made([["a", "<i4", [2]]], bytes(9)),
        made([["a", "<i4", [2**47, 2**47]]], bytes(8)),
        made([["a", "<i4", [-2]]], bytes(8)),
        made([["a", "<i4", [-2, -1]]], bytes(8)),
        made([["a", "<i4", [True]]], bytes(4)),
        made([["a", "<i4", ["2"]]], bytes(8)),
        made([["a", "<i4", [1] * 40]], bytes(4)),
        made([["a", "|O", [1]]], bytes(8)),
        made([["a", "<U4", [1]]], bytes(16)),
        made([["a", ["<i4"], [1]]], bytes(4)),
        made([["a", "|b1", [2]]], b"\x01\x02"),
        made([[1, "<i4", [2]]], bytes(8)),
        made([["a", "<i4"]], bytes(8)),
        made(["a"]),
        made([], meta=[]),
        made([], more=1),
        made([], b"x"),
    ],
)
def test_what_is_not_of_that_form_is_a_value_error(payload: bytes) -> None:
    with pytest.raises(ValueError):
        from_bytes(payload)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 2**12), st.integers(0, 255))
def test_any_bytes_are_arrays_or_a_value_error(raw: bytes, place: int, value: int) -> None:
    """Random bytes, and a good payload with one byte changed."""
    good = bytearray(to_bytes({"a": np.arange(5), "m": np.array([True])}, {"k": [1]}))
    good[place % len(good)] = value
    for payload in (raw, bytes(good)):
        try:
            arrays, _ = from_bytes(payload)
        except ValueError:
            continue
        assert sum(array.nbytes for array in arrays.values()) <= len(payload)
