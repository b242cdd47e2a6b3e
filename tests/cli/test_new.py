"""``assay new`` as a user types it: the bench it makes works at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import yaml

from assay.cli import main
from assay.config.models import Dataset
from assay.golden import load_golden_set
from assay.golden.lint import lint
from assay.new_command import new_bench

Assay = Callable[..., "CompletedProcess[str]"]
FILES = [
    "README.md",
    "conf/config.yaml",
    "conf/dataset/mine.yaml",
    "golden/corpus.jsonl",
    "golden/qrels/test.tsv",
    "golden/queries.jsonl",
    "golden/spans.jsonl",
]


def test_new_then_run_then_check(assay: Assay, tmp_path: Path) -> None:
    bench = tmp_path / "my bench"
    made = assay("new", str(bench))
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.splitlines()[-1] == f"now: cd '{bench}' && assay run"
    assert sorted(str(path.relative_to(bench)) for path in bench.rglob("*") if path.is_file()) == FILES

    run = assay("run", "embedder=lsa", "run_dir=first", cwd=bench)
    assert run.returncode == 0, run.stderr
    assert "golden · tokens 128/16 · lsa · flat · 8 documents" in run.stdout
    metrics = json.loads((bench / "first" / "metrics.json").read_text())
    assert metrics["queries"] == {"total": 12, "answerable": 10, "unanswerable": 2, "unjudged": 0}
    assert yaml.safe_load((bench / "first" / "config.yaml").read_text())["dataset"]["path"] == "golden"

    other = assay("run", "embedder=lsa", "dataset=handbook", "--cfg", "job", cwd=bench)
    assert yaml.safe_load(other.stdout)["dataset"]["path"] is None

    checked = assay("check", "golden", "--embedder=lsa", cwd=bench)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_golden_set_to_start_from(tmp_path: Path) -> None:
    new_bench(tmp_path / "bench")
    golden = load_golden_set(tmp_path / "bench" / "golden")
    assert (golden.counts.documents, golden.counts.total, golden.counts.unanswerable) == (8, 12, 2)
    assert {one.severity for one in lint(golden)} <= {"warning", "note"}
    # What a set of eight documents and twelve questions can't help.
    assert {one.code for one in lint(golden) if one.severity == "warning"} == {"GS604", "GS701"}
    texts = {document.id: document.text for document in golden.documents}
    for spans in golden.spans.values():
        for span in spans:
            passage = texts[span.doc_id][span.start : span.end]
            assert passage == passage.strip(" .;,") + ("." if passage.endswith(".") else "")
            assert len(passage.split()) >= 5
    assert set(golden.spans) == {query.id for query in golden.evaluated if query.answerable}


def test_the_readme_has_ten_lines_and_the_option_every_key(tmp_path: Path) -> None:
    new_bench(tmp_path)
    assert len((tmp_path / "README.md").read_text().splitlines()) == 10
    option = yaml.safe_load((tmp_path / "conf" / "dataset" / "mine.yaml").read_text())
    assert list(option) == list(Dataset.model_fields)
    Dataset.model_validate(option)


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", str(tmp_path / "bench"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"folder": str(tmp_path / "bench"), "files": FILES}


@pytest.mark.parametrize("there", ["bench/README.md", "bench/.git/config", "bench"])
def test_a_folder_that_holds_something_is_refused_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], there: str
) -> None:
    file = tmp_path / there
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    assert main(["new", str(tmp_path / "bench")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"{tmp_path / 'bench'}: is there already and not an empty folder; give a new one\n"
    assert sorted(tmp_path.rglob("*")) == before
    assert file.read_text() == "mine"


def test_an_empty_folder_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "."]) == 0
    assert Path("conf/config.yaml").is_file()


def test_what_can_not_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write, written = Path.write_bytes, []

    def full(path: Path, data: bytes) -> int:
        written.append(path)
        if len(written) == 4:
            raise OSError(28, "No space left on device", str(path))
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new", tmp_path / "empty"):
        written.clear()
        assert main(["new", str(folder)]) == 2
        assert "No space left on device" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]
