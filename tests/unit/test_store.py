"""The store's faces, on disk and in memory: what was put is found bit by bit, under its own key in its own space only."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.errors import StageError
from assay.store import (
    Counted,
    DiskStore,
    MemoryStore,
    Space,
    Store,
    kept,
    key_of,
    key_of_parts,
    rows_of,
    space_of,
    space_of_stage,
)
from assay.store.upkeep import prune

ONE = Space("document_vectors", "1" * 64, "model one")
TWO = Space("document_vectors", "2" * 64, "model two")
KEY = "a" * 64


def rows(n: int, seed: int = 0, dim: int = 384) -> tuple[list[bytes], np.ndarray]:
    matrix = np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)
    return [key_of(f"{seed}:{i}") for i in range(n)], matrix


@pytest.fixture(params=["disk", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return DiskStore(tmp_path / "cache") if request.param == "disk" else MemoryStore()


def test_rows_are_found_bit_by_bit_in_their_space_only(store: Store) -> None:
    keys, matrix = rows(1200)
    store.put_rows(ONE, keys, matrix)
    order = np.random.default_rng(1).permutation(1200)
    found, there = store.get_rows(ONE, [*(keys[i] for i in order), key_of("absent"), keys[7]])
    assert found.dtype == np.float32
    assert there.tolist() == [True] * 1200 + [False, True]
    assert np.array_equal(found[:1200], matrix[order])
    assert np.array_equal(found[1201], matrix[7])
    assert not found[1200].any()
    nothing, there = store.get_rows(TWO, keys)
    assert (nothing.shape, there.any()) == ((1200, 0), False)
    assert store.get_rows(Space("query_vectors", ONE.key), keys)[1].any() == np.False_
    assert store.get_rows(ONE, [])[0].shape[0] == 0
    store.close()


def test_odd_bits_survive(store: Store) -> None:
    """Minus zero, the smallest and the largest numbers, infinities and a NaN's own bits."""
    odd = np.array([[0x80000000, 1, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC12345]], np.uint32).view(np.float32)
    store.put_rows(ONE, [key_of("odd")], odd)
    assert store.get_rows(ONE, [key_of("odd")])[0].tobytes() == odd.tobytes()


def test_rows_of_one_number(store: Store) -> None:
    """As rerankers' scores are kept: 40,000 to a few pages."""
    keys, matrix = rows(40_000, dim=1)
    store.put_rows(Space("rerank_scores", "3" * 64), keys, matrix)
    found, there = store.get_rows(Space("rerank_scores", "3" * 64), keys[::7])
    assert there.all()
    assert np.array_equal(found, matrix[::7])


def test_keys_that_begin_alike_are_not_taken_for_each_other(store: Store) -> None:
    first, second = (bytes(31) + bytes([end]) for end in (1, 2))
    store.put_rows(ONE, [first], np.ones((1, 3), np.float32))
    assert store.get_rows(ONE, [second, first])[1].tolist() == [False, True]


def test_blobs_are_found_in_their_stage_and_space_only(store: Store) -> None:
    index = space_of_stage("indexes", {"kind": "ivf"})
    for payload in (b"", b"bytes" * 100_000):
        store.put_blob(index, KEY, payload)
        assert store.get_blob(index, KEY) == payload
    assert store.get_blob(index, "b" * 64) is None
    assert store.get_blob(space_of_stage("rankings", {"kind": "ivf"}), KEY) is None
    assert store.get_blob(space_of_stage("indexes", {"kind": "hnsw"}), KEY) is None


def test_what_was_put_outlives_the_process(tmp_path: Path) -> None:
    keys, matrix = rows(10)
    first = DiskStore(tmp_path)
    first.put_rows(ONE, keys, matrix)
    first.put_blob(ONE, KEY, b"payload")
    first.close()
    again = DiskStore(tmp_path)
    assert np.array_equal(again.get_rows(ONE, keys)[0], matrix)
    assert again.get_blob(ONE, KEY) == b"payload"


