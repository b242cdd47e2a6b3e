"""The index kinds: what they propose, what they refuse, what they warn of, and that a seed decides everything."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from assay.config import models
from assay.embedders.base import unit
from assay.errors import StageError
from assay.factory import make_index
from assay.indexes import Index
from assay.indexes.base import clean
from assay.indexes.ivf import auto_nlist, auto_nprobe, training_sample

METRICS = ["cosine", "ip", "l2"]
KINDS = {"flat": models.FlatIndex, "ivf": models.IvfIndex, "hnsw": models.HnswIndex}


@pytest.fixture
def threads() -> Iterator[object]:
    """Sets FAISS's threads, and sets them back."""
    import faiss

    before = faiss.omp_get_max_threads()
    yield faiss.omp_set_num_threads
    faiss.omp_set_num_threads(before)


def clustered(n: int, dim: int = 16, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(20, dim))
    return unit((centres[rng.integers(0, 20, n)] + 0.4 * rng.normal(size=(n, dim))).astype(np.float32))


def build(
    kind: str, vectors: np.ndarray, seed: int = 42, depth: int = 100, **settings: object
) -> tuple[Index, tuple[str, ...]]:
    return make_index(KINDS[kind](**settings), vectors, seed, depth)


def lists(rows: list[np.ndarray]) -> list[list[int]]:
    return [row.tolist() for row in rows]


@pytest.mark.parametrize("metric", METRICS)
def test_flat_proposes_what_brute_force_finds(metric: str) -> None:
    rng = np.random.default_rng(1)
    vectors, queries = rng.normal(size=(500, 12)).astype(np.float32), rng.normal(size=(30, 12)).astype(np.float32)
    if metric == "cosine":
        vectors, queries = unit(vectors), unit(queries)
    index, notes = build("flat", vectors, metric=metric)
    scores = queries.astype(np.float64) @ vectors.T.astype(np.float64)
    if metric == "l2":
        scores = -((queries[:, None].astype(np.float64) - vectors[None]) ** 2).sum(axis=2)
    assert lists(index.propose(queries, 10)) == np.argsort(-scores, axis=1)[:, :10].tolist()
    assert index.exact
    assert notes == ()
    assert index.nbytes() >= vectors.nbytes


def test_inner_product_and_l2_are_told_apart() -> None:
    """FAISS takes l2 where nothing is said: a long vector that points the right way would come last."""
    vectors = np.array([[1, 0], [0, 1], [9, 9]], np.float32)
    asked = np.array([[1.0, 0.1]], np.float32)
    for kind in KINDS:
        assert build(kind, vectors, metric="ip")[0].propose(asked, 3)[0][0] == 2
        assert build(kind, vectors, metric="l2")[0].propose(asked, 3)[0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3, 30])
def test_no_filler_row_comes_back_where_k_is_larger_than_the_index(kind: str, n: int) -> None:
    vectors = clustered(n)
    for found in build(kind, vectors)[0].propose(clustered(7, seed=1), 100):
        assert sorted(found.tolist()) == list(range(n))


def test_cells_that_hold_fewer_than_k_give_fewer_and_no_filler() -> None:
    index, _ = build("ivf", clustered(300), nlist=64, nprobe=1)
    found = index.propose(clustered(20, seed=1), 20)
    assert all((rows >= 0).all() and (rows < 300).all() and len(set(rows.tolist())) == len(rows) for rows in found)
    assert min(len(rows) for rows in found) < 20
    assert lists(clean(np.array([[3, -1, -1], [-1, -1, -1]]))) == [[3], []]


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_index_finds_nothing_and_only_approximate_kinds_have_to_say_so(kind: str) -> None:
    index, notes = build(kind, np.empty((0, 1), np.float32))
    assert lists(index.propose(np.ones((2, 1), np.float32), 5)) == [[], []]
    assert index.size == 0
    assert ["EXACT SEARCH (flat) RAN INSTEAD" in note for note in notes] == ([] if kind == "flat" else [True])


@pytest.mark.parametrize("kind", ["ivf", "hnsw"])
@pytest.mark.parametrize("n", [1, 2])
def test_kinds_are_built_from_one_chunk_up(kind: str, n: int) -> None:
    index, notes = build(kind, clustered(n))
    assert type(index).__name__.lower() == f"{kind}index"
    assert not any("RAN INSTEAD" in note for note in notes)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("ivf", {"nlist": 30, "nprobe": 2}),
        ("ivf", {"nlist": 30, "nprobe": 2, "train_size": 500}),
        ("hnsw", {"m": 4, "ef_construction": 8, "ef_search": 8}),
    ],
)
def test_a_seed_gives_equal_results_on_any_number_of_threads(
    kind: str, settings: dict[str, int], metric: str, threads: object
) -> None:
    vectors, queries = clustered(1500), clustered(40, seed=1)
    found = []
    for count in (1, 2, 2):
        threads(count)
        index, _ = build(kind, vectors, depth=8, metric=metric, **settings)
        found.append(lists(index.propose(queries, 8)))
        one_by_one = [lists(index.propose(query[None], 8))[0] for query in queries]
        assert one_by_one == found[-1], "a query's result does not depend on its batch"
    assert found[0] == found[1] == found[2]
    assert lists(build(kind, vectors, seed=7, depth=8, metric=metric, **settings)[0].propose(queries, 8)) != found[0]
    assert lists(build(kind, vectors, seed=0, depth=8, metric=metric, **settings)[0].propose(queries, 8)) != found[0]


