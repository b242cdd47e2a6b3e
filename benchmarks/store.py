"""``python -m benchmarks.store``: why the store is made of files. SQLite against immutable row files, side by side.

Rows of 384 float32 in portions of 512, as a run puts them: in, out by a fresh process's store, a few out of many, four
processes at once, a space given up, a truncated file, a flipped bit. ``--rows`` sets how many (1,000,000 by default: 1.5 GB,
twice over, in the system's temporary folder).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.store import DiskStore, Space, key_of
from benchmarks.sqlite_rows import SqliteRows

WIDTH = 384
PORTION = 512
BOUND = 1 << 50
Matrix = NDArray[np.float32]


class Files:
    """The store of the package."""

    name = "row files"

    def __init__(self, folder: Path) -> None:
        self.store = DiskStore(folder, BOUND)

    @staticmethod
    def space(number: int) -> Space:
        return Space("document_vectors", f"{number:064x}")

    def put(self, keys: Sequence[bytes], matrix: Matrix, space: int = 0) -> None:
        self.store.put_rows(self.space(space), keys, matrix)

    def get(self, keys: Sequence[bytes], space: int = 0) -> tuple[Matrix, NDArray[np.bool_]]:
        return self.store.get_rows(self.space(space), keys)

    def evict(self, space: int) -> None:
        shutil.rmtree(self.store.folder / "document_vectors" / f"{space:064x}")

    def close(self) -> None:
        self.store.close()


class Sqlite(SqliteRows):
    """The peer."""

    name = "SQLite (WAL)"


CONTENDERS: dict[str, Any] = {"files": Files, "sqlite": Sqlite}


def portions(first: int, last: int) -> Iterator[tuple[list[bytes], Matrix]]:
    """Keys and rows from ``first`` to ``last``; row i holds its own number, so that a wrong one is seen."""
    for at in range(first, last, PORTION):
        numbers = range(at, min(at + PORTION, last))
        yield [key_of(str(i)) for i in numbers], rows_of_numbers(np.array(numbers))


def rows_of_numbers(numbers: NDArray[np.int64]) -> Matrix:
    """A row a number: what looks like a vector, and tells which it is."""
    table = np.random.default_rng(0).normal(size=(1024, WIDTH)).astype(np.float32)
    rows = table[numbers % 1024]
    rows[:, 0] = numbers
    return rows


def seconds(call: Callable[[], object]) -> float:
    """How long ``call`` takes."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def fill(contender: Any, first: int, last: int) -> None:
    """Put these rows portion by portion."""
    for keys, matrix in portions(first, last):
        contender.put(keys, matrix)


def check(numbers: NDArray[np.int64], found: tuple[Matrix, NDArray[np.bool_]]) -> tuple[int, int]:
    """Rows that are there, and rows that are there and wrong."""
    matrix, there = found
    if not there.any():
        return 0, 0
    wrong = (matrix[there] != rows_of_numbers(numbers[there])).any(axis=1)
    return int(there.sum()), int(wrong.sum())


def damage(file: Path, how: str, rng: np.random.Generator) -> None:
    """Truncate a file at a random place, or flip one random bit in it."""
    size = file.stat().st_size
    if how == "truncated":
        os.truncate(file, int(rng.integers(size)))
        return
    with file.open("r+b") as open_file:
        place = int(rng.integers(size))
        open_file.seek(place)
        old = open_file.read(1)[0]
        open_file.seek(place)
        open_file.write(bytes([old ^ (1 << int(rng.integers(8)))]))


