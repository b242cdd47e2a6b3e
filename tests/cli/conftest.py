"""The command line inside this process: quick, with both streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.cli import main


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    status: int
    out: str
    err: str


Inside = Callable[..., Said]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, beside the golden set ``small`` where that fixture is asked for."""
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def inside(work: Path, capfd: pytest.CaptureFixture[str]) -> Inside:
    """Call the command line in this process; ``inside("run", "seed=1")``."""

    def call(*arguments: str) -> Said:
        capfd.readouterr()
        status = main(arguments)
        told = capfd.readouterr()
        return Said(status, told.out, told.err)

    return call
