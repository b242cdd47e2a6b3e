"""Each cause of a missed document by experiment: the cause is named, and turning it off brings the document back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

ResultOf = Callable[..., Any]

TOPICS = {
    "leave": "annual leave lapses in march unless carried forward",
    "hotel": "a hotel night costs at most one hundred twenty euro",
    "laptop": "report a stolen laptop to the help desk at once",
    "lunch": "lunch is served from noon and soup is free",
}


def missed(result: Any) -> list[tuple[str, str, int | None]]:
    """(document, cause, exact rank) of all that was missed."""
    return [(miss.doc_id, miss.cause, miss.rank) for misses in result.scores.missed for miss in misses]


def causes(result: Any) -> dict[str, int]:
    return {cause: count for cause, count in result.scores.summary["causes"].items() if count}


def test_not_indexed_a_document_without_text(result_of: ResultOf) -> None:
    query, judged = {"q": "parking places for visitors"}, [("q", "parking", 1)]
    lost = result_of({**TOPICS, "parking": " \n "}, query, judged, "evaluation.ks=[1,5]")
    assert missed(lost) == [("parking", "not_indexed", None)]
    assert any("1 documents are empty" in line for line in lost.warnings)
    assert missed(result_of({**TOPICS, "parking": "parking places"}, query, judged, "evaluation.ks=[1,5]")) == []


def test_not_indexed_a_chunk_without_a_vector(result_of: ResultOf) -> None:
    """A document of signs only has text, but nothing that lsa could make a vector of."""
    query, judged = {"q": "annual leave"}, [("q", "signs", 1)]
    lost = result_of({**TOPICS, "signs": "… !? …"}, query, judged, "evaluation.ks=[5]")
    assert missed(lost) == [("signs", "not_indexed", None)]
    assert "1 chunks have a zero vector and can't be found" in lost.warnings


def test_embedding_a_document_that_shares_no_word_with_the_query(result_of: ResultOf) -> None:
    query, judged = {"q": "hotel laptop"}, [("q", "lunch", 1)]
    lost = result_of(TOPICS, query, judged, "evaluation.ks=[2]")
    ((doc_id, cause, rank),) = missed(lost)
    assert (doc_id, cause) == ("lunch", "embedding")
    assert rank in {3, 4}
    assert causes(lost) == {"embedding": 1}
    found = {**TOPICS, "lunch": "hotel laptop hotel laptop soup"}
    assert missed(result_of(found, query, judged, "evaluation.ks=[2]")) == []


def test_threshold_a_document_that_min_score_removes(result_of: ResultOf) -> None:
    query, judged = {"q": "hotel night"}, [("q", "hotel", 1)]
    free = result_of(TOPICS, query, judged, "evaluation.ks=[1]")
    assert missed(free) == []
    score = free.rankings[0].documents[0].score
    assert 0.3 < score < 0.999
    lost = result_of(TOPICS, query, judged, "evaluation.ks=[1]", "filter.min_score=0.999")
    assert missed(lost) == [("hotel", "threshold", 1)]
    assert lost.rankings[0].documents == ()
    assert lost.rankings[0].top_score == score, "what came back before min_score"
    assert missed(result_of(TOPICS, query, judged, "evaluation.ks=[1]", f"filter.min_score={score}")) == []


def test_a_document_past_k_that_min_score_also_removes_was_lost_by_the_embedding(result_of: ResultOf) -> None:
    lost = result_of(TOPICS, {"q": "hotel"}, [("q", "lunch", 1)], "evaluation.ks=[1]", "filter.min_score=0.9")
    assert [cause for _, cause, _ in missed(lost)] == ["embedding"]


def test_approximation_what_one_cell_of_many_loses_and_flat_finds(result_of: ResultOf) -> None:
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(60)]
    documents = {f"d{i:03d}": " ".join(rng.choice(words, 8)) for i in range(300)}
    queries = {f"q{i:02d}": " ".join(rng.choice(words, 4)) for i in range(30)}
    ks = "evaluation.ks=[1,3]"
    any_labels = [(query, "d000", 1) for query in queries]
    flat = result_of(documents, queries, any_labels, ks)
    best = [(ranking.query_id, ranking.documents[0].doc_id, 1) for ranking in flat.rankings]

    lost = result_of(documents, queries, best, ks, "index=ivf", "index.nlist=30", "index.nprobe=1")
    assert len(missed(lost)) >= 5
    assert {(cause, rank) for _, cause, rank in missed(lost)} == {("approximation", 1)}
    recall = lost.scores.summary["metrics"]["index_recall@1"]["mean"]
    assert recall == pytest.approx(1 - len(missed(lost)) / len(queries)), "each loss is one that index_recall sees"
    assert any("searches 1 of 30 cells" in line for line in lost.warnings)

    all_cells = result_of(documents, queries, best, ks, "index=ivf", "index.nlist=30", "index.nprobe=30")
    assert missed(all_cells) == []
    assert all_cells.scores.summary["metrics"]["index_recall@3"]["mean"] == 1
    assert [r.documents[0] for r in all_cells.rankings] == [r.documents[0] for r in flat.rankings]
    assert missed(result_of(documents, queries, best, ks)) == []


def test_bm25_loses_by_words_and_what_shares_none_has_no_rank(result_of: ResultOf) -> None:
    query = {"q": "annual leave hotel"}
    judged = [("q", "hotel", 1), ("q", "lunch", 1)]
    lost = result_of(TOPICS, query, judged, "retriever=bm25", "evaluation.ks=[1]")
    assert missed(lost) == [("hotel", "embedding", 2), ("lunch", "embedding", None)]
    assert result_of(TOPICS, query, judged, "retriever=bm25", "evaluation.ks=[2]").rankings[0].doc_ids == (
        "leave",
        "hotel",
    )


def test_the_query_s_own_document_takes_no_place_where_it_is_left_out(result_of: ResultOf) -> None:
    """Document "a" is the query itself. Without it the order is b, c, d; with k=1 c is second, not third."""
    documents = {"a": "one two three four", "b": "one two three", "c": "one two", "d": "one five six", "e": "seven"}
    query, judged = {"a": "one two three four"}, [("a", "a", 1), ("a", "c", 1)]
    own = result_of(documents, query, judged, "evaluation.ks=[1]")
    assert own.rankings[0].doc_ids[0] == "a"
    assert missed(own) == [("c", "embedding", 3)]
    without = result_of(documents, query, judged, "evaluation.ks=[1]", "evaluation.exclude_self=true")
    assert without.rankings[0].doc_ids[0] == "b"
    assert missed(without) == [("c", "embedding", 2)]
    assert any("1 judgements of a query's own document" in line for line in without.warnings)
    found = result_of(documents, query, judged, "evaluation.ks=[2]", "evaluation.exclude_self=true")
    assert missed(found) == []
    assert found.scores.summary["metrics"]["recall@2"]["mean"] == 1
    cut = "filter.min_score=1.5"
    removed = result_of(documents, query, judged, "evaluation.ks=[2]", "evaluation.exclude_self=true", cut)
    assert missed(removed) == [("c", "threshold", 2)], "rank 2 of 2, though third with the query's own document"


def test_an_own_document_does_not_hide_a_relevant_one_from_the_risk(result_of: ResultOf) -> None:
    """Risk is the share without a relevant document in the top k before min_score: here b is first."""
    documents = {"a": "one two three four", "b": "one two three", "c": "seven"}
    result = result_of(
        documents, {"a": "one two three four"}, [("a", "b", 1)], "evaluation.ks=[1]", "evaluation.exclude_self=true"
    )
    assert result.scores.summary["abstention"]["risk_coverage"] == [[1.0, 0.0]]


def test_a_query_whose_only_positive_is_its_own_document_is_unjudged_without_it(result_of: ResultOf) -> None:
    documents = {"a": "one two three", "b": "four five six"}
    queries = {"a": "one two", "q": "four five"}
    judged = [("a", "a", 1), ("q", "b", 1)]
    summary = result_of(documents, queries, judged, "evaluation.ks=[1]", "evaluation.exclude_self=true").scores.summary
    assert summary["queries"] == {"total": 2, "answerable": 1, "unanswerable": 0, "unjudged": 1}
    assert summary["metrics"]["handled@1"]["n"] == 1
    assert len(summary["abstention"]["risk_coverage"]) == 1


REGIONS = {
    "leave": {"region": "kerala"},
    "hotel": {"region": "bavaria"},
    "laptop": {"region": "kerala"},
    "q": {"region": "kerala"},
}


@pytest.mark.parametrize("mode", ["pre", "post"])
@pytest.mark.parametrize("where", ["{region: kerala}", "{region: {$query: region}}"])
def test_filtered_a_document_that_where_excludes(result_of: ResultOf, where: str, mode: str) -> None:
    query, judged = {"q": "hotel night"}, [("q", "hotel", 1)]
    filtered = ["evaluation.ks=[1]", "filter=where", f"filter.where='{where}'", f"filter.mode={mode}"]
    lost = result_of(TOPICS, query, judged, *filtered, metadata=REGIONS)
    assert missed(lost) == [("hotel", "filtered", None)]
    assert "filter.where removes 1 of 1 relevant documents (1 queries)" in lost.warnings
    assert {found.doc_id for found in lost.rankings[0].documents} <= {"leave", "laptop"}
    assert missed(result_of(TOPICS, query, judged, "evaluation.ks=[1]", metadata=REGIONS)) == []


# BM25 with b=1 puts the short documents first, with b=0 the one that says the word most often.
BY_LENGTH = {
    "long": "hotel hotel hotel breakfast lunch dinner garden pool sauna bar",
    "short": "hotel bar",
    "shorter": "hotel",
    "other": "bus train plane",
}
FIRST = ("retriever=bm25", "retriever.b=1.0", "retriever.k1=1.0", "evaluation.ks=[1]")
OFTEN = ("reranker=lexical", "reranker.b=0.0", "reranker.k1=10.0")


def test_reranker_a_document_that_it_puts_past_k(result_of: ResultOf) -> None:
    query, judged = {"q": "hotel"}, [("q", "shorter", 1)]
    assert missed(result_of(BY_LENGTH, query, judged, *FIRST)) == []
    lost = result_of(BY_LENGTH, query, judged, *FIRST, *OFTEN)
    ((miss,),) = lost.scores.missed
    assert (miss.doc_id, miss.cause, miss.rank, miss.first_stage_rank, miss.handed_rank) == (
        "shorter",
        "reranker",
        1,
        1,
        1,
    )
    assert miss.final_rank is not None
    assert miss.final_rank > 1
    assert lost.rankings[0].documents[0].stage == 1
    block = lost.scores.summary["reranking"]["recall@1"]
    assert block == {"before": 1.0, "after": 0.0, "ceiling": 1.0}


def test_depth_a_document_that_is_not_handed_on(result_of: ResultOf) -> None:
    query, judged = {"q": "hotel"}, [("q", "long", 1)]
    lost = result_of(BY_LENGTH, query, judged, *FIRST, *OFTEN, "reranker.depth=2")
    ((miss,),) = lost.scores.missed
    assert (miss.cause, miss.rank, miss.first_stage_rank, miss.handed_rank) == ("depth", 3, 3, None)
    assert lost.scores.summary["reranking"]["recall@1"] == {"before": 0.0, "after": 0.0, "ceiling": 0.0}
    assert missed(result_of(BY_LENGTH, query, judged, *FIRST, *OFTEN, "reranker.depth=3")) == []


def test_embedding_with_a_reranker_what_no_candidate_list_holds(result_of: ResultOf) -> None:
    query, judged = {"q": "hotel"}, [("q", "long", 1)]
    lost = result_of(BY_LENGTH, query, judged, *FIRST, *OFTEN, "retriever.depth=2", "reranker.depth=2")
    ((miss,),) = lost.scores.missed
    assert (miss.cause, miss.rank, miss.first_stage_rank) == ("embedding", 3, None)
    deeper = result_of(BY_LENGTH, query, judged, *FIRST, *OFTEN, "retriever.depth=3", "reranker.depth=3")
    assert missed(deeper) == []


def test_approximation_with_a_reranker_what_exact_search_would_have_handed_on(result_of: ResultOf) -> None:
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(60)]
    documents = {f"d{i:03d}": " ".join(rng.choice(words, 8)) for i in range(300)}
    queries = {f"q{i:02d}": " ".join(rng.choice(words, 4)) for i in range(30)}
    few = ("evaluation.ks=[1,3]", "retriever.depth=10", "reranker=mmr", "reranker.trade_off=1.0", "reranker.depth=10")
    any_labels = [(query, "d000", 1) for query in queries]
    best = [(r.query_id, r.documents[0].doc_id, 1) for r in result_of(documents, queries, any_labels, *few).rankings]

    lost = result_of(documents, queries, best, *few, "index=ivf", "index.nlist=30", "index.nprobe=1")
    assert len(missed(lost)) >= 5
    assert {(cause, rank) for _, cause, rank in missed(lost)} == {("approximation", 1)}
    for misses, ranking in zip(lost.scores.missed, lost.rankings, strict=True):
        for miss in misses:
            assert miss.doc_id not in ranking.doc_ids
            assert (miss.first_stage_rank, miss.handed_rank, miss.final_rank) == (None, None, None)
    assert missed(result_of(documents, queries, best, *few)) == []


def test_threshold_with_a_reranker_cuts_by_the_reranker_s_own_score(result_of: ResultOf) -> None:
    query, judged = {"q": "hotel"}, [("q", "long", 1)]
    free = result_of(BY_LENGTH, query, judged, *FIRST, *OFTEN)
    best = free.rankings[0].documents[0]
    assert (best.doc_id, best.stage) == ("long", 1)
    lost = result_of(BY_LENGTH, query, judged, *FIRST, *OFTEN, f"filter.min_score={best.score + 0.01}")
    assert missed(lost) == [("long", "threshold", 3)]
    assert lost.rankings[0].documents == ()
    assert lost.rankings[0].top_score == best.score
