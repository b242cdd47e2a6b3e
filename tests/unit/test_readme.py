"""README's promises that can be read off it: the Quick start, and that every command in it exists."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli import VERBS
from assay.composition import check_overrides
from assay.run_command import parse

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def quick_start() -> str:
    """The text under "Quick start"."""
    found = re.search(r"^## Quick start\n(.*?)(?=^## |\Z)", README, re.DOTALL | re.MULTILINE)
    assert found, "README.md has no Quick start"
    return found[1]


def commands() -> list[str]:
    """The commands of the Quick start, continued lines joined."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", quick_start(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 1, "one fenced block and nothing else"
    return [line for line in blocks[0].replace("\\\n", " ").splitlines() if line.strip()]


def test_the_quick_start_is_two_commands() -> None:
    first, second = commands()
    for command in (first, second):
        assert not command.lstrip().startswith(("#", "$", ">"))
        assert "constraints.txt" in command
        assert "-m venv" in command
    assert re.search(r"assay run\b", first)
    assert re.search(r"\bpytest\b", second)
    assert "[test]" in second


def test_each_command_stands_alone() -> None:
    """Each in a shell of its own: the second uses no environment that the first made or activated."""
    made = [set(re.findall(r"-m venv (\S+)", command)) for command in commands()]
    for command, own in zip(commands(), made, strict=True):
        used = set(re.findall(r"(?<![\w/])(\.[\w-]+)/bin/", command))
        assert used <= own, "an environment that another command makes"
        subprocess.run(["bash", "-n", "-c", command], check=True)


@pytest.mark.parametrize("number", [1, 2])
def test_continuous_integration_reads_the_same_commands(number: int) -> None:
    script = ROOT / ".ci/quickstart.py"
    if not script.is_file():
        pytest.skip(".ci is not part of this copy")
    done = subprocess.run([sys.executable, script, str(number)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == commands()[number - 1].split()


def mentioned() -> list[str]:
    """Every ``assay …`` command in README's code, blocks and spans."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    text = re.sub(r"^```.*?^```", "", README, flags=re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    lines += re.findall(r"`([^`\n]+)`", text)
    found = [re.search(r"(?:^|[\s/])assay +([^|;&#]+)", line) for line in lines]
    return [match[1].strip() for match in found if match]


@pytest.mark.parametrize("command", mentioned() or ["run"])
def test_every_command_named_exists(command: str) -> None:
    verb, *rest = shlex.split(command)
    assert verb in VERBS or verb in {"--version", "--help"}
    if verb == "run" and not re.search(r"[…<>]|\bOVERRIDE\b|\bRUN\b", command):
        asked = parse(rest)
        check_overrides(asked.overrides, asked.multirun)


def test_links_to_files_of_the_repository() -> None:
    for target in re.findall(r"\]\((?!https?://|#)([^)#\s]+)", README):
        assert (ROOT / target).exists(), target
