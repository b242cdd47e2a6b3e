"""What explains a run: inputs by hash, versions, machine, and what to know; no secrets, no home folder."""

from __future__ import annotations

import datetime
import hashlib
import importlib.metadata
import json
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import plugins
from assay.config import config_hash
from assay.errors import without_logins
from assay.threads import cores

if TYPE_CHECKING:
    from assay.results import Result

PACKAGES = (
    "assay",
    "bm25s",
    "faiss-cpu",
    "hydra-core",
    "numpy",
    "omegaconf",
    "pydantic",
    "PyStemmer",
    "regex",
    "scikit-learn",
    "scipy",
    "sentence-transformers",
    "tokenizers",
    "torch",
    "transformers",
)
CPU_FLAGS = re.compile(r"^(avx|amx|fma|f16c|sse4|asimd|sve|bf16|i8mm)")
_SECRET_KEY = re.compile(
    r"(?i)((?:token(?!s\b)|password|passwd|secret|api[_-]?key|credential)[\w.]*\s*[=:]\s*)(?:\"[^\"]*\"|'[^']*'|[^,&\s]+)"
)
_SECRET_VALUE = re.compile(
    r"(?<![A-Za-z0-9])(hf_|sk-|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza)[A-Za-z0-9_\-]{8,}"
)


def manifest_of(result: Result, overrides: Sequence[str], threads: int) -> dict[str, Any]:
    """The content of ``manifest.json``."""
    hashes = result.golden.hashes
    identity = dict(result.identity)
    return {
        "schema_version": 1,
        "assay_version": importlib.metadata.version("assay") if _installed("assay") else "0",
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "hashes": {
            "config": config_hash(result.config),
            "corpus": hashes.corpus,
            "queries": hashes.queries,
            "qrels": hashes.qrels,
            "spans": hashes.spans,
            "model": identity.get("model", identity.get("fit")),
        },
        "stage_keys": stage_keys(result),
        "seed": result.config.seed,
        "threads": threads,
        "overrides": [tidy(text) for text in overrides],
        "corpus": {
            "documents": result.golden.counts.documents,
            "chunks": len(result.chunks),
            "empty_documents": result.golden.counts.empty_documents,
            "truncated_chunks": result.truncated_chunks,
        },
        "dropped": {
            "judgements": result.golden.counts.dropped_judgements,
            "spans": result.golden.counts.dropped_spans,
            "lines": [tidy(line) for line in result.golden.dropped[:1000]],
        },
        "embedder": {key: tidy(value) if isinstance(value, str) else value for key, value in identity.items()},
        "reranker": {key: tidy(value) if isinstance(value, str) else value for key, value in result.reranker.items()},
        "equal_bits": not result.unequal_bits,
        "unequal_bits_because": result.unequal_bits,
        "machine": {
            "system": platform.system(),
            "release": platform.release(),
            "architecture": platform.machine(),
            "python": platform.python_version(),
            "cores": cores(),
            "cpu_flags": cpu_flags(),
        },
        "versions": {name: importlib.metadata.version(name) for name in PACKAGES if _installed(name)}
        | plugins.versions(result.config),
        "plugins": plugins.described(result.config),
        "git": git_state(),
        "warnings": [tidy(line) for line in result.warnings],
    }


def stage_keys(result: Result) -> dict[str, str]:
    """For each stage the hash of all that it depends on: its inputs' keys, its own config, its version."""
    config, golden = result.config, result.golden.hashes
    own = plugins.described(config)
    chunks = _key(
        "chunks",
        golden.corpus,
        config.chunker.model_dump(mode="json"),
        dict(result.identity) if config.chunker.kind == "semantic" else result.identity.get("model", "words"),
        own.get("chunker"),
    )
    vectors = _key("vectors", chunks, dict(result.identity))
    index = _key("index", vectors, config.index.model_dump(mode="json"), config.seed)
    hits = _key(
        "hits",
        index,
        golden.queries,
        config.retriever.model_dump(mode="json"),
        config.filter.model_dump(mode="json", exclude={"min_score"}),
        max(config.evaluation.ks),
        own.get("retriever"),
    )
    ranking = _key(
        "ranking",
        hits,
        config.filter.model_dump(mode="json"),
        config.reranker.model_dump(mode="json"),
        dict(result.reranker),
        config.evaluation.exclude_self,
        own.get("reranker"),
    )
    return {"chunks": chunks, "vectors": vectors, "index": index, "hits": hits, "ranking": ranking}


def _key(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def tidy(text: str) -> str:
    """``text`` without secrets, the home folder written ``~``."""
    text = without_logins(_SECRET_VALUE.sub(r"\1***", _SECRET_KEY.sub(r"\1***", text)))
    home = str(Path.home())
    return re.sub(re.escape(home) + r"(?=/|$|[^\w.-])", "~", text) if home != "/" else text


def cpu_flags() -> list[str]:
    """The vector extensions of this processor, where the system tells."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    line = next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "")
    return sorted(flag for flag in line.partition(":")[2].split() if CPU_FLAGS.match(flag))


def git_state() -> dict[str, Any] | None:
    """Commit of the working directory's repository and whether it has uncommitted changes; None outside one."""
    commit = _git("rev-parse", "HEAD")
    if commit is None:
        return None
    changes = _git("status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "uncommitted_changes": bool(changes)}


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def peak_rss_bytes() -> int:
    """Largest resident memory of this process so far; 0 where the system doesn't tell."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
