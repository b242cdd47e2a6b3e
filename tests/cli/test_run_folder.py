"""A run folder as a user gets it: its files and keys, what is named in them, and what the console says."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

FILES = ["config.yaml", "manifest.json", "metrics.json", "per_query.jsonl", "run.trec", "timings.json"]
Inside = Callable[..., Any]


def read(path: Path) -> Any:
    """The JSON document in ``path``."""
    return json.loads(path.read_text(encoding="utf-8"))


def rows(folder: Path) -> dict[str, Any]:
    """The rows of per_query.jsonl by query."""
    lines = (folder / "per_query.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["query_id"]: row for row in map(json.loads, lines)}


@pytest.fixture
def lsa(inside: Inside, small_set: Path) -> Callable[..., Path]:
    """Run the small set with ``lsa`` and further overrides; its folder."""

    def call(name: str, *overrides: str) -> Path:
        said = inside("run", f"dataset.path={small_set}", "embedder=lsa", "cache=none", f"run_dir={name}", *overrides)
        assert said.status == 0, said.err
        return Path(name)

    return call


def test_the_shape(lsa: Callable[..., Path], work: Path, small_set: Path) -> None:
    folder = lsa("r")
    assert sorted(path.name for path in folder.iterdir()) == FILES
    metrics = read(folder / "metrics.json")
    assert list(metrics) == [
        "schema_version",
        "ci_method",
        "queries",
        "metrics",
        "macro_by_type",
        "bounds",
        "by_type",
        "abstention",
        "causes",
        "reranking",
        "advice",
    ]
    assert metrics["queries"] == {"total": 4, "answerable": 3, "unanswerable": 1, "unjudged": 0}
    assert metrics["metrics"]["recall@5"]["mean"] == 1.0
    assert metrics["metrics"]["recall@5"]["n"] == 3
    assert metrics["bounds"]["recall@3"] == {"floor": 0.75, "ceiling": 1.0}
    assert {kind: block["n"] for kind, block in metrics["by_type"].items()} == {
        "lookup": 2,
        "paraphrase": 1,
        "unanswerable": 1,
    }
    assert list(metrics["abstention"]) == [
        "n_unanswerable",
        "threshold",
        "correct_empty_rate",
        "false_answer_rate",
        "wrong_empty_rate",
        "auroc",
        "auroc_ci95",
        "base_rate",
        "risk_coverage",
    ]
    found = rows(folder)
    assert list(found) == ["q1", "q2", "q3", "q4"]
    first = found["q1"]
    assert list(first) == [
        "query_id",
        "text",
        "type",
        "answerable",
        "abstained",
        "top_score",
        "metrics",
        "ranking",
        "missed",
    ]
    assert list(first["ranking"][0]) == ["doc_id", "rank", "score", "stage", "grade", "chunks"]
    assert first["ranking"][0]["doc_id"] == "leave"
    assert list(first["ranking"][0]["chunks"][0]) == ["start", "end", "score"]
    assert (first["type"], first["answerable"], first["abstained"]) == ("lookup", True, False)
    assert [found["q3"]["ranking"][0]["doc_id"], found["q3"]["ranking"][0]["grade"]] == ["laptop", 2]
    timings = read(folder / "timings.json")
    assert list(timings) == ["stages", "search", "index", "peak_rss_bytes", "cache"]
    assert set(timings["search"]) == {
        "p50_ms",
        "p95_ms",
        "n",
        "batch_qps",
        "with_embedding_p50_ms",
        "with_embedding_p95_ms",
    }
    assert set(timings["index"]) == {"build_s", "bytes"}
    assert all(set(counted) == {"hits", "misses"} for counted in timings["cache"].values())
    manifest = read(folder / "manifest.json")
    assert {"hashes", "versions", "threads", "seed", "overrides", "machine", "git", "stage_keys", "warnings"} <= set(
        manifest
    )
    assert {"corpus", "queries", "qrels", "spans", "model"} <= set(manifest["hashes"])


def test_another_tool_agrees(lsa: Callable[..., Path], shared: Path, small_set: Path) -> None:
    check = shared / "checks/check_run.py"
    if not check.is_file():
        pytest.skip("../shared/checks/check_run.py is not there")
    for name, overrides in {
        "plain": [],
        "ivf": ["index=ivf", "chunker.size=8", "chunker.overlap=2"],
        "strict": ["filter.min_score=0.5"],
        "bm25": ["retriever=bm25"],
        "l2": ["index.metric=l2", "evaluation.ks=[1,2]"],
    }.items():
        folder = lsa(name, *overrides)
        done = subprocess.run([sys.executable, str(check), folder, small_set], capture_output=True, text=True)
        assert done.returncode == 0, (name, done.stdout)


def test_the_console(inside: Inside, small_set: Path) -> None:
    """Off a terminal: progress and the table on stdout, warnings on stderr, no colour, 80 columns."""
    said = inside("run", f"dataset.path={small_set}", "embedder=lsa", "cache=none", "run_dir=r")
    assert said.status == 0
    assert "cut documents: 4 in " in said.out
    assert re.search(r"^recall@5 +1\.000 +0\.\d{3} – 1\.000 +3", said.out, re.MULTILINE)
    assert said.out.endswith("\nwritten to r\n")
    assert "\x1b" not in said.out + said.err
    assert max(map(len, said.out.splitlines())) <= 80
    assert said.err.splitlines()
    assert all(line.startswith("warning: ") for line in said.err.splitlines())
    assert [line.removeprefix("warning: ") for line in said.err.splitlines()] == read(Path("r/manifest.json"))[
        "warnings"
    ]


def test_progress_can_be_silenced(inside: Inside, small_set: Path) -> None:
    said = inside("run", f"dataset.path={small_set}", "embedder=lsa", "cache=none", "run_dir=r", "progress=false")
    assert "cut documents" not in said.out
    assert "recall@5" in said.out


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("null", "No filter.min_score is set, so all 1 unanswerable queries got an answer."),
        (
            "10",
            "Threshold 10 leaves 100 % of 1 unanswerable queries empty, and wrongly 100 % of the others.",
        ),
        ("0", "Threshold 0 leaves 0 % of 1 unanswerable queries empty, and wrongly 0 % of the others."),
    ],
)
def test_what_the_console_says_of_abstention(inside: Inside, small_set: Path, given: str, line: str) -> None:
    """Without a threshold it says so instead of boasting a 0."""
    queries = small_set / "queries.jsonl"
    queries.write_text(queries.read_text(encoding="utf-8").replace("parking for visitors", "free parking for visitors"))
    said = inside(
        "run", f"dataset.path={small_set}", "embedder=lsa", "cache=none", "run_dir=r", f"filter.min_score={given}"
    )
    assert line in " ".join(said.out.split())


def test_a_question_that_nothing_answers_is_told_without_a_threshold(inside: Inside, small_set: Path) -> None:
    """No word of q4 is in the corpus, so it gets nothing back although no threshold is set."""
    said = inside("run", f"dataset.path={small_set}", "embedder=lsa", "cache=none", "run_dir=r")
    assert "No filter.min_score is set, yet 100 % of 1 unanswerable queries got nothing back." in " ".join(
        said.out.split()
    )
    assert read(Path("r/metrics.json"))["abstention"]["false_answer_rate"] == 0.0


def test_min_score(lsa: Callable[..., Path]) -> None:
    """Between the scores of the run without it: what is below goes, and the block counts it."""
    plain = rows(lsa("plain"))
    tops = sorted(row["top_score"] for row in plain.values() if row["top_score"] is not None)
    cut = (tops[0] + tops[1]) / 2
    strict = lsa("strict", f"filter.min_score={cut}")
    block, found = read(strict / "metrics.json")["abstention"], rows(strict)
    assert block["threshold"] == cut
    assert (block["n_unanswerable"], block["correct_empty_rate"], block["false_answer_rate"]) == (1, 1.0, 0.0)
    assert block["wrong_empty_rate"] == pytest.approx(1 / 3)
    assert block["auroc"] == 1.0
    lost = [query for query, row in found.items() if row["answerable"] and not row["ranking"]]
    assert len(lost) == 1
    row = found[lost[0]]
    assert row["top_score"] == tops[0], "the best score before the cut"
    assert row["abstained"] is True
    assert row["metrics"]["recall@5"] == 0.0
    assert row["metrics"]["judged@5"] is None
    assert [missed["cause"] for missed in row["missed"]] == ["threshold"]
    assert row["metrics"]["handled@5"] == 0.0
    assert found["q4"]["metrics"]["handled@5"] == 1.0
    assert found["q4"]["metrics"].get("recall@5") is None
    handled = read(strict / "metrics.json")["metrics"]["handled@5"]
    assert (handled["mean"], handled["n"]) == (0.75, 4)
    for kept in found.values():
        assert all(hit["score"] >= cut for hit in kept["ranking"])
    assert (
        read(strict / "metrics.json")["abstention"]["risk_coverage"]
        == read(Path("plain/metrics.json"))["abstention"]["risk_coverage"]
    ), "the curve is that of the ranking before min_score"


def test_exclude_self(lsa: Callable[..., Path], small_set: Path) -> None:
    """A query whose id is a document's: with the switch neither ranking nor judgement has that document."""
    queries, qrels = small_set / "queries.jsonl", small_set / "qrels/test.tsv"
    with queries.open("a") as file:
        file.write('{"_id": "hotel", "text": "hotel night breakfast", "metadata": {"type": "self"}}\n')
    with qrels.open("a") as file:
        file.write("hotel\thotel\t1\nhotel\tcanteen\t1\n")
    kept, dropped = rows(lsa("kept"))["hotel"], rows(lsa("dropped", "evaluation.exclude_self=true"))["hotel"]
    assert kept["ranking"][0]["doc_id"] == "hotel"
    assert "hotel" not in [hit["doc_id"] for hit in dropped["ranking"]]
    assert "hotel" not in [missed["doc_id"] for missed in dropped["missed"]]
    assert kept["metrics"]["recall@1"] == 0.5
    assert dropped["metrics"]["recall@5"] == 1.0
    assert any("own document" in line for line in read(Path("dropped/manifest.json"))["warnings"])


