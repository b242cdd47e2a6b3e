"""What a person reads in ``conf/`` is what the gate takes: the same keys, the same defaults, a comment a knob."""

from __future__ import annotations

import re
import typing
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from assay.composition import compose
from assay.config import GROUPS, Config, judge
from assay.config.models import UNSAVED

CONF = Path(__file__).parents[2] / "conf"
OPTIONS = [
    pytest.param(path, id=f"{path.parent.name}={path.stem}")
    for path in sorted(CONF.glob("*/*.yaml"))
    if path.parent.name != "experiment"
]
WITHOUT_KIND = {"dataset", "evaluation"}
# Options that name nothing by themselves, and a value that lets them pass.
NEEDED = {
    "dataset=path": ["dataset.path=some/folder"],
    "embedder=st": ["embedder.model=some/model"],
    "reranker=cross_encoder": ["reranker.model=some/model"],
    "index=factory": ["index.spec=Flat"],
    "filter=where": ["filter.where={region: kerala}"],
}


def models_of(group: str) -> list[type[BaseModel]]:
    """The models of a group's options."""
    annotation = Config.model_fields[group].annotation
    return [model for model in (typing.get_args(annotation) or (annotation,)) if isinstance(model, type)]


def model_of(path: Path) -> type[BaseModel]:
    """The model of an option file."""
    group = path.parent.name
    if group in WITHOUT_KIND:
        (only,) = models_of(group)
        return only
    (found,) = [model for model in models_of(group) if model.model_fields["kind"].default == path.stem]
    return found


def test_the_groups() -> None:
    """Every group of the models has a folder of options, and the other way round."""
    assert {path.name for path in CONF.iterdir() if path.is_dir()} == {*GROUPS, "experiment"}
    assert {name for name, field in Config.model_fields.items() if models_of(name) and name in GROUPS} == set(GROUPS)


@pytest.mark.parametrize("group", [group for group in GROUPS if group not in WITHOUT_KIND])
def test_a_file_a_kind(group: str) -> None:
    kinds = {model.model_fields["kind"].default for model in models_of(group)}
    assert kinds == {path.stem for path in (CONF / group).glob("*.yaml")}


@pytest.mark.parametrize("path", OPTIONS)
def test_keys_and_defaults(path: Path) -> None:
    """In the file what the model has; ``kind`` is the file's name."""
    written: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    fields = model_of(path).model_fields
    assert set(written) == set(fields)
    if "kind" in fields:
        assert written["kind"] == path.stem
    for key, field in fields.items():
        if (path.parent.name, key) == ("dataset", "name"):
            continue
        assert written[key] == field.default, key
        assert type(written[key]) is type(field.default), key


@pytest.mark.parametrize("path", OPTIONS)
def test_a_comment_a_knob(path: Path) -> None:
    """``kind`` is told by the file's first line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.parent.name not in WITHOUT_KIND:
        assert re.fullmatch(r"# \S.*", lines[0])
    for line in lines:
        if not line.startswith(("#", "kind:")):
            assert re.fullmatch(r"[a-z_0-9]+: .*\S +# \S.*", line), line


@pytest.mark.parametrize("path", OPTIONS)
def test_every_option_passes_the_gate(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    choice = f"{path.parent.name}={path.stem}"
    plugin = [f"{path.parent.name}.name=some_plugin"] if path.stem == "plugin" else []
    config = judge(compose([choice, *NEEDED.get(choice, plugin)]).job)
    if path.parent.name not in WITHOUT_KIND:
        assert getattr(config, path.parent.name).kind == path.stem


@pytest.mark.parametrize("path", sorted((CONF / "experiment").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_preset_passes_the_gate(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = path.read_text(encoding="utf-8").splitlines()[:2]
    assert first == "# @package _global_"
    assert second.startswith("# ")
    judge(compose([f"experiment={path.stem}"], multirun=True).job)


@pytest.mark.parametrize("path", OPTIONS)
def test_every_option_refuses_an_unknown_key_and_a_wrong_type(path: Path) -> None:
    """No option slips past its model."""
    group, model = path.parent.name, model_of(path)
    written: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    wrong = {key: {"$a": 1} for key in written}  # a condition may be a mapping, but has no such operator
    for faulty in ({**written, "xyzzy": 1}, *({**written, key: value} for key, value in wrong.items())):
        with pytest.raises(ValueError):
            model.model_validate(faulty)
    assert group in GROUPS


def test_the_top_level() -> None:
    """config.yaml names every group and every other key once, with a comment."""
    text = (CONF / "config.yaml").read_text(encoding="utf-8")
    primary: dict[str, Any] = yaml.safe_load(text)
    chosen = [key for entry in primary.pop("defaults") if isinstance(entry, dict) for key in entry]
    assert [key for key in chosen if not key.startswith("override ")] == [*GROUPS, "experiment"]
    del primary["hydra"]
    assert set(primary) == set(Config.model_fields) - set(GROUPS)
    assert {key: primary[key] for key in ("seed", "threads", "resume", "progress")} == {
        key: Config.model_fields[key].default for key in ("seed", "threads", "resume", "progress")
    }
    for key in (*primary, *(f"  - {group}" for group in GROUPS)):
        assert re.search(rf"^{key}: .*\S +# \S", text, re.MULTILINE), key


def test_the_defaults_of_the_interface(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = judge(compose([]).job)
    assert config.dataset.model_dump() == {"name": "handbook", "path": None, "split": "test", "on_unknown": "error"}
    assert config.chunker.model_dump() == {"kind": "tokens", "size": 128, "overlap": 16, "context": "title"}
    assert config.embedder.model_dump(include={"kind", "model", "dtype", "backend", "device"}) == {
        "kind": "minilm",
        "model": "all-MiniLM-L6-v2",
        "dtype": "float32",
        "backend": "torch",
        "device": "auto",
    }
    assert config.index.model_dump() == {"kind": "flat", "metric": "cosine"}
    assert config.retriever.model_dump(include={"kind", "depth"}) == {"kind": "dense", "depth": 100}
    assert config.filter.model_dump(include={"kind", "min_score"}) == {"kind": "none", "min_score": None}
    assert config.reranker.kind == "none"
    assert config.evaluation.model_dump() == {"ks": [1, 3, 5, 10], "metrics": "all", "exclude_self": False}
    assert (config.cache.kind, config.tracker.kind, config.executor.kind) == ("disk", "none", "local")
    assert (config.seed, config.threads, config.resume) == (42, None, False)
    assert config.run_dir is not None
    assert re.fullmatch(r"outputs/runs/\d{4}-\d\d-\d\d/\d\d-\d\d-\d\d-\d{6}", config.run_dir)


def test_what_is_not_saved() -> None:
    assert UNSAVED == ("run_dir", "resume", "progress", "threads", "cache", "tracker", "executor")
