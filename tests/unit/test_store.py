"""The store of vectors: found again, never wrong, bounded, and alive after any damage."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from assay.embedders.store import DiskStore, MemoryStore, VectorStore, key_of, space_of
from assay.errors import StageError


def vectors(n: int, seed: int = 0, dim: int = 384) -> dict[bytes, np.ndarray]:
    rows = np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)
    return {key_of(f"{seed}:{i}"): row for i, row in enumerate(rows)}


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def assert_none_is_wrong(found: dict[bytes, np.ndarray], given: dict[bytes, np.ndarray]) -> None:
    assert set(found) <= set(given)
    assert all(np.array_equal(found[key], given[key]) for key in found)


@pytest.fixture(params=["disk", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> VectorStore:
    return DiskStore(tmp_path / "cache") if request.param == "disk" else MemoryStore()


def test_what_was_put_is_found_bit_by_bit_in_its_space_only(store: VectorStore) -> None:
    given = vectors(1200)
    store.put("one", given)
    found = store.get("one", [*given, key_of("absent")])
    assert len(found) == 1200
    assert_none_is_wrong(found, given)
    assert store.get("two", list(given)) == {}
    store.put("one", {next(iter(given)): np.ones(2, np.float32)})
    assert store.get("one", list(given)[:1])[next(iter(given))].tolist() == [1, 1]
    assert store.get("one", []) == {}
    store.close()


def test_spaces_and_keys_tell_apart_what_a_vector_depends_on() -> None:
    assert space_of({"model": "a"}, "query") != space_of({"model": "a"}, "document")
    assert space_of({"a": 1, "b": 2}, "query") == space_of({"b": 2, "a": 1}, "query")
    assert key_of("é") != key_of("e\u0301")
    assert len(key_of("a lone surrogate: \ud800")) == 32


def test_vectors_outlive_the_process(tmp_path: Path) -> None:
    given = vectors(10)
    first = DiskStore(tmp_path)
    first.put("s", given)
    first.close()
    assert len(DiskStore(tmp_path).get("s", list(given))) == 10


WRITER = (
    "import sys, numpy; from pathlib import Path\n"
    "from assay.embedders.store import DiskStore, key_of\n"
    "store = DiskStore(Path(sys.argv[1])); first = int(sys.argv[2])\n"
    "for i in range(first, first + 120):\n"
    "    store.put('s', {key_of(f'{i}:{j}'): numpy.full(64, i, 'f4') for j in range(5)})\n"
    "    store.get('s', [key_of(f'{i}:0')])\n"
)


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    """Their halves overlap; the file does not exist when both start."""
    jobs = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "c"), first]) for first in ("0", "60")]
    assert [job.wait(timeout=120) for job in jobs] == [0, 0]
    assert [file.name for file in (tmp_path / "c").iterdir() if "damaged" in file.name] == []
    found = DiskStore(tmp_path / "c").get("s", [key_of(f"{i}:{j}") for i in range(180) for j in range(5)])
    assert len(found) == 900
    assert all(found[key_of(f"{i}:{j}")][0] == i for i in range(180) for j in range(5))


def test_a_flipped_bit_in_a_vector_is_a_miss_and_is_written_anew(tmp_path: Path) -> None:
    given = vectors(40)
    store = DiskStore(tmp_path)
    store.put("s", given)
    store.close()
    raw = bytearray((tmp_path / "vectors.sqlite").read_bytes())
    victim = list(given)[17]
    place = raw.find(given[victim].tobytes())
    assert place > 0
    raw[place + 100] ^= 0x10
    (tmp_path / "vectors.sqlite").write_bytes(raw)
    store = DiskStore(tmp_path)
    found = store.get("s", list(given))
    assert set(given) - set(found) == {victim}
    assert_none_is_wrong(found, given)
    store.put("s", {victim: given[victim]})
    assert len(store.get("s", list(given))) == 40


@pytest.mark.parametrize("value", ["'text'", "NULL", "7", "x''", "CAST(x'ff80' AS TEXT)"])
@pytest.mark.parametrize("column", ["data", "sum"])
def test_a_row_of_another_type_is_a_miss(tmp_path: Path, column: str, value: str) -> None:
    given = vectors(3)
    store = DiskStore(tmp_path)
    store.put("s", given)
    store.close()
    with sqlite3.connect(tmp_path / "vectors.sqlite") as db:
        db.execute(f"UPDATE vectors SET {column}={value} WHERE key=?", (next(iter(given)),))
    db.close()
    assert set(DiskStore(tmp_path).get("s", list(given))) == set(list(given)[1:])


@pytest.mark.parametrize("left", [0, 1, 50, 99, 100, 4096, 16384, 16385, 40_000, "half", "all but one page"])
def test_a_truncated_file_costs_only_its_vectors(tmp_path: Path, left: int | str) -> None:
    given = vectors(200)
    store = DiskStore(tmp_path)
    store.put("s", given)
    store.close()
    raw = (tmp_path / "vectors.sqlite").read_bytes()
    keep = len(raw) // 2 if left == "half" else len(raw) - 16384 if left == "all but one page" else int(left)
    (tmp_path / "vectors.sqlite").write_bytes(raw[:keep])
    store = DiskStore(tmp_path)
    assert_none_is_wrong(store.get("s", list(given)), given)
    store.put("s", given)
    assert len(store.get("s", list(given))) == 200
    aside = [file for file in tmp_path.iterdir() if "damaged" in file.name]
    assert len(aside) <= 1
    if keep > 512:
        assert [file.stat().st_size for file in aside] == [keep], "set aside, not removed"


def test_any_flipped_bits_cost_only_vectors(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    given = vectors(60)
    store = DiskStore(tmp_path / "whole")
    store.put("s", given)
    store.close()
    raw = (tmp_path / "whole" / "vectors.sqlite").read_bytes()
    for trial in range(60):
        folder = tmp_path / str(trial)
        folder.mkdir()
        damaged = bytearray(raw)
        spread = 200 if trial % 3 == 0 else len(raw)  # the header, or anywhere
        for place in rng.integers(0, spread, 8):
            damaged[place] ^= 1 << int(rng.integers(8))
        (folder / "vectors.sqlite").write_bytes(damaged)
        store = DiskStore(folder)
        assert_none_is_wrong(store.get("s", list(given)), given)
        store.put("s", given)
        assert_none_is_wrong(store.get("s", list(given)), given)
        store.close()


def test_a_file_that_is_no_database_is_never_unpickled_but_set_aside(tmp_path: Path) -> None:
    planted = b"cos\nsystem\n(S'touch ran'\ntR." * 50
    (tmp_path / "vectors.sqlite").write_bytes(planted)
    store = DiskStore(tmp_path)
    assert store.get("s", [key_of("a")]) == {}
    assert [file.read_bytes() for file in tmp_path.iterdir() if "damaged" in file.name] == [planted]
    source = Path(sys.modules[DiskStore.__module__].__file__ or "").read_text(encoding="utf-8")
    assert "pickle" not in source
    assert "allow_pickle=True" not in source


def test_a_locked_store_is_not_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = DiskStore(tmp_path)
    store.put("s", vectors(3))
    other = sqlite3.connect(tmp_path / "vectors.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store._db.execute("PRAGMA busy_timeout=10")
    assert len(store.get("s", list(vectors(3)))) == 3
    with pytest.raises(StageError, match=r"cache\.dir: .*can't be written \(database is locked\)"):
        store.put("s", vectors(3, seed=1))
    other.execute("ROLLBACK")
    other.close()
    store.put("s", vectors(3, seed=1))
    assert not [file for file in tmp_path.iterdir() if "damaged" in file.name]


def test_a_folder_that_can_t_be_used_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(StageError, match=r"cache\.dir: .*; give another folder, or cache=none") as caught:
        DiskStore(tmp_path / "file")
    assert len(caught.value.lines()) == 1
    (tmp_path / "dir" / "vectors.sqlite").mkdir(parents=True)
    with pytest.raises(StageError, match=r"cache\.dir: .*can't be used \(unable to open database file\)"):
        DiskStore(tmp_path / "dir")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StageError, match=r"cache\.dir: "):
        DiskStore(tmp_path)
    tmp_path.chmod(0o700)


def test_the_bound_is_kept_and_the_least_recently_used_space_goes_first(tmp_path: Path) -> None:
    """A space of 200 vectors takes about 0.4 MB; two fit into 1 MB, three do not."""
    bound = 1_000_000
    for seed, space in enumerate(("old", "used", "new")):
        store = DiskStore(tmp_path, bound)
        store.put(space, vectors(200, seed))
        if space == "used":
            store.close()
            store = DiskStore(tmp_path, bound)
            assert len(store.get("old", list(vectors(200, 0)))) == 200  # now "used" is the least recently used
        store.close()
        assert size(tmp_path) <= bound
    store = DiskStore(tmp_path, bound)
    left = {space: len(store.get(space, list(vectors(200, seed)))) for seed, space in enumerate(("old", "used", "new"))}
    assert left == {"old": 200, "used": 0, "new": 200}


def test_what_finds_no_room_is_not_kept_and_what_is_there_stays(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 400_000)
    store.put("s", vectors(100, 0))
    for seed in range(1, 6):
        store.put("s", vectors(100, seed))
    assert len(store.get("s", list(vectors(100, 0)))) == 100
    assert store.get("s", list(vectors(100, 5))) == {}
    store.close()
    assert size(tmp_path) <= 400_000


def test_a_bound_that_was_lowered_is_kept_from_the_next_write_on(tmp_path: Path) -> None:
    store = DiskStore(tmp_path)
    for seed in range(5):
        store.put(f"s{seed}", vectors(200, seed))
    store.close()
    assert size(tmp_path) > 1_500_000
    store = DiskStore(tmp_path, 1_000_000)
    store.put("last", vectors(50, 9))
    assert len(store.get("last", list(vectors(50, 9)))) == 50
    store.close()
    assert size(tmp_path) <= 1_000_000
