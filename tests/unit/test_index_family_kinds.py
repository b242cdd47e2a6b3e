"""Every compressed kind: what it proposes under each metric, from how few chunks, and that its bytes come out equal."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from pathlib import Path

import faiss
import numpy as np
import pytest

from assay.config import models
from assay.embedders.base import unit
from assay.factory import make_index
from assay.indexes import Index
from assay.indexes.codebooks import auto_m, divisors
from assay.indexes.exact import pair_scores
from assay.indexes.lsh import auto_bits

MODELS = {model.model_fields["kind"].default: model for model in typing.get_args(typing.get_args(models.Index)[0])}
KINDS = sorted(MODELS.keys() - {"flat"})
METRICS = ["cosine", "ip", "l2"]
# A kind with settings other than its own, where those take another path through FAISS.
VARIANTS: list[tuple[str, dict[str, object]]] = [
    *((kind, {}) for kind in KINDS),
    ("pq", {"nbits": 6, "m": 4, "train_size": 200, "iterations": 5}),
    ("ivfpq", {"opq": False, "by_residual": False}),
    ("fastscan", {"refine": "none"}),
    ("fastscan", {"refine": "sq8"}),
    ("fastscan", {"refine": "fp16", "by_residual": False}),
    ("rabitq", {"nbits": 4, "rotate": False, "query_bits": 0}),
    ("rabitq", {"fast_scan": True, "nbits": 2}),
    ("sq8", {"uniform": True}),
    ("sq4", {"range_stat": "optim"}),
    ("sq8", {"range_stat": "quantiles", "range_arg": 0.01}),
    ("sq8", {"range_stat": "meanstd", "range_arg": 3.0}),
    ("hnswsq", {"code": "bf16"}),
    ("lsh", {"thresholds": True, "nbits": 40}),
    ("lsh", {"rotate": False}),
    ("factory", {"spec": "OPQ8,IVF5,PQ8x4", "k_factor": 8}),
    ("factory", {"spec": "IVF5_HNSW4,SQ8,RFlat"}),
]


def named(variant: tuple[str, dict[str, object]]) -> str:
    return "-".join([variant[0], *(f"{key}={value}" for key, value in variant[1].items())])


@pytest.fixture
def threads() -> Iterator[object]:
    before = faiss.omp_get_max_threads()
    yield faiss.omp_set_num_threads
    faiss.omp_set_num_threads(before)


def points(n: int, dim: int = 16, metric: str = "cosine", seed: int = 0) -> np.ndarray:
    """Twelve clouds; of length 1 under cosine, of lengths 0.5 to 2 otherwise."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(12, dim))
    found = unit((centres[rng.integers(0, 12, n)] + 0.5 * rng.normal(size=(n, dim))).astype(np.float32))
    return found if metric == "cosine" else (found * rng.uniform(0.5, 2, (n, 1))).astype(np.float32)


def build(kind: str, vectors: np.ndarray, **settings: object) -> tuple[Index, tuple[str, ...]]:
    return make_index(MODELS[kind](**settings), vectors, 42, 20)


def share_found(index: Index, vectors: np.ndarray, queries: np.ndarray, metric: str, k: int = 10) -> float:
    """Of the k best by brute force, how many are among the candidates for k."""
    shares = []
    for query, rows in zip(queries, index.propose(queries, k), strict=True):
        best = np.lexsort((np.arange(len(vectors)), -pair_scores(query, vectors, metric)))[:k]
        shares.append(len(set(best.tolist()) & set(rows.tolist())) / len(best))
    return float(np.mean(shares))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_candidates_hold_what_is_near_and_come_out_equal_on_any_number_of_threads(
    variant: tuple[str, dict[str, object]], metric: str, threads: object
) -> None:
    kind, settings = variant
    vectors, queries = points(600, metric=metric), points(25, metric=metric, seed=1)
    found, written = [], []
    for count in (1, 2):
        threads(count)
        index, _ = build(kind, vectors, metric=metric, **settings)
        found.append([rows.tolist() for rows in index.propose(queries, 10)])
        assert [index.propose(query[None], 10)[0].tolist() for query in queries] == found[-1], "in any batch"
        written.append(faiss.serialize_index(index._faiss).tobytes())
        assert faiss.omp_get_max_threads() == count, "threads are set back"
    assert found[0] == found[1]
    assert written[0] == written[1], "equal bytes"
    assert not index.exact
    assert index.nbytes() == len(written[0])
    assert all(len(rows) == len(set(rows)) and 0 <= min(rows) <= max(rows) < 600 for rows in found[0])
    least = 0.5 if settings.get("rotate") is False and kind == "lsh" else 0.7 if kind == "lsh" else 0.85
    assert share_found(index, vectors, queries, metric) >= least


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("pq", {}),
        ("ivfpq", {}),
        ("fastscan", {}),
        ("rabitq", {}),
        ("hnswsq", {"m": 4, "ef_construction": 4, "ef_search": 4}),
        ("lsh", {}),
        ("factory", {"spec": "RR16,SQ4"}),
        ("factory", {"spec": "OPQ4,PQ4x4"}),
        ("factory", {"spec": "IVF9,RaBitQ"}),
    ],
)
def test_the_seed_reaches_what_is_drawn_at_random(kind: str, settings: dict[str, object]) -> None:
    vectors = points(300)
    written = [
        faiss.serialize_index(make_index(MODELS[kind](**settings), vectors, seed, 20)[0]._faiss).tobytes()
        for seed in (42, 42, 0)
    ]
    assert written[0] == written[1] != written[2]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "dim"), [(1, 1), (1, 5), (2, 3), (15, 7), (16, 7), (17, 3)])
