"""``assay score`` as a user types it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Inside = Callable[..., Any]
FOLDER = Path(__file__).parents[2] / "data/three_questions"
FILES = ("--run", str(FOLDER / "run.trec"), "--qrels", str(FOLDER / "qrels/test.tsv"))


def test_the_three_questions(inside: Inside, work: Path) -> None:
    said = inside("score", *FILES, "--metrics", "recall@1", "recall@3", "mrr")
    assert (said.status, said.err) == (0, "")
    table = [line.split() for line in said.out.splitlines()]
    assert table[:4] == [
        ["query", "recall@1", "recall@3", "mrr"],
        ["vacation-days", "0.000", "1.000", "0.500"],
        ["hotel-limit", "1.000", "1.000", "1.000"],
        ["stolen-laptop", "0.000", "0.000", "0.000"],
    ]
    means = {line[0]: line[1] for line in table[5:] if line}
    assert {name: means[name] for name in ("recall@1", "recall@3", "mrr")} == {
        "recall@1": "0.333",
        "recall@3": "0.667",
        "mrr": "0.500",
    }
    assert list(work.iterdir()) == []


def test_json_is_all_of_stdout(inside: Inside) -> None:
    said = inside("score", "--json", *FILES)
    assert (said.status, said.err) == (0, "")
    document = json.loads(said.out)
    assert {"metrics", "per_query"} <= set(document)
    recall = document["metrics"]["recall@3"]
    assert set(recall) == {"mean", "ci95", "n"}
    assert (recall["mean"], recall["n"]) == (2 / 3, 3)
    assert recall["ci95"][0] < 2 / 3 < recall["ci95"][1]
    assert list(document["per_query"]) == ["vacation-days", "hotel-limit", "stolen-laptop"]
    assert document["per_query"]["vacation-days"]["recall@1"] == 0
    assert document["per_query"]["vacation-days"]["mrr"] == 0.5


def test_the_default_metrics_fit_a_terminal(inside: Inside) -> None:
    said = inside("score", *FILES)
    assert max(map(len, said.out.splitlines())) <= 80
    for name in ("recall@5", "ndcg@10", "mrr", "map@10"):
        assert re.search(rf"^{name} ", said.out, re.MULTILINE), name


def test_trec_judgements_and_a_run_of_assays_own(inside: Inside, small_set: Path) -> None:
    """What a run wrote is scored to what that run says."""
    assert inside("run", f"dataset.path={small_set}", "embedder=lsa", "cache=none", "run_dir=r").status == 0
    Path("qrels.trec").write_text("q1 0 leave 2\nq2 0 hotel 2\nq3 0 laptop 2\nq3 0 canteen 0\n")
    own = json.loads(Path("r/metrics.json").read_text())["metrics"]
    for qrels in ("qrels.trec", f"{small_set}/qrels/test.tsv"):
        said = inside(
            "score", "--run", "r/run.trec", "--qrels", qrels, "--json", "--metrics", "ndcg@3", "mrr", "map@10"
        )
        document = json.loads(said.out)
        for name in ("ndcg@3", "mrr", "map@10"):
            assert document["metrics"][name] == own[name]


RUN = "q1 Q0 d1 1 2.0 x\n"
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\n"


@pytest.mark.parametrize(
    ("run", "qrels", "line"),
    [
        ("q1 Q0 d1 1 2.0\n", QRELS, "run.trec:1: 5 columns; a TREC run has 6"),
        (RUN + "q1 Q0 d2 2 nan x\n", QRELS, "run.trec:2: score 'nan' is not a finite number"),
        (RUN + RUN, QRELS, "run.trec:2: document 'd1' is ranked twice for query 'q1'"),
        (b"q1 Q0 \xff 1 2.0 x\n", QRELS, "run.trec:1: not UTF-8 (byte 0xff)"),
        ("q2 Q0 d1 1 2.0 x\n", QRELS, "run.trec: none of its queries is judged in qrels.tsv: 'q2' here, 'q1' there"),
        (RUN, "q1 0 d1 1\nq1 0 d1\n", "qrels.tsv:2: 3 columns; TREC judgements have 4"),
        (RUN, QRELS + "q1\td2\n", "qrels.tsv:3: 2 columns parted by tabs; this file's header has 3"),
        (RUN, QRELS + "q1\td2\t0.5\n", "qrels.tsv:3: grade '0.5' is not an integer"),
        (RUN, QRELS + "q1\td1\t0\n", "qrels.tsv:3: document 'd1' is judged twice for query 'q1'"),
        (RUN, "query-id\tcorpus-id\tscore\nq1\td1\t0\n", "qrels.tsv: no grade above 0: there is nothing to find"),
        (RUN, "", "qrels.tsv: no judgements in it"),
        (None, QRELS, "run.trec: No such file or directory"),
        (RUN, None, "qrels.tsv: No such file or directory"),
    ],
)
def test_a_faulty_file(inside: Inside, work: Path, run: str | bytes | None, qrels: str | None, line: str) -> None:
    for name, text in (("run.trec", run), ("qrels.tsv", qrels)):
        if text is not None:
            (work / name).write_bytes(text.encode() if isinstance(text, str) else text)
    for flags in ([], ["--json"]):
        said = inside("score", "--run", "run.trec", "--qrels", "qrels.tsv", *flags)
        assert (said.status, said.out) == (2, "")
        assert said.err.startswith(line)
        assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("recal@5", "no metric 'recal@5'; did you mean recall@5?"),
        ("recall", "metric 'recall' needs a cutoff, for example recall@5"),
        ("recall@0", "no metric 'recall@0'; did you mean recall@5?"),
        ("P@5", "no metric 'P@5'; did you mean precision@5?"),
        ("handled@5", "metric 'handled@5' needs a whole run"),
        ("rprec@5", "metric 'rprec@5' has no cutoff; write rprec"),
    ],
)
def test_a_metric_that_is_none(inside: Inside, name: str, line: str) -> None:
    said = inside("score", *FILES, "--metrics", name)
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(line)
    assert said.err.count("\n") == 1
