"""``embedder=st`` on a model of two small layers that is made here: prompts, limits, cuts, equality with the library."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from assay.chunkers import DocumentChunker
from assay.chunks import cut, seen_ends
from assay.config.models import SentenceTransformerEmbedder
from assay.embedders.sentence_transformer import SentenceTransformerModel
from assay.embedders.tokenizer_file import written_limit
from assay.errors import StageError
from assay.records import Document
from assay.store import space_of

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, "query", "passage", "title", ":", ".", "a", "cat", "dog", "##s", "sat", "on", "the", "mat", "ran"]
WORDS += ["far", "home"]
LIMIT = 12
TEXTS = ["the cat sat on the mat.", "dogs ran far", "cat", "a dog ran home.", "the dogs sat " * 10, "the cat"]


def saved_model(folder: Path, *, include_prompt: bool = True) -> Path:
    """A SentenceTransformer folder: a BERT of two layers, a WordPiece tokenizer of 21 words, mean pooling."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    plain = folder / "plain"
    plain.mkdir(parents=True)
    (plain / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=len(WORDS), **sizes)).save_pretrained(plain)
    BertTokenizerFast(vocab=str(plain / "vocab.txt"), model_max_length=LIMIT).save_pretrained(plain)
    modules = [Transformer(str(plain), max_seq_length=LIMIT), Pooling(32, include_prompt=include_prompt)]
    prompts = {"query": "query: ", "document": "passage: "}
    SentenceTransformer(modules=modules, prompts=prompts, device="cpu").save_pretrained(str(folder / "model"))
    return folder / "model"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_model(tmp_path_factory.mktemp("st"))


def embedder(folder: Path, **settings: object) -> SentenceTransformerModel:
    return SentenceTransformerModel(SentenceTransformerEmbedder(model=str(folder), **settings))


def documents_of(model: SentenceTransformerModel, texts: list[str]) -> np.ndarray:
    return model.embed_documents(texts, lambda _: None)


@pytest.mark.parametrize("include_prompt", [True, False])
def test_both_roles_get_their_prompts_and_equal_the_library_s(tmp_path: Path, include_prompt: bool) -> None:
    from sentence_transformers import SentenceTransformer

    folder = saved_model(tmp_path, include_prompt=include_prompt)
    model, library = embedder(folder), SentenceTransformer(str(folder), device="cpu")
    documents = documents_of(model, TEXTS)
    queries = np.stack([model.embed_query(text) for text in TEXTS])
    assert np.abs(documents - library.encode_document(TEXTS)).max() < 1e-6
    assert np.abs(queries - library.encode_query(TEXTS)).max() < 1e-6
    assert np.abs(documents - library.encode(TEXTS, prompt="passage: ")).max() < 1e-6
    assert np.abs(documents - queries).max() > 1e-3
    assert (model.prompt("query"), model.prompt("document")) == ("query: ", "passage: ")


