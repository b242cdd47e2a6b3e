"""Completion, driven through a real shell."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.completion import candidates, script
from assay.errors import AssayError


@pytest.fixture
def on_path(tmp_path: Path) -> Path:
    """A folder with an ``assay`` command, as an installation has it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "assay"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m assay.cli "$@"\n')
    command.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("assay ru", ["run"]),
        ("assay run index=h", ["hnsw", "hnswsq"]),
        ("assay run seed=1 chunker.ov", ["chunker.overlap="]),
        ("assay run index.met", ["index.metric="]),
        ("assay completion f", ["fish"]),
    ],
)
def test_bash_completes_verbs_groups_and_keys(on_path: Path, line: str, offered: list[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash on this machine")
    drive = f"""
export PATH="{on_path}:$PATH"
eval "$(assay completion bash)"
COMP_LINE={line!r} COMP_POINT={len(line)}
_assay
printf '%s\\n' "${{COMPREPLY[@]}}"
complete -p assay >&2
"""
    done = subprocess.run([bash, "--norc", "-c", drive], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == offered, done.stderr
    assert "-F _assay assay" in done.stderr


def test_every_group_is_offered() -> None:
    offered = candidates("assay run ", ["run"])
    assert {"chunker=", "dataset=", "embedder=", "index=", "experiment="} <= set(offered)
    assert not any(text.startswith("hydra") for text in offered)


def test_every_verb_is_offered_and_flags_after_a_dash() -> None:
    assert candidates("assay ", ["run", "score"]) == ["run", "score"]
    assert "--config-dir" in candidates("assay run --c", ["run"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script_that_it_can_parse(shell: str, tmp_path: Path) -> None:
    text = script(shell)
    assert "assay complete-line" in text
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"there is no {shell} on this machine")
    file = tmp_path / "script"
    file.write_text(text)
    done = subprocess.run([found, "-n", str(file)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_shell_is_refused() -> None:
    with pytest.raises(AssayError, match="bash, zsh, fish"):
        script("tcsh")
