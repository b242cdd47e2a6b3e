"""A sweep's verdict: on scores a person can follow, from run folders, and as lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

from assay.evaluation.contenders import SweepVerdict
from assay.evaluation.sweep_verdict import sweep_verdict
from assay.reports.sweep_verdict import lines
from assay.runs.leaderboard import Row
from assay.runs.run import load_run
from assay.runs.verdict import NoVerdict, verdict_of, write_verdict

N = 60
GOOD, NEAR, BAD = [1.0] * 50 + [0.0] * 10, [1.0] * 48 + [0.0] * 12, [1.0] * 20 + [0.0] * 40


def verdict(*scores: list[float], **more: Any) -> SweepVerdict:
    return sweep_verdict("recall@5", [str(i) for i in range(len(scores))], np.array(scores), **more)


def test_who_leads_and_who_can_not_be_told_from_it() -> None:
    found = verdict(BAD, NEAR, GOOD)
    assert found.leader.job == "2"
    assert [one.job for one in found.contenders] == ["2", "1", "0"]
    assert [one.job for one in found.together] == ["2", "1"]
    near, bad = found.contenders[1:]
    assert near.behind == pytest.approx(2 / 60)
    assert (near.p, near.p_holm) == (0.5, 0.5)  # two of two down: 2 of 4 patterns; the last of three in Holm's order
    assert bad.p == pytest.approx(1 / 20_001)
    assert bad.p_holm == pytest.approx(3 / 20_001)
    assert sum(one.probability_best for one in found.contenders) == pytest.approx(1)
    assert bad.probability_best == 0


def test_the_leader_is_tested_as_one_of_all_pairs() -> None:
    """6 of 6 changed has p = 2 / 64, enough alone; among three runs it is not."""
    a, b, c = [1.0] * 6 + [0.5] * 20, [0.0] * 6 + [0.5] * 20, [0.0] * 6 + [0.5] * 20
    assert [one.job for one in verdict(a, b).together] == ["0"]
    assert [one.job for one in verdict(a, b, c).together] == ["0", "1", "2"]


def test_of_many_runs_the_leaders_pairs_alone_are_tested_in_the_whole_family() -> None:
    found = verdict(*[BAD] * 41, GOOD)
    assert found.leader.job == "41"
    assert found.pairs == 42 * 41 // 2
    assert len(found.together) == 1
    worst = found.contenders[-1]
    assert worst.p is not None
    assert worst.p_holm is not None
    assert worst.p_holm >= worst.p * (found.pairs - 41)


def test_the_cheapest_is_sought_among_those_that_can_not_be_told_apart() -> None:
    found = verdict(GOOD, NEAR, BAD, costs=[(3.0, 900.0), (2.0, None), (0.1, 1.0)])
    assert (found.cheapest_p50, found.cheapest_bytes) == ("1", "0")
    assert verdict(GOOD, NEAR).cheapest_p50 is None


def test_ties_go_in_the_order_that_is_given() -> None:
    assert verdict(GOOD, GOOD).leader.job == "0"
    assert verdict(GOOD, GOOD, ties=[1, 0]).leader.job == "1"


def test_a_query_that_one_run_lacks_is_left_out_of_all() -> None:
    found = verdict([1.0, np.nan, 0.0], [1.0, 1.0, 1.0])
    assert (found.n, found.leader.job, found.leader.mean) == (2, "1", 1.0)
    with pytest.raises(ValueError, match="no query that all"):
        verdict([np.nan], [1.0])


def test_one_run_alone_is_a_verdict_too() -> None:
    found = verdict(GOOD)
    assert (len(found.together), found.pairs, found.optimism) == (1, 0, pytest.approx(0, abs=0.005))
    assert "leads" in " ".join(lines(found))


def test_how_many_questions_it_would_take() -> None:
    found = verdict(GOOD, NEAR)
    assert found.shows is not None
    assert found.shows_alone == found.shows  # one pair needs no correction
    needed = found.contenders[1].questions_needed
    assert needed is not None
    assert needed > N
    assert found.contenders[1].behind < found.shows
    assert verdict(GOOD, GOOD).contenders[1].questions_needed is None


def test_the_document_is_plain_json() -> None:
    document = verdict(GOOD, NEAR, BAD, settings=[{"k": 1}, {"k": 2}, {"k": 3}]).document()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["indistinguishable"] == ["0", "1"]
    assert [level["value"] for level in document["effects"][0]["levels"]] == [1, 2, 3]


def test_equal_calls_give_equal_documents() -> None:
    scores = np.random.default_rng(1).random((5, 40)).tolist()
    assert verdict(*scores).document() == verdict(*scores).document()


def test_lines_say_it_in_80_columns() -> None:
    settings = [{"chunker.size": size, "name": "x" * 90} for size in (64, 128, 256)]
    told = lines(verdict(GOOD, NEAR, BAD, settings=settings, costs=[(3.0, 9e8), (2.0, 1e6), (0.1, 1.0)]))
    text = " ".join(told)
    assert max(map(cell_len, told)) <= 80
    assert "Job 0 leads with 0.833" in text
    assert "can't be told from job 1" in text
    assert "by median latency job 1 (2.00 ms), by bytes job 1 (1.0 MB)" in text
    assert "job 1 is closer to the leader than that" in text
    assert "questions would be needed to tell the leader from job 1, 0.033 behind" in text
    assert "  chunker.size" in told


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ((GOOD, BAD), "and is better than the other run (paired randomisation test)."),
        ((GOOD, BAD, BAD), "and is better than every other run"),
        ((GOOD, NEAR), "can't be told from job 1 (paired randomisation test)."),
        (
            (GOOD, NEAR, NEAR),
            "can't be told from any of the others (paired randomisation test, Holm-corrected over all 3 pairs",
        ),
        ((GOOD, GOOD), "can't be told from job 1"),
        (([1.0, 0.0], [0.0, 1.0]), "too small to show any difference"),
    ],
)
def test_lines_of_other_outcomes(scores: tuple[list[float], ...], told: str) -> None:
    assert told in " ".join(lines(verdict(*scores)))


class Config:
    """What the leaderboard asks of a job's config."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return self.values


