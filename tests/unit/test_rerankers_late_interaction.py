"""``reranker=late_interaction``: MaxSim by hand, and over the tokens of a model of two small layers that is made here."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.config.models import SentenceTransformerEmbedder
from assay.embedders.base import TokenVectors, unit
from assay.embedders.sentence_transformer import SentenceTransformerModel
from assay.errors import StageError
from assay.rerankers import Candidates
from assay.rerankers.late_interaction import LateInteraction, max_sim

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, "query", "passage", ":", ".", "a", "cat", "dog", "##s", "sat", "on", "the", "mat", "ran", "far"]
LIMIT = 20
TEXTS = [
    "the cat sat on the mat.",
    "dogs ran far",
    "cat",
    "a dog ran.",
    "the cat",
    "the dogs sat on the mat. a cat ran",
]
TEXTS += [f"the cat {'far ' * n}" for n in range(1, 12)]


def saved_model(folder: Path) -> Path:
    """A SentenceTransformer's folder with a prompt for each role; it reads 20 tokens."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    plain = folder / "plain"
    plain.mkdir(parents=True)
    (plain / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=len(WORDS), initializer_range=0.3, **sizes)).save_pretrained(plain)
    BertTokenizerFast(vocab=str(plain / "vocab.txt"), model_max_length=LIMIT).save_pretrained(plain)
    prompts = {"query": "query: ", "document": "passage: "}
    modules = [Transformer(str(plain), max_seq_length=LIMIT), Pooling(32)]
    SentenceTransformer(modules=modules, prompts=prompts, device="cpu").save_pretrained(str(folder / "model"))
    return folder / "model"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_model(tmp_path_factory.mktemp("late"))


@pytest.fixture
def threads() -> Iterator[Any]:
    """Sets torch's threads; one while nothing else is said."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield torch.set_num_threads
    torch.set_num_threads(before)


def embedder(folder: Path, **settings: Any) -> SentenceTransformerModel:
    return SentenceTransformerModel(SentenceTransformerEmbedder(model=str(folder), **settings))


def candidates(texts: list[str], query: str = "the cat sat") -> Candidates:
    return Candidates(query, np.arange(len(texts)), texts, np.zeros(len(texts)), None, None)


def rows(*vectors: tuple[float, ...]) -> np.ndarray:
    return np.array(vectors, np.float32)


def test_by_hand() -> None:
    """Two query tokens, three of the text. Cosines 1, 0, 0.6 and 0, 1, 0.8: the largest are 1 and 1."""
    query = rows((1, 0), (0, 1))
    assert max_sim(query, rows((1, 0), (0, 1), (0.6, 0.8))) == 1
    # Without the text's second token: 1, 0.6 and 0, 0.8.
    assert max_sim(query, rows((1, 0), (0.6, 0.8))) == pytest.approx((1 + 0.8) / 2)
    # The other way round each of three finds its nearest of two: 1, 1 and 0.8.
    assert max_sim(rows((1, 0), (0, 1), (0.6, 0.8)), query) == pytest.approx((1 + 1 + 0.8) / 3)
    assert max_sim(query, rows((-1, 0), (0, -1))) == 0
    assert max_sim(rows((1, 0)), rows((-1, 0))) == -1


def test_nothing_to_compare() -> None:
    nothing = np.empty((0, 2), np.float32)
    assert max_sim(nothing, rows((1, 0))) == 0
    assert max_sim(rows((1, 0)), nothing) == -1
    assert max_sim(nothing, nothing) == 0


@pytest.mark.parametrize(("role", "first"), [("query", 3), ("document", 3)])
def test_token_vectors_are_the_model_s_states_at_the_text_s_own_tokens(
    folder: Path, threads: Any, role: str, first: int
) -> None:
    """[CLS] and the two tokens of the prompt stand in front, [SEP] behind."""
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(folder), device="cpu")
    encode = library.encode_query if role == "query" else library.encode_document
    short = TEXTS[:5]
    states = [state.numpy()[first:-1] for state in encode(short, output_value="token_embeddings")]
    found = embedder(folder).embed_tokens(short, role)
    assert [len(tokens.vectors) for tokens in found] == [7, 4, 1, 4, 2]
    assert all(not tokens.cut and tokens.vectors.dtype == np.float32 for tokens in found)
    for tokens, state in zip(found, states, strict=True):
        assert np.abs(tokens.vectors - state).max() < 1e-5


def test_tokens_behind_the_cut_have_no_vector(folder: Path, threads: Any) -> None:
    """Sixteen of the text's tokens are read."""
    model = embedder(folder)
    exact, above = model.embed_tokens(["far " * 16, "far " * 16 + "cat dog"], "document")
    assert (len(exact.vectors), exact.cut) == (16, False)
    assert (len(above.vectors), above.cut) == (16, True)
    assert np.array_equal(exact.vectors, above.vectors)
    longer_prompt = embedder(folder, document_prompt="the the the ")
    (shorter,) = longer_prompt.embed_tokens(["far " * 16], "document")
    assert (len(shorter.vectors), shorter.cut) == (15, True)
    all_prompt = embedder(folder, document_prompt="the " * 30)
    (nothing,) = all_prompt.embed_tokens(["cat"], "document")
    assert (nothing.vectors.shape, nothing.cut) == ((0, 32), True)