def test_many_small_puts_become_few_files(tmp_path: Path) -> None:
    store = DiskStore(tmp_path)
    keys, matrix = rows(200, dim=3)
    for i in range(200):
        store.put_rows(ONE, [keys[i], keys[0]], matrix[[i, 0]])
    assert len(list((tmp_path / "document_vectors" / ONE.key).iterdir())) <= 66
    for reader in (store, DiskStore(tmp_path)):
        assert np.array_equal(reader.get_rows(ONE, keys)[0], matrix)


def test_a_store_sees_what_another_puts_and_takes_away(tmp_path: Path) -> None:
    one, other = DiskStore(tmp_path), DiskStore(tmp_path)
    keys, matrix = rows(4)
    assert not one.get_rows(ONE, keys)[1].any()
    other.put_rows(ONE, keys[:3], matrix[:3])
    assert one.get_rows(ONE, keys)[1].tolist() == [True, True, True, False]
    for file in (tmp_path / "document_vectors" / ONE.key).iterdir():
        file.unlink()
    assert not one.get_rows(ONE, keys)[1].any()
    one.put_rows(ONE, keys, matrix)
    assert other.get_rows(ONE, keys)[1].all()


# What a vector's key depends on

IDENTITY = {
    "kind": "sentence-transformer",
    "version": 1,
    "model": "0" * 64,
    "dtype": "float32",
    "backend": "torch",
    "max_length": 256,
    "query_prompt": "",
    "document_prompt": "",
    "normalize": False,
    "truncate_dim": None,
}


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("version", 2),
        ("model", "1" + "0" * 63),
        ("dtype", "bfloat16"),
        ("backend", "openvino"),
        ("max_length", 128),
        ("query_prompt", "query: "),
        ("document_prompt", "passage: "),
        ("normalize", True),
        ("normalize", 0),
        ("truncate_dim", 128),
        ("truncate_dim", 0),
        ("version", "1"),
        ("version", 1.0),
    ],
)
def test_whatever_a_vector_depends_on_makes_another_space(name: str, other: object) -> None:
    base = space_of(IDENTITY, "document")
    changed = space_of({**IDENTITY, name: other}, "document")
    assert changed != base
    assert changed.key != base.key


def test_role_order_and_label() -> None:
    assert space_of(IDENTITY, "query").key != space_of(IDENTITY, "document").key
    assert space_of(dict(reversed(IDENTITY.items())), "query") == space_of(IDENTITY, "query")
    assert space_of(IDENTITY, "query", "a name for people") == space_of(IDENTITY, "query")
    assert space_of(IDENTITY, "query").label == "sentence-transformer 000000000000 torch float32"


def test_keys_tell_texts_apart() -> None:
    assert key_of("é") != key_of("e\u0301")
    assert key_of("a") != key_of("a ") != key_of("A")
    assert len(key_of("a lone surrogate: \ud800")) == 32
    assert key_of("ab", "c") != key_of("a", "bc") != key_of("abc")
    assert key_of("a", "b") != key_of("b", "a")


def test_keys_of_parts_are_of_plain_values_only() -> None:
    values = [1, 1.0, True, "1", None, [1], {"a": 1}, -0.0, 0.0]
    assert len({key_of_parts({"x": value}) for value in values}) == len(values)
    assert key_of_parts({"a": 1, "b": 2}) == key_of_parts({"b": 2, "a": 1})
    assert key_of_parts({"a": (1, 2)}) == key_of_parts({"a": [1, 2]})
    for bad in (float("nan"), float("inf"), {1: 2}, b"x", {1}, np.float32(1)):
        with pytest.raises((TypeError, ValueError)):
            key_of_parts({"x": bad})


def test_a_space_is_a_stage_and_a_hash() -> None:
    for stage, key in (
        ("vectors", "1" * 64),
        ("../indexes", "1" * 64),
        ("indexes", "../" + "1" * 61),
        ("indexes", "A" * 64),
    ):
        with pytest.raises(ValueError, match="is no"):
            Space(stage, key)


# Computing what is missing


def numbers(counted: Counted) -> tuple[int, int]:
    return counted.hits, counted.misses


