"""The whole trip on small corpora: what counts, what is over-fetched, what is counted, and what can't matter."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ResultOf = Callable[..., Any]
DOCUMENTS = {
    "d1": "annual leave lapses in march",
    "d2": "a hotel night costs at most one hundred euro",
    "d3": "report a stolen laptop to the help desk",
    "d4": "lunch is served from noon",
    "d5": "annual leave of thirty days, and a hotel for the night",
}
QUERIES = {"q1": "annual leave", "q2": "hotel night", "q3": "zebra crossing", "q4": "stolen laptop and lunch"}
QRELS = [("q1", "d1", 2), ("q1", "d5", 1), ("q2", "d2", 1), ("q4", "d3", 1), ("q4", "d4", 1)]


def ranked(result: Any) -> dict[str, list[tuple[str, float]]]:
    return {r.query_id: [(d.doc_id, d.score) for d in r.documents] for r in result.rankings}


def numbers(result: Any) -> str:
    """metrics.json's body, and every ranking with its passages."""
    return json.dumps([result.scores.summary, [repr(ranking) for ranking in result.rankings]], sort_keys=True)


def test_max_ks_documents_are_there_however_many_chunks_one_of_them_has(result_of: ResultOf) -> None:
    """d0 is 200 equal chunks of two words, all nearest: depth alone would show nothing else."""
    documents = {"d0": "leave days " * 200, **{f"d{i}": f"leave days other words {i}" for i in range(1, 9)}}
    settings = ["chunker.size=2", "chunker.overlap=0", "evaluation.ks=[5]", "retriever.depth=5"]
    result = result_of(documents, {"q": "leave days"}, [("q", "d7", 1)], *settings)
    ids = result.rankings[0].doc_ids
    assert len(result.chunks) > 200
    assert ids[:5] == ("d0", "d1", "d2", "d3", "d4")
    assert len(set(ids)) == len(ids)
    assert len(result.rankings[0].documents[0].passages) == 200


@pytest.mark.parametrize("index", ["flat", "hnsw", "ivf"])
@pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
def test_every_index_and_metric_gives_the_same_documents_on_a_small_corpus(
    result_of: ResultOf, index: str, metric: str
) -> None:
    result = result_of(DOCUMENTS, QUERIES, QRELS, f"index={index}", f"index.metric={metric}", "evaluation.ks=[2]")
    found = ranked(result)
    assert {doc for doc, _ in found["q1"][:2]} == {"d1", "d5"}
    assert {doc for doc, _ in found["q4"][:2]} == {"d3", "d4"}
    for ranking in found.values():
        scores = [score for _, score in ranking]
        assert scores == sorted(scores, reverse=True)
        assert len({doc for doc, _ in ranking}) == len(ranking)
        assert metric != "l2" or all(score <= 0 for score in scores)


def test_cosine_does_not_look_at_lengths_and_ip_does(result_of: ResultOf) -> None:
    """In two dimensions a text's vector is shorter than 1, and its own text as the query points the same way."""
    query, judged = {"q": DOCUMENTS["d3"]}, [("q", "d3", 1)]
    cosine = result_of(DOCUMENTS, query, judged, "embedder.dim=2", "index.metric=cosine").rankings[0].top_score
    inner = result_of(DOCUMENTS, query, judged, "embedder.dim=2", "index.metric=ip").rankings[0].top_score
    assert cosine == pytest.approx(1, abs=1e-6)
    assert inner < 0.99


@pytest.mark.parametrize("documents", [{"d1": "leave"}, {"d1": "leave days", "d2": "hotel"}, {"d1": "leave", "d2": ""}])
@pytest.mark.parametrize("index", ["flat", "hnsw", "ivf"])
def test_every_index_runs_from_one_chunk_up(result_of: ResultOf, documents: dict[str, str], index: str) -> None:
    result = result_of(documents, {"q": "leave"}, [("q", "d1", 1)], f"index={index}")
    assert result.rankings[0].doc_ids[0] == "d1"
    assert result.scores.summary["metrics"]["recall@1"]["mean"] == 1
    if index != "flat":
        assert result.scores.summary["metrics"]["index_recall@1"]["mean"] == 1


@pytest.mark.parametrize("index", ["flat", "hnsw", "ivf"])
@pytest.mark.parametrize("retriever", ["dense", "bm25"])
def test_a_corpus_without_any_word_finds_nothing_and_does_not_fail(
    result_of: ResultOf, index: str, retriever: str
) -> None:
    for documents in ({"d1": "", "d2": " "}, {"d1": "…", "d2": "!?"}):
        result = result_of(documents, {"q": "leave"}, [("q", "d1", 1)], f"index={index}", f"retriever={retriever}")
        assert result.rankings[0].documents == ()
        assert result.scores.summary["metrics"]["recall@10"]["mean"] == 0
        assert [miss.cause for miss in result.scores.missed[0]] == ["not_indexed"]
        loud = [line for line in result.warnings if "EXACT SEARCH (flat) RAN INSTEAD" in line]
        assert len(loud) == (index != "flat" and retriever == "dense")