def test_dimensions_are_cut_token_by_token(folder: Path, threads: Any) -> None:
    (whole,) = embedder(folder).embed_tokens(["the cat"], "document")
    (half,) = embedder(folder, truncate_dim=8).embed_tokens(["the cat"], "document")
    assert np.array_equal(half.vectors, whole.vectors[:, :8])


def test_texts_without_tokens(folder: Path, threads: Any) -> None:
    model = LateInteraction(embedder(folder))
    assert embedder(folder).embed_tokens([], "document") == []
    assert model.scores(candidates([])).shape == (0,)
    assert model.scores(candidates(["", "cat"])).tolist()[0] == -1
    assert model.scores(candidates(["", "cat"], "")).tolist() == [0, 0]


def test_padding_on_the_left_shifts_nothing(folder: Path, tmp_path: Path, threads: Any) -> None:
    from sentence_transformers import SentenceTransformer

    left = Path(shutil.copytree(folder, tmp_path / "left"))
    settings = json.loads((left / "tokenizer_config.json").read_text(encoding="utf-8"))
    (left / "tokenizer_config.json").write_text(json.dumps({**settings, "padding_side": "left"}), encoding="utf-8")
    library = SentenceTransformer(str(left), device="cpu")
    features = library.preprocess(
        ["passage: cat"], processing_kwargs={"text": {"padding": "max_length", "max_length": 8}}
    )
    assert features["attention_mask"].tolist() == [[0, 0, 0, 1, 1, 1, 1, 1]], "[CLS] passage : cat [SEP]"
    state = library(features)["token_embeddings"][0, 6].detach().numpy()
    (found,) = embedder(left).embed_tokens(["cat"], "document")
    assert found.vectors.shape == (1, 32)
    assert np.abs(found.vectors[0] - state).max() < 1e-5


def test_a_model_without_token_vectors_is_refused(tmp_path: Path, folder: Path, threads: Any) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    static = StaticEmbedding(Tokenizer.from_file(str(folder / "tokenizer.json")), embedding_dim=8)
    SentenceTransformer(modules=[static], device="cpu").save_pretrained(str(tmp_path / "static"))
    assert embedder(tmp_path / "static").embed_query("the cat").shape == (8,)
    model = LateInteraction(embedder(tmp_path / "static"))
    with pytest.raises(
        StageError, match=r"^embedder\.model: .*static gives no vectors of tokens; choose another model$"
    ):
        model.scores(candidates(["cat"]))