def test_on_unknown(inside: Inside, small_set: Path) -> None:
    """Refused with file:line; dropped, counted and listed on demand; what loses all its positives is unjudged."""
    qrels = small_set / "qrels/test.tsv"
    qrels.write_text(qrels.read_text().replace("q2\thotel", "q2\tmotel") + "q9\thotel\t1\n")
    with (small_set / "spans.jsonl").open("a") as file:
        file.write('{"query-id": "q1", "corpus-id": "gone", "start": 0, "end": 2}\n')
    run = ("run", f"dataset.path={small_set}", "embedder=lsa", "cache=none")
    refused = inside(*run, "run_dir=refused")
    assert refused.status == 2
    assert [line.split(": ")[0].rpartition("/")[2] for line in refused.err.splitlines()] == [
        "test.tsv:3",
        "test.tsv:6",
        "spans.jsonl:2",
    ]
    dropped = inside(*run, "run_dir=dropped", "dataset.on_unknown=drop")
    assert dropped.status == 0
    assert "warning: 2 judgements and 1 spans of unknown ids were dropped" in dropped.err
    assert read(Path("dropped/metrics.json"))["queries"] == {
        "total": 4,
        "answerable": 2,
        "unanswerable": 1,
        "unjudged": 1,
    }
    manifest = read(Path("dropped/manifest.json"))["dropped"]
    assert (manifest["judgements"], manifest["spans"]) == (2, 1)
    assert any("motel" in line for line in manifest["lines"])
    assert list(rows(Path("dropped"))) == ["q1", "q3", "q4"]


