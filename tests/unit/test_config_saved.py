"""config.yaml: what is in it, how a dataset is named in it, and what is refused when it is read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.composition import compose
from assay.config import Config, config_hash, config_yaml, judge, load_saved
from assay.config.saved import load_config
from assay.errors import AssayError


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def config(*overrides: str) -> Config:
    """The judged config of ``overrides``."""
    return judge(compose(overrides).job)


def test_the_text(work: Path) -> None:
    """Block style, the models' order, nothing that can't change a number."""
    text = config_yaml(config("embedder=lsa", "evaluation.ks=[1,5]", "threads=1", "run_dir=x", "cache=none"))
    assert text.splitlines()[:9] == [
        "dataset:",
        "  name: handbook",
        "  path: null",
        "  split: test",
        "  on_unknown: error",
        "chunker:",
        "  size: 128",
        "  overlap: 16",
        "  context: title",
    ]
    assert text.endswith("seed: 42\n")
    assert "{" not in text
    assert "[" not in text
    assert list(yaml.safe_load(text)) == [
        "dataset",
        "chunker",
        "embedder",
        "index",
        "retriever",
        "filter",
        "reranker",
        "evaluation",
        "seed",
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("threads=1", "threads=2", True),
        ("run_dir=a", "run_dir=b", True),
        ("resume=true", "resume=false", True),
        ("progress=true", "progress=false", True),
        ("cache=none", "cache=disk", True),
        ("cache.dir=a", "cache.dir=b", True),
        ("evaluation.ks=[5,1]", "evaluation.ks=[1,5,5]", True),
        ("chunker.size=128", "chunker=tokens", True),
        ("filter.min_score=1", "filter.min_score=1.0", True),
        ("filter.min_score=0", "filter.min_score=null", False),
        ("seed=0", "seed=1", False),
        ("chunker.size=64", "chunker.size=65", False),
        ("dataset.split=a", "dataset.split=b", False),
        ("chunker=tokens", "chunker=sentences", False),
    ],
)
def test_what_makes_two_runs_the_same(work: Path, one: str, other: str, same: bool) -> None:
    assert (config_hash(config(one)) == config_hash(config(other))) is same


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("sets/a", "sets/a"),
        ("./sets/a", "sets/a"),
        ("sets/a/", "sets/a"),
        ("sets//a", "sets/a"),
        ("sets/../sets/a", "sets/a"),
        ("../{here}/sets/a", "sets/a"),
        ("{work}/sets/a", "sets/a"),
        ("sets/absent", "sets/absent"),
        ("../other", "../other"),
        ("{other}", "{other}"),
        ("link", "link"),
        ("my set (1)", "my set (1)"),
        ("données", "données"),
        ("नमस्ते", "नमस्ते"),
        ("'1'", "1"),
    ],
)
def test_how_a_dataset_is_named(work: Path, given: str, stored: str) -> None:
    """Below the working directory relative to it, any other as it was given."""
    other = work.parent / "other"
    for folder in (work / "sets/a", other):
        folder.mkdir(parents=True)
    (work / "link").symlink_to(other)
    fill = {"{work}": str(work), "{here}": work.name, "{other}": str(other)}
    for mark, value in fill.items():
        given, stored = given.replace(mark, value), stored.replace(mark, value)
    plain = config().model_dump()
    plain["dataset"]["path"] = given.strip("'")
    saved = yaml.safe_load(config_yaml(judge(plain)))
    assert saved["dataset"] == {"name": None, "path": stored, "split": "test", "on_unknown": "error"}


def test_a_bundled_set_is_named_by_its_option(work: Path) -> None:
    assert yaml.safe_load(config_yaml(config("dataset=handbook_hi")))["dataset"]["name"] == "handbook_hi"


def test_read_back(work: Path) -> None:
    """What was written passes the same gate and writes the same bytes."""
    text = config_yaml(config("embedder=st", "embedder.model='no'", 'embedder.query_prompt="a: b # c"', "seed=0"))
    (work / "config.yaml").write_text(text, encoding="utf-8")
    assert config_yaml(load_config(work / "config.yaml")) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("seed: ${oc.env:HOME}\n", "{file}: seed holds an interpolation ('${oc.env:HOME}'); a saved config holds"),
        ("a:\n  - b: ${x}\n", "{file}: a.b holds an interpolation"),
        ("a: 1\na: 2\n", "{file}:2: duplicate key 'a'"),
        ("a: &x 1\nb: *x\n", "{file}:2: aliases are not allowed"),
        ("a: !!python/object/apply:os.system [ls]\n", "{file}:1: could not determine a constructor"),
        ("1: a\n", "{file}:1: key 1 is not text"),
        ("- a\n", "{file}: holds no mapping"),
        ("", "{file}: holds no mapping"),
        ("a: [1\n", "{file}:2: "),
        (b"a: \xff\n", "{file}: byte 3 is no UTF-8"),
        (b"a: " + b"x" * 1_000_001, "{file}: larger than 1000000 bytes"),
        (b"a: " + b"[" * 20_000, "{file}: nested too deeply"),
        (None, "{file}: cannot be read (No such file or directory); give a run folder that holds config.yaml"),
    ],
)
def test_a_file_that_is_no_saved_config(tmp_path: Path, text: str | bytes | None, line: str) -> None:
    file = tmp_path / "config.yaml"
    if text is not None:
        file.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(AssayError) as caught:
        load_saved(file)
    (said,) = caught.value.lines()
    assert said.startswith(line.replace("{file}", str(file)))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"run_dir": "x"}, "{file}: run_dir does not belong in a saved config"),
        ({"hydra": {}}, "hydra: no such key (value {}); keys: dataset, "),
        ({"seed": "42"}, "seed: '42' is not allowed; give a whole number of at least 0"),
        ({"seed": float("nan")}, "seed: nan is not allowed; give a whole number of at least 0"),
        ({"chunker": {"kind": "tokens", "_target_": "os.system"}}, "chunker._target_: 'os.system' names code to run"),
        ({"chunker": {"kind": "os.system"}}, "chunker.kind: 'os.system' is no option; give one of tokens, "),
        ({"chunker": None}, "chunker: null is not allowed; give one of tokens, "),
        (
            {"embedder": {"kind": "st", "model": "x", "trust_remote_code": True}},
            "embedder.trust_remote_code: no such k",
        ),
    ],
)
def test_a_strangers_config(work: Path, change: dict[str, Any], line: str) -> None:
    """It passes the gate that a command line passes, or it is one line."""
    plain = yaml.safe_load(config_yaml(config()))
    file = work / "config.yaml"
    file.write_text(yaml.safe_dump({**plain, **change}), encoding="utf-8")
    with pytest.raises(AssayError) as caught:
        load_config(file)
    (said,) = caught.value.lines()
    assert said.startswith(line.replace("{file}", str(file)))
