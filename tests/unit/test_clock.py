"""Latency: percentiles of single searches, and what reranking adds."""

from __future__ import annotations

from assay.clock import SearchTimes, time_search


def test_every_query_is_timed_alone_after_a_warm_up_and_then_all_at_once() -> None:
    asked: list[int] = []
    together: list[str] = []
    times = time_search(asked.append, lambda: together.append("all"), 30, asked.append)
    assert asked[:5] == [0, 1, 2, 3, 4]
    assert asked[5:35] == list(range(30))
    assert asked[35:] == [i for i in range(20) for _ in "es"], "embedded, then searched"
    assert together == ["all"]
    assert times.n == 30
    assert None not in (times.p50_ms, times.p95_ms, times.batch_qps, times.with_embedding_p50_ms)


def test_too_few_queries_have_no_95th_percentile_and_none_no_latency() -> None:
    few = time_search(lambda i: i, lambda: None, 19, None)
    assert few.p50_ms is not None
    assert (few.p95_ms, few.with_embedding_p50_ms) == (None, None)
    assert time_search(lambda i: i, lambda: None, 0, None) == SearchTimes(None, None, 0, None, None, None)


def test_reranking_adds_its_own_time() -> None:
    first = SearchTimes(2.0, 4.0, 200, 500.0, 10.0, 20.0)
    assert first.reranked([30.0] * 20) == SearchTimes(32.0, 34.0, 20, 1000 / 32, 40.0, 50.0)
    assert first.reranked([10.0, 30.0, 50.0]) == SearchTimes(32.0, None, 3, 1000 / 32, 40.0, None)


def test_scores_that_all_came_from_the_store_tell_no_latency() -> None:
    assert SearchTimes(2.0, 4.0, 200, 500.0, None, None).reranked([]) == SearchTimes(None, None, 0, None, None, None)
