"""``embedder.dtype`` and ``embedder.backend``: near float32 on torch, equal bits in any company, refused where they can't run."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from assay.config.models import SentenceTransformerEmbedder
from assay.embedders import bfloat16
from assay.embedders.device import multiplies_bfloat16
from assay.embedders.sentence_transformer import SentenceTransformerModel
from assay.errors import StageError

WORDS = ["annual", "leave", "days", "hotel", "night", "laptop", "stolen", "nothing"]
TEXTS = [" ".join(WORDS[(i * k) % 8] for k in range(1, 2 + i % 9)) for i in range(60)]


def embedder(folder: Path, **settings: object) -> SentenceTransformerModel:
    return SentenceTransformerModel(SentenceTransformerEmbedder(model=str(folder), **settings))


def vectors(model: SentenceTransformerModel, texts: list[str] = TEXTS) -> np.ndarray:
    return model.embed_documents(texts, lambda _: None)


def needs_processor() -> None:
    if not multiplies_bfloat16():
        pytest.skip("this processor has no instructions for bfloat16")


def needs_openvino() -> None:
    if find_spec("openvino") is None:
        pytest.skip("OpenVINO is not installed")


def assert_near_and_equal_bits(folder: Path, settings: dict[str, str], apart: float) -> None:
    plain = vectors(embedder(folder))
    model = embedder(folder, **settings)
    found = vectors(model)
    assert found.dtype == np.float32
    assert 0 < np.abs(found - plain).max() < apart * np.abs(plain).max()
    for batch_tokens in (1, 64):
        assert np.array_equal(vectors(embedder(folder, **settings, batch_tokens=batch_tokens)), found)
    assert np.array_equal(vectors(model, TEXTS[::-1])[::-1], found)
    assert model.promises_equal_bits()
    assert model.identity() != embedder(folder).identity(), "another key in the store"


def test_bfloat16_is_near_float32_and_has_equal_bits(tiny_model: Path) -> None:
    needs_processor()
    assert_near_and_equal_bits(tiny_model, {"dtype": "bfloat16"}, 0.05)


def test_bfloat16_vectors_have_length_one_where_asked(tiny_model: Path) -> None:
    needs_processor()
    found = vectors(embedder(tiny_model, dtype="bfloat16", normalize=True))
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


def test_bfloat16_is_refused_where_the_processor_lacks_it(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bfloat16, "multiplies_bfloat16", lambda: False)
    with pytest.raises(StageError, match=r"embedder\.dtype: bfloat16 needs a processor with avx512_bf16 or amx_bf16"):
        embedder(tiny_model, dtype="bfloat16", device="cpu").check()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_openvino_is_near_torch_and_has_equal_bits(tiny_model: Path, dtype: str) -> None:
    needs_openvino()
    if dtype == "bfloat16":
        needs_processor()
    assert_near_and_equal_bits(
        tiny_model, {"backend": "openvino", "dtype": dtype}, 1e-4 if dtype == "float32" else 0.05
    )


def test_openvino_not_installed_is_one_line(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.embedders.openvino.find_spec", lambda _: None)
    with pytest.raises(
        StageError, match=r"embedder\.backend: openvino is not installed; pip install 'assay\[openvino\]'"
    ):
        embedder(tiny_model, backend="openvino").check()