def test_each_row_is_computed_once_whatever_the_order_and_the_portions(store: Store) -> None:
    """Row i is i; texts 0 to 5, some twice."""
    texts, asked = ["3", "1", "3", "0", "5", "1", "4"], []

    def compute(places: list[int]) -> np.ndarray:
        asked.append([texts[place] for place in places])
        return np.array([[float(texts[place]), 0] for place in places], np.float32)

    def ask(wanted: list[str]) -> tuple[list[float], tuple[int, int], int]:
        counted, steps = Counted(), []
        keys = [key_of(text) for text in wanted]
        found = rows_of(store, ONE, keys, compute, 2, counted, steps.append, order=lambda place: (-int(texts[place]),))
        return found[:, 0].tolist(), numbers(counted), sum(steps)

    assert ask(texts) == ([3, 1, 3, 0, 5, 1, 4], (0, 5), 2)
    assert asked == [["5", "4"], ["3", "1"], ["0"]]
    assert ask(texts) == ([3, 1, 3, 0, 5, 1, 4], (7, 0), 7)
    texts.append("2")
    assert ask(texts) == ([3, 1, 3, 0, 5, 1, 4, 2], (7, 1), 7)
    assert asked[3:] == [["2"]]


def test_nothing_to_look_up(store: Store) -> None:
    assert rows_of(store, ONE, [], lambda _: pytest.fail("nothing to compute"), 2, Counted()).shape == (0, 1)


def test_a_blob_is_made_once(store: Store) -> None:
    counted = Counted()

    def ask(make: Callable[[], str]) -> str:
        return kept(store, ONE, KEY, counted, make, str.encode, bytes.decode)

    assert ask(lambda: "made") == "made"
    assert ask(lambda: pytest.fail("made twice")) == "made"
    assert numbers(counted) == (1, 1)


def test_a_blob_that_can_not_be_unpacked_is_made_anew(store: Store) -> None:
    counted = Counted()
    store.put_blob(ONE, KEY, b"\xff")
    for _ in range(2):
        assert kept(store, ONE, KEY, counted, lambda: "made", str.encode, bytes.decode) == "made"
    assert numbers(counted) == (1, 1)


# Where it can't be


def test_a_folder_that_can_t_be_used_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nope")):
        with pytest.raises(
            StageError, match=r"cache\.dir: .* can't be used .*; give another folder, or cache=none"
        ) as caught:
            DiskStore(folder)
        assert len(caught.value.lines()) == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_only_be_read(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StageError, match=r"cache\.dir: .*holds no store"):
        DiskStore(tmp_path)
    tmp_path.chmod(0o700)


def fails_with(error: OSError) -> Callable[..., None]:
    def write(*_: object) -> None:
        raise error

    return write


@pytest.mark.parametrize("number", ["ENOSPC", "EROFS", "EACCES", "EDQUOT"])
def test_a_disk_that_can_t_be_written_costs_a_warning_and_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    import errno

    store = DiskStore(tmp_path)
    keys, matrix = rows(4)
    store.put_rows(ONE, keys[:1], matrix[:1])
    code = getattr(errno, number)
    monkeypatch.setattr("assay.store.disk.write_file", fails_with(OSError(code, os.strerror(code))))
    store.put_rows(ONE, keys[1:3], matrix[1:3])
    store.put_rows(ONE, keys[3:], matrix[3:])
    store.put_blob(ONE, KEY, b"payload")
    assert np.array_equal(store.get_rows(ONE, keys)[0], matrix)
    assert store.get_blob(ONE, KEY) == b"payload"
    (said,) = store.troubles
    assert said.startswith(f"cache.dir: {tmp_path} can't be written ({os.strerror(code)})")
    store.close()
    assert DiskStore(tmp_path).get_rows(ONE, keys)[1].tolist() == [True, False, False, False]


