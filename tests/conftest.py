"""What several test files need: an offline hub, the shared collections, a small golden set, runs, the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
# Test processes run side by side: threads that wait must not spin on the other's core.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared collections; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the shared collections (../shared) are not on this machine")
    return SHARED


@pytest.fixture
def small_set(tmp_path: Path) -> Path:
    """Four documents and four questions, one of them unanswerable, with types and a span."""
    folder = tmp_path / "small"
    (folder / "qrels").mkdir(parents=True)
    documents = [
        {
            "_id": "leave",
            "title": "Annual leave",
            "text": "Everyone has thirty days of annual leave. Unused days lapse in March.",
        },
        {"_id": "hotel", "title": "Hotels", "text": "A hotel night may cost at most 120 euro. Breakfast is extra."},
        {
            "_id": "laptop",
            "title": "Lost devices",
            "text": "Report a stolen laptop to the help desk at once. Police follow.",
        },
        {"_id": "canteen", "title": "Canteen", "text": "Lunch is served from noon to two. Soup is free on Mondays."},
    ]
    queries = [
        {"_id": "q1", "text": "how many days of annual leave", "metadata": {"type": "lookup", "answerable": True}},
        {"_id": "q2", "text": "hotel night cost", "metadata": {"type": "lookup", "answerable": True}},
        {"_id": "q3", "text": "my laptop was stolen", "metadata": {"type": "paraphrase", "answerable": True}},
        {"_id": "q4", "text": "parking for visitors", "metadata": {"type": "unanswerable", "answerable": False}},
    ]
    qrels = [("q1", "leave", 2), ("q2", "hotel", 2), ("q3", "laptop", 2), ("q3", "canteen", 0)]
    spans = [{"query-id": "q1", "corpus-id": "leave", "start": 0, "end": 41}]
    for name, rows in (("corpus", documents), ("queries", queries), ("spans", spans)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    lines = ["query-id\tcorpus-id\tscore", *("\t".join(map(str, row)) for row in qrels)]
    (folder / "qrels" / "test.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


Assay = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    """Run the command line as a user does, in an empty working directory; ``assay("run", "seed=1")``."""
    work = tmp_path / "work"
    work.mkdir()

    def call(*arguments: str, cwd: Path = work, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "XDG_CACHE_HOME": str(tmp_path / "cache"), **(env or {})}
        path = [os.path.abspath(entry) for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]
        environment["PYTHONPATH"] = os.pathsep.join(path)
        return subprocess.run(
            [sys.executable, "-m", "assay.cli", *arguments],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    return call


ResultOf = Callable[..., Any]


@pytest.fixture
def result_of(tmp_path: Path) -> ResultOf:
    """Run the pipeline in memory on literals, with lsa on one thread, without titles and store, unless overridden.

    ``result_of({"d1": text}, {"q1": text}, [("q1", "d1", grade)], "index=ivf", spans=[("q1", "d1", 0, 9)])``; a query
    without a judgement is unanswerable. ``metadata`` is by document or query id.
    """
    from assay import pipeline
    from assay.composition import compose
    from assay.config import judge
    from assay.golden.write import GoldenParts, write_golden_set
    from assay.records import Document, Judgement, Query, Span
    from assay.reports.progress import Silent
    from assay.workbench import Workbench

    bench = Workbench(tmp_path)
    usual = ["embedder=lsa", "chunker.context=none", "cache=none", "threads=1"]

    def call(
        documents: dict[str, str],
        queries: dict[str, str],
        qrels: list[tuple[str, str, int]],
        *overrides: str,
        spans: Sequence[tuple[str, str, int, int]] = (),
        metadata: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> Any:
        judged = {query for query, _, _ in qrels}
        parts = GoldenParts(
            [Document(*document, metadata=metadata.get(document[0], {})) for document in documents.items()],
            [
                Query(*query, answerable=query[0] in judged, metadata=metadata.get(query[0], {}))
                for query in queries.items()
            ],
            {"test": [Judgement(*row) for row in qrels]},
            [Span(*span) for span in spans],
        )
        folder = write_golden_set(parts, tmp_path / f"set{len(list(tmp_path.glob('set*')))}")
        chosen = compose([*usual, f"dataset.path='{folder}'", *overrides]).job
        return pipeline.run(judge(chosen), bench, Silent())

    return call


GoldenOf = Callable[..., Any]


@pytest.fixture
def golden_of(tmp_path: Path) -> GoldenOf:
    """A golden set of literals, written and read: ``golden_of({"d1": text}, {"q1": text}, [("q1", "d1", grade)])``.

    A query without a judgement is unanswerable. ``types`` gives queries their types.
    """
    from assay.golden import load_golden_set
    from assay.golden.write import GoldenParts, write_golden_set
    from assay.records import Document, Judgement, Query, Span

    def call(
        documents: dict[str, str],
        queries: dict[str, str],
        qrels: list[tuple[str, str, int]],
        spans: Sequence[tuple[str, str, int, int]] = (),
        types: dict[str, str] | None = None,
    ) -> Any:
        judged = {query for query, _, _ in qrels}
        parts = GoldenParts(
            [Document(*document) for document in documents.items()],
            [
                Query(*query, type=(types or {}).get(query[0]), answerable=query[0] in judged)
                for query in queries.items()
            ],
            {"test": [Judgement(*row) for row in qrels]},
            [Span(*span) for span in spans],
        )
        return load_golden_set(write_golden_set(parts, tmp_path / f"golden{len(list(tmp_path.glob('golden*')))}"))

    return call


Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Install a package of one module, ``install("mine", code, "[assay.embedders]\\nmine = mine:Embedder")``; its folder.

    There is no wheel: a module and a ``.dist-info`` in a folder of the path are all that ``importlib.metadata`` reads.
    """

    def call(name: str, code: str, entry_points: str, version: str = "1.0") -> Path:
        folder = tmp_path / f"site-{name}"
        about = folder / f"{name}-{version}.dist-info"
        about.mkdir(parents=True)
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
        (about / "entry_points.txt").write_text(entry_points + "\n", encoding="utf-8")
        return folder

    return call


