"""``reranker=cross_encoder`` on a model of two small layers that is made here: raw logits, cuts, equal bits, refusals."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.config.models import CrossEncoderReranker
from assay.errors import StageError
from assay.ranking import Hits
from assay.rerankers import Candidates
from assay.rerankers.cross_encoder import CrossEncoderModel
from assay.rerankers.order import merged

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, ".", "a", "cat", "dog", "##s", "sat", "on", "the", "mat", "ran", "far", "home"]
LIMIT = 20
QUERY = "the cat sat"
TEXTS = ["the cat sat on the mat.", "dogs ran far", "cat", "a dog ran home.", "the dogs sat on the mat. a cat ran", ""]
TEXTS += ["far " * n for n in range(1, 14)]


def saved_model(folder: Path, labels: int = 1) -> Path:
    """A cross-encoder's folder: a BERT of two layers, a WordPiece tokenizer of 17 words, logits of either sign."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(WORDS), num_labels=labels, initializer_range=0.3, **sizes)
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=LIMIT).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_model(tmp_path_factory.mktemp("cross") / "model")


@pytest.fixture
def threads() -> Iterator[Any]:
    """Sets torch's threads; one while nothing else is said."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield torch.set_num_threads
    torch.set_num_threads(before)


def reranker(folder: Path, **settings: Any) -> CrossEncoderModel:
    return CrossEncoderModel(CrossEncoderReranker(model=str(folder), **settings))


def candidates(texts: list[str], query: str = QUERY) -> Candidates:
    return Candidates(query, np.arange(len(texts)), texts, np.zeros(len(texts)), None, None)


def test_scores_are_the_library_s_raw_logits(folder: Path, threads: Any) -> None:
    import torch
    from sentence_transformers import CrossEncoder

    library = CrossEncoder(str(folder), device="cpu")
    pairs = [(QUERY, text) for text in TEXTS]
    found = reranker(folder).scores(candidates(TEXTS))
    assert found.dtype == np.float32
    assert np.abs(found - library.predict(pairs, activation_fn=torch.nn.Identity())).max() < 1e-4
    assert np.abs(1 / (1 + np.exp(-found.astype(np.float64))) - library.predict(pairs)).max() < 1e-5
    assert found.min() < -1
    assert found.max() > 1


def test_a_pair_s_bits_depend_on_the_pair_alone(folder: Path, threads: Any) -> None:
    texts = [*TEXTS, *(f"the {text}" for text in TEXTS)]
    first = reranker(folder).scores(candidates(texts))
    assert len(set(first.tolist())) > 20
    for batch_tokens in (8, 24 * 8):
        assert np.array_equal(reranker(folder, batch_tokens=batch_tokens).scores(candidates(texts)), first)
    model = reranker(folder)
    order = np.random.default_rng(1).permutation(len(texts))
    assert np.array_equal(model.scores(candidates([texts[i] for i in order])), first[order])
    alone = np.concatenate([model.scores(candidates([text])) for text in texts])
    assert np.array_equal(alone, first)
    threads(2)
    assert np.array_equal(model.scores(candidates(texts)), first)


def test_the_text_s_end_is_cut_off_and_the_query_is_kept(folder: Path, threads: Any) -> None:
    """Twenty tokens are read: [CLS], three of the query, [SEP], fourteen of the text, [SEP]."""
    model = reranker(folder)
    exact = "far " * 14
    whole, longer, other = model.scores(candidates([exact, exact + "cat", exact + "dog home"]))
    assert whole == longer == other
    assert model.scores(candidates(["far " * 13 + "cat"]))[0] != whole
    assert model.scores(candidates([exact + "cat"], "the cat ran"))[0] != whole
    (note,) = model.notes()
    assert note.startswith("reranker=cross_encoder: 3 of 5 pairs are longer than the model reads (20 tokens); ")
    assert note.endswith("the text's end was cut off, queries are whole")
    assert model.notes() == (), "the count starts anew"


def test_a_query_that_leaves_no_room_is_cut_too_and_counted(folder: Path, threads: Any) -> None:
    model = reranker(folder)
    scores = model.scores(candidates(["a cat", "a dog"], "the " * 40))
    assert np.isfinite(scores).all()
    assert scores[0] != scores[1], "something of the text is read"
    assert model.scores(candidates(["a cat"], "the " * 16)).shape == (1,), "room for one token"
    (note,) = model.notes()
    assert "3 of 3 pairs" in note
    assert note.endswith("1 queries that alone are as long were cut too")


def test_the_limit_is_the_model_s_own_or_less(folder: Path, threads: Any) -> None:
    model = reranker(folder, max_length=12)
    six, seven = model.scores(candidates(["far " * 6, "far " * 6 + "cat"]))
    assert six == seven
    assert "1 of 2 pairs are longer than the model reads (12 tokens)" in model.notes()[0]
    with pytest.raises(StageError, match=r"^reranker\.max_length: 21 is more than the 20 tokens that the model reads$"):
        reranker(folder, max_length=21).scores(candidates(["cat"]))


def test_weights_stored_in_half_precision_are_computed_with_in_float32(
    folder: Path, tmp_path: Path, threads: Any
) -> None:
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import BertForSequenceClassification

    half = Path(shutil.copytree(folder, tmp_path / "half"))
    BertForSequenceClassification.from_pretrained(folder).to(torch.bfloat16).save_pretrained(half)
    library = CrossEncoder(str(half), device="cpu", model_kwargs={"dtype": torch.float32})
    expected = library.predict([(QUERY, text) for text in TEXTS], activation_fn=torch.nn.Identity())
    assert np.abs(reranker(half).scores(candidates(TEXTS)) - expected).max() < 1e-4
    assert np.abs(reranker(folder).scores(candidates(TEXTS)) - expected).max() > 1e-3


def test_no_candidates_no_scores(folder: Path, threads: Any) -> None:
    model = reranker(folder)
    assert model.scores(candidates([])).shape == (0,)
    assert model.notes() == ()


def changed(folder: Path, copy: Path, file: str, **settings: Any) -> Path:
    """A copy of ``folder`` in which ``file``, JSON, has other settings."""
    shutil.copytree(folder, copy)
    plain = json.loads((copy / file).read_text(encoding="utf-8"))
    (copy / file).write_text(json.dumps({**plain, **settings}), encoding="utf-8")
    return copy


def test_what_a_score_depends_on_is_in_its_identity(folder: Path, tmp_path: Path) -> None:
    base = reranker(folder).identity()
    same = Path(shutil.copytree(folder, tmp_path / "same"))
    assert reranker(same, batch_tokens=7, depth=3).identity() == base
    other = changed(folder, tmp_path / "other", "config.json", layer_norm_eps=1e-5)
    assert reranker(other).identity() != base
    assert reranker(folder, max_length=12).identity() != base


def test_models_that_give_no_single_score_are_refused_before_they_are_loaded(folder: Path, tmp_path: Path) -> None:
    three = saved_model(tmp_path / "three", labels=3)
    two = saved_model(tmp_path / "two", labels=2)
    bare = changed(folder, tmp_path / "bare", "config.json", architectures=["BertModel"])
    for place, words in (
        (three, f"reranker.model: {three} gives 3 scores a pair; give a model with one label"),
        (two, f"reranker.model: {two} gives 2 scores a pair; give a model with one label"),
        (bare, f"reranker.model: {bare} is no cross-encoder: its config.json names BertModel; give a model that "),
    ):
        with pytest.raises(StageError) as caught:
            reranker(place).check()
        assert str(caught.value).startswith(words)


def test_code_pickles_and_damage_are_refused_in_one_line(folder: Path, tmp_path: Path) -> None:
    code = changed(folder, tmp_path / "code", "config.json", auto_map={"AutoModel": "mine.Model"})
    with pytest.raises(StageError, match=r"^reranker\.model: .*config\.json asks for code of its own"):
        reranker(code).check()
    pickled = Path(shutil.copytree(folder, tmp_path / "pickled"))
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(
        StageError, match=r"^reranker\.model: .* holds no \.safetensors weights \(pytorch_model\.bin is"
    ):
        reranker(pickled).check()
    with pytest.raises(StageError, match=r"^reranker\.model: '\./no/such' is no folder; give a CrossEncoder's folder"):
        CrossEncoderModel(CrossEncoderReranker(model="./no/such")).check()
    blind = Path(shutil.copytree(folder, tmp_path / "blind"))
    (blind / "tokenizer.json").unlink()
    with pytest.raises(StageError, match=r"^reranker\.model: .* has no tokenizer\.json"):
        reranker(blind).check()
    empty = Path(shutil.copytree(folder, tmp_path / "empty"))
    (empty / "config.json").unlink()
    with pytest.raises(StageError, match=r"^reranker\.model: .*config\.json can't be read"):
        reranker(empty).check()
    broken = Path(shutil.copytree(folder, tmp_path / "broken"))
    (broken / "model.safetensors").write_bytes(b"\0" * 100)
    reranker(broken).check()
    with pytest.raises(StageError, match=r"^reranker\.model: .* can't be loaded \(") as caught:
        reranker(broken).scores(candidates(["cat"]))
    assert len(caught.value.lines()) == 1


def test_a_model_that_gives_no_number_is_refused(folder: Path, tmp_path: Path, threads: Any) -> None:
    from safetensors.numpy import load_file, save_file

    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    weights = load_file(copy / "model.safetensors")
    weights["classifier.bias"] = weights["classifier.bias"] * np.float32("nan")
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    scores = reranker(copy).scores(candidates(["cat", "dog"]))
    hits = Hits(np.arange(2), np.zeros(2), np.zeros(2, np.int64))
    with pytest.raises(StageError, match=r"^reranker: the score of hit 1 of 2 is nan \(2 such in all\)"):
        merged(hits, np.arange(2), scores)
