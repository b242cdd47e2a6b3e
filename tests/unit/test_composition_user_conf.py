"""A user's own options: ``--config-dir``, ``conf/`` in the working directory, and what is refused in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.composition import compose
from assay.config import judge
from assay.errors import ConfigError

MINE = "kind: tokens\nsize: 32\noverlap: 4\ncontext: none\n"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def put(file: Path, text: str | bytes) -> Path:
    """``file`` with ``text`` in it, and its folders."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def composed(*overrides: str, config_dirs: tuple[str, ...] = ()) -> dict[str, Any]:
    """The judged config of ``overrides`` as plain values."""
    return judge(compose(overrides, config_dirs).job).model_dump()


def fault(*overrides: str, config_dirs: tuple[str, ...] = ()) -> str:
    """The one line that is said."""
    with pytest.raises(ConfigError) as caught:
        composed(*overrides, config_dirs=config_dirs)
    (line,) = caught.value.lines()
    return line


def test_an_option_of_a_config_dir(work: Path) -> None:
    put(work.parent / "more/chunker/mine.yaml", MINE)
    assert composed("chunker=mine", config_dirs=("../more",))["chunker"]["size"] == 32


def test_an_option_of_conf_in_the_working_directory(work: Path) -> None:
    put(work / "conf/chunker/mine.yaml", MINE)
    assert composed("chunker=mine")["chunker"]["size"] == 32


def test_who_is_searched_first(work: Path) -> None:
    """--config-dir, then conf/ of the working directory, then the shipped options."""
    assert composed()["chunker"]["size"] == 128
    put(work / "conf/chunker/tokens.yaml", MINE)
    assert composed()["chunker"]["size"] == 32
    put(work.parent / "more/chunker/tokens.yaml", MINE.replace("32", "33"))
    assert composed(config_dirs=("../more",))["chunker"]["size"] == 33


def test_an_option_built_on_another(work: Path) -> None:
    put(work / "conf/chunker/mine.yaml", "defaults:\n  - tokens\n  - _self_\nsize: 48\n")
    assert composed("chunker=mine")["chunker"] == {"kind": "tokens", "size": 48, "overlap": 16, "context": "title"}


def test_an_experiment_of_the_user(work: Path) -> None:
    text = "# @package _global_\ndefaults:\n  - override /chunker: document\n  - override /embedder: lsa\nseed: 5\n"
    put(work / "conf/experiment/mine.yaml", text)
    found = composed("experiment=mine")
    assert (found["chunker"]["kind"], found["embedder"]["kind"], found["seed"]) == ("document", "lsa", 5)
    assert composed("experiment=mine", "seed=6")["seed"] == 6


@pytest.mark.parametrize("given", ["nope", "", "a_file"])
def test_a_config_dir_that_is_none(work: Path, given: str) -> None:
    put(work / "a_file", "")
    assert fault(config_dirs=(given,)).startswith(f"--config-dir: {given or repr(given)} is no folder; give one that")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("kind: tokens\nsze: 4\n", "chunker.sze: no such key of chunker=tokens (value 4); did you mean chunker.size?"),
        ("kind: tokens\nsize: big\n", "chunker.size: 'big' is not allowed; give a whole number of at least 1"),
        ("kind: tokens\nsize: ???\n", "chunker.size: '???' is not allowed; give a whole number of at least 1"),
        ("kind: token\n", "chunker.kind: 'token' is no option; give one of tokens, "),
        ("size: 4\n", "chunker.kind: missing; give one of tokens, "),
        ("", "chunker.kind: missing; give one of tokens, "),
        ("- a\n", "chunker: ['a'] is not allowed; give one of tokens, "),
        ("kind: tokens\nsize: [32\nx: 4\n", "{file}:3: expected ',' or ']', but got ':'; give plain YAML"),
        ("kind: tokens\nsize: 1\nsize: 2\n", "{file}:3: found duplicate key size; give plain YAML"),
        ("kind: tokens\n\tsize: 1\n", "{file}:2: found character '\\t' that cannot start any token; give plain YAML"),
        ("a: !!python/object/apply:os.system [ls]\n", "{file}:1: could not determine a constructor for the tag"),
        (b"kind: \xff\n", "{file}: byte 6 is no UTF-8; save the file as UTF-8"),
        (b"kind: \x00\n", "{file}: unacceptable character #x0000"),
        ("defaults:\n  - nope\n", "chunker/mine.yaml: its defaults name 'chunker/nope', which is no option"),
        ("defaults:\n  - 3\n", "config: an option file is no config ("),
        ("kind: tokens\nsize: ${nope}\n", "chunker.size: Interpolation key 'nope' not found"),
        ("# @package _global_\nhydra: null\n", "config: Key 'overrides' is not in struct"),
        ("# @package _global_\nhydra:\n  swep: 1\n", "hydra.swep: no such key of Hydra's"),
        ("# @package _global_\nsede: 1\n", "chunker: missing; give one of tokens, "),
        ("# @package chunker.inner\na: 1\n", "chunker.kind: missing; give one of tokens, "),
    ],
)
def test_a_faulty_option(work: Path, text: str | bytes, line: str) -> None:
    file = put(work / "conf/chunker/mine.yaml", text)
    assert fault("chunker=mine").startswith(line.replace("{file}", str(file)))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("kind: tokens\n_target_: os.system\n", "chunker._target_"),
        ("kind: tokens\ninner:\n  - a:\n      _target_: os.system\n", "chunker.inner[0].a._target_"),
        ("# @package hydra.launcher\n_target_: os.system\n", "hydra.launcher._target_"),
        ("# @package hydra.sweeper\n_target_: os.system\n", "hydra.sweeper._target_"),
        (
            "# @package _global_\nhydra:\n  callbacks:\n    x:\n      _target_: os.system\n",
            "hydra.callbacks.x._target_",
        ),
        ("# @package _global_\nhydra:\n  env:\n    _target_: os.system\n", "hydra.env._target_"),
        (
            "# @package _global_\nhydra:\n  job_logging:\n    handlers:\n      x:\n        (): os.mkdir\n",
            "hydra.job_logging.handlers",
        ),
        ("# @package hydra.hydra_logging\nfilters:\n  x:\n    (): os.mkdir\n", "hydra.hydra_logging.filters"),
    ],
)
def test_an_option_that_names_code_or_what_is_fixed(work: Path, text: str, key: str) -> None:
    put(work / "conf/chunker/mine.yaml", text)
    line = fault("chunker=mine")
    assert line.startswith(f"{key}: ")
    assert "names code to run" in line or "can't be set" in line


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("run:\n    dir: x", "hydra.run.dir"),
        ("output_subdir: .hydra", "hydra.output_subdir"),
        ("job:\n    chdir: true", "hydra.job.chdir"),
    ],
)
def test_a_preset_that_sets_what_is_fixed(work: Path, text: str, key: str) -> None:
    put(work / "conf/experiment/mine.yaml", f"# @package _global_\nhydra:\n  {text}\n")
    assert fault("experiment=mine").startswith(f"{key}: can't be set (")


