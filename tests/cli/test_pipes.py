"""Whoever reads our output may go away: the run is not his."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

QUICK = ("embedder=lsa", "cache=none", "evaluation.ks=[1,3]")


@pytest.mark.parametrize("progress", ["true", "false"])
def test_a_reader_who_goes_away_stops_no_run(small_set: Path, tmp_path: Path, progress: str) -> None:
    command = [sys.executable, "-m", "assay.cli", "run", f"dataset.path={small_set}", *QUICK]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*command, "run_dir=r", f"progress={progress}"],
        cwd=tmp_path,
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=120,
    )
    os.close(writing)
    assert (done.returncode, (tmp_path / "r" / "metrics.json").is_file()) == (0, True), done.stderr
    assert b"Traceback" not in done.stderr


def test_nor_a_sweep(small_set: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "assay.cli", "run", "-m", f"dataset.path={small_set}", *QUICK]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*command, "index=flat,hnsw", "hydra.sweep.dir=s"],
        cwd=tmp_path,
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=120,
    )
    os.close(writing)
    assert done.returncode == 0, done.stderr
    assert all((tmp_path / "s" / job / "metrics.json").is_file() for job in "01")
    assert "error" in (tmp_path / "s" / "leaderboard.csv").read_text().splitlines()[0]
    assert "fault" not in (tmp_path / "s" / "leaderboard.csv").read_text()