def test_config_yaml(inside: Inside, small_set: Path, work: Path) -> None:
    """A set below the working directory by its relative path, any other as given."""
    small_set.rename(work / "mine")
    for name, given, stored in [
        ("relative", "mine", "mine"),
        ("absolute", str(work / "mine"), "mine"),
        ("dotted", "./mine/", "mine"),
        ("around", f"../{work.name}/mine", "mine"),
    ]:
        assert inside("run", f"dataset.path={given}", "embedder=lsa", "cache=none", f"run_dir={name}").status == 0
        text = Path(name, "config.yaml").read_text(encoding="utf-8")
        assert yaml.safe_load(text)["dataset"] == {"name": None, "path": stored, "split": "test", "on_unknown": "error"}
        assert "${" not in text
        assert not {"run_dir", "resume", "progress", "threads", "cache", "tracker", "executor", "hydra"} & set(
            yaml.safe_load(text)
        )
        assert text == Path("relative/config.yaml").read_text(encoding="utf-8")
    (work / "sub").mkdir()
    os.chdir(work / "sub")
    assert inside("run", "dataset.path=../mine", "embedder=lsa", "cache=none", "run_dir=outside").status == 0
    assert yaml.safe_load(Path("outside/config.yaml").read_text())["dataset"]["path"] == "../mine"


