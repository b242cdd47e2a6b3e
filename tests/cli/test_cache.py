"""``assay cache`` as a user types it: what is there, whether it is sound, and removing parts of it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.store import DiskStore, Space, key_of

VECTORS = Space("document_vectors", "1" * 64, "sentence-transformer 0123456789ab torch float32")
INDEX = Space("indexes", "2" * 64, "ivf")


@pytest.fixture
def filled(work: Path) -> Path:
    """A store in ``store`` of the working directory: ten rows used in 2024, one index used now."""
    folder = work / "store"
    store = DiskStore(folder)
    store.put_rows(VECTORS, [key_of(str(i)) for i in range(10)], np.zeros((10, 384), np.float32))
    store.put_blob(INDEX, "a" * 64, bytes(40_000))
    store.close()
    for file in (folder / "document_vectors" / VECTORS.key).iterdir():
        os.utime(file, (1_717_243_200, 1_717_243_200))  # 2024-06-01 12:00 UTC
    return folder


def test_info(inside: Callable, filled: Path) -> None:
    said = inside("cache", "info", "cache.dir=store")
    assert (said.status, said.err) == (0, "")
    assert re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d(?=  ivf)", "TODAY           ", said.out).splitlines() == [
        "store: 57.3 kB of 10.0 GB",
        "",
        "stage                entries      size  last used         model",
        "document_vectors          10   16.4 kB  2024-06-01 12:00  sentence-transformer 0123456789ab torch float32",
        "indexes                    1   41.0 kB  TODAY             ivf",
    ]
    told = json.loads(inside("cache", "info", "--json", "cache.dir=store", "cache.max_bytes=20000000000").out)
    assert {key: told[key] for key in ("folder", "bytes", "max_bytes")} == {
        "folder": "store",
        "bytes": 57_344,
        "max_bytes": 20_000_000_000,
    }
    assert told["stages"][0] == {
        "stage": "document_vectors",
        "model": VECTORS.label,
        "entries": 10,
        "bytes": 16_384,
        "last_used": "2024-06-01T12:00:00Z",
    }


def test_a_store_that_is_not_there_is_sound_and_empty(inside: Callable, work: Path) -> None:
    for action, *given in (("info",), ("verify", "cache.dir=nowhere"), ("prune", "cache=none"), ("verify",)):
        said = inside("cache", action, *given)
        assert (said.status, said.err) == (0, "")
        assert len(said.out.splitlines()) == 1
        json.loads(inside("cache", action, *given, "--json").out)
    assert list(work.iterdir()) == [], "asking makes no folder"
    assert not (work.parent / "cache").exists()


def test_verify_names_what_is_damaged_and_removes_nothing(inside: Callable, filled: Path) -> None:
    assert inside("cache", "verify", "cache.dir=store").out == "store: sound, 2 files, 57.3 kB\n"
    (file,) = (filled / "document_vectors" / VECTORS.key).iterdir()
    raw = bytearray(file.read_bytes())
    raw[-5] ^= 4
    file.write_bytes(raw)
    for _ in range(2):
        said = inside("cache", "verify", "cache.dir=store")
        assert said.status == 1
        assert said.err == f"store/{file.relative_to(filled)}: 10 of 10 rows do not match their checksum\n"
        assert said.out.startswith("store: 1 of 2 files are damaged; nothing was removed.")
    told = inside("cache", "verify", "cache.dir=store", "--json")
    document = json.loads(told.out)
    assert (told.status, told.err, document["sound"], document["files"]) == (1, "", False, 2)
    assert [fault["stage"] for fault in document["damaged"]] == ["document_vectors"]
    assert inside("cache", "prune", "cache.dir=store").out == "store: removed 1 files, 16.4 kB; 41.0 kB left\n"
    assert inside("cache", "verify", "cache.dir=store").status == 0


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        ([], {"document_vectors", "indexes"}),
        (["--older-than", "30"], {"indexes"}),
        (["--older-than", "30", "--stage", "indexes"], {"document_vectors", "indexes"}),
        (["--stage", "indexes"], {"document_vectors"}),
        (["--max-bytes", "50k"], {"indexes"}),
        (["--max-bytes", "1"], set()),
        (["cache.max_bytes=50000"], {"indexes"}),
        (["--older-than", "0"], set()),
    ],
)
def test_prune(inside: Callable, filled: Path, arguments: list[str], left: set[str]) -> None:
    said = inside("cache", "prune", "cache.dir=store", *arguments, "--json")
    assert (said.status, said.err) == (0, "")
    assert {
        row["stage"] for row in json.loads(inside("cache", "info", "cache.dir=store", "--json").out)["stages"]
    } == left
    assert json.loads(said.out)["removed_files"] == 2 - len(left)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ([], "assay cache: the following arguments are required: info|verify|prune"),
        (["clear"], "assay cache: argument info|verify|prune: invalid choice: 'clear'"),
        (
            ["info", "chunker.size=3"],
            "chunker.size=3: says nothing about the store; give cache.dir=… or cache.max_bytes=…",
        ),
        (["info", "store"], "store: says nothing about the store; give cache.dir=…"),
        (["info", "cache.size=3"], "cache.size: no such key"),
        (["info", "cache.max_bytes=0"], "cache.max_bytes: 0 is not allowed; give a whole number of at least 1 or null"),
        (["info", "cache.dir=file"], "cache.dir: file is no folder; give one that holds a store"),
        (["verify", "--stage", "indexes"], "assay cache verify: --stage belongs to assay cache prune"),
        (["prune", "--stage", "vectors"], "assay cache: argument --stage: invalid choice: 'vectors'"),
        (["prune", "--older-than", "-1"], "assay cache: argument --older-than: "),
        (["prune", "--older-than", "soon"], "assay cache: argument --older-than: 'soon' is no number of days"),
        (["prune", "--max-bytes", "1.5G"], "assay cache: argument --max-bytes: '1.5G' is no number of bytes"),
    ],
)
def test_wrong_use_is_one_line(inside: Callable, work: Path, arguments: list[str], fault: str) -> None:
    (work / "file").write_text("x", encoding="utf-8")
    said = inside("cache", *arguments)
    assert (said.status, said.out) == (2, "")
    assert len(said.err.splitlines()) == 1
    assert said.err.startswith(fault)


def test_the_folder_s_own_conf_says_where(inside: Callable, filled: Path, work: Path) -> None:
    (work / "conf").mkdir()
    (work / "conf" / "config.yaml").write_text("cache:\n  dir: store\n", encoding="utf-8")
    assert inside("cache", "info").out.startswith("store: 57.3 kB of 10.0 GB\n")


def test_control_characters_in_a_label_are_shown_not_printed(inside: Callable, work: Path) -> None:
    store = DiskStore(work / "store")
    store.put_blob(Space("indexes", "3" * 64, "\x1b[31m red\nline"), "a" * 64, b"x")
    assert inside("cache", "info", "cache.dir=store").out.splitlines()[-1].endswith("\\x1b[31m red line")
