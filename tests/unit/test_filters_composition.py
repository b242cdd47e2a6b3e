"""``filter.where`` on the command line, in a user's option file and preset, and in a saved config."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.composition import compose
from assay.config import config_hash, config_yaml, judge, models, saved_part
from assay.config.saved import load_config
from assay.errors import ConfigError

Where = dict[str, Any] | None


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with an option and a preset of the user's."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "conf" / "filter").mkdir(parents=True)
    (tmp_path / "conf" / "experiment").mkdir()
    (tmp_path / "conf" / "filter" / "mine.yaml").write_text(
        "kind: where\nwhere: {city: kochi, year: {$gte: 2020, $lt: 2024}}\nmode: post\nmissing: ignore\n",
        encoding="utf-8",
    )
    (tmp_path / "conf" / "experiment" / "german.yaml").write_text(
        "# @package _global_\ndefaults:\n  - override /filter: where\nfilter:\n  where: {region: de, since: 2024-03-01}\n",
        encoding="utf-8",
    )
    return tmp_path


def where_of(*overrides: str, saved: dict[str, Any] | None = None) -> Where:
    chosen = judge(compose(overrides, saved=saved).job).filter
    assert isinstance(chosen, models.WhereFilter)
    return chosen.where


@pytest.mark.parametrize(
    ("override", "where"),
    [
        ("filter.where={region: kerala}", {"region": "kerala"}),
        ("filter.where={year: {$gte: 2020}}", {"year": {"$gte": 2020}}),
        ('filter.where="{year: {$gte: 2020}}"', {"year": {"$gte": 2020}}),
        ("filter.where={region: {$query: region}}", {"region": {"$query": "region"}}),
        ("filter.where={$or: [{a.b: 1}, {c: {$in: [x, null]}}]}", {"$or": [{"a.b": 1}, {"c": {"$in": ["x", None]}}]}),
        ('filter.where="{नाम: {$ne: केरल}, a b: no}"', {"a b": "no", "नाम": {"$ne": "केरल"}}),
        ("filter.where={since: {$lt: 2024-03-01}}", {"since": {"$lt": "2024-03-01"}}),
        ("++filter.where={a: 1}", {"a": 1}),
        ("filter.where={a: ${seed}}", {"a": 42}),
    ],
)
def test_on_the_command_line(override: str, where: Where) -> None:
    assert where_of("filter=where", override) == where


@pytest.mark.parametrize(
    "first", [["filter=mine"], ["experiment=german"], ["filter=where", "filter.where={x: 1, y: 2}"]]
)
@pytest.mark.parametrize(
    "given", ["filter.where={a: {$gt: 1}}", "++filter.where={a: {$gt: 1}}", 'filter.where="a: {$gt: 1}"']
)
def test_an_override_replaces_what_is_there(first: list[str], given: str) -> None:
    assert where_of(*first) != {"a": {"$gt": 1}}
    assert where_of(*first, given) == {"a": {"$gt": 1}}


def test_a_file_may_hold_dates_as_yaml_reads_them() -> None:
    assert where_of("experiment=german") == {"region": "de", "since": "2024-03-01"}


def test_an_override_replaces_what_is_saved_and_keeps_the_rest() -> None:
    saved = saved_part(judge(compose(["filter=mine"]).job))
    assert where_of(saved=saved) == {"city": "kochi", "year": {"$gte": 2020, "$lt": 2024}}
    composed = compose(["filter.where={region: {$query: region}}"], saved=saved)
    config = judge(composed.job)
    assert isinstance(config.filter, models.WhereFilter)
    assert config.filter.where == {"region": {"$query": "region"}}
    assert config.filter.mode == "post"
    assert list(composed.hydra.overrides.task) == ["filter.where={region: {$query: region}}"]


def test_the_saved_form_is_plain_and_reads_back(tmp_path: Path) -> None:
    ways = [
        "filter.where={since: {$lt: 2024-03-01}, no: {$eq: 1.0}, b: null}",
        'filter.where="{b: ~, no: 1, since: {$lt: 2024-03-01}}"',
    ]
    configs = [judge(compose(["filter=where", way]).job) for way in ways]
    assert config_hash(configs[0]) == config_hash(configs[1])
    text = config_yaml(configs[0])
    assert "  where:\n    b: null\n    'no': 1\n    since:\n      $lt: '2024-03-01'\n" in text
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
    assert load_config(tmp_path / "config.yaml").filter == configs[0].filter
    assert config_yaml(judge(yaml.safe_load(text))) == text


@pytest.mark.parametrize(
    ("overrides", "fault"),
    [
        (["filter=where"], "filter.where: null holds no condition; give one such as 'filter.where={region: kerala"),
        (["filter=where", "filter.where={}"], "filter.where: {} holds no condition"),
        (
            ["filter=where", "filter.where={year: {$gtt: 1}}"],
            "filter.where.year.$gtt: no such operator; did you mean $gt?",
        ),
        (["filter=where", "filter.where={नाम: 1}"], "quote it: 'filter.where=\"{नाम: 1}\"'"),
        (["filter=where", "filter.where={a: {_target_: x}}"], "filter.where.a._target_: 'x' names code to run"),
        (["filter.where={a: 1}"], "filter.where: the chosen option of filter has no such key (value '{a: 1}')"),
        (
            ["filter=where", "filter.where={a: 1}", "filter.mode=both"],
            "filter.mode: 'both' is not allowed; give one of pre, post",
        ),
        (["filter=where", "filter.where={a: 1}", "filter.missing=drop"], "filter.missing: 'drop' is not allowed"),
    ],
)
def test_one_line_before_anything_runs(overrides: list[str], fault: str) -> None:
    with pytest.raises(ConfigError) as caught:
        judge(compose(overrides).job)
    assert fault in str(caught.value)
    assert len(caught.value.lines()) == 1


def test_parameters_of_a_plugin_are_replaced_too() -> None:
    plugin = ["chunker=plugin", "chunker.name=paragraphs", "chunker.params={least: 1, most: 9}"]
    assert compose([*plugin, "chunker.params={least: 2}"]).job["chunker"]["params"] == {"least": 2}
