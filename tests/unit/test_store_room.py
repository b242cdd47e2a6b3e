"""The bound is kept, what was used last stays, and what somebody else put into the folder is left alone."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from assay.store import DiskStore, MemoryStore, Space, key_of
from assay.store.upkeep import Pruned, holdings, prune

OLD, USED, NEW = (Space("document_vectors", c * 64, name) for c, name in (("1", "old"), ("2", "used"), ("3", "new")))
INDEX = Space("indexes", "4" * 64, "index")


def some(n: int, seed: int) -> tuple[list[bytes], np.ndarray]:
    matrix = np.random.default_rng(seed).normal(size=(n, 384)).astype(np.float32)
    return [key_of(f"{seed}:{i}") for i in range(n)], matrix


def size(folder: Path) -> int:
    """As the disk counts it."""
    return sum(-(-file.stat().st_size // 4096) * 4096 for file in folder.rglob("*") if file.is_file())


def age(folder: Path, space: Space, seconds: float) -> None:
    """Let the files of a space be used last at ``seconds`` since 1970."""
    for file in (folder / space.stage / space.key).iterdir():
        os.utime(file, (seconds, seconds))


def put(folder: Path, space: Space, seed: int, bound: int = 10**9, n: int = 200) -> None:
    store = DiskStore(folder, bound)
    store.put_rows(space, *some(n, seed))
    store.close()


def there(folder: Path, *spaces: Space) -> list[int]:
    return [int(DiskStore(folder).get_rows(space, some(200, seed)[0])[1].sum()) for seed, space in enumerate(spaces)]


def test_the_least_recently_used_space_goes_first(tmp_path: Path) -> None:
    """A space of 200 rows takes about 0.32 MB; three fit into 1 MB, four do not."""
    for seed, space in enumerate((OLD, USED, NEW)):
        put(tmp_path, space, seed)
        age(tmp_path, space, 1000 + seed)
    store = DiskStore(tmp_path)
    assert store.get_rows(OLD, some(200, 0)[0])[1].all()  # now USED is the least recently used
    store.close()
    put(tmp_path, Space("document_vectors", "5" * 64), 5, bound=1_000_000)
    assert size(tmp_path) <= 1_000_000
    assert there(tmp_path, OLD, USED, NEW) == [200, 0, 200]


def test_eviction_is_by_stage_and_model_and_takes_no_more_than_it_must(tmp_path: Path) -> None:
    """Ten blobs of 40 kB are the oldest space; 100 kB are missing, so three of them go, the oldest three."""
    store = DiskStore(tmp_path)
    for i in range(10):
        store.put_blob(INDEX, f"{i:064x}", bytes(40_000))
    for i in range(10):
        os.utime(tmp_path / "indexes" / INDEX.key / f"{i:064x}.blob", (1000 + i, 1000 + i))
    put(tmp_path, NEW, 2)
    before = size(tmp_path)
    put(tmp_path, USED, 1, bound=before + 328_000 - 100_000)
    store = DiskStore(tmp_path)
    assert [store.get_blob(INDEX, f"{i:064x}") is not None for i in range(10)] == [False] * 3 + [True] * 7
    assert store.get_rows(NEW, some(200, 2)[0])[1].all()


def test_what_this_process_uses_is_not_given_up_for_more_of_its_own(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 400_000)
    store.put_rows(OLD, *some(200, 0))
    store.put_rows(OLD, *some(200, 1))
    store.put_rows(NEW, *some(200, 2))
    assert store.get_rows(OLD, some(200, 0)[0])[1].all()
    assert not store.get_rows(OLD, some(200, 1)[0])[1].any()
    assert not store.get_rows(NEW, some(200, 2)[0])[1].any()
    assert size(tmp_path) <= 400_000
    store.close()
    put(tmp_path, NEW, 2, bound=400_000)
    assert there(tmp_path, OLD, USED, NEW) == [0, 0, 200], "the next process may"


def test_what_can_not_fit_drives_nothing_out(tmp_path: Path) -> None:
    put(tmp_path, OLD, 0)
    put(tmp_path, NEW, 2, bound=400_000, n=1000)
    assert there(tmp_path, OLD)[0] == 200


def test_a_bound_that_was_lowered_is_kept_from_the_next_write_on(tmp_path: Path) -> None:
    for seed, space in enumerate((OLD, USED, NEW)):
        put(tmp_path, space, seed)
        age(tmp_path, space, 1000 + seed)
    put(tmp_path, Space("document_vectors", "5" * 64), 9, bound=700_000, n=10)
    assert size(tmp_path) <= 700_000
    assert there(tmp_path, OLD, USED, NEW) == [0, 200, 200]


@pytest.mark.parametrize("bound", [1, 4096, 100_000, 1_000_000])
def test_the_bound_holds_over_everything(tmp_path: Path, bound: int) -> None:
    rng = np.random.default_rng(bound)
    for turn in range(6):
        store = DiskStore(tmp_path, bound)
        for _ in range(6):
            space = Space(
                ("document_vectors", "indexes", "rankings")[int(rng.integers(3))], f"{int(rng.integers(4)):064x}"
            )
            if space.stage == "document_vectors":
                store.put_rows(space, *some(int(rng.integers(1, 200)), int(rng.integers(10**6))))
            else:
                store.put_blob(space, f"{int(rng.integers(10**6)):064x}", bytes(int(rng.integers(60_000))))
            assert size(tmp_path) <= bound, turn
        store.close()


def test_what_is_in_use_stays_even_if_it_is_the_oldest(tmp_path: Path) -> None:
    put(tmp_path, NEW, 2)
    store = DiskStore(tmp_path, 700_000)
    store.put_rows(OLD, *some(200, 0))
    age(tmp_path, OLD, 1000)
    store.put_rows(USED, *some(200, 1))
    assert there(tmp_path, OLD, USED, NEW) == [200, 200, 0]
    store = DiskStore(tmp_path, 400_000)
    assert store.get_rows(OLD, some(200, 0)[0])[1].all()
    age(tmp_path, OLD, 1000)
    store.put_rows(NEW, *some(1, 2))
    assert there(tmp_path, OLD, USED) == [200, 0]


def test_two_stores_share_one_bound(tmp_path: Path) -> None:
    """Each looks through the folder again when its own count is old: the first has put 0.8 MB of 1 MB in the meantime."""
    one, other = DiskStore(tmp_path, 1_000_000), DiskStore(tmp_path, 1_000_000)
    other.put_rows(NEW, *some(1, 9))
    one.put_rows(OLD, *some(500, 0))
    other._looked -= 3600
    other.put_rows(NEW, *some(200, 2))
    assert size(tmp_path) <= 1_000_000
    assert other.get_rows(NEW, some(200, 2)[0])[1].all()


def test_what_somebody_else_put_there_is_left_alone(tmp_path: Path) -> None:
    put(tmp_path, OLD, 0)
    outside = tmp_path.parent / "outside.rows"
    outside.write_bytes(b"o" * 100)
    space = tmp_path / "document_vectors" / OLD.key
    (space / f"{'a' * 32}.rows").symlink_to(outside)
    foreign = {
        "notes.txt": tmp_path / "notes.txt",
        "in a space": space / "notes.rows",
        "in a stage": tmp_path / "indexes" / "mine" / f"{'a' * 64}.blob",
        "of another stage": tmp_path / "mine" / OLD.key / f"{'a' * 32}.rows",
        "upper case": space / f"{'A' * 32}.rows",
    }
    for file in foreign.values():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"mine")
        os.utime(file, (1, 1))
    DiskStore(tmp_path, 1).put_rows(NEW, *some(3, 3))
    assert prune(tmp_path, older_than_days=0).left == 0
    assert {name: file.read_bytes() for name, file in foreign.items()} == dict.fromkeys(foreign, b"mine")
    assert outside.read_bytes() == b"o" * 100
    assert holdings(tmp_path) == []


def test_memory_is_bounded_the_same_way() -> None:
    store = MemoryStore(700_000)
    for seed, space in enumerate((OLD, USED)):
        store.put_rows(space, *some(100, seed))
    assert store.get_rows(OLD, some(100, 0)[0])[1].all()
    store.put_rows(NEW, *some(200, 2))
    assert [
        bool(store.get_rows(space, some(100, seed)[0])[1].all()) for seed, space in enumerate((OLD, USED, NEW))
    ] == [
        True,
        False,
        True,
    ]
    store.put_rows(NEW, *some(500, 3))
    assert not store.get_rows(NEW, some(500, 3)[0])[1].any()


# Prune


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Rows used at day 0, rows used at day 10, an index used at day 5; the present is day 20."""
    now = time.time()
    put(tmp_path, OLD, 0, n=10)
    put(tmp_path, NEW, 2, n=10)
    DiskStore(tmp_path).put_blob(INDEX, "a" * 64, bytes(40_000))
    for space, day in ((OLD, 0), (NEW, 10), (INDEX, 5)):
        age(tmp_path, space, now - 86400 * (20 - day))
    return tmp_path