def test_a_model_with_a_way_of_its_own_for_each_role_takes_that_way(folder: Path, tmp_path: Path) -> None:
    """Queries go through the first dimensions' mirror image, documents straight: only the role tells them apart."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Router

    library = SentenceTransformer(str(folder), device="cpu")
    straight, mirrored = torch.eye(32), torch.eye(32).flip(0)
    ways = [
        Dense(32, 32, bias=False, activation_function=torch.nn.Identity(), init_weight=weight)
        for weight in (mirrored, straight)
    ]
    modules = [*library, Router.for_query_document(query_modules=[ways[0]], document_modules=[ways[1]])]
    routed = SentenceTransformer(modules=modules, prompts={"query": "", "document": ""}, device="cpu")
    routed.save_pretrained(str(tmp_path / "routed"))
    model = embedder(tmp_path / "routed")
    document, query = documents_of(model, ["the cat"])[0], model.embed_query("the cat")
    assert np.abs(document - routed.encode_document("the cat")).max() < 1e-6
    assert np.abs(query - routed.encode_query("the cat")).max() < 1e-6
    assert np.abs(query - document[::-1]).max() < 1e-6


@pytest.mark.parametrize(
    ("prompts", "default"),
    [
        ({"query": "query: ", "document": "passage: "}, None),
        ({"query": "query: ", "passage": "passage: "}, None),
        ({"query": "query: ", "passage": "passage: "}, "query"),
        ({"search": "query: "}, "search"),
        ({}, None),
    ],
)
def test_the_prompts_are_those_of_encode_query_and_encode_document(
    folder: Path, tmp_path: Path, prompts: dict[str, str], default: str | None
) -> None:
    from sentence_transformers import SentenceTransformer

    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    settings = {"prompts": prompts, "default_prompt_name": default, "similarity_fn_name": "cosine"}
    (copy / "config_sentence_transformers.json").write_text(json.dumps(settings), encoding="utf-8")
    model, library = embedder(copy), SentenceTransformer(str(copy), device="cpu")
    assert np.abs(documents_of(model, TEXTS) - library.encode_document(TEXTS)).max() < 1e-6
    assert np.abs(model.embed_query("the cat") - library.encode_query("the cat")).max() < 1e-6


def test_prompts_of_the_config_win_and_an_empty_one_means_none(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(folder), device="cpu")
    model = embedder(folder, query_prompt="", document_prompt="title: ")
    assert np.abs(model.embed_query("the cat") - library.encode(["the cat"], prompt="")[0]).max() < 1e-6
    assert np.abs(documents_of(model, ["a mat"]) - library.encode(["title: a mat"], prompt="")).max() < 1e-6


def test_what_a_vector_depends_on_is_in_its_key(folder: Path, tmp_path: Path) -> None:
    base = embedder(folder)
    assert space_of(base.identity(), "query") != space_of(base.identity(), "document")
    assert embedder(folder, batch_tokens=7).identity() == base.identity()
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    assert embedder(copy).identity() == base.identity(), "the same model elsewhere"
    for changed in ({"query_prompt": "q"}, {"document_prompt": "d"}, {"normalize": True}, {"truncate_dim": 8}):
        assert embedder(folder, **changed).identity() != base.identity()
    weights = bytearray((copy / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (copy / "model.safetensors").write_bytes(weights)
    assert embedder(copy).identity() != base.identity(), "one bit of the weights"


def test_the_limit_is_the_model_s_own_and_not_the_tokenizer_s(folder: Path, tmp_path: Path) -> None:
    assert embedder(folder).max_length == LIMIT
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    (copy / "sentence_bert_config.json").write_text('{"max_seq_length": 9}', encoding="utf-8")
    tokenizer = json.loads((copy / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["truncation"] = {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0}
    (copy / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    model = embedder(copy)
    assert model.max_length == 9 == model._model.max_seq_length
    assert model.measure(["a a a a a a a a a a"]).tokens.tolist() == [14]
    assert len(model.token_offsets("a a a a a a a a a a")) == 10


def test_the_limit_that_the_files_tell_is_the_loaded_model_s(folder: Path, tmp_path: Path) -> None:
    """Without the library's own key: what the tokenizer says, capped by the model's positions."""
    for name, of_tokenizer, positions, limit in (("a", 9, 512, 9), ("b", 600, 512, 512), ("c", 10**30, 512, None)):
        changed = tmp_path / name
        shutil.copytree(folder, changed)
        for file, key, value in (
            ("tokenizer_config.json", "model_max_length", of_tokenizer),
            ("config.json", "max_position_embeddings", positions),
        ):
            plain = json.loads((changed / file).read_text())
            (changed / file).write_text(json.dumps({**plain, key: value}))
        bert = json.loads((changed / "sentence_bert_config.json").read_text())
        bert.pop("max_seq_length", None)
        (changed / "sentence_bert_config.json").write_text(json.dumps(bert))
        model = embedder(changed)
        assert written_limit(changed) == limit
        told = model.max_length
        assert model.loaded() is (limit is None)
        assert told == model._model.max_seq_length


def test_the_cut_is_where_the_tokenizer_s_truncation_is(folder: Path) -> None:
    """Twelve tokens are read: [CLS] passage : and eight of the text, [SEP]; the title's are among them."""
    model = embedder(folder)
    #           1   2   3   4   5   6   7  8
    short = "the cat sat on the mat."  # 7 tokens
    exact = "the cat sat on the mat. a"  # 8
    above = "the cat sat on the mat. a dog"  # 9: "dog" is lost
    pieces = "the dogs ran far home on a mat"  # dog ##s: "mat" is lost
    measured = model.measure([short, exact, above, pieces])
    assert measured.tokens.tolist() == [11, 12, 13, 13]
    assert measured.seen.tolist() == [len(short), len(exact), len(exact), len("the dogs ran far home on a")]
    # What lies behind the cut changes nothing, what lies before it does.
    vectors = documents_of(model, [exact, above, "the cat sat on the mat. a cat", "the cat sat on the mat. the"])
    assert np.array_equal(vectors[0], vectors[1])
    assert np.array_equal(vectors[1], vectors[2])
    assert not np.array_equal(vectors[0], vectors[3])


