"""What a tracker is told: names that MLflow takes, the config a key a param, means, tags; and which URIs the gate takes."""

from __future__ import annotations

import posixpath
import re
from typing import Any

import pytest

from assay.config import models
from assay.trackers.entries import Entries, entries_of, metric_name, metrics_of, params_of, part, tags_of

# As mlflow.utils.validation has it, on Windows, which takes the least.
TAKEN = re.compile(r"[/\w.\- ]*")


def taken(name: str) -> bool:
    """Whether MLflow takes ``name`` everywhere."""
    return bool(TAKEN.fullmatch(name)) and posixpath.normpath(name) == name and name != "." and len(name) <= 250


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("recall@5", "recall_at_5"),
        ("evidence_recall@2000w", "evidence_recall_at_2000w"),
        ("mrr", "mrr"),
        ("ndcg_exp@10", "ndcg_exp_at_10"),
    ],
)
def test_metric_names(name: str, told: str) -> None:
    assert not taken(name) or name == told
    assert metric_name(name) == told
    assert taken(told)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("lookup", "lookup"),
        ("multi document", "multi document"),
        ("a/b", "a_b"),
        ("50 %: more?", "50 __ more_"),
        ("..", "__"),
        (".", "_"),
        ("", "_"),
        ("prix élevé", "prix élevé"),
        ("<b>", "_b_"),
    ],
)
def test_a_type_is_one_part_of_a_name(text: str, kept: str) -> None:
    assert part(text) == kept
    assert taken(f"by_type/{kept}/recall_at_5")


def test_params_are_the_saved_config() -> None:
    config: dict[str, Any] = {
        "dataset": {"name": None, "path": "sets/a b", "split": "test"},
        "chunker": {"kind": "tokens", "size": 64},
        "filter": {"kind": "where", "where": {"region": {"$in": ["kerala", "केरल"]}, "old": False}},
        "evaluation": {"ks": [1, 5], "exclude_self": True},
        "seed": 42,
    }
    assert dict(params_of(config)) == {
        "dataset.name": "null",
        "dataset.path": "sets/a b",
        "dataset.split": "test",
        "chunker": "tokens",
        "chunker.size": "64",
        "filter": "where",
        "filter.where": '{"region": {"$in": ["kerala", "केरल"]}, "old": false}',
        "evaluation.ks": "[1, 5]",
        "evaluation.exclude_self": "true",
        "seed": "42",
    }


def test_a_long_param_is_cut_where_every_server_takes_it() -> None:
    told = dict(params_of({"filter": {"kind": "where", "where": {"id": ["x" * 10] * 100}}}))
    assert len(told["filter.where"]) == 500
    assert told["filter.where"].endswith("…")


METRICS: dict[str, Any] = {
    "metrics": {
        "recall@5": {"mean": 0.5, "ci95": [0.25, 0.75], "n": 4},
        "handled@5": {"mean": 0.75, "ci95": None, "n": 1},
        "evidence_recall@5": {"mean": None, "ci95": None, "n": 0},
    },
    "by_type": {
        "look/up": {
            "n": 2,
            "metrics": {
                "recall@5": {"mean": 1.0, "ci95": [1, 1], "n": 2},
                "recall@1": {"mean": 0.5, "ci95": None, "n": 2},
            },
        },
        "t" * 300: {"n": 1, "metrics": {"recall@5": {"mean": 0.0, "ci95": None, "n": 1}}},
    },
    "abstention": {"n_unanswerable": 1, "threshold": None, "auroc": 0.875, "risk_coverage": [[1.0, 0.5]]},
    "causes": {"embedding": 3, "filtered": 0},
}
TIMINGS: dict[str, Any] = {
    "stages": {"chunks": 0.5, "search": 1.0},
    "search": {"p50_ms": 0.25, "p95_ms": None, "n": 4, "batch_qps": 1000},
    "index": {"build_s": 0.1, "bytes": 2048},
    "peak_rss_bytes": 4096,
}


def test_metrics_are_means_with_what_explains_them() -> None:
    told = dict(metrics_of(METRICS, TIMINGS))
    assert told == {
        "recall_at_5": 0.5,
        "recall_at_5.low": 0.25,
        "recall_at_5.high": 0.75,
        "handled_at_5": 0.75,
        "by_type/look_up/recall_at_5": 1.0,
        "by_type/" + "t" * (250 - 20) + "/recall_at_5": 0.0,
        "abstention/n_unanswerable": 1,
        "abstention/auroc": 0.875,
        "causes/embedding": 3,
        "causes/filtered": 0,
        "costs/total_s": 1.5,
        "costs/p50_ms": 0.25,
        "costs/batch_qps": 1000,
        "costs/index_bytes": 2048,
        "costs/peak_rss_bytes": 4096,
    }
    assert all(taken(name) for name in told)


MANIFEST: dict[str, Any] = {
    "assay_version": "0.1.0",
    "created": "2026-01-02T03:04:05+00:00",
    "hashes": {"config": "c0", "corpus": "c1", "queries": "c2", "qrels": "c3", "spans": None, "model": "c5"},
    "git": {"commit": "abc", "uncommitted_changes": True},
    "warnings": ["few queries", "small corpus"],
}


def test_tags_say_what_was_measured_and_with_what() -> None:
    assert dict(tags_of(MANIFEST)) == {
        "mlflow.source.type": "LOCAL",
        "mlflow.source.name": "assay",
        "mlflow.source.git.commit": "abc",
        "assay.version": "0.1.0",
        "assay.config_hash": "c0",
        "assay.corpus_hash": "c1",
        "assay.queries_hash": "c2",
        "assay.qrels_hash": "c3",
        "assay.model_hash": "c5",
        "assay.uncommitted_changes": "true",
        "assay.warnings": "few queries\nsmall corpus",
    }
    assert "mlflow.source.git.commit" not in dict(tags_of({**MANIFEST, "git": None, "warnings": []}))


def test_times_are_the_runs_own() -> None:
    class Read:
        config, metrics, manifest, timings = {"seed": 1}, METRICS, MANIFEST, TIMINGS

    told = entries_of(Read())  # type: ignore[arg-type]
    assert isinstance(told, Entries)
    assert (told.start, told.end) == (1767323045000 - 1500, 1767323045000)


# --- The config ---


@pytest.mark.parametrize(
    "uri",
    [
        None,
        "http://127.0.0.1:5000",
        "https://me:word@host/mlflow",
        "sqlite:///mlflow.db",
        "postgresql+psycopg://me@host/runs",
        "databricks",
        "databricks://profile",
    ],
)
def test_servers_and_databases_are_taken(uri: str | None) -> None:
    assert models.MlflowTracker.model_validate({"uri": uri}).uri == uri


@pytest.mark.parametrize("uri", ["mlruns", "./mlruns", "file:///mlruns", "FILE:///x", "localhost:5000", "http://", ""])
def test_folders_are_refused(uri: str) -> None:
    """MLflow 3 keeps no runs in folders of files."""
    with pytest.raises(ValueError, match=r"server or a database|nothing after|at least 1 char|server such as"):
        models.MlflowTracker.model_validate({"uri": uri})


def test_an_experiment_has_a_name_that_mlflow_takes() -> None:
    assert models.MlflowTracker.model_validate({}).experiment == "assay"
    for name in ("", "x" * 501):
        with pytest.raises(ValueError):
            models.MlflowTracker.model_validate({"experiment": name})