def test_every_kind_runs_with_its_defaults_from_one_chunk_up(
    kind: str, n: int, dim: int, metric: str, capfd: pytest.CaptureFixture[str]
) -> None:
    vectors = points(n, dim, metric)
    index, notes = build(kind, vectors, metric=metric)
    found = index.propose(vectors, n + 3)
    assert all(sorted(rows.tolist()) == list(range(n)) for rows in found)
    instead = kind in {"pq", "ivfpq", "fastscan"} and n < 16
    assert index.exact == instead
    loud = f"index={kind}: {n} chunks can't train 16 centroids (4 bits); EXACT SEARCH (flat) RAN INSTEAD"
    assert (loud in notes) == instead
    assert capfd.readouterr() == ("", ""), "FAISS's own warnings stay off the screen"


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_chunk_every_kind_is_flat_and_says_so(kind: str) -> None:
    index, notes = build(kind, np.empty((0, 1), np.float32))
    assert (index.exact, index.size) == (True, 0)
    assert notes == (f"index={kind}: there is no chunk to build it from; EXACT SEARCH (flat) RAN INSTEAD",)


@pytest.mark.parametrize(
    ("kind", "bytes_a_vector"),
    [("pq", 4), ("sq8", 16), ("sq4", 8), ("fp16", 32), ("lsh", 8), ("factory", 64 + 12)],
)
def test_size_is_that_of_the_codes(kind: str, bytes_a_vector: int) -> None:
    """16 dimensions: pq 8 parts of 4 bits, sq6 12 bytes and raw vectors beside them; the rest is the same for any n."""
    few, many = build(kind, points(600))[0], build(kind, points(1600))[0]
    assert many.nbytes() - few.nbytes() == 1000 * bytes_a_vector


@pytest.mark.parametrize(
    ("kind", "settings", "factor"),
    [
        ("pq", {}, 4),
        ("sq8", {}, 1),
        ("sq4", {}, 2),
        ("lsh", {"k_factor": 3}, 3),
        ("fastscan", {}, 1),
        ("fastscan", {"refine": "none"}, 4),
    ],
)
def test_more_candidates_are_proposed_for_exact_scores_to_choose_from(
    kind: str, settings: dict[str, object], factor: int
) -> None:
    index, _ = build(kind, points(600), **settings)
    assert [len(rows) for rows in index.propose(points(3, seed=1), 5)] == [5 * factor] * 3
    if kind != "fastscan":  # which looks into some cells only
        assert [len(rows) for rows in index.propose(points(3, seed=1), 500)] == [min(600, 500 * factor)] * 3


def test_a_larger_factor_refines_more() -> None:
    vectors, queries = points(2000), points(40, seed=1)
    coarse, fine = (build("fastscan", vectors, m=2, nprobe=20, nlist=20, k_factor=k)[0] for k in (1, 50))
    assert share_found(coarse, vectors, queries, "cosine") < 0.6 < 0.9 < share_found(fine, vectors, queries, "cosine")


def test_automatic_codebooks_divide_the_dimensions() -> None:
    assert [auto_m(dim, 4) for dim in (1, 2, 7, 16, 97, 384)] == [1, 1, 7, 8, 97, 192]
    assert [auto_m(dim, 8) for dim in (1, 2, 6, 7, 384)] == [1, 1, 2, 7, 96]
    assert all(dim % auto_m(dim, bits) == 0 for dim in range(1, 200) for bits in range(1, 13))
    assert divisors(12) == [1, 2, 3, 4, 6, 12]
    assert [auto_bits(dim) for dim in (1, 16, 17, 384)] == [64, 64, 128, 1536]


def test_every_kind_has_its_file() -> None:
    files = (Path(__file__).parents[2] / "conf" / "index").glob("*.yaml")
    assert {path.stem for path in files} == {"flat", *KINDS}
