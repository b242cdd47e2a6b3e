"""A vector of the default model is the same bits whatever it is computed with: batch mates, order, role, threads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assay.config.models import MiniLMEmbedder
from assay.embedders.sentence_transformer import SentenceTransformerModel

STEMS = [
    "leave",
    "a hotel in the town",
    "सेवा शर्तें और अवकाश",
    "年假三十天",
    "Überstunden — 12,5 %",
    "x" * 40,
    "the, of; and:",
]
MADE = [f"{stem} {'and so on ' * (i % 11)}{i}".strip() for i in range(21) for stem in STEMS]


@pytest.fixture(scope="module")
def model() -> SentenceTransformerModel:
    return SentenceTransformerModel(MiniLMEmbedder())


@pytest.fixture
def threads() -> Iterator[object]:
    """Sets torch's threads; one while nothing else is said."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield torch.set_num_threads
    torch.set_num_threads(before)


def embedded(texts: list[str], model: SentenceTransformerModel, batch_tokens: int | None = None) -> np.ndarray:
    if batch_tokens is not None:
        other = SentenceTransformerModel(MiniLMEmbedder(batch_tokens=batch_tokens))
        other.__dict__["_model"] = model._model  # the same weights, not loaded again
        model = other
    return model.embed_documents(texts, lambda _: None)


def assert_equal_bits(texts: list[str], model: SentenceTransformerModel, threads: object, queries: int) -> None:
    first = embedded(texts, model)
    assert np.array_equal(embedded(texts, model, 300), first), "smaller batches"
    assert np.array_equal(embedded(texts[::-1], model)[::-1], first), "another order"
    assert np.array_equal(embedded(texts[1::3], model), first[1::3]), "a part of the texts"
    threads(2)
    assert np.array_equal(embedded(texts[:: len(texts) // 40], model), first[:: len(texts) // 40]), "two threads"
    threads(1)
    alone = np.stack([model.embed_query(text) for text in texts[:queries]])
    assert np.array_equal(alone, first[:queries]), "one at a time, as queries are (this model has no prompts)"


def test_equal_bits_on_made_texts_of_many_lengths(model: SentenceTransformerModel, threads: object) -> None:
    lengths = {model.padded_length(int(n)) for n in model.measure(MADE).tokens}
    assert len(lengths) >= 5
    assert_equal_bits(MADE, model, threads, queries=60)


def test_a_long_text_s_bits_do_not_depend_on_a_short_neighbour(
    model: SentenceTransformerModel, threads: object
) -> None:
    long = "the boundary layer of a flat plate " * 60
    assert model.measure([long]).tokens[0] > 256
    together = embedded(["short", long, "also short"], model)
    assert np.array_equal(together[1], model.embed_query(long))
    assert np.array_equal(together[0], model.embed_query("short"))


def test_lengths_are_padded_by_their_own_token_count_only(model: SentenceTransformerModel) -> None:
    assert [model.padded_length(n) for n in (1, 7, 8, 9, 16, 17, 255, 256, 300)] == [8, 8, 8, 16, 16, 24, 256, 256, 256]


@pytest.mark.slow
def test_equal_bits_on_two_thousand_sentences(model: SentenceTransformerModel, threads: object, shared: Path) -> None:
    lines = (shared / "datasets" / "cranfield" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    sentences = [part.strip() for line in lines for part in json.loads(line)["text"].split(" . ")]
    texts = list(dict.fromkeys(part for part in sentences if 3 < len(part.split()) < 22))[:2000]
    assert len(texts) >= 1500
    assert_equal_bits(texts, model, threads, queries=300)