ScoredRun = Callable[..., Path]


@pytest.fixture
def scored_run(tmp_path: Path) -> ScoredRun:
    """``scored_run("a", {"recall@5": [1, 0, None]})``: queries q1, q2, q3; one without any score is unanswerable."""

    from assay.evaluation.intervals import CI_METHOD, estimate

    def write(
        name: str,
        scores: Mapping[str, Sequence[float | None]],
        *,
        types: Sequence[str | None] | None = None,
        config: Mapping[str, Any] | None = None,
        abstention: Mapping[str, Any] | None = None,
        costs: tuple[float | None, int | None] = (None, None),
        hashes: Mapping[str, str] | None = None,
        ci_method: str = CI_METHOD,
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        n = len(next(iter(scores.values())))
        kinds = list(types or [None] * n)
        answerable = [any(values[i] is not None for values in scores.values()) for i in range(n)]

        def means(rows: Sequence[int]) -> dict[str, Any]:
            return {
                metric: estimate([float("nan") if values[i] is None else values[i] for i in rows]).as_dict()
                for metric, values in scores.items()
            }

        rows = [
            {
                "query_id": f"q{i + 1}",
                "text": f"question {i + 1}",
                "type": kinds[i],
                "answerable": answerable[i],
                "metrics": {metric: values[i] for metric, values in scores.items()},
                "ranking": [],
                "missed": [],
            }
            for i in range(n)
        ]
        by_type = {
            kind: {"n": kinds.count(kind), "metrics": means([i for i in range(n) if kinds[i] == kind])}
            for kind in sorted({kind for kind in kinds if kind is not None})
        }
        metrics = {
            "schema_version": 1,
            "ci_method": ci_method,
            "queries": {"total": n, "answerable": sum(answerable), "unanswerable": n - sum(answerable), "unjudged": 0},
            "metrics": means(range(n)),
            "by_type": by_type,
            "abstention": dict(abstention or {"false_answer_rate": None, "wrong_empty_rate": 0.0}),
        }
        timings = {"search": {"p50_ms": costs[0]}, "index": {"bytes": costs[1]}}
        known = {"corpus": "c", "queries": "q", "qrels": "r", "spans": None} | dict(hashes or {})
        (folder / "config.yaml").write_text(json.dumps(config or {"seed": 42}), encoding="utf-8")
        (folder / "manifest.json").write_text(json.dumps({"assay_version": "0.1.0", "hashes": known}))
        (folder / "timings.json").write_text(json.dumps(timings))
        (folder / "per_query.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        (folder / "metrics.json").write_text(json.dumps(metrics), encoding="utf-8")
        return folder

    return write


TINY_WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "annual",
    "leave",
    "days",
    "hotel",
    "night",
    "laptop",
    "stolen",
]


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved SentenceTransformer of two small layers that reads 12 tokens and knows seven words."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    (folder / "vocab.txt").write_text("\n".join(TINY_WORDS) + "\n", encoding="utf-8")
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=len(TINY_WORDS), **sizes)).save_pretrained(folder / "plain")
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=12).save_pretrained(folder / "plain")
    modules = [Transformer(str(folder / "plain"), max_seq_length=12), Pooling(32)]
    SentenceTransformer(modules=modules, device="cpu").save_pretrained(str(folder / "model"))
    return folder / "model"