def test_a_title_in_front_counts_and_moves_no_offset(folder: Path) -> None:
    model = embedder(folder)
    documents = (
        Document("a", "  the cat sat on the mat. a dog", title="the dogs"),  # 3 tokens of title leave 5
        Document("b", "the cat", title="the dogs"),
        Document("c", "the cat", title="home " * 40),  # the title fills all that is read
    )
    chunks = cut(documents, DocumentChunker(), model.token_offsets, "title")
    measured = model.measure(chunks.embedded_texts())
    ends = seen_ends(chunks, measured.seen)
    assert documents[0].text[: ends[0]] == "  the cat sat on the"
    assert ends.tolist()[1:] == [len("the cat"), 0]
    assert (ends < chunks.end).tolist() == [True, False, True]


def test_lower_casing_of_the_library_counts_in_measuring_too(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    tokenizer = json.loads((copy / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["normalizer"] = None
    (copy / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    assert len(embedder(copy).token_offsets("DOGS")) == 1, "unknown in upper case"
    (copy / "sentence_bert_config.json").write_text('{"max_seq_length": 12, "do_lower_case": true}', encoding="utf-8")
    assert list(embedder(copy).token_offsets("DOGS")) == [(0, 3), (3, 4)]


def test_dimensions_can_be_cut_and_lengths_scaled(folder: Path) -> None:
    whole = documents_of(embedder(folder), TEXTS)
    half = documents_of(embedder(folder, truncate_dim=16, normalize=True), TEXTS)
    expected = whole[:, :16] / np.linalg.norm(whole[:, :16], axis=1, keepdims=True)
    assert half.shape == (len(TEXTS), 16)
    assert half.dtype == np.float32
    assert np.abs(half - expected).max() < 1e-6
    assert np.abs(np.linalg.norm(whole, axis=1) - 1).max() > 0.1, "this model does not scale by itself"
    with pytest.raises(StageError, match=r"embedder\.truncate_dim: 33 is more than the model's 32 dimensions"):
        documents_of(embedder(folder, truncate_dim=33), TEXTS)


def test_vectors_keep_the_order_of_the_texts_and_are_counted(folder: Path) -> None:
    model, counted = embedder(folder, batch_tokens=20), []
    together = model.embed_documents(TEXTS, counted.append)
    assert sum(counted) == len(TEXTS)
    for i, text in enumerate(TEXTS):
        assert np.array_equal(together[i], documents_of(model, [text])[0])
    assert documents_of(model, []).shape[0] == 0


def test_a_model_that_gives_no_number_is_refused(folder: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    weights = load_file(copy / "model.safetensors")
    weights["embeddings.LayerNorm.weight"] = weights["embeddings.LayerNorm.weight"] * np.float32("nan")
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(StageError, match=r"embedder: the vector of chunk 0 is not finite \(6 in all\)"):
        documents_of(embedder(copy), TEXTS)


@pytest.mark.parametrize("damage", ["no tokenizer", "broken tokenizer", "broken weights"])
def test_a_damaged_folder_is_one_line(folder: Path, tmp_path: Path, damage: str) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    if damage == "no tokenizer":
        (copy / "tokenizer.json").unlink()
    elif damage == "broken tokenizer":
        (copy / "tokenizer.json").write_text("{}", encoding="utf-8")
    else:
        (copy / "model.safetensors").write_bytes(b"\0" * 100)
    with pytest.raises(StageError, match=r"embedder\.model: ") as caught:
        documents_of(embedder(copy), TEXTS)
    assert len(caught.value.lines()) == 1
    assert str(copy) in str(caught.value)


def test_weights_stored_in_half_precision_are_computed_in_single(folder: Path, tmp_path: Path) -> None:
    import torch
    from sentence_transformers import SentenceTransformer

    half = tmp_path / "half"
    SentenceTransformer(str(folder), model_kwargs={"dtype": torch.bfloat16}).save_pretrained(str(half))
    model = embedder(half)
    documents_of(model, TEXTS)
    assert {parameter.dtype for parameter in model._model.parameters()} == {torch.float32}


def test_a_dense_layer_on_top_gives_equal_bits_in_any_batch(folder: Path, tmp_path: Path) -> None:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense

    torch.manual_seed(3)
    with_dense = tmp_path / "dense"
    plain = SentenceTransformer(str(folder))
    dense = Dense(in_features=32, out_features=256)
    SentenceTransformer(modules=[plain[0], plain[1], dense]).save_pretrained(str(with_dense))
    texts = [f"{text} number {i}" for i in range(8) for text in TEXTS]
    together = documents_of(embedder(with_dense, batch_tokens=4096), texts)
    alone = documents_of(embedder(with_dense, batch_tokens=1), texts)
    assert together.shape == (len(texts), 256)
    assert np.array_equal(together, alone)
