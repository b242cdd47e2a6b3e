"""``assay compare`` as a user types it, on runs of a small golden set."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from rich.cells import cell_len

import assay as library

Assay = Callable[..., "CompletedProcess[str]"]


@pytest.fixture
def runs(small_set: Path, tmp_path: Path) -> Path:
    """A sweep's folder: job 0 finds by meaning, job 1 by words, job 2 drops what is not all but equal; job 3 unfinished."""
    folder = tmp_path / "sweep"
    base = [f"dataset.path={small_set}", "embedder=lsa", "cache=none", "evaluation.ks=[1,2,5]"]
    for number, own in (("0", []), ("1", ["retriever=bm25"]), ("2", ["filter.min_score=0.997"])):
        library.run([*base, *own], run_dir=folder / number)
    (folder / "3").mkdir()
    return folder


def test_two_runs(assay: Assay, runs: Path) -> None:
    done = assay("compare", str(runs / "0"), str(runs / "2"))
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^filter.min_score +null +0.997$", done.stdout, re.MULTILINE)
    # Job 0 answers all three and rightly returns nothing to q4; job 2 keeps only the top of q1, which asks in
    # the document's own words: q2 and q3 are lost.
    assert re.search(
        r"^recall@5 +1\.000 +0\.333 +-0\.667 .* 0\.500 +-1\.15 +0/1/2 +3 +can't tell *$", done.stdout, re.MULTILINE
    )
    assert re.search(
        r"^handled@5 +1\.000 +0\.500 +-0\.500 .* 0\.500 +-0\.87 +0/2/2 +4 +can't tell *$", done.stdout, re.MULTILINE
    )
    assert "recall@5: can't tell B from A: -0.667 over 3 queries (p = 0.500, d_z -1.15)." in done.stdout.splitlines()
    assert re.search(r"^down +1\.000 -> 0\.000 +first relevant at 1 -> –$", done.stdout, re.MULTILINE)
    assert "      q3 [paraphrase] my laptop was stolen" in done.stdout
    assert max(map(cell_len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout


def test_the_numbers_are_those_of_the_runs(assay: Assay, runs: Path) -> None:
    done = assay("compare", str(runs / "0"), str(runs / "2"), "--metrics", "recall@5", "--metrics=handled@5", "--json")
    document = json.loads(done.stdout)
    assert done.stderr == ""
    a, b = (json.loads((runs / n / "metrics.json").read_text())["metrics"]["handled@5"] for n in ("0", "2"))
    row = document["differences"][-1]
    assert (row["metric"], row["n"], row["mean_against"], row["mean"]) == ("handled@5", 4, a["mean"], b["mean"])
    assert row["difference"] == pytest.approx(b["mean"] - a["mean"])
    assert row["wins"] - row["losses"] == pytest.approx(4 * row["difference"])
    assert document["config"] == {"filter.min_score": {"A": None, "B": 0.997}}
    assert [one["query_id"] for one in document["per_query"]] == ["q1", "q2", "q3", "q4"]


def test_a_sweep_folder_names_unfinished_jobs_and_takes_another_baseline(assay: Assay, runs: Path) -> None:
    done = assay("compare", str(runs), "--baseline", "1", "--metrics", "recall@1,mrr", "evidence_recall@2000w")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[1].endswith("(baseline)")
    assert "retriever=bm25" in lines[1]
    assert "Note: unfinished, not compared: 3" in lines
    assert "recall@1: can't tell: 0, 2" in lines
    names = ("recall@1", "mrr", "evidence_recall@2000w")
    assert [line.split()[:2] for line in lines if re.match(rf"[012] +({'|'.join(names)}) ", line)] == [
        [number, metric] for metric in names for number in ("1", "0", "2")
    ]
    assert max(map(cell_len, lines)) <= 80


def test_all_pairs(assay: Assay, runs: Path) -> None:
    document = json.loads(assay("compare", "--all-pairs", str(runs), "--json").stdout)
    assert sorted({(row["against"], row["run"]) for row in document["differences"]}) == [
        ("0", "1"), ("0", "2"), ("1", "2"),
    ]  # fmt: skip
    assert document["unfinished"] == ["3"]


def test_equal_calls_print_equal_text_and_write_nothing(assay: Assay, runs: Path) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in runs.rglob("*"))
    first, second = (assay("compare", str(runs)).stdout for _ in range(2))
    assert first == second
    assert sorted((path, path.stat().st_mtime_ns) for path in runs.rglob("*")) == before


def test_another_golden_set_is_refused_in_one_line(assay: Assay, runs: Path, small_set: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(small_set, changed)
    text = (changed / "queries.jsonl").read_text()
    (changed / "queries.jsonl").write_text(text.replace("hotel night cost", "price of a hotel"))
    (changed / "qrels" / "test.tsv").write_text((changed / "qrels" / "test.tsv").read_text() + "q1\tcanteen\t1\n")
    other = tmp_path / "other"
    library.run([f"dataset.path={changed}", "embedder=lsa", "cache=none"], run_dir=other)
    done = assay("compare", str(runs / "0"), str(other))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.rstrip("\n").endswith(
        "it differs in queries and qrels (corpus and spans are equal): text changed q2; judgements changed q1"
    )
    assert done.stderr.count("\n") == 1


def test_corpus_text_is_no_markup_and_no_control(assay: Assay, runs: Path) -> None:
    for number in ("0", "1"):
        path = runs / number / "per_query.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        rows[0] |= {
            "text": "[bold]x[/bold] \x1b[31m\n年次有給休暇" * 20,
            "type": "[red]",
            "metrics": rows[0]["metrics"],
        }
        rows[0]["metrics"]["recall@5"] = float(number)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = assay("compare", str(runs / "0"), str(runs / "1"), "--metrics", "recall@5")
    assert "q1 [[red]] [bold]x[/bold] \\u001b[31m 年次" in done.stdout
    assert "\x1b" not in done.stdout
    assert max(map(cell_len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "RUN"),
        (["nowhere", "0"], "nowhere: no such folder"),
        (["0"], "one run alone"),
        (["0", "1", "--baseline", "2", "--all-pairs"], "exclude each other"),
        (["0", "1", "--metrics", "hits@3"], "did you mean hit@3?"),
        (["0", "1", "--metrics", "recall@7"], "'recall@7' is not in run A (0), B (1)"),
        (["0", "3"], "holds no metrics.json"),
    ],
)
def test_wrong_use_is_one_line(assay: Assay, runs: Path, arguments: list[str], told: str) -> None:
    done = assay("compare", *arguments, cwd=runs)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert told in done.stderr