def test_no_secrets_and_no_home(inside: Inside, small_set: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token in a path or an override is starred, the home folder is written as a tilde."""
    home = work.parent / "home"
    token = "hf_" + "a1B2c3D4" * 3
    (home / token).mkdir(parents=True)
    small_set.rename(home / token / "small")
    monkeypatch.setenv("HOME", str(home))
    said = inside(
        "run",
        f"dataset.path={home}/{token}/small",
        "embedder=lsa",
        "cache=none",
        f'cache.dir="{home}/store?password=hunter2"',
        f"run_dir={home}/runs/one",
    )
    assert said.status == 0, said.err
    text = (home / "runs/one/manifest.json").read_text(encoding="utf-8")
    assert str(home) not in text
    assert token not in text
    assert "hunter2" not in text
    assert json.loads(text)["overrides"] == [
        "dataset.path=~/hf_***/small",
        "embedder=lsa",
        "cache=none",
        'cache.dir="~/store?password=***',
        "run_dir=~/runs/one",
    ]


def test_ids_that_a_trec_run_can_not_hold(lsa: Callable[..., Path], small_set: Path) -> None:
    """White space and % are percent-encoded in run.trec and only there."""
    for file in (small_set / "corpus.jsonl", small_set / "qrels/test.tsv", small_set / "spans.jsonl"):
        file.write_text(
            file.read_text().replace('"leave"', '"annual leave%20"').replace("\tleave\t", "\tannual leave%20\t")
        )
    folder = lsa("r")
    assert rows(folder)["q1"]["ranking"][0]["doc_id"] == "annual leave%20"
    first = (folder / "run.trec").read_text().splitlines()[0].split(" ")
    assert first[:4] == ["q1", "Q0", "annual%20leave%2520", "1"]
    assert len(first) == 6


def test_a_run_from_python_is_the_same_run(lsa: Callable[..., Path], small_set: Path) -> None:
    import assay

    folder = lsa("shell")
    run = assay.run([f"dataset.path={small_set}", "embedder=lsa", "cache=none"], run_dir="python")
    assert run.folder == Path("python")
    assert (run.folder / "metrics.json").read_bytes() == (folder / "metrics.json").read_bytes()
    again = assay.run(run.config, run_dir="again")
    assert again.metrics == run.metrics
    if importlib.util.find_spec("pandas"):
        assert list(run.to_pandas()["metric"]) == list(run.metrics["metrics"])
