"""What the default model does not read is counted, known per chunk, and named as the cause of a miss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

ResultOf = Callable[..., Any]

FILLER = "The committee met on the first floor and talked about the colour of the new chairs at some length. "
EVIDENCE = "Visitors park their cars behind the old mill."
LONG = FILLER * 20 + EVIDENCE
DOCUMENTS = {
    "long": LONG,
    "decoy": "Staff park bicycles and cars in the yard, visitors ask at the gate.",
    "other": "Soup is free on Mondays.",
}
QUERY, JUDGED = {"q": "where do visitors park their cars"}, [("q", "long", 1)]
AT_THE_END = [("q", "long", len(LONG) - len(EVIDENCE), len(LONG))]
NEURAL = ["embedder=minilm", "evaluation.ks=[1]"]


def missed(result: Any) -> list[tuple[str, str]]:
    return [(miss.doc_id, miss.cause) for misses in result.scores.missed for miss in misses]


def test_evidence_behind_the_cut_is_lost_by_truncation_and_smaller_chunks_bring_it_back(result_of: ResultOf) -> None:
    lost = result_of(DOCUMENTS, QUERY, JUDGED, *NEURAL, "chunker=document", "chunker.context=none", spans=AT_THE_END)
    assert missed(lost) == [("long", "truncated")]
    assert lost.truncated_chunks == 1
    assert any("1 of 3 chunks are longer than the model reads (256 tokens)" in line for line in lost.warnings)
    small = ["chunker=sentences", "chunker.size=22", "chunker.overlap=0"]
    found = result_of(DOCUMENTS, QUERY, JUDGED, *NEURAL, *small, spans=AT_THE_END)
    assert missed(found) == []
    assert found.truncated_chunks == 0
    assert not any("longer than the model reads" in line for line in found.warnings)


def test_evidence_that_is_read_in_part_or_has_no_span_was_lost_by_the_embedding(result_of: ResultOf) -> None:
    document = ["chunker=document", "chunker.context=none"]
    for spans in ([], [*AT_THE_END, ("q", "long", 0, 13)], [("q", "long", 0, len(LONG))]):
        result = result_of(DOCUMENTS, QUERY, JUDGED, *NEURAL, *document, spans=spans)
        assert missed(result) == [("long", "embedding")]


def test_where_the_model_stopped_is_told_of_what_it_did_not_read_only(result_of: ResultOf) -> None:
    """White space between two chunks is in neither, and is no text that the model missed."""
    query, judged = {"q": "soup bicycles"}, [("q", "long", 1)]
    parts = ["chunker=sentences", "chunker.size=22", "chunker.overlap=0"]
    two_sentences = [("q", "long", len(FILLER) - 10, len(FILLER) + 10)]
    read = result_of(DOCUMENTS, query, judged, *NEURAL, *parts, spans=two_sentences)
    assert read.truncated_chunks == 0
    assert [miss.read_to for misses in read.scores.missed for miss in misses] == [None]
    document = ["chunker=document", "chunker.context=none"]
    cut = result_of(DOCUMENTS, query, judged, *NEURAL, *document, spans=[*two_sentences, *AT_THE_END])
    ((stopped,),) = [[miss.read_to for miss in misses] for misses in cut.scores.missed]
    assert len(FILLER) < stopped < AT_THE_END[0][2]


def test_bm25_reads_everything(result_of: ResultOf) -> None:
    lexical = ["retriever=bm25", "chunker=document", "chunker.context=none"]
    result = result_of(DOCUMENTS, QUERY, JUDGED, *NEURAL, *lexical, spans=AT_THE_END)
    assert result.truncated_chunks == 0
    assert "truncated" not in {cause for _, cause in missed(result)}


def test_a_size_above_the_limit_is_warned_about_and_not_refused(result_of: ResultOf) -> None:
    sizes = ["chunker.size=400", "chunker.overlap=0"]
    result = result_of(DOCUMENTS, QUERY, JUDGED, *NEURAL, *sizes)
    assert result.truncated_chunks == 1
    at_limit = result_of(DOCUMENTS, QUERY, JUDGED, *NEURAL, "chunker.size=254", "chunker.overlap=0")
    assert at_limit.truncated_chunks == 0, "254 tokens and two special ones"
    above = result_of(DOCUMENTS, QUERY, JUDGED, *NEURAL, "chunker.size=255", "chunker.overlap=0")
    assert above.truncated_chunks == 1


@pytest.mark.parametrize("settings", [["embedder.batch_tokens=64"], ["threads=2"], ["embedder.batch_tokens=100000"]])
def test_batches_and_threads_change_no_number(result_of: ResultOf, settings: list[str]) -> None:
    chunks = [*NEURAL, "chunker.size=20", "chunker.overlap=4"]
    first = result_of(DOCUMENTS, QUERY, JUDGED, *chunks)
    other = result_of(DOCUMENTS, QUERY, JUDGED, *chunks, *settings)
    assert [repr(ranking) for ranking in other.rankings] == [repr(ranking) for ranking in first.rankings]
    assert other.scores.summary == first.scores.summary
