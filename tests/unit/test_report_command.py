"""``assay report`` on real folders: what it writes, where, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.cli import main
from assay.errors import DataError
from assay.report_command import write_report
from assay.reports.html.sweep import read_sweep
from assay.runs.sweep_folder import Jobs, jobs_of

SWEPT = ("chunker.size=8,16", "retriever=dense,bm25")


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve documents that differ in a word, one with markup as its text, and a query that has no answer."""
    folder = tmp_path_factory.mktemp("set") / "birds & <b>bees"
    (folder / "qrels").mkdir(parents=True)
    birds = ["heron", "swift", "robin", "wren", "crane", "stork", "finch", "raven", "eagle", "gull", "tern", "owl"]
    texts = [f"The {bird} is a bird that is seen near the river, say those who keep lists of birds." for bird in birds]
    texts[0] += " <script>document.title = 'hit'</script>"
    queries = [
        {"_id": f"q-{bird}", "text": f"where is the {bird}", "metadata": {"type": "<i>place</i>"}} for bird in birds
    ]
    queries.append({"_id": "q-none", "text": "price of tea", "metadata": {"answerable": False}})
    rows = [{"_id": bird, "title": f"<u>{bird}</u>", "text": text} for bird, text in zip(birds, texts, strict=True)]
    spans = [{"query-id": f"q-{bird}", "corpus-id": bird, "start": 4, "end": 4 + len(bird)} for bird in birds]
    for name, lines in (("corpus", rows), ("queries", queries), ("spans", spans)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    judged = ["query-id\tcorpus-id\tscore", *(f"q-{bird}\t{bird}\t1" for bird in birds)]
    (folder / "qrels" / "test.tsv").write_text("\n".join(judged) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def sweep(golden: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of four jobs, as the command line writes it."""
    folder = tmp_path_factory.mktemp("sweep") / "s"
    usual = ["embedder=lsa", "cache=none", "chunker.overlap=0", f"dataset.path='{golden}'", f"hydra.sweep.dir={folder}"]
    assert main(["run", "-m", *usual, *SWEPT]) == 0
    return folder


def test_a_run(sweep: Path, golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = sweep / "0"
    assert main(["report", str(run)]) == 0
    assert capsys.readouterr().out.strip() == str(run / "report.html")
    html = (run / "report.html").read_text(encoding="utf-8")
    assert not (run / "report.html.tmp").exists()
    for heading in ("Recall over k", "Rank of the first relevant document", "recall@5 by type", "Risk and coverage"):
        assert f"<h3>{heading}</h3>" in html
    assert html.count("<script") == html.count("</script>") == 2  # the data and the page's own
    for tag in ("<b>bees", "<u>", "<i>"):
        assert tag not in html
    held = json.loads(re.findall(r'id="queries-data">(.*?)</script>', html, re.DOTALL)[0])
    assert len(held["rows"]) == 13
    assert any("<script>" in text for _, _, segments, _ in held["documents"] for _, text in segments)
    assert not re.findall(r"(?:src|href)=\"(?!#)", html)  # nothing to fetch, nowhere to go


def test_a_sweep(sweep: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_report(sweep / "0")
    assert main(["report", str(sweep), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    html = (sweep / "report.html").read_text(encoding="utf-8")
    assert told == {"path": str(sweep / "report.html"), "bytes": len(html.encode())}
    assert "sweep of 4 jobs" in html
    assert "<h3>Chunk size at an equal reading budget</h3>" in html
    assert html.count("can&#x27;t tell</span>") + html.count(", better</span>") + html.count(", worse</span>") == 12
    assert '<a href="0/report.html">0</a>' in html  # a job's own report, where it lies there
    assert '<a href="1/report.html">' not in html


def test_texts_are_missing_where_the_golden_set_is_another(
    sweep: Path, golden: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = golden / "corpus.jsonl"
    before = corpus.read_text(encoding="utf-8")
    corpus.write_text(before.replace("The owl", "The Owl"), encoding="utf-8")
    try:
        html = write_report(sweep / "1").read_text(encoding="utf-8")
    finally:
        corpus.write_text(before, encoding="utf-8")
    assert "No texts are shown" in html
    assert '"hasTexts":false' in html
    assert "keep lists of birds" not in html


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["nowhere"], "nowhere: no such folder"),
        (["empty"], "holds no metrics.json, so no whole run"),
        (["half"], "a sweep without a whole run"),
        (["file"], "is a file"),
        (["{sweep}", "--dataset", "x"], "is a sweep, whose report shows no texts"),
        (["{sweep}/0", "--dataset", "x"], "--dataset: x is no folder"),
        ([], "required: RUN_OR_SWEEP"),
    ],
)
def test_refusals(
    arguments: list[str],
    fault: str,
    sweep: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "half" / "0").mkdir(parents=True)
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert main(["report", *(argument.format(sweep=sweep) for argument in arguments)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert fault in told.err
    assert len(told.err.splitlines()) == 1


@pytest.mark.parametrize(("name", "block"), [("metrics.json", "abstention"), ("timings.json", "search")])
def test_a_damaged_run_is_named(sweep: Path, tmp_path: Path, name: str, block: str) -> None:
    copy = tmp_path / "s" / "0"
    shutil.copytree(sweep / "0", copy)
    held = json.loads((copy / name).read_text(encoding="utf-8"))
    del held[block]
    (copy / name).write_text(json.dumps(held), encoding="utf-8")
    for folder in (copy, copy.parent):
        with pytest.raises(DataError, match=rf"{name}: holds no {block}; the file is damaged"):
            write_report(folder)


def jobs(folder: Path) -> Jobs:
    found = jobs_of(folder)
    assert found is not None
    return found


Damage = Callable[[dict], object]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (None, None),
        (lambda found: {"no_verdict": "the jobs differ"}, "the jobs differ"),
        (lambda found: {}, "none that this assay writes"),
        (lambda found: found | {"runs": found["runs"][1:], "indistinguishable": []}, "for other jobs"),
        (lambda found: found | {"indistinguishable": ["7"]}, "none that this assay writes"),
        (lambda found: found | {"runs": [{"job": "0"}]}, "none that this assay writes"),
        (lambda found: [found], None),
    ],
)
def test_only_a_verdict_on_these_jobs_is_shown(
    damage: Damage | None, reason: str | None, sweep: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    verdict = {
        "metric": "recall@5",
        "leader": "2",
        "indistinguishable": ["2", "0"],
        "runs": [{"job": job, "behind": 0.1, "probability_best": 0.2} for job in "2013"],
    }
    copy = tmp_path / "s"
    copy.mkdir()
    for job in "0123":
        (copy / job).symlink_to(sweep / job)
    (copy / "verdict.json").write_text(json.dumps(damage(verdict) if damage else verdict), encoding="utf-8")
    found = read_sweep(copy, jobs(copy))
    if damage is None:
        assert found.jobs == ["2", "0", "1", "3"]
        assert found.together() == {"2", "0"}
        assert "leads with recall@5" in write_report(copy).read_text(encoding="utf-8")
    else:
        assert found.verdict is None
        assert (reason or "") in (found.no_verdict or "")
        assert found.together() == frozenset()


def test_a_failed_job_is_named(sweep: Path, tmp_path: Path) -> None:
    copy = tmp_path / "s"
    (copy / "3").mkdir(parents=True)
    for job in "01":
        (copy / job).symlink_to(sweep / job)
    board = [{"job": 0, "error": None}, {"job": 2, "error": "too <few> vectors"}]
    (copy / "leaderboard.json").write_text(json.dumps(board), encoding="utf-8")
    html = write_report(copy).read_text(encoding="utf-8")
    assert "sweep of 4 jobs" in html
    assert "too &lt;few&gt; vectors" in html
    assert '<th scope="row">3</th><td>unfinished</td>' in html


def test_notebooks_show_charts(sweep: Path) -> None:
    from assay.reports.html.notebook import comparison_html, run_html
    from assay.runs.compare import compare
    from assay.runs.run import load_run

    shown = run_html(load_run(sweep / "0"))
    assert shown.count("<svg") == 1
    assert "recall@5" in shown
    assert shown.endswith(load_run(sweep / "0").table._repr_html_())
    shown = comparison_html(compare([sweep]))
    assert shown.count("<svg") == 1
    assert ">1 - 0<" in shown
