"""``assay reproduce`` as a user types it: the same numbers again, or what stands in the way, by name."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import assay as library

Assay = Callable[..., "CompletedProcess[str]"]


@pytest.fixture
def data(small_set: Path, tmp_path: Path) -> Path:
    """The golden set beside a working directory, from which runs name it as ``data``."""
    return Path(shutil.move(small_set, tmp_path / "data"))


@pytest.fixture
def run(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of ``data``, made in the folder that holds it."""
    monkeypatch.chdir(tmp_path)
    return library.run(["dataset.path=data", "embedder=lsa", "cache=none"], run_dir=tmp_path / "saved").folder


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def test_the_same_numbers_again(assay: Assay, run: Path, tmp_path: Path) -> None:
    before = contents(run)
    done = assay("reproduce", "saved", cwd=tmp_path)
    assert done.returncode == 0
    assert "Reproduced: level 1 of 4, identical bytes." in done.stdout
    assert "Inputs with the saved hash: corpus, queries, qrels, spans, model." in done.stdout
    (fresh,) = (tmp_path / "outputs" / "runs").glob("*/*")
    assert f"written to {fresh.relative_to(tmp_path)}" in done.stdout
    assert (fresh / "metrics.json").read_bytes() == (run / "metrics.json").read_bytes()
    assert contents(run) == before


