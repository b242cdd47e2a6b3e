"""Whatever is done to a store's files, what it gives back is what was put or nothing, and it works on afterwards."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.store import DiskStore, Space, key_of
from assay.store.container import MAGIC, framed
from assay.store.upkeep import verify

VECTORS = Space("document_vectors", "1" * 64, "a model")
INDEXES = Space("indexes", "2" * 64, "a model ivf")
KEYS = [key_of(str(i)) for i in range(300)]
BLOBS = {"a" * 64: b"index" * 20_000, "b" * 64: b"", "c" * 64: os.urandom(3000)}


def matrix(dim: int = 384) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(300, dim)).astype(np.float32)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 300 rows in three files, and three blobs."""
    folder = tmp_path_factory.mktemp("whole") / "store"
    store = DiskStore(folder)
    for at in (0, 100, 200):
        store.put_rows(VECTORS, KEYS[at : at + 100], matrix()[at : at + 100])
    for key, payload in BLOBS.items():
        store.put_blob(INDEXES, key, payload)
    store.close()
    return folder


def files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix in {".rows", ".blob"})


def left(folder: Path) -> tuple[int, int]:
    """Rows and blobs that are still found; all of them as they were put."""
    store = DiskStore(folder)
    found, there = store.get_rows(VECTORS, KEYS)
    assert not there.any() or np.array_equal(found[there], matrix()[there]), "a wrong row"
    blobs = {key: store.get_blob(INDEXES, key) for key in BLOBS}
    assert all(payload in (None, BLOBS[key]) for key, payload in blobs.items()), "a wrong blob"
    store.close()
    return int(there.sum()), sum(payload is not None for payload in blobs.values())


def flip(file: Path, rng: np.random.Generator) -> None:
    raw = bytearray(file.read_bytes())
    for place in rng.integers(0, len(raw), int(rng.integers(1, 4))):
        raw[place] ^= 1 << int(rng.integers(8))
    file.write_bytes(raw)


def truncate(file: Path, rng: np.random.Generator) -> None:
    os.truncate(file, int(rng.integers(file.stat().st_size)))


def lengthen(file: Path, rng: np.random.Generator) -> None:
    file.write_bytes(file.read_bytes() + rng.bytes(int(rng.integers(1, 5000))))


def zero(file: Path, rng: np.random.Generator) -> None:
    """As a disk leaves a file whose blocks were never written."""
    raw = bytearray(file.read_bytes())
    at = int(rng.integers(len(raw)))
    raw[at : at + 4096] = bytes(len(raw[at : at + 4096]))
    file.write_bytes(raw)


def overwrite(file: Path, rng: np.random.Generator) -> None:
    file.write_bytes(rng.bytes(int(rng.integers(0, 9000))))


DAMAGES: dict[str, Callable[[Path, np.random.Generator], None]] = {
    "flip": flip,
    "truncate": truncate,
    "lengthen": lengthen,
    "zero": zero,
    "overwrite": overwrite,
    "delete": lambda file, _: file.unlink(),
}


