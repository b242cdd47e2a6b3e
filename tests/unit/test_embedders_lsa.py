"""``embedder=lsa``: the same bits each time, clamped dimensions, whole words in every script."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

from assay.config.models import LsaEmbedder
from assay.embedders.lsa import LsaModel
from assay.store import space_of

WORDS = ["leave", "days", "hotel", "night", "cost", "laptop", "police", "help", "desk", "lunch", "soup", "free"]


def corpus(n: int) -> list[str]:
    rng = np.random.default_rng(7)
    return [" ".join(rng.choice(WORDS, 12)) + f" item{i % 37}" for i in range(n)]


def fitted(texts: list[str], *, dim: int = 256, seed: int = 42, **settings: object) -> LsaModel:
    model = LsaModel(LsaEmbedder(dim=dim, **settings), seed)
    model.fit(texts)
    return model


def vectors(model: LsaModel, texts: list[str]) -> np.ndarray:
    return model.embed_documents(texts, lambda _: None)


def test_a_seed_gives_equal_bits_and_another_seed_others() -> None:
    texts = corpus(200)
    first = vectors(fitted(texts, dim=5), texts)
    assert np.array_equal(vectors(fitted(texts, dim=5), texts), first)
    assert not np.array_equal(vectors(fitted(texts, dim=5, seed=43), texts), first)
    assert not np.array_equal(vectors(fitted(texts, dim=5, seed=0), texts), first)


def test_a_vector_does_not_depend_on_batch_mates_order_or_role() -> None:
    texts = corpus(120)
    model = fitted(texts, dim=20)
    together = vectors(model, texts)
    assert np.array_equal(vectors(model, texts[::-1])[::-1], together)
    assert np.array_equal(np.stack([model.embed_query(text) for text in texts]), together)


def test_one_and_two_threads_give_equal_bits() -> None:
    code = (
        "import sys, hashlib; from threadpoolctl import threadpool_limits\n"
        "import numpy, scipy.linalg\n"
        "from assay.config.models import LsaEmbedder; from assay.embedders.lsa import LsaModel\n"
        "rng = numpy.random.default_rng(0)\n"
        "texts = [' '.join(f'w{j}' for j in rng.integers(0, 600, 30)) for _ in range(600)]\n"
        "with threadpool_limits(int(sys.argv[1])):\n"
        "    model = LsaModel(LsaEmbedder(dim=64), 42); model.fit(texts)\n"
        "    print(hashlib.sha256(model.embed_documents(texts, lambda n: None).tobytes()).hexdigest())\n"
    )
    hashes = {
        subprocess.run([sys.executable, "-c", code, n], check=True, capture_output=True, timeout=120).stdout
        for n in "12"
    }
    assert len(hashes) == 1


@pytest.mark.parametrize(
    ("texts", "shape", "zero"),
    [
        ([], (0, 1), True),
        (["..."], (1, 1), True),
        (["", "!?", "…"], (3, 1), True),
        (["leave"], (1, 1), False),
        (["leave leave", "leave"], (2, 1), False),
        (["thirty days of annual leave"], (1, 1), False),
        (["leave days", "hotel night"], (2, 2), False),
        (["leave", "leave", "hotel"], (3, 2), False),
    ],
)
def test_dimensions_are_what_the_corpus_allows(texts: list[str], shape: tuple[int, int], zero: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fitted(texts)
        found = vectors(model, texts)
    assert found.shape == shape
    assert found.dtype == np.float32
    assert np.isfinite(found).all()
    assert np.any(found, axis=1).tolist() == [not zero] * len(texts)
    assert model.embed_query("leave").shape == (shape[1],)
    assert not np.any(model.embed_query("zebra")), "shares no term with the corpus"


def test_dim_is_an_upper_bound() -> None:
    assert vectors(fitted(corpus(50), dim=3), corpus(50)).shape == (50, 3)


def test_with_all_dimensions_cosines_are_those_of_tf_idf() -> None:
    """ "leave" stands in one of three texts, "a" in two: ln((1+3)/(1+df)) + 1 are their weights."""
    texts = ["leave a", "hotel a", "soup"]
    found = vectors(fitted(texts, normalize=True), texts)
    leave, a = np.log(4 / 2) + 1, np.log(4 / 3) + 1
    assert found[0] @ found[1] == pytest.approx(a * a / (leave * leave + a * a), abs=1e-6)
    assert found[0] @ found[2] == pytest.approx(0, abs=1e-6)


def test_words_of_every_script_are_whole() -> None:
    """A rule made of Latin letters would part क्षत्रिय at its marks and read a line of Han as one word."""
    texts = ["क्षत्रिय राजा", "छुट्टी नियम", "年假三十天", "病假须证明", "الإجازة السنوية"]
    model = fitted(texts, normalize=True)
    for query, place in (("क्षत्रिय", 0), ("छुट्टी", 1), ("三十", 2), ("证明", 3), ("الإجازة", 4)):
        assert int(np.argmax(vectors(model, texts) @ model.embed_query(query))) == place
    assert not np.any(model.embed_query("क्षत्र")), "a part of a word is another word"
    assert [text[a:b] for text in texts[:1] for a, b in model.token_offsets(text)] == ["क्षत्रिय", "राजा"]


def test_everything_is_read_and_words_are_counted() -> None:
    measured = fitted(["a b"]).measure(["one two three", "", "年假"])
    assert measured.tokens.tolist() == [3, 0, 2]
    assert measured.seen.tolist() == [13, 0, 2]


def test_the_key_knows_what_the_model_was_fitted_on() -> None:
    def key(model: LsaModel) -> str:
        return space_of(model.identity(), "document")

    base = key(fitted(["leave days", "hotel"]))
    assert key(fitted(["leave days", "hotel"])) == base
    assert key(fitted(["leave days", "hotels"])) != base
    assert key(fitted(["hotel", "leave days"])) != base
    assert key(fitted(["leave days", "hotel"], seed=1)) != base
    assert key(fitted(["leave days", "hotel"], dim=1)) != base
    assert key(fitted(["leave days", "hotel"], normalize=True)) != base


def test_equal_texts_are_fitted_in_silence() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(vectors(fitted(["one two three"] * 40), ["one two three"])).all()