@pytest.mark.parametrize("retriever", ["dense", "bm25"])
def test_a_query_that_shares_nothing_gets_nothing_and_is_counted(result_of: ResultOf, retriever: str) -> None:
    result = result_of(DOCUMENTS, QUERIES, QRELS, f"retriever={retriever}")
    assert ranked(result)["q3"] == []
    assert result.rankings[2].top_score is None
    assert result.scores.summary["abstention"]["correct_empty_rate"] == 1
    if retriever == "dense":
        assert "1 queries have a zero vector and get nothing back" in result.warnings


def test_min_score_meets_the_score_that_is_shown(result_of: ResultOf) -> None:
    """A score is a float32 shown as its shortest decimal; the threshold at that decimal keeps the hit."""
    free = ranked(result_of(DOCUMENTS, QUERIES, QRELS))
    shown = free["q1"][1][1]
    kept = ranked(result_of(DOCUMENTS, QUERIES, QRELS, f"filter.min_score={shown!r}"))
    assert kept["q1"] == free["q1"][:2]
    above = ranked(result_of(DOCUMENTS, QUERIES, QRELS, f"filter.min_score={shown + 1e-9!r}"))
    assert above["q1"] == free["q1"][:1]


@pytest.mark.parametrize("settings", [["index=flat"], ["index=hnsw"], ["index=ivf"], ["retriever=bm25"]])
def test_threads_and_the_order_of_lines_change_no_number(result_of: ResultOf, settings: list[str]) -> None:
    first = numbers(result_of(DOCUMENTS, QUERIES, QRELS, *settings))
    assert numbers(result_of(DOCUMENTS, QUERIES, QRELS, *settings, "threads=2")) == first
    assert numbers(result_of(dict(reversed(DOCUMENTS.items())), QUERIES, QRELS[::-1], *settings)) == first


def test_documents_that_are_equal_come_by_id_not_by_line(result_of: ResultOf) -> None:
    documents = dict.fromkeys(("d10", "d9", "d1", "D1", "é"), "annual leave")
    result = result_of(documents, {"q": "leave"}, [("q", "d9", 1)])
    assert result.rankings[0].doc_ids == ("D1", "d1", "d10", "d9", "é")


def test_a_cold_a_warm_and_a_half_filled_store_give_the_same_numbers(result_of: ResultOf, tmp_path: Path) -> None:
    disk = ["cache=disk", f"cache.dir='{tmp_path / 'cache'}'"]
    plain = result_of(DOCUMENTS, QUERIES, QRELS)
    cold = result_of(DOCUMENTS, QUERIES, QRELS, *disk)
    warm = result_of(DOCUMENTS, QUERIES, QRELS, *disk)
    half = result_of(DOCUMENTS, {**QUERIES, "q5": "served at noon"}, QRELS, *disk)
    whole = result_of(DOCUMENTS, {**QUERIES, "q5": "served at noon"}, QRELS)
    assert numbers(plain) == numbers(cold) == numbers(warm)
    assert numbers(half) == numbers(whole)
    counts = [(r.cache["document_vectors"].as_dict(), r.cache["query_vectors"].as_dict()) for r in (cold, warm, half)]
    assert counts == [
        ({"hits": 0, "misses": 5}, {"hits": 0, "misses": 4}),
        ({"hits": 5, "misses": 0}, {"hits": 4, "misses": 0}),
        ({"hits": 5, "misses": 0}, {"hits": 4, "misses": 1}),
    ]


def test_a_text_that_stands_twice_is_embedded_once(result_of: ResultOf) -> None:
    result = result_of({"d1": "leave days", "d2": "leave days", "d3": "hotel"}, {"q": "leave"}, [("q", "d1", 1)])
    assert result.cache["document_vectors"].as_dict() == {"hits": 0, "misses": 2}
    assert result.rankings[0].doc_ids == ("d1", "d2", "d3")


def test_chunk_sets_are_kept_for_the_next_run_of_the_process(result_of: ResultOf) -> None:
    assert result_of(DOCUMENTS, QUERIES, QRELS).cache["chunks"].as_dict() == {"hits": 0, "misses": 1}
    assert result_of(DOCUMENTS, QUERIES, QRELS, "index=hnsw").cache["chunks"].as_dict() == {"hits": 1, "misses": 0}
    assert result_of(DOCUMENTS, QUERIES, QRELS, "chunker.size=3", "chunker.overlap=0").cache["chunks"].hits == 0


def test_bits_that_may_differ_are_named(result_of: ResultOf) -> None:
    assert result_of(DOCUMENTS, QUERIES, QRELS).unequal_bits == []
    built = result_of(DOCUMENTS, QUERIES, QRELS, "index=hnsw", "index.build_threads=2").unequal_bits
    assert built == ["index.build_threads=2 builds in an order that changes"]
    assert (
        result_of(DOCUMENTS, QUERIES, QRELS, "index=hnsw", "index.build_threads=2", "retriever=bm25").unequal_bits == []
    )