def test_200_damages_at_random_are_found_and_never_give_a_wrong_value(whole: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows_left = []
    for trial in range(200):
        how = list(DAMAGES)[trial % len(DAMAGES)]
        folder = tmp_path / str(trial)
        shutil.copytree(whole, folder)
        before = {file: file.read_bytes() for file in files(folder)}
        victim = list(before)[int(rng.integers(len(before)))]
        DAMAGES[how](victim, rng)
        changed = how != "delete" and victim.read_bytes() != before[victim]
        checked = verify(folder)
        assert [fault.path for fault in checked.faults] == ([victim] if changed else [])
        assert files(folder) == [file for file in before if how != "delete" or file != victim], "verify removes nothing"
        rows, blobs = left(folder)
        assert (rows, blobs) == (300, 3) or changed or how == "delete"
        rows_left.append(rows)
        assert verify(folder).faults == [], "using it has mended it"
        if trial % 10 == 0:
            store = DiskStore(folder)
            store.put_rows(VECTORS, KEYS, matrix())
            for key, payload in BLOBS.items():
                store.put_blob(INDEXES, key, payload)
            assert left(folder) == (300, 3)
        shutil.rmtree(folder)
    assert min(rows_left) == 200, "one file of three is lost at worst"


def test_a_flipped_bit_costs_one_page_and_the_rest_is_written_anew(whole: Path, tmp_path: Path) -> None:
    """A page holds 42 rows of 384 numbers."""
    folder = tmp_path / "store"
    shutil.copytree(whole, folder)
    file = next(file for file in files(folder) if file.suffix == ".rows")
    raw = bytearray(file.read_bytes())
    raw[-1] ^= 1
    file.write_bytes(raw)
    assert left(folder) == (300 - 100 % 42, 3)
    assert not file.exists()
    assert left(folder) == (300 - 100 % 42, 3)


def test_a_flipped_bit_in_a_key_or_a_checksum_is_found(whole: Path, tmp_path: Path) -> None:
    """Between header and rows lie 100 keys of 32 bytes and 3 checksums of 16."""
    source = next(file for file in files(whole) if file.suffix == ".rows")
    start = source.stat().st_size - 100 * 384 * 4 - 100 * 32 - 3 * 16
    for place in (start, start + 31, start + 99 * 32, start + 100 * 32, start + 100 * 32 + 47):
        folder = tmp_path / str(place)
        shutil.copytree(whole, folder)
        file = folder / source.relative_to(whole)
        raw = bytearray(file.read_bytes())
        raw[place] ^= 1
        file.write_bytes(raw)
        assert [fault.what for fault in verify(folder).faults] == ["the table of keys does not match its hash"]
        assert left(folder) == (200, 3)


def test_files_that_change_places_are_not_taken_for_each_other(whole: Path, tmp_path: Path) -> None:
    """Another space's file, another key's blob and another stage's space are not what their place says."""
    folder = tmp_path / "store"
    shutil.copytree(whole, folder)
    rows = folder / "document_vectors" / VECTORS.key
    rows.rename(folder / "document_vectors" / ("9" * 64))
    blobs = folder / "indexes" / INDEXES.key
    (blobs / f"{'a' * 64}.blob").replace(blobs / f"{'c' * 64}.blob")
    (folder / "rankings").mkdir()
    shutil.copytree(blobs, folder / "rankings" / INDEXES.key)
    store = DiskStore(folder)
    assert not store.get_rows(Space("document_vectors", "9" * 64), KEYS)[1].any()
    assert store.get_blob(INDEXES, "c" * 64) is None
    assert store.get_blob(INDEXES, "b" * 64) == b""
    assert store.get_blob(Space("rankings", INDEXES.key), "b" * 64) is None


HUGE = {"holds": "blob", "stage": "indexes", "space": "2" * 64, "key": "a" * 64, "sha256": "0" * 64}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"cos\nsystem\n(S'touch ran'\ntR.",
        b"\x80\x04\x95\x00",
        MAGIC,
        MAGIC + b"\xff\xff\xff\xff" + bytes(40),
        framed({**HUGE, "bytes": 2**62}),
        framed({**HUGE, "bytes": -1}),
        framed({**HUGE, "bytes": True}),
        framed({**HUGE, "bytes": "3"}) + b"abc",
        framed({**HUGE}),
        framed({}),
    ],
)
def test_a_blob_that_somebody_planted_is_refused_before_memory_is_taken(tmp_path: Path, raw: bytes) -> None:
    place = tmp_path / "indexes" / INDEXES.key / f"{'a' * 64}.blob"
    place.parent.mkdir(parents=True)
    place.write_bytes(raw)
    assert len(verify(tmp_path).faults) == 1
    assert DiskStore(tmp_path).get_blob(INDEXES, "a" * 64) is None
    assert not place.exists()


ROWS = {"holds": "rows", "stage": "document_vectors", "space": "1" * 64, "table": "0" * 64}


@pytest.mark.parametrize(
    "size", [(0, 1), (1, 0), (1 << 40, 1), (1, 1 << 40), (1 << 18, 1 << 20), (-1, -1), (True, 1), ("1", 1)]
)
def test_rows_that_somebody_planted_are_refused_before_memory_is_taken(
    tmp_path: Path, size: tuple[object, object]
) -> None:
    place = tmp_path / "document_vectors" / VECTORS.key / f"{'a' * 32}.rows"
    place.parent.mkdir(parents=True)
    place.write_bytes(framed({**ROWS, "rows": size[0], "width": size[1]}) + bytes(100))
    assert len(verify(tmp_path).faults) == 1
    assert not DiskStore(tmp_path).get_rows(VECTORS, KEYS)[1].any()
    assert not place.exists()


def test_a_store_that_is_damaged_while_it_is_open(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    shutil.copytree(whole, folder)
    store = DiskStore(folder)
    assert store.get_rows(VECTORS, KEYS)[1].all()
    for file in files(folder):
        os.truncate(file, file.stat().st_size // 2)
    found, there = store.get_rows(VECTORS, KEYS)
    assert not there.any() or np.array_equal(found[there], matrix()[there])
    assert store.get_blob(INDEXES, "a" * 64) is None
    store.put_rows(VECTORS, KEYS, matrix())
    assert np.array_equal(store.get_rows(VECTORS, KEYS)[0], matrix())


def test_what_was_left_half_written_is_no_damage_and_goes_later(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    shutil.copytree(whole, folder)
    half = folder / "indexes" / INDEXES.key / f"{'d' * 64}.blob.{'e' * 16}.tmp"
    half.write_bytes(b"half")
    assert verify(folder).faults == []
    store = DiskStore(folder)
    store.put_blob(INDEXES, "d" * 64, b"x")
    assert half.exists(), "another process may be writing it"
    os.utime(half, (1, 1))
    DiskStore(folder).put_blob(INDEXES, "d" * 64, b"x")
    assert not half.exists()