def test_a_full_disk(tmp_path: Path) -> None:
    """A real one of 300 kB, where this system lets us mount it; nothing half-written is left on it."""
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(tmp_path)], capture_output=True)
    if made.returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        store = DiskStore(tmp_path)
        keys, matrix = rows(400)
        for at in range(0, 400, 100):
            store.put_rows(ONE, keys[at : at + 100], matrix[at : at + 100])
        assert np.array_equal(store.get_rows(ONE, keys)[0], matrix)
        assert "No space left on device" in store.troubles[0]
        store.close()
        assert [file.suffix for file in tmp_path.rglob("*") if file.is_file() and file.name != "lock"] == [".rows"]
        assert DiskStore(tmp_path).get_rows(ONE, keys)[1].sum() == 100
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_folder_that_vanishes_is_made_again(tmp_path: Path) -> None:
    store = DiskStore(tmp_path / "cache")
    keys, matrix = rows(2)
    store.put_rows(ONE, keys, matrix)
    subprocess.run(["rm", "-r", str(tmp_path / "cache")], check=True)
    assert not store.get_rows(ONE, keys)[1].any()
    store.put_rows(ONE, keys, matrix)
    assert store.get_rows(ONE, keys)[1].all()
    assert store.troubles == ()


# What is not its own


def test_links_are_neither_followed_nor_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    keys, matrix = rows(2)
    for linked in ("document_vectors", f"document_vectors/{ONE.key}"):
        folder = tmp_path / linked.replace("/", "-")
        (folder / linked).parent.mkdir(parents=True)
        (folder / linked).symlink_to(outside)
        store = DiskStore(folder)
        store.put_rows(ONE, keys, matrix)
        store.put_blob(ONE, KEY, b"payload")
        assert list(outside.iterdir()) == []
        assert "a link stands where a folder belongs" in store.troubles[0]
        assert store.get_rows(ONE, keys)[1].all(), "in memory"


def test_what_lies_behind_a_link_is_neither_read_nor_removed(tmp_path: Path) -> None:
    """A damaged file with a store's name, in a folder that a link in the store leads to."""
    own = DiskStore(tmp_path / "own")
    keys, matrix = rows(2)
    own.put_rows(ONE, keys, matrix)
    own.put_blob(ONE, KEY, b"payload")
    there = tmp_path / "own" / "document_vectors" / ONE.key
    for file in there.iterdir():
        os.truncate(file, 50)
    before = sorted(file.name for file in there.iterdir())
    folder = tmp_path / "linked"
    (folder / "document_vectors").mkdir(parents=True)
    (folder / "document_vectors" / ONE.key).symlink_to(there)
    store = DiskStore(folder, 1)
    assert not store.get_rows(ONE, keys)[1].any()
    assert store.get_blob(ONE, KEY) is None
    prune(folder, older_than_days=0)
    prune(folder)
    assert sorted(file.name for file in there.iterdir()) == before


def test_a_link_or_a_pipe_in_a_file_s_place_is_not_opened(tmp_path: Path) -> None:
    own = DiskStore(tmp_path / "own")
    own.put_blob(ONE, KEY, b"payload")
    file = tmp_path / "own" / "document_vectors" / ONE.key / f"{KEY}.blob"
    there = tmp_path / "there" / "document_vectors" / ONE.key
    there.mkdir(parents=True)
    (there / file.name).symlink_to(file)
    os.mkfifo(there / f"{'b' * 64}.blob")
    os.mkfifo(there / f"{'c' * 32}.rows")
    store = DiskStore(tmp_path / "there")
    assert store.get_blob(ONE, KEY) is None
    assert store.get_blob(ONE, "b" * 64) is None
    assert not store.get_rows(ONE, [key_of("x")])[1].any()
    assert file.is_file()


def test_nothing_is_ever_unpickled() -> None:
    """No pickle, no eval: neither here nor in what numpy would do for an object array."""
    folder = Path(sys.modules[DiskStore.__module__].__file__ or "").parent
    for file in folder.glob("*.py"):
        source = file.read_text(encoding="utf-8")
        for word in ("import pickle", "np.load", "allow_pickle", "eval(", "exec("):
            assert word not in source, f"{file.name}: {word}"
