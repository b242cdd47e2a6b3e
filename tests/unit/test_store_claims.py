"""Processes side by side over one store share the work: no row is computed twice, none waits for a dead process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from assay.store import Counted, DiskStore, MemoryStore, Space, key_of, rows_of
from assay.store import claims as claims_module
from assay.store.claims import Claims
from assay.store.upkeep import prune, verify

SPACE = Space("document_vectors", "1" * 64)
OTHER = Space("document_vectors", "2" * 64)
KEYS = [key_of(str(i)) for i in range(20)]

WORKER = """
import json, sys, time
import numpy as np
from pathlib import Path
from assay.store import Counted, DiskStore, Space, key_of, rows_of

folder, first, last, pause, until = Path(sys.argv[1]), *map(float, sys.argv[2:])
space = Space("document_vectors", "1" * 64)
numbers = list(range(int(first), int(last)))
made, counted = [], Counted()

def compute(places):
    time.sleep(pause * len(places))
    made.extend(numbers[place] for place in places)
    return np.array([[numbers[place], 2 * numbers[place]] for place in places], np.float32)

while time.time() < until:
    time.sleep(0.001)
store = DiskStore(folder)
found = rows_of(store, space, [key_of(str(i)) for i in numbers], compute, 16, counted)
store.close()
right = found.tolist() == [[i, 2 * i] for i in numbers]
print(json.dumps({"made": made, "right": right, "hits": counted.hits, "misses": counted.misses}))
"""


def start(folder: Path, first: int, last: int, pause: float, until: float) -> subprocess.Popen[str]:
    given = [sys.executable, "-c", WORKER, str(folder), str(first), str(last), str(pause), str(until)]
    return subprocess.Popen(given, stdout=subprocess.PIPE, text=True)


def told(workers: Sequence[subprocess.Popen[str]]) -> list[dict[str, object]]:
    said = [worker.communicate(timeout=60)[0] for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * len(workers)
    return [json.loads(text) for text in said]


def test_four_processes_cold_over_one_store(tmp_path: Path) -> None:
    """They start at the same moment on overlapping sets of 400 of 500 rows; the folder does not exist yet."""
    folder, until = tmp_path / "store", time.time() + 1.5
    bounds = [(0, 400), (100, 500), (0, 400), (50, 450)]
    said = told([start(folder, first, last, 0.0005, until) for first, last in bounds])
    assert all(one["right"] for one in said)
    times = Counter(number for one in said for number in one["made"])
    assert set(times) == set(range(500))
    assert max(times.values()) == 1
    assert all(one["hits"] + one["misses"] == 400 for one in said)
    assert sum(bool(one["made"]) for one in said) > 1, "the work was shared"
    assert verify(folder).faults == []
    assert [file.name for file in (folder / "claims").iterdir()] == ["lock"]


def test_what_a_killed_process_had_claimed_is_computed_by_another(tmp_path: Path) -> None:
    slow = start(tmp_path, 0, 64, 0.5, 0)
    claims = tmp_path / "claims"
    while not [file for file in claims.glob("1*") if file.stat().st_size]:
        time.sleep(0.01)
    quick = start(tmp_path, 0, 64, 0, 0)
    time.sleep(0.5)
    assert quick.poll() is None, "it waits for the slow one"
    slow.send_signal(signal.SIGKILL)
    slow.communicate()
    (said,) = told([quick])
    assert said["right"]
    assert len(said["made"]) == 64
    assert [file.name for file in claims.iterdir()] == ["lock"]


def test_stores_are_read_verified_and_pruned_while_others_write(tmp_path: Path) -> None:
    workers = [start(tmp_path, first, first + 300, 0.001, 0) for first in (0, 150)]
    looks = 0
    while any(worker.poll() is None for worker in workers):
        assert verify(tmp_path).faults == []
        if looks % 3 == 0:
            prune(tmp_path, older_than_days=0)
        looks += 1
    assert all(one["right"] for one in told(workers))
    assert looks > 3


def test_claims_are_of_one_space_and_end_with_release(tmp_path: Path) -> None:
    one, other = Claims(tmp_path), Claims(tmp_path)
    assert one.claim(SPACE, KEYS, 5) == KEYS[:5]
    assert other.claim(SPACE, KEYS, 5) == KEYS[5:10]
    assert other.claim(OTHER, KEYS, 2) == KEYS[:2]
    assert other.claim(SPACE, KEYS[:5], 5) == []
    assert one.claim(SPACE, KEYS[:7], 9) == KEYS[:7], "the second claim of a space replaces the first"
    one.release(SPACE)
    assert other.claim(SPACE, KEYS[:5], 5) == KEYS[:5]
    other.close()
    assert one.claim(SPACE, KEYS, 99) == KEYS
    one.close()


def test_a_claim_that_is_too_old_is_void(tmp_path: Path) -> None:
    one, other = Claims(tmp_path), Claims(tmp_path)
    one.claim(SPACE, KEYS, 5)
    (file,) = tmp_path.glob("1*")
    os.utime(file, (time.time() - claims_module.PATIENCE + 5,) * 2)
    assert other.claim(SPACE, KEYS, 5) == KEYS[5:10]
    os.utime(file, (time.time() - claims_module.PATIENCE - 5,) * 2)
    assert other.claim(SPACE, KEYS, 5) == KEYS[:5]


def test_without_locks_everybody_computes_for_himself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(_: int) -> bool:
        raise OSError("no locks here")

    monkeypatch.setattr(claims_module, "lock", no_locks)
    stores = [DiskStore(tmp_path), DiskStore(tmp_path), MemoryStore()]
    assert [store.claim(SPACE, KEYS, 3) for store in stores] == [KEYS[:3]] * 3
    found = rows_of(stores[0], SPACE, KEYS, lambda places: np.array([[p] for p in places], np.float32), 3, Counted())
    assert found[:, 0].tolist() == list(range(20))
    assert stores[0].troubles == ()


def test_a_claim_is_given_up_when_computing_fails(tmp_path: Path) -> None:
    store, other = DiskStore(tmp_path), DiskStore(tmp_path)

    def fails(_: list[int]) -> np.ndarray:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rows_of(store, SPACE, KEYS, fails, 99, Counted())
    assert other.claim(SPACE, KEYS, 99) == KEYS


def test_a_link_in_the_place_of_a_claim_or_the_lock_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(KEYS[0])
    folder = tmp_path / "claims"
    folder.mkdir()
    (folder / f"{SPACE.key}.{'a' * 16}").symlink_to(outside)
    assert Claims(folder).claim(SPACE, KEYS, 2) == KEYS[:2]
    (tmp_path / "other" / "claims").mkdir(parents=True)
    (tmp_path / "other" / "claims" / "lock").symlink_to(outside)
    assert DiskStore(tmp_path / "other").claim(SPACE, KEYS, 2) == KEYS[:2]
    (tmp_path / "third").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "third" / "claims").symlink_to(tmp_path / "elsewhere")
    assert DiskStore(tmp_path / "third").claim(SPACE, KEYS, 2) == KEYS[:2]
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert outside.read_bytes() == KEYS[0]