@pytest.mark.parametrize("kind", ["ivf", "hnsw"])
def test_an_index_is_built_on_as_many_threads_as_asked_and_searched_on_one(
    kind: str, threads: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    import faiss

    threads(2)
    asked, really = [], faiss.omp_set_num_threads
    monkeypatch.setattr(faiss, "omp_set_num_threads", lambda count: (asked.append(count), really(count)))
    index, _ = build(kind, clustered(100))
    assert asked == [1, 2], "and set back"
    index.propose(clustered(2), 5)
    assert asked == [1, 2, 1, 2]
    build(kind, clustered(100), build_threads=3)
    assert asked[4:] == [3, 2]
    assert faiss.omp_get_max_threads() == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"nlist": 11}, r"index\.nlist: 11 cells need at least as many chunks, there are 10; give at most 10, or auto"),
        ({"nlist": 5, "train_size": 4}, r"index\.train_size: 4 vectors can't train 5 cells; give at least 5"),
        ({"nlist": 5, "nprobe": 6}, r"index\.nprobe: 6 of 5 cells; give at most 5, or auto"),
        ({"nprobe": 2}, r"index\.nprobe: 2 of 1 cells; give at most 1, or auto"),
    ],
)
def test_impossible_settings_are_refused_by_name(settings: dict[str, int], message: str) -> None:
    with pytest.raises(StageError, match=message):
        build("ivf", clustered(10), **settings)


def test_as_many_cells_as_chunks_are_possible() -> None:
    index, notes = build("ivf", clustered(10), nlist=10, nprobe=10)
    assert sorted(index.propose(clustered(1), 10)[0].tolist()) == list(range(10))
    assert notes == ("index=ivf: 10 training vectors for 10 cells, 390 are advised; index.nlist=1 would have enough",)


@pytest.mark.parametrize(
    ("kind", "n", "settings", "warned"),
    [
        ("ivf", 400, {"nlist": 20}, ["400 training vectors for 20 cells, 780 are advised; index.nlist=10"]),
        ("ivf", 800, {"nlist": 20, "train_size": 100}, ["100 training vectors for 20 cells, 780 are advised"]),
        ("ivf", 780, {"nlist": 20}, []),
        ("ivf", 780, {"nlist": 20, "nprobe": 1}, ["searches 1 of 20 cells"]),
        ("ivf", 77, {}, ["77 chunks make 1 cell, which every search goes through: results are flat's"]),
        ("ivf", 780, {}, []),
        ("hnsw", 50, {"ef_search": 20}, ["index.ef_search 20 is below the depth 100, which acts as ef_search"]),
        ("hnsw", 50, {"ef_search": 100}, []),
        ("hnsw", 50, {}, []),
    ],
)
def test_thin_settings_are_warned_about_with_numbers(
    kind: str, n: int, settings: dict[str, int], warned: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    _, notes = build(kind, clustered(n), **settings)
    assert len(notes) == len(warned)
    assert all(expected in note for note, expected in zip(notes, warned, strict=True))
    assert capfd.readouterr() == ("", ""), "FAISS's own warnings stay off the screen"


def test_ef_search_below_the_depth_still_fills_the_depth() -> None:
    index, _ = build("hnsw", clustered(500), ef_search=1)
    assert all(len(rows) == 100 for rows in index.propose(clustered(5, seed=1), 100))


def test_automatic_settings_follow_the_number_of_chunks() -> None:
    assert [auto_nlist(n) for n in (0, 1, 38, 78, 1000, 24_336, 1_000_000)] == [1, 1, 1, 2, 25, 624, 4000]
    assert [auto_nprobe(n) for n in (1, 7, 8, 64, 100, 4000)] == [1, 7, 8, 8, 12, 500]
    for n in (1, 39, 500, 3000):
        assert auto_nlist(n) == 1 or auto_nlist(n) * 39 <= n


def test_the_training_sample_is_drawn_by_the_seed_in_row_order() -> None:
    vectors = np.arange(100, dtype=np.float32)[:, None]
    sample = training_sample(vectors, 10, 3)[:, 0].tolist()
    assert sample == training_sample(vectors, 10, 3)[:, 0].tolist() == sorted(set(sample))
    assert len(sample) == 10
    assert training_sample(vectors, 10, 4)[:, 0].tolist() != sample
    assert training_sample(vectors, 200, 3) is vectors