def rows_of(scored_run: Any, *scores: list[float | None], **more: Any) -> list[Row]:
    found = []
    for number, values in enumerate(scores):
        other = {key: value[number] for key, value in more.items()}
        folder = scored_run(f"sweep/{number}", {"recall@5": values, "ndcg@10": values}, **other)
        found.append(Row(number, Config(k=number), load_run(folder), None))  # type: ignore[arg-type]
    return found


def test_run_folders_are_paired_by_id(scored_run: Any, tmp_path: Path) -> None:
    rows = rows_of(scored_run, NEAR, GOOD, BAD, costs=[(1.0, 10), (2.0, 5), (None, None)])
    path = tmp_path / "sweep" / "1" / "per_query.jsonl"
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    found = verdict_of(rows)
    assert isinstance(found, SweepVerdict)
    assert (found.metric, found.n, found.leader.job) == ("recall@5", N, "1")
    assert [one.job for one in found.together] == ["1", "0"]
    assert (found.cheapest_p50, found.cheapest_bytes) == ("0", "1")
    assert found.effects is not None
    assert [level.value for level in found.effects[0].levels] == [0, 1, 2]


def test_the_file_holds_what_is_returned(scored_run: Any, tmp_path: Path) -> None:
    found = write_verdict(rows_of(scored_run, GOOD, BAD), tmp_path / "sweep", "ndcg@10")
    assert json.loads((tmp_path / "sweep" / "verdict.json").read_text()) == found.document()
    assert found.document()["metric"] == "ndcg@10"


def test_failed_jobs_are_noted(scored_run: Any) -> None:
    rows = [*rows_of(scored_run, GOOD, BAD), Row(2, Config(k=9), None, "boom")]  # type: ignore[arg-type]
    found = verdict_of(rows)
    assert isinstance(found, SweepVerdict)
    assert found.notes == ("failed or unfinished, not in it: job 2",)
    assert "Note: failed or unfinished, not in it: job 2." in lines(found)


@pytest.mark.parametrize(
    ("more", "metric", "told"),
    [
        ({"hashes": [{}, {"qrels": "x"}]}, None, "the jobs were scored on different golden sets (qrels differ)"),
        ({"ci_method": ["a", "b"]}, None, "its metrics were computed by another version"),
        ({}, "mrr@10", "mrr@10 has no value in job 0, 1"),
    ],
)
def test_jobs_that_can_not_be_compared_have_no_verdict(scored_run: Any, more: Any, metric: Any, told: str) -> None:
    found = verdict_of(rows_of(scored_run, GOOD, BAD, **more), metric)
    assert isinstance(found, NoVerdict)
    assert told in found.reason
    assert lines(found)[0].startswith("No verdict:")
    assert found.document()["no_verdict"] == found.reason


def test_one_whole_job_has_none(scored_run: Any) -> None:
    assert isinstance(verdict_of(rows_of(scored_run, GOOD)), NoVerdict)
    assert isinstance(verdict_of([]), NoVerdict)


def test_an_end_at_zero_has_no_sign() -> None:
    told = lines(verdict([1.0] * 60, [0.0] * 5 + [1.0] * 55, settings=[{"k": 1}, {"k": 2}]))
    assert any("  0.000 to +0.1" in line for line in told)  # the table
    assert any(" to 0.000)" in line for line in told)  # the effect
    assert not any("+0.000" in line or "-0.000" in line for line in told)