@pytest.mark.parametrize(
    ("group", "text", "override"),
    [
        ("launcher", "_target_: os.system\n", "hydra/launcher=evil"),
        (
            "launcher",
            "_target_: hydra._internal.core_plugins.basic_launcher.BasicLauncher\nx:\n  _target_: os.system\n",
            "hydra/launcher=evil",
        ),
        ("sweeper", "_target_: os.system\n", "hydra/sweeper=evil"),
        ("callbacks", "x:\n  _target_: os.system\n", "+hydra/callbacks=[evil]"),
        ("hydra_logging", "handlers:\n  x:\n    (): os.mkdir\n", "hydra/hydra_logging=evil"),
    ],
)
@pytest.mark.parametrize("by", ["override", "config.yaml", "experiment"])
def test_an_option_of_hydras_own_groups(work: Path, group: str, text: str, override: str, by: str) -> None:
    """However it is chosen: on the command line, by the user's config.yaml, by a preset."""
    put(work / f"conf/hydra/{group}/evil.yaml", text)
    entry = f"hydra/{group}: [evil]" if group == "callbacks" else f"override hydra/{group}: evil"
    if by == "override":
        line = fault(override)
    elif by == "config.yaml":
        put(work / "conf/config.yaml", f"defaults:\n  - {entry}\n")
        line = fault()
    else:
        entry = entry.replace("hydra/", "/hydra/")
        put(work / "conf/experiment/evil.yaml", f"# @package _global_\ndefaults:\n  - {entry}\n")
        if group in {"sweeper", "hydra_logging"}:  # config.yaml's own choice wins over a preset's
            assert compose(["experiment=evil"]).hydra.runtime.choices[f"hydra/{group}"] != "evil"
            return
        line = fault("experiment=evil")
    assert line.startswith("hydra")