def test_scores_are_the_mean_of_the_largest_cosines(folder: Path, threads: Any) -> None:
    model = embedder(folder)
    (query,) = model.embed_tokens(["the cat sat"], "query")
    expected = []
    for tokens in model.embed_tokens(TEXTS, "document"):
        cosines = unit(query.vectors).astype(np.float64) @ unit(tokens.vectors).astype(np.float64).T
        expected.append(cosines.max(axis=1).mean())
    found = LateInteraction(model).scores(candidates(TEXTS))
    assert found.dtype == np.float32
    assert np.abs(found - expected).max() < 1e-6
    same_prompts = LateInteraction(embedder(folder, query_prompt="", document_prompt=""))
    scores = same_prompts.scores(candidates(["a dog ran", "the cat sat"]))
    assert scores[1] == pytest.approx(1, abs=1e-6), "the text is the query"
    assert scores[0] < 0.99


def test_a_pair_s_bits_depend_on_the_pair_alone(folder: Path, threads: Any) -> None:
    first = LateInteraction(embedder(folder)).scores(candidates(TEXTS))
    assert len(set(first.tolist())) > 10
    for batch_tokens in (8, 64):
        assert np.array_equal(
            LateInteraction(embedder(folder, batch_tokens=batch_tokens)).scores(candidates(TEXTS)), first
        )
    order = np.random.default_rng(1).permutation(len(TEXTS))
    shuffled = LateInteraction(embedder(folder)).scores(candidates([TEXTS[i] for i in order]))
    assert np.array_equal(shuffled, first[order])
    alone = [LateInteraction(embedder(folder)).scores(candidates([text]))[0] for text in TEXTS[:6]]
    assert np.array_equal(alone, first[:6])
    threads(2)
    assert np.array_equal(LateInteraction(embedder(folder)).scores(candidates(TEXTS)), first)


class Asked(SentenceTransformerModel):
    """The embedder, and what it was asked."""

    def __init__(self, folder: Path) -> None:
        super().__init__(SentenceTransformerEmbedder(model=str(folder)))
        self.asked: list[tuple[str, ...]] = []

    def embed_tokens(self, texts: Sequence[str], role: Any) -> list[TokenVectors]:
        if role == "document":
            self.asked.append(tuple(texts))
        return super().embed_tokens(texts, role)


def test_a_text_is_computed_once_as_long_as_there_is_room(folder: Path, threads: Any) -> None:
    asked = Asked(folder)
    model = LateInteraction(asked)
    first = model.scores(candidates(["the cat", "dogs ran", "the cat"]))
    assert first[0] == first[2]
    again = model.scores(candidates(["cat", "dogs ran", "the cat"]))
    assert asked.asked == [("the cat", "dogs ran"), ("cat",)]
    assert again.tolist()[1:] == first.tolist()[1:]
    # Room for seven tokens of 32 dimensions: the text asked for least recently goes first.
    small_asked = Asked(folder)
    small = LateInteraction(small_asked, memory=7 * 32 * 4)
    small.scores(candidates(["the cat", "dogs ran"]))  # 2 + 3 tokens
    small.scores(candidates(["the cat"]))
    small.scores(candidates(["a dog ran"]))  # 3 more: dogs ran goes
    small.scores(candidates(["the cat", "dogs ran"]))
    assert small_asked.asked == [("the cat", "dogs ran"), ("a dog ran",), ("dogs ran",)]
    none = LateInteraction(embedder(folder), memory=0)
    assert np.array_equal(none.scores(candidates(["cat", "dogs ran", "the cat"])), again)


def test_cuts_are_counted(folder: Path, threads: Any) -> None:
    model = LateInteraction(embedder(folder))
    model.scores(candidates(["far " * 30, "cat"]))
    model.scores(candidates(["far " * 30, "cat"], "far " * 40))
    (note,) = model.notes()
    assert note.startswith("reranker=late_interaction: the model cut off 1 queries, and the texts of 2 of 4 pairs; ")
    assert model.notes() == ()
    model.scores(candidates(["cat"]))
    assert model.notes() == ()
