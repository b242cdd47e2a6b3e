"""What a user sets by hand and can't be is refused by name, with numbers, before training; thin training is warned about."""

from __future__ import annotations

import re
import typing

import numpy as np
import pytest

from assay.config import judge, models
from assay.embedders.base import unit
from assay.errors import ConfigError, StageError
from assay.factory import make_index

MODELS = {model.model_fields["kind"].default: model for model in typing.get_args(typing.get_args(models.Index)[0])}


def points(n: int, dim: int = 12) -> np.ndarray:
    return unit(np.random.default_rng(0).normal(size=(n, dim)).astype(np.float32))


@pytest.mark.parametrize(
    ("kind", "settings", "said"),
    [
        ("pq", {"m": 5}, "index.m: 5 does not divide the 12 dimensions; give one of 1, 2, 3, 4, 6, 12, or auto"),
        ("ivfpq", {"m": 7}, "index.m: 7 does not divide the 12 dimensions"),
        ("fastscan", {"m": 24}, "index.m: 24 does not divide the 12 dimensions"),
        (
            "pq",
            {"nbits": 8},
            "index.nbits: 8 bits need at least 256 chunks to train on, there are 100; give at most 6, or auto",
        ),
        ("ivfpq", {"nbits": 7}, "index.nbits: 7 bits need at least 128 chunks to train on, there are 100"),
        (
            "pq",
            {"train_size": 15},
            "index.train_size: 15 vectors can't train 16 centroids (4 bits); give at least 16, or auto",
        ),
        ("ivfpq", {"nlist": 20, "train_size": 19}, "index.train_size: 19 vectors can't train 20 cells"),
        ("rabitq", {"nlist": 101}, "index.nlist: 101 cells need at least as many chunks, there are 100"),
        ("fastscan", {"nlist": 4, "nprobe": 5}, "index.nprobe: 5 of 4 cells; give at most 4, or auto"),
        (
            "lsh",
            {"rotate": False, "nbits": 13},
            "index.nbits: 13 bits need as many dimensions without a rotation, there are 12; give at most 12, or "
            "index.rotate=true",
        ),
        ("factory", {"spec": "IVF101,Flat"}, "index.spec: 'IVF101,Flat' has 101 cells, there are 100 chunks"),
        (
            "factory",
            {"spec": "PQ4"},
            "index.spec: 'PQ4' has codebooks of 256 centroids (8 bits), there are 100 chunks; ask for fewer bits, such as "
            "PQ4x6",
        ),
        (
            "factory",
            {"spec": "xyzzy"},
            "index.spec: 'xyzzy' is no index for 12 dimensions under cosine: could not parse",
        ),
        ("factory", {"spec": "PQ5x4"}, "index.spec: 'PQ5x4' is no index for 12 dimensions under cosine: The dimension"),
        ("factory", {"spec": "IDMap,Flat"}, "index.spec: 'IDMap,Flat' can't be built from 100 chunks of 12 dimensions"),
        ("factory", {"search": "nprobe=2"}, "index.search: 'nprobe=2' does not fit 'SQ6,RFlat'"),
        (
            "factory",
            {"spec": "IVF4,Flat", "search": "nprobe=5"},
            "index.search: nprobe=5 of 4 cells; give at most that",
        ),
    ],
)
def test_refused_by_name(kind: str, settings: dict[str, object], said: str) -> None:
    with pytest.raises(StageError, match="^" + re.escape(said)):
        make_index(MODELS[kind](**settings), points(100), 42, 20)


@pytest.mark.parametrize("spec", ["LSH", "HNSW4,PQ4x4", "IMI2x2,Flat"])
def test_what_faiss_has_for_l2_only_runs_under_l2_and_cosine(spec: str) -> None:
    vectors = points(100)
    with pytest.raises(StageError, match=r"under ip: FAISS has it for l2 only; choose index\.metric=l2 or cosine$"):
        make_index(models.FactoryIndex(metric="ip", spec=spec), vectors, 42, 20)
    same = "for l2 only, whose order is cosine's on vectors of length 1"
    for metric, told in (("l2", False), ("cosine", True)):
        index, notes = make_index(models.FactoryIndex(metric=metric, spec=spec), vectors, 42, 20)
        assert any(same in note for note in notes) == told
        rows = index.propose(vectors[:20], 10)
        assert sum(i in found for i, found in enumerate(rows)) >= 15, "a vector is near itself"