def test_json_is_one_document_and_nothing_else(assay: Assay, run: Path, tmp_path: Path) -> None:
    done = assay("reproduce", "saved", "--json", "--cold", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert (document["ok"], document["level"], document["level_means"]) == (True, 1, "identical bytes")
    assert [one["name"] for one in document["inputs"] if one["changed"]] == []
    assert json.loads((tmp_path / document["reproduced_in"] / "timings.json").read_text())["cache"]["document_vectors"] == {
        "hits": 0,
        "misses": 4,
    }  # fmt: skip
    assert not (tmp_path / "cache").exists()


def test_only_verify_runs_nothing(assay: Assay, run: Path, tmp_path: Path) -> None:
    done = assay("reproduce", "saved", "--only-verify", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Verified: the inputs are unchanged" in done.stdout
    assert not (tmp_path / "outputs").exists()


def change_text(data: Path) -> None:
    path = data / "queries.jsonl"
    path.write_text(path.read_text().replace("hotel night cost", "price of a night"))


def change_document(data: Path) -> None:
    path = data / "corpus.jsonl"
    path.write_text(path.read_text().replace("Soup is free", "Bread is free"))


def change_judgement(data: Path) -> None:
    path = data / "qrels" / "test.tsv"
    path.write_text(path.read_text().replace("q3\tcanteen\t0", "q3\tcanteen\t1"))


def drop_question(data: Path) -> None:
    for name in ("queries.jsonl", "qrels/test.tsv"):
        lines = (data / name).read_text().splitlines(keepends=True)
        (data / name).write_text("".join(line for line in lines if "q2" not in line))


@pytest.mark.parametrize(
    ("change", "inputs", "questions"),
    [
        (change_text, ["queries"], [{"what": "text changed", "queries": ["q2"]}]),
        (change_document, ["corpus"], []),
        (change_judgement, ["qrels"], [{"what": "judgements changed", "queries": ["q3"]}]),
        (drop_question, ["queries", "qrels"], [{"what": "removed", "queries": ["q2"]}]),
    ],
    ids=["text", "document", "judgement", "question"],
)
def test_changed_data_is_named(
    assay: Assay,
    run: Path,
    data: Path,
    tmp_path: Path,
    change: Callable[[Path], None],
    inputs: list[str],
    questions: list[dict[str, object]],
) -> None:
    change(data)
    done = assay("reproduce", "saved", "--only-verify", "--json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert (done.returncode, document["ok"]) == (1, False)
    assert [one["name"] for one in document["inputs"] if one["changed"]] == inputs
    assert document["questions"] == questions


def test_changed_data_is_run_all_the_same_and_not_reproduced(
    assay: Assay, run: Path, data: Path, tmp_path: Path
) -> None:
    change_judgement(data)
    done = assay("reproduce", "saved", cwd=tmp_path)
    assert done.returncode == 1
    assert "Not reproduced: level 4 of 4, different; changed inputs (qrels)." in done.stdout
    assert "  judgements changed q3" in done.stdout
    assert "1 queries changed; most on ndcg@10:" in done.stdout
    assert "      q3 [paraphrase] my laptop was stolen" in done.stdout


def test_data_that_moved_is_found_above_the_run_or_where_it_is_said_to_be(
    assay: Assay, run: Path, data: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert assay("reproduce", str(run), "--only-verify", cwd=elsewhere).returncode == 0
    shutil.move(data, tmp_path / "moved")
    lost = assay("reproduce", str(run), "--only-verify", cwd=elsewhere)
    assert (lost.returncode, lost.stdout) == (2, "")
    assert "its golden set data is not here; say where it is with --dataset PATH" in lost.stderr
    found = assay("reproduce", str(run), "--dataset", str(tmp_path / "moved"), cwd=elsewhere)
    assert (found.returncode, "level 1 of 4" in found.stdout) == (0, True)
    wrong = assay("reproduce", str(run), "--dataset", "nowhere", cwd=elsewhere)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)


def test_a_sweep_is_reproduced_run_by_run(assay: Assay, run: Path, tmp_path: Path) -> None:
    sweep = tmp_path / "sweep"
    sweep.mkdir()
    shutil.copytree(run, sweep / "0")
    library.run(["dataset.path=data", "embedder=lsa", "cache=none", "retriever=bm25"], run_dir=sweep / "1")
    shutil.copytree(run, sweep / "2")
    path = sweep / "2" / "config.yaml"
    path.write_text(path.read_text().replace("kind: lsa", "kind: telepathy"))
    (sweep / "3").mkdir()
    before = contents(sweep)
    done = assay("reproduce", "sweep", cwd=tmp_path)
    assert done.returncode == 1
    assert "job 2: embedder.kind: 'telepathy' is no option" in done.stderr
    assert "2 of 3 runs came out again." in done.stdout
    assert "Unfinished, not looked at: 3" in done.stdout
    assert len(list((tmp_path / "outputs" / "runs").glob("*/*"))) == 2
    assert contents(sweep) == before
    document = json.loads(assay("reproduce", "sweep", "--only-verify", "--json", cwd=tmp_path).stdout)
    assert [(job["job"], job["ok"]) for job in document["jobs"]] == [("0", True), ("1", True), ("2", False)]


def test_nothing_is_written_into_the_given_folder_even_from_inside_it(assay: Assay, run: Path) -> None:
    before = contents(run)
    done = assay("reproduce", ".", "--dataset", "../data", cwd=run)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "go to another working directory" in done.stderr
    assert contents(run) == before


def rewrite(name: str, old: str, new: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text((folder / name).read_text().replace(old, new, 1))


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "code by name": (rewrite("config.yaml", "kind: lsa", "kind: lsa\n  _target_: os.system"), "_target_: 'os.system' names code"),
    "a YAML tag": (rewrite("config.yaml", "seed: 42", "seed: !!python/object/apply:os.getpid []"), "config.yaml:"),
    "the environment": (rewrite("config.yaml", "split: test", "split: ${oc.env:HOME}"), "holds an interpolation"),
    "a place to write": (rewrite("config.yaml", "seed: 42", "seed: 42\nrun_dir: /elsewhere"), "run_dir does not belong"),
    "another model": (rewrite("config.yaml", "kind: lsa", "kind: st\n  model: /no/such/model"), "embedder"),
    "no config": (lambda folder: (folder / "config.yaml").unlink(), "config.yaml: cannot be read"),
    "no TREC run": (lambda folder: (folder / "run.trec").unlink(), "run.trec: cannot be read"),
    "half the timings": (lambda folder: (folder / "timings.json").write_text('{"stages": {'), "timings.json: no JSON"),
    "half the rows": (lambda folder: (folder / "per_query.jsonl").write_bytes((folder / "per_query.jsonl").read_bytes()[:-99]), "per_query.jsonl: no JSON"),
    "no metrics": (lambda folder: (folder / "metrics.json").unlink(), "holds no metrics.json"),
    "bytes for a manifest": (lambda folder: (folder / "manifest.json").write_bytes(b"\x00\xff"), "manifest.json: no JSON"),
}  # fmt: skip


def test_hostile_and_damaged_folders_end_in_one_line(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from assay.cli import main

    for name, (damage, told) in HOSTILE.items():
        folder = tmp_path / name
        shutil.copytree(run, folder)
        damage(folder)
        status = main(["reproduce", str(folder)])
        out, err = capsys.readouterr()
        assert (name, status, out, err.count("\n")) == (name, 2, "", 1)
        assert told in err
    assert not (tmp_path / "outputs").exists()


def test_a_folder_that_disagrees_with_itself_is_not_verified(assay: Assay, run: Path, tmp_path: Path) -> None:
    rewrite("run.trec", "q1 Q0 leave", "q1 Q0 hotel2")(run)
    done = assay("reproduce", "saved", "--only-verify", cwd=tmp_path)
    assert done.returncode == 1
    assert "Not verified: the run folder's own files disagree." in done.stdout
    assert "run.trec and per_query.jsonl rank otherwise for 1 queries, first q1" in " ".join(done.stdout.split())


def test_versions_and_threads_that_differ_are_named(assay: Assay, run: Path, tmp_path: Path) -> None:
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["versions"]["numpy"] = "1.0.0"
    manifest["threads"] = 99
    path.write_text(json.dumps(manifest))
    done = assay("reproduce", "saved", cwd=tmp_path)
    assert done.returncode == 0
    assert "  numpy: 1.0.0 -> " in done.stdout
    assert "  threads: 99 -> " in done.stdout
