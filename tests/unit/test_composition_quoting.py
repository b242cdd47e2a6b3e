"""A value that Hydra's grammar can't read is answered with a quoted form, and that form works as typed in a shell."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from assay.composition import compose, quoted
from assay.errors import ConfigError


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


UNREADABLE = [
    "my set (2)",
    "a=b",
    "a==b",
    "~/sets/x",
    "~",
    "données",
    "नमस्ते",
    "東京",
    "a(b",
    "a)b",
    "[a",
    "{a",
    "a]b",
    "it's",
    'a"b',
    "'open",
    '"open',
    "a;b",
    "a#b",
    "a&b",
    "a!b",
    "a<b>c",
    "50%=half",
    'a\\"b',
    'a\\\\"b(',
    "back\\slash(",
    "(ends with\\",
    "(ends with\\\\",
    "a${b",
    "${",
    "$(touch x)",
    "`touch x`=",
    "C:\\sets\\x=1",
    "a'b\"c\\d=e(f",
]


@pytest.mark.parametrize("value", UNREADABLE)
def test_the_form_in_the_message_works(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compose([f"dataset.path={value}"])
    (line,) = caught.value.lines()
    assert line.startswith("dataset.path: Hydra's grammar can't read the value ")
    shown = re.search(r"; quote it: (.*)$", line)
    assert shown
    (typed,) = shlex.split(shown[1])
    assert compose([typed]).job["dataset"]["path"] == value


@pytest.mark.parametrize("value", ["a,b", "a, b", "1,2", "glob(*)", "range(1,3)", "choice(a,b)"])
def test_the_form_for_one_value_of_a_sweep_works(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compose([f"dataset.path={value}"])
    (line,) = caught.value.lines()
    (typed,) = shlex.split(line.partition("or quote one value: ")[2])
    assert compose([typed]).job["dataset"]["path"] == value


@pytest.mark.parametrize("value", ["a b", "a.b", "a/b-c_d", "a:b", "a@b", "a|b", "a?b", "a\\b", "$HOME", "100%", "a+b"])
def test_what_needs_no_quotes(value: str) -> None:
    assert compose([f"dataset.path={value}"]).job["dataset"]["path"] == value


def test_an_interpolation_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SETS", "/sets")
    (typed,) = shlex.split(quoted("dataset.path=${oc.env:SETS}/my (set)"))
    assert compose([typed]).job["dataset"]["path"] == "/sets/my (set)"


@pytest.mark.parametrize(
    ("override", "line"),
    [
        ("dataset.path=${nope}", "dataset.path: Interpolation key 'nope' not found"),
        ("dataset.path=${nope:1}", "dataset.path: Unsupported interpolation type nope"),
        (
            "dataset.path=${oc.env:NO_SUCH_VARIABLE}",
            "dataset.path: KeyError raised while resolving interpolation: "
            "\"Environment variable 'NO_SUCH_VARIABLE' not found\"",
        ),
    ],
)
def test_an_interpolation_that_leads_nowhere(override: str, line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compose([override])
    assert caught.value.lines() == [line]