def stages(folder: Path) -> list[tuple[str, str]]:
    return [(held.stage, held.model) for held in holdings(folder)]


BOTH = [("document_vectors", "new"), ("document_vectors", "old")]


def test_holdings(three: Path) -> None:
    assert [(held.stage, held.model, held.entries, held.bytes) for held in holdings(three)] == [
        ("document_vectors", "new", 10, 16384),
        ("document_vectors", "old", 10, 16384),
        ("indexes", "index", 1, 40_960),
    ]


def test_prune_takes_what_is_asked_for(three: Path) -> None:
    assert prune(three) == Pruned(0, 0, 73_728)
    assert prune(three, older_than_days=20.5).files == 0
    assert prune(three, stage="document_vectors", older_than_days=15) == Pruned(1, 16_384, 57_344)
    assert stages(three) == [("document_vectors", "new"), ("indexes", "index")]
    assert prune(three, stage="indexes") == Pruned(1, 40_960, 16_384)
    assert prune(three, older_than_days=0) == Pruned(1, 16_384, 0)
    assert prune(three) == Pruned(0, 0, 0)


def test_prune_to_a_size_takes_the_least_recently_used(three: Path) -> None:
    assert prune(three, max_bytes=60_000) == Pruned(1, 16_384, 57_344)
    assert stages(three) == [("document_vectors", "new"), ("indexes", "index")]
    assert prune(three, max_bytes=20_000) == Pruned(1, 40_960, 16_384)
    assert stages(three) == [("document_vectors", "new")]


def test_prune_takes_what_is_damaged_and_what_exceeds_the_bound(three: Path) -> None:
    file = three / "indexes" / INDEX.key / f"{'a' * 64}.blob"
    file.write_bytes(file.read_bytes()[:-1])
    assert prune(three, bound=20_000).files == 2
    assert stages(three) == BOTH[:1]
