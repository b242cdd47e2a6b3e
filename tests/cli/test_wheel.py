"""An installed assay: conf/ and the bundled sets travel in the wheel, and it runs from there."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, unpacked as an installer does."""
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT],
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode and "hatchling" in done.stderr + done.stdout:
        pytest.skip("the build backend (hatchling) can't be fetched here")
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("assay-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def call(site: Path, work: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The installed command line, with nothing of the checkout on the path."""
    environment = {**os.environ, "PYTHONPATH": str(site), "XDG_CACHE_HOME": str(work / "cache")}
    start = "import sys, assay.cli; assert assay.__file__.startswith(sys.argv.pop(1)); sys.exit(assay.cli.main())"
    return subprocess.run(
        [sys.executable, "-c", start, str(site), *arguments],
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.slow
def test_what_is_in_it(installed: Path) -> None:
    shipped = installed / "assay"
    for folder in ("conf", "data"):
        there = {path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("*.*") if path.is_file()}
        packed = {path.relative_to(shipped / folder) for path in (shipped / folder).rglob("*.*") if path.is_file()}
        assert {path for path in there if path.suffix in {".yaml", ".jsonl", ".tsv", ".trec"}} <= packed
    assert (shipped / "data/handbook/qrels/test.tsv").is_file()
    assert (shipped / "py.typed").is_file()
    assert (installed / "hydra_plugins/assay_sweeper.py").is_file()
    assert not (installed / "hydra_plugins/__init__.py").exists(), "Hydra's plugins share one namespace"
    assert not list(installed.glob("tests*"))


@pytest.mark.slow
def test_it_runs(installed: Path, tmp_path: Path) -> None:
    version = call(installed, tmp_path, "--version")
    assert version.stdout.startswith("assay ")
    run = call(installed, tmp_path, "run", "embedder=lsa", "cache=none", "run_dir=run")
    assert run.returncode == 0, run.stderr
    assert "recall@5" in run.stdout
    text = (tmp_path / "run/config.yaml").read_text(encoding="utf-8")
    assert text.startswith("dataset:\n  name: handbook\n  path: null\n")