def measure(kind: str, rows: int, folder: Path, rounds: int, trials: int) -> dict[str, float]:
    """All figures of one contender."""
    make, told = CONTENDERS[kind], {}
    baseline = seconds(lambda: [None for _ in portions(0, rows)])
    store = make(folder / "one")
    told["in, rows a second"] = rows / max(1e-9, seconds(lambda: fill(store, 0, rows)) - baseline)
    store.close()
    told["bytes a row"] = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / rows
    numbers = np.arange(rows)
    keys = [key_of(str(i)) for i in range(rows)]

    def out() -> None:
        fresh = make(folder / "one")
        there, wrong = check(numbers[:1], tuple(part[:1] for part in fresh.get(keys)))
        assert (there, wrong) == (1, 0)
        fresh.close()

    told["all out, rows a second"] = rows / statistics.median(seconds(out) for _ in range(rounds))
    some = np.sort(np.random.default_rng(1).choice(rows, 200, replace=False))

    def few() -> None:
        fresh = make(folder / "one")
        assert check(some, fresh.get([keys[i] for i in some])) == (200, 0)
        fresh.close()

    told["200 of all, ms"] = 1000 * statistics.median(seconds(few) for _ in range(rounds))

    quarter = rows // 4
    jobs = [
        [
            sys.executable,
            "-m",
            "benchmarks.store",
            "--fill",
            kind,
            str(folder / "four"),
            str(n * quarter),
            str((n + 1) * quarter),
        ]
        for n in range(4)
    ]
    begin = time.perf_counter()
    running = [subprocess.Popen(job) for job in jobs]
    assert [job.wait() for job in running] == [0, 0, 0, 0]
    told["four processes in, rows a second"] = 4 * quarter / (time.perf_counter() - begin)
    store = make(folder / "four")
    assert check(numbers[: 4 * quarter], store.get(keys[: 4 * quarter])) == (4 * quarter, 0)
    for portion_keys, matrix in portions(0, rows // 10):
        store.put(portion_keys, matrix, 1)
    told["one space of two given up, s"] = seconds(lambda: store.evict(0))
    store.close()
    shutil.rmtree(folder / "four")
    shutil.rmtree(folder / "one")
    told |= survived(make, min(rows, 20_000), folder, trials)
    return told


def survived(make: Any, rows: int, folder: Path, trials: int) -> dict[str, float]:
    """What is left of ``rows`` rows after one damage to one file, on average and at worst, and how many came back wrong."""
    store = make(folder / "whole")
    fill(store, 0, rows)
    store.close()
    numbers, keys = np.arange(rows), [key_of(str(i)) for i in range(rows)]
    told: dict[str, float] = {}
    for how in ("truncated", "bit flipped"):
        rng, left, wrong = np.random.default_rng(7), [], 0
        for _ in range(trials):
            shutil.copytree(folder / "whole", folder / "hurt")
            files = sorted(
                file for file in (folder / "hurt").rglob("*") if file.is_file() and file.stat().st_size > 4096
            )
            damage(files[int(rng.integers(len(files)))], how, rng)
            store = make(folder / "hurt")
            there, bad = check(numbers, store.get(keys))
            left.append(there / rows)
            wrong += bad
            store.close()
            shutil.rmtree(folder / "hurt")
        told[f"{how}: rows left, mean %"] = 100 * statistics.mean(left)
        told[f"{how}: rows left, worst %"] = 100 * min(left)
        told[f"{how}: wrong rows"] = wrong
    shutil.rmtree(folder / "whole")
    return told


def main(argv: Sequence[str] | None = None) -> None:
    """Measure both and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.store", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--folder", help="where to work; a temporary folder by default")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--fill", nargs=4, metavar=("KIND", "FOLDER", "FIRST", "LAST"), help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    if given.fill:
        kind, folder, first, last = given.fill
        store = CONTENDERS[kind](Path(folder))
        fill(store, int(first), int(last))
        store.close()
        return
    told = {}
    with tempfile.TemporaryDirectory(dir=given.folder) as temporary:
        for kind in CONTENDERS:
            (Path(temporary) / kind).mkdir()
            told[kind] = measure(kind, given.rows, Path(temporary) / kind, given.rounds, given.trials)
    print(f"{given.rows} rows of {WIDTH} float32 in portions of {PORTION}; medians of {given.rounds}")
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} cores\n"
    )
    print(f"| {'':<36} | {'row files':>14} | {'SQLite (WAL)':>14} |\n|{'-' * 38}|{'-' * 15}:|{'-' * 15}:|")
    for name in told["files"]:
        print(f"| {name:<36} | {told['files'][name]:>14,.1f} | {told['sqlite'][name]:>14,.1f} |")
    if given.json:
        with contextlib.suppress(OSError):
            Path(given.json).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