def test_the_sweeper_of_a_config_file(work: Path) -> None:
    put(work / "conf/config.yaml", "defaults:\n  - override hydra/sweeper: basic\n")
    assert fault().startswith("hydra/sweeper: can't be set ('hydra._internal.core_plugins.basic_sweeper.BasicSweeper')")


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("seed: 7\n", {"seed": 7}),
        ("seed: 7\r\n", {"seed": 7}),
        ("\ufeffseed: 7\n", {"seed": 7}),
        ("", {}),
        ("# nothing\n", {}),
        ("defaults:\n", {}),
        ("chunker:\n  size: 30\n", {"chunker.size": 30}),
        ("defaults:\n  - chunker: document\n", {"chunker.kind": "document"}),
        ("defaults:\n  - chunker: mine\n", {"chunker.size": 32}),
        ("defaults:\n  - chunker: mine\nchunker:\n  size: 31\n", {"chunker.size": 31}),
        ("defaults:\n  - _self_\n  - chunker: document\n", {"chunker.kind": "document"}),
        (
            "defaults:\n  - override chunker: document\n  - override /embedder: lsa\n  - _self_\nseed: 3\n",
            {"chunker.kind": "document", "embedder.kind": "lsa", "seed": 3},
        ),
        ("run_dir: here\n", {"run_dir": "here"}),
        ("hydra:\n  sweep:\n    dir: there\n", {}),
    ],
)
def test_a_partial_config(work: Path, text: str, changed: dict[str, object]) -> None:
    """What it doesn't say is as shipped."""
    put(work / "conf/config.yaml", text)
    put(work / "conf/chunker/mine.yaml", MINE)
    found = composed()
    shipped = {"seed": 42, "threads": None, "retriever.depth": 100, "embedder.kind": "minilm", "chunker.kind": "tokens"}
    for key, value in {**shipped, **changed}.items():
        node: Any = found
        for name in key.split("."):
            node = node[name]
        assert node == value, key


def test_the_command_line_wins_over_a_partial_config(work: Path) -> None:
    put(work / "conf/config.yaml", "seed: 7\ndefaults:\n  - chunker: document\n")
    found = composed("seed=8", "chunker=tokens")
    assert (found["seed"], found["chunker"]["size"]) == (8, 128)


def test_partial_configs_of_two_folders(work: Path) -> None:
    """The folder that is searched first wins, value by value."""
    put(work / "conf/config.yaml", "seed: 7\nthreads: 1\n")
    put(work.parent / "more/config.yaml", "seed: 8\n")
    found = composed(config_dirs=("../more",))
    assert (found["seed"], found["threads"]) == (8, 1)


def test_a_partial_config_that_went_is_forgotten(work: Path) -> None:
    file = put(work / "conf/config.yaml", "seed: 7\n")
    assert composed()["seed"] == 7
    file.unlink()
    assert composed()["seed"] == 42


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("sede: 7\n", "sede: no such key (value 7); did you mean seed?"),
        ("chunker:\n  sze: 7\n", "chunker.sze: no such key of chunker=tokens (value 7); did you mean chunker.size?"),
        ("seed: seven\n", "seed: 'seven' is not allowed; give a whole number of at least 0"),
        ("chunker: document\n", "chunker: 'document' is not allowed; give one of tokens, "),
        ("seed: [1\nb: 2\n", "{file}:2: expected ',' or ']', but got ':'; give plain YAML"),
        ("- a\n", "{file}:1: no mapping; give lines such as seed: 7"),
        (b"seed: \xff\n", "{file}: 'utf-8' codec can't decode byte 0xff"),
        ("defaults:\n  chunker: document\n", "{file}: defaults: {'chunker': 'document'} is no list; give lines such"),
        ("defaults: document\n", "{file}: defaults: 'document' is no list; give lines such as - chunker: document"),
        ("defaults:\n  - 3\n", "{file}: defaults: 3 is no entry; give lines such as - chunker: document"),
        ("defaults:\n  - {}\n", "{file}: defaults: {} is no entry; give lines such as - chunker: document"),
        ("defaults:\n  - other\n", "conf/config.yaml: its defaults name 'other', which is no option"),
        ("defaults:\n  - chunker: nope\n", "chunker: 'nope' is no option; options: document, "),
        ("defaults:\n  - chunkr: tokens\n", "chunkr: no such key (value 'tokens'); did you mean chunker?"),
        ("hydra: null\n", "{file}: hydra: None is no mapping; leave it out"),
        ("hydra:\n  swep: 1\n", "hydra.swep: no such key of Hydra's"),
        ("hydra:\n  run:\n    dir: x\n", "hydra.run.dir: can't be set ('x'); a run's folder is run_dir=…"),
        ("hydra:\n  job:\n    chdir: true\n", "hydra.job.chdir: can't be set (True); runs never change the working"),
        ("hydra:\n  searchpath: [pkg://antigravity]\n", "{file}: hydra.searchpath: can't be set; use --config-dir DIR"),
        ("x:\n  _target_: os.system\n", "x._target_: 'os.system' names code to run"),
        ("hydra:\n  launcher:\n    _target_: os.system\n", "hydra.launcher._target_: 'os.system' names code to run"),
    ],
)
def test_a_faulty_partial_config(work: Path, text: str | bytes, line: str) -> None:
    file = put(work / "conf/config.yaml", text)
    assert fault().startswith(line.replace("{file}", str(file)))


@pytest.mark.parametrize("name", ["a b", "ünï=x", "${x}", "it's", "a%20b#c?d", "a,b", "[x]", "~x"])
def test_any_name_of_a_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    put(tmp_path / name / "conf/chunker/mine.yaml", MINE)
    monkeypatch.chdir(tmp_path / name)
    assert composed("chunker=mine")["chunker"]["size"] == 32
