"""The Hindi experiment and README.hi.md: what they promise exists, and what they share with README.md is the same."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from assay.cli import VERBS, main
from assay.composition import compose
from assay.config import judge

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(?:bash)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def hindi() -> str:
    return (ROOT / "README.hi.md").read_text(encoding="utf-8")


def code(text: str) -> list[str]:
    """Blocks and inline code of a Markdown text."""
    return [*FENCE.findall(text), *re.findall(r"`([^`\n]+)`", FENCE.sub("", text))]


def commands(text: str) -> list[list[str]]:
    """Every command of assay in the text, from its verb on."""
    lines = [line for block in code(text) for line in block.splitlines()]
    calls = [call for line in lines for call in re.findall(r"(?:^|[\s/])assay ([a-z][^&]*)", line)]
    return [shlex.split(call) for call in calls]


def test_the_experiment_composes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = judge(compose(("experiment=hindi",)).job)
    assert config.dataset.name == "handbook_hi"
    assert config.embedder.kind == "lsa"  # minilm reads English
    assert config.chunker.model_dump() == {"kind": "sentences", "size": 96, "overlap": 0, "context": "title"}
    assert judge(compose(("experiment=hindi", "retriever=bm25")).job).retriever.kind == "bm25"


def test_the_quick_start_is_the_same_in_both_languages(hindi: str) -> None:
    english = (ROOT / "README.md").read_text(encoding="utf-8")
    block = FENCE.findall(english)[0]
    assert block.count("\n") == 2
    assert FENCE.findall(hindi)[0] == block


def test_every_verb_exists(hindi: str) -> None:
    verbs = {call[0] for call in commands(hindi)}
    assert verbs == {"run", "score", "compare"}
    assert verbs <= set(VERBS)


def test_every_run_composes(hindi: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Composed and judged, not run; of a sweep the first value of each key."""
    monkeypatch.chdir(tmp_path)
    runs = [call[1:] for call in commands(hindi) if call[0] == "run"]
    assert ["experiment=hindi"] in runs
    for overrides in runs:
        words = [re.sub(r",.*", "", word) for word in overrides if word != "-m"]
        judge(compose(tuple(words)).job)


def test_the_score_that_is_shown(
    hindi: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The block below the command is what the command prints."""
    blocks = FENCE.findall(hindi)
    (place,) = [i for i, block in enumerate(blocks) if block.startswith("assay score")]
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(blocks[place])[1:]) == 0
    shown = [line.rstrip() for line in blocks[place + 1].strip().splitlines()]
    assert shown == [line.rstrip() for line in capsys.readouterr().out.strip().splitlines()]


def test_links_lead_somewhere(hindi: str) -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", hindi) if "://" not in target]
    assert targets
    assert [target for target in targets if not (ROOT / target).is_file()] == []