@pytest.mark.parametrize(
    ("index", "said"),
    [
        ({"kind": "factory", "spec": "PQ0"}, "index.spec: 'PQ0' holds a 0 where FAISS counts something"),
        ({"kind": "factory", "spec": "IVF00,Flat"}, "index.spec: 'IVF00,Flat' holds a 0"),
        ({"kind": "factory", "spec": "PQ4x0fs"}, "index.spec: 'PQ4x0fs' holds a 0"),
        ({"kind": "factory", "spec": "HNSW1"}, "index.spec: 'HNSW1' is a graph of 1 link a node; give at least 2"),
        ({"kind": "factory", "spec": "Flat; x"}, "index.spec: 'Flat; x' is no FAISS factory string"),
        ({"kind": "factory", "spec": ""}, "index.spec: '' is no FAISS factory string"),
        ({"kind": "factory", "search": "nprobe"}, "index.search: 'nprobe' is not allowed; give auto"),
        ({"kind": "factory", "search": "nprobe=-1"}, "index.search: 'nprobe=-1' is not allowed"),
        ({"kind": "factory", "metric": "l1"}, "index.metric: 'l1' is not allowed; give one of cosine, ip, l2"),
        ({"kind": "rabitq", "fast_scan": True, "query_bits": 0}, "index.query_bits: 0 can't be scanned in registers"),
        ({"kind": "rabitq", "nbits": 10}, "index.nbits: 10 is not allowed; give a whole number from 1 to 9"),
        ({"kind": "pq", "nbits": 13}, "index.nbits: 13 is not allowed; give a whole number from 1 to 12 or auto"),
        ({"kind": "pq", "nprobe": 3}, "index.nprobe: no such key of index=pq"),
        ({"kind": "fastscan", "refine": "pq"}, "index.refine: 'pq' is not allowed; give one of flat, fp16, sq8, none"),
        ({"kind": "lsh", "k_factor": 0}, "index.k_factor: 0 is not allowed; give a whole number from 1 to 1000"),
    ],
)
def test_refused_before_anything_is_read(index: dict[str, object], said: str) -> None:
    from assay.composition import compose

    raw = {**compose(["embedder=lsa"]).job, "index": index}
    with pytest.raises(ConfigError, match="^" + re.escape(said)):
        judge(raw)


def test_numbers_of_several_digits_are_no_zeros() -> None:
    for spec in ("PQ10x4", "IVF100,SQ8", "HNSW10,Flat", "PCA20,Flat", "HNSW16"):
        assert models.FactoryIndex(spec=spec).spec == spec


def test_a_code_without_a_range_is_refused() -> None:
    """The best range of one value is a division by zero, and such a code is like nothing."""
    one = np.ones((1, 4), np.float32)
    with pytest.raises(
        StageError, match=r"index\.range_stat: optim finds no range for 4 of 4 dimensions, whose values"
    ):
        make_index(models.Sq4Index(metric="ip", range_stat="optim"), one, 42, 20)
    for settings in ({}, {"range_stat": "meanstd", "range_arg": 2.0}, {"range_stat": "quantiles"}, {"uniform": True}):
        index, _ = make_index(models.Sq4Index(metric="ip", **settings), one, 42, 20)
        assert index.propose(one, 1)[0].tolist() == [0]


@pytest.mark.parametrize(
    ("kind", "settings", "n", "warned"),
    [
        ("pq", {}, 503, ["503 training vectors for 16 centroids (4 bits), 624 are advised"]),
        ("pq", {}, 624, []),
        ("pq", {"nbits": 5}, 624, ["624 training vectors for 32 centroids (5 bits), 1248 are advised"]),
        ("pq", {"train_size": 100}, 624, ["100 training vectors for 16 centroids (4 bits), 624 are advised"]),
        (
            "fastscan",
            {"nlist": 20, "nprobe": 1},
            700,
            ["700 training vectors for 20 cells, 780 are advised", "1 of 20"],
        ),
        ("rabitq", {"nlist": 64}, 900, ["900 training vectors for 64 cells, 2496 are advised; index.nlist=23"]),
        ("rabitq", {}, 77, ["77 chunks make 1 cell, which every search goes through: no cell is ever left out"]),
        ("hnswsq", {"ef_search": 5}, 50, ["index.ef_search 5 is below the depth 20, which acts as ef_search"]),
        ("lsh", {"metric": "l2"}, 50, ["signs tell directions only; under l2 lengths count in the re-scoring"]),
        ("lsh", {}, 50, []),
        ("sq8", {}, 1, []),
        ("factory", {}, 1, []),
        ("factory", {"spec": "IVF20,SQ8"}, 700, ["700 training vectors for 20 cells, 780 are advised; IVF17 in"]),
        ("factory", {"spec": "IVF2,SQ8", "search": "nprobe=1"}, 700, ["searches 1 of 2 cells"]),
        ("factory", {"spec": "PQ4x4"}, 100, ["100 training vectors for 16 centroids (4 bits), 624 are advised"]),
    ],
)
def test_thin_settings_are_warned_about_with_numbers(
    kind: str, settings: dict[str, object], n: int, warned: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    _, notes = make_index(MODELS[kind](**settings), points(n), 42, 20)
    assert len(notes) == len(warned), notes
    assert all(note.startswith(f"index={kind}: ") for note in notes)
    assert all(expected in note for note, expected in zip(notes, warned, strict=True)), notes
    assert capfd.readouterr() == ("", ""), "FAISS's own warnings stay off the screen"
