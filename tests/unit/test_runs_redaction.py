"""What manifest.json leaves out of overrides and paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.runs.manifest import tidy


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("+token=abc", "+token=***"),
        ("hub_token: abc, seed=1", "hub_token: ***, seed=1"),
        ("api_key=abc", "api_key=***"),
        ("API-KEY=abc", "API-KEY=***"),
        ("password='a b' seed=1", "password=*** seed=1"),
        ("x?secret=abc&seed=1", "x?secret=***&seed=1"),
        ("embedder.model=/m/hf_abcdefgh1234/x", "embedder.model=/m/hf_***/x"),
        ("embedder.model=x_sk-abcdefgh1234", "embedder.model=x_sk-***"),
        ("ghp_abcdefgh1234", "ghp_***"),
        ("github_pat_abcdefgh1234", "github_pat_***"),
        ("AKIAABCDEFGHIJKL", "AKIA***"),
        ("dataset.path=https://me:word@host/x", "dataset.path=https://***@host/x"),
        ("embedder.batch_tokens=512", "embedder.batch_tokens=512"),
        ("chunker=tokens", "chunker=tokens"),
        ("chunker.size=64,128", "chunker.size=64,128"),
        ("dataset.path=risk-free", "dataset.path=risk-free"),
        ("dataset.path=/home/me/sets/a", "dataset.path=~/sets/a"),
        ("dataset.path=/home/me", "dataset.path=~"),
        ("dataset.path=/home/meander/a", "dataset.path=/home/meander/a"),
    ],
)
def test_tidy(text: str, kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert tidy(text) == kept
