"""A run as a tracker files it: params, metrics and tags, under names and lengths that MLflow takes."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.evaluation.names import HEADLINE
from assay.runs import files

if TYPE_CHECKING:
    from assay.runs.run import Run

LONGEST_NAME = 250
LONGEST_VALUE = 500  # of a param: what every server takes; config.yaml is there in full
LONGEST_TAG = 5000
# MLflow takes letters and digits of any script, _ - . / and space everywhere; : not on Windows.
_REFUSED = re.compile(r"[^\w.\- ]")
HASHES = ("config", "corpus", "queries", "qrels", "spans", "model")


@dataclass(frozen=True, slots=True)
class Entries:
    """What is filed under names. ``start`` and ``end`` are in milliseconds since 1970, as the manifest and timings tell."""

    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    start: int
    end: int


def entries_of(run: Run) -> Entries:
    """What is told of ``run``, from its files."""
    end = round(datetime.datetime.fromisoformat(run.manifest["created"]).timestamp() * 1000)
    seconds = sum(run.timings["stages"].values())
    return Entries(
        dict(params_of(run.config)),
        dict(metrics_of(run.metrics, run.timings)),
        dict(tags_of(run.manifest)),
        end - round(1000 * seconds),
        end,
    )


def metric_name(name: str) -> str:
    """``recall@5`` as ``recall_at_5``: MLflow refuses the @."""
    return part(name.replace("@", "_at_"))


def part(text: str) -> str:
    """``text`` as a part of a name between slashes; what MLflow refuses becomes ``_``."""
    kept = _REFUSED.sub("_", text)
    return kept if kept.strip(".") else "_" * max(1, len(kept))


def params_of(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The saved config, a key a param; a group's option is named by the group alone, mappings below a key are JSON."""
    for group, value in config.items():
        found = value if isinstance(value, Mapping) else {"kind": value}
        for key, inner in found.items():
            yield group if key == "kind" else f"{group}.{key}", cut(in_words(inner), LONGEST_VALUE)


def metrics_of(metrics: Mapping[str, Any], timings: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Means with the ends of their intervals, headline means by type, abstention, causes, costs; what is null is not told."""
    for name, found in metrics["metrics"].items():
        yield from _mean(metric_name(name), found)
    for kind, block in metrics["by_type"].items():
        for name in HEADLINE:
            mean = block["metrics"].get(name, {}).get("mean")
            if mean is not None:
                yield _short("by_type", part(kind), metric_name(name)), mean
    for name, value in (metrics.get("abstention") or {}).items():
        if isinstance(value, int | float):
            yield f"abstention/{part(name)}", value
    for cause, count in (metrics.get("causes") or {}).items():
        yield f"causes/{part(cause)}", count
    search, index = timings["search"], timings["index"]
    costs = {
        "total_s": sum(timings["stages"].values()),
        **{name: search.get(name) for name in ("p50_ms", "p95_ms", "batch_qps")},
        "index_bytes": index.get("bytes"),
        "peak_rss_bytes": timings.get("peak_rss_bytes"),
    }
    for name, value in costs.items():
        if value is not None:
            yield f"costs/{name}", value


def tags_of(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Version, hashes of config and golden set, git's commit, warnings; what is null is not told."""
    yield "mlflow.source.type", "LOCAL"
    yield "mlflow.source.name", "assay"
    yield "assay.version", str(manifest["assay_version"])
    for name in HASHES:
        value = manifest["hashes"].get(name)
        if value is not None:
            yield f"assay.{name}_hash", str(value)
    git = manifest.get("git")
    if git:
        yield "mlflow.source.git.commit", str(git["commit"])
        yield "assay.uncommitted_changes", in_words(git["uncommitted_changes"])
    if manifest.get("warnings"):
        yield "assay.warnings", cut("\n".join(manifest["warnings"]), LONGEST_TAG)


def in_words(value: Any) -> str:
    """A value of a config as one line of YAML has it."""
    return value if isinstance(value, str) else json.dumps(files.plain(value), ensure_ascii=False)


def cut(text: str, longest: int) -> str:
    """``text``, an ellipsis in place of what is too long."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _mean(name: str, found: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    if found["mean"] is None:
        return
    yield name, found["mean"]
    if found["ci95"] is not None:
        low, high = found["ci95"]
        yield f"{name}.low", low
        yield f"{name}.high", high


def _short(group: str, kind: str, metric: str) -> str:
    room = LONGEST_NAME - len(group) - len(metric) - 2
    return f"{group}/{kind[:room]}/{metric}"
