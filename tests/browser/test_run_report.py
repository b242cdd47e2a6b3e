"""The report of a run in a real browser: it stands by itself, its table works, texts of a corpus stay texts."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.golden.write import GoldenParts, write_golden_set
from assay.records import Document, Judgement, Query, Span
from assay.report_command import write_report

HOSTILE = (
    "<script>document.title='hit'</script>",
    "</script><script>document.title='hit'</script>",
    "<img src=x onerror=\"document.title='hit'\">",
    "<!--<script>",
    "javascript:alert(1)",
    '=HYPERLINK("http://example.org")',
    "&lt;b&gt; ${1+1} {{1+1}} $x^2$",
    "\u202eright to left\u2028line",
)
EMOJI = "👩‍🔬 " * 20  # of several code points each, outside the first plane: offsets in UTF-16 would be wrong


def golden_set(folder: Path, texts: dict[str, str], queries: dict[str, str], spans: Sequence[Span] = ()) -> Path:
    judged = [Judgement(span.query_id, span.doc_id, 1) for span in spans]
    answered = {one.query_id for one in judged}
    parts = GoldenParts(
        [Document(key, text, f"Title of {key}") for key, text in texts.items()],
        [Query(key, text, answerable=key in answered) for key, text in queries.items()],
        {"test": judged},
        list(spans),
    )
    return write_golden_set(parts, folder)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, run_of: Any, rows_of: Any) -> Path:
    """Forty queries: every third is lost by embedding, every tenth has no answer."""
    folder = tmp_path_factory.mktemp("run")
    texts = {f"d{i:02d}": f"{EMOJI}The heron number {i} stands in the river and waits for fish." for i in range(40)}
    start = len(EMOJI) + 4
    spans = [Span(f"q{i:02d}", f"d{i:02d}", start, start + len(f"heron number {i}")) for i in range(40) if i % 10]
    queries = {f"q{i:02d}": f"where does heron {i} stand" for i in range(40)}
    golden = golden_set(folder / "golden", texts, queries, spans)
    rows = []
    for i in range(40):
        key, kind, answerable = f"d{i:02d}", ("place", "time")[i % 2], i % 10 > 0
        other = [rows_of.found(f"d{(i + n) % 40:02d}", n, 1 - n / 10, None, 0, 40) for n in range(1, 4)]
        lost = [rows_of.lost(key, "embedding", 12 + i)] if answerable and i % 3 == 0 else []
        own = [rows_of.found(key, 4, 0.5, 1, 0, 90)] if answerable and not lost else []
        rows.append(
            rows_of.row(f"q{i:02d}", queries[f"q{i:02d}"], [*other, *own], lost, kind=kind, answerable=answerable)
        )
    return write_report(run_of(folder / "run", golden, rows))


def test_it_stands_by_itself(opened: Any, report: Path) -> None:
    one = opened(report)
    assert one.page.title() == "golden: assay run"
    assert one.page.locator("h1").inner_text() == "golden"
    assert one.page.locator("svg.chart").count() >= 7
    assert one.page.locator("svg.chart[role=img][aria-labelledby]").count() == one.page.locator("svg.chart").count()
    assert one.page.locator(".tiles .name").all_inner_texts() == ["recall@5", "ndcg@10", "mrr@10", "handled@5"]
    for box in one.page.locator("svg.chart").all():
        assert box.bounding_box()["height"] > 80


def test_the_worst_come_first_and_pages_turn(opened: Any, report: Path) -> None:
    one = opened(report)
    lost = [f"q{i:02d}" for i in range(40) if i % 3 == 0 and i % 10]
    assert one.queries()[: len(lost)] == lost
    assert len(one.queries()) == 25
    one.page.get_by_role("button", name="Next").click()
    assert len(one.queries()) == 15
    assert one.page.get_by_role("button", name="Next").is_disabled()


def test_sorting(opened: Any, report: Path) -> None:
    one = opened(report)
    header = one.page.locator(".queries thead th").first
    header.get_by_role("button").click()
    assert one.queries()[:3] == ["q00", "q01", "q02"]
    assert header.get_attribute("aria-sort") == "ascending"
    header.get_by_role("button").click()
    assert one.queries()[:3] == ["q39", "q38", "q37"]
    assert header.get_attribute("aria-sort") == "descending"
    one.page.get_by_label("Order").select_option("worst first")
    assert one.queries()[0] == "q03"
    assert header.get_attribute("aria-sort") is None
    # What has no value comes last, whichever way.
    recall = one.page.locator(".queries thead th", has_text="recall@5").first
    for _ in range(2):
        recall.get_by_role("button").click()
        one.page.get_by_role("button", name="Next").click()
        assert sorted(one.queries()[-4:]) == ["q00", "q10", "q20", "q30"]


def test_sorting_a_table_that_stands_in_the_page(opened: Any, report: Path) -> None:
    page = opened(report).page
    board = page.locator("table[data-sortable]", has_text="place").first
    column = board.locator("thead th", has_text="type").first
    for way, kinds in (("ascending", ["place", "time"]), ("descending", ["time", "place"])):
        column.get_by_role("button").click()
        assert column.get_attribute("aria-sort") == way
        assert board.locator("tbody th").all_inner_texts() == kinds


def test_searching(opened: Any, report: Path) -> None:
    one = opened(report)
    status = one.page.get_by_role("status")
    for words, ids in (("heron 17", ["q17"]), ("HERON d09", ["q09"]), ("nothing like it", []), ("q2 stand", None)):
        one.page.get_by_role("searchbox").fill(words)
        status.filter(has_text=" of 40 queries").wait_for()
        one.page.wait_for_timeout(300)
        assert one.queries() == (ids if ids is not None else one.queries())
    assert sorted(one.queries()) == [f"q{i}" for i in range(20, 30)]
    one.page.get_by_role("searchbox").fill("")
    status.get_by_text("40 queries", exact=True).wait_for()


def test_choosing(opened: Any, report: Path) -> None:
    one = opened(report)
    one.page.get_by_label("Outcome").select_option("answered, though it has no answer")
    assert sorted(one.queries()) == ["q00", "q10", "q20", "q30"]
    one.page.get_by_label("Type", exact=True).select_option("time")
    assert one.queries() == []
    one.page.get_by_label("Outcome").select_option("lost by embedding")
    assert one.queries() == ["q03", "q09", "q15", "q21", "q27", "q33", "q39"]


def test_a_query_opens_by_keyboard_and_shows_its_evidence(opened: Any, report: Path) -> None:
    page = opened(report).page
    button = page.locator("button.open").first
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    detail = page.locator(f"#{button.get_attribute('aria-controls')}")
    assert detail.locator("mark").first.inner_text() == "heron number 3"
    assert detail.locator(".badge", has_text="lost by embedding").count() == 1
    assert "exact rank 15, grade 1" in detail.inner_text()
    assert detail.locator("ol > li .title").all_inner_texts() == [f"Title of d{i:02d}" for i in (4, 5, 6)]
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "false"
    assert page.locator("tr.detail").count() == 0


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_a_corpus_stay_texts(opened: Any, tmp_path: Path, run_of: Any, rows_of: Any, text: str) -> None:
    ids = {"q": f"q {text}", "d": f"d {text}"}
    spans = [Span(ids["q"], ids["d"], 2, 2 + len(text))]
    golden = golden_set(tmp_path / "golden", {ids["d"]: f"a {text} z"}, {ids["q"]: f"where {text}"}, spans)
    found = rows_of.found(ids["d"], 1, 0.5, 1, 0, len(text) + 4)
    rows = [rows_of.row(ids["q"], f"where {text}", [found], [rows_of.lost("lost " + text, text, 12)], kind=text)]
    one = opened(write_report(run_of(tmp_path / "run", golden, rows)))
    one.page.locator("button.open").click()
    assert one.page.locator("mark").first.text_content() == text
    assert one.page.locator("button.open .words").text_content() == f"where {text}"
    assert one.page.title() == "golden: assay run"
    assert one.page.locator("img, iframe, object, embed, link").count() == 0
    assert one.page.locator("script").count() == 2
    assert one.page.locator("a:not([href^='#'])").count() == 0


def test_without_the_golden_set_it_says_so(opened: Any, tmp_path: Path, run_of: Any, rows_of: Any) -> None:
    golden = golden_set(tmp_path / "golden", {"d": "text"}, {"q": "query"}, [Span("q", "d", 0, 4)])
    rows = [rows_of.row("q", "query", [rows_of.found("d", 1, 0.5, 1, 0, 4)])]
    run = run_of(tmp_path / "run", golden, rows)
    golden.rename(tmp_path / "elsewhere")
    page = opened(write_report(run)).page
    assert "No texts are shown" in page.locator("#queries-part").inner_text()
    page.locator("button.open").click()
    assert page.locator("blockquote").count() == 0
    assert "found" in page.locator("tr.detail").inner_text()


def test_on_a_phone_the_page_is_as_wide_as_the_screen(opened: Any, report: Path) -> None:
    page = opened(report, viewport={"width": 360, "height": 740}, is_mobile=True, device_scale_factor=2).page
    page.locator("button.open").first.click()
    page.locator("summary", has_text="metrics").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("width", [390, 1280])
def test_a_word_without_end_pushes_nothing_out_of_sight(
    opened: Any, tmp_path: Path, run_of: Any, rows_of: Any, width: int
) -> None:
    """In a question, a type, a title and an id; the second type has the control for types shown."""
    word = "Donaudampfschifffahrtsgesellschaft" * 12
    golden = golden_set(tmp_path / "golden", {"d" + word: word}, {"q": word, "r": "r"}, [Span("q", "d" + word, 0, 9)])
    rows = [
        rows_of.row("q", word, [rows_of.found("d" + word, 1, 0.5, 1, 0, 99)], kind=word),
        rows_of.row("r", "r", [], kind="other", answerable=False),
    ]
    page = opened(write_report(run_of(tmp_path / "run", golden, rows)), viewport={"width": width, "height": 800}).page
    page.locator("button.open").first.click()
    page.locator("button.open").last.click()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for cell in (".queries thead th:last-child", ".queries td.number >> nth=0", "tr.detail blockquote >> nth=0"):
        box = page.locator(cell).first.bounding_box()
        assert 0 < box["x"] < box["x"] + box["width"] <= width, cell


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(opened: Any, report: Path, scheme: str) -> None:
    """WCAG AA: 4.5 for text, 3 for what a chart draws with."""
    page = opened(report, color_scheme=scheme).page
    names = [
        *(f"c{i}" for i in range(1, 9)),
        "ink",
        "quiet",
        "accent",
        "soft",
        "good",
        "bad",
        "paper",
        "shade",
        "chosen",
        "mark",
    ]
    look = "names => names.map(name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim())"
    colours = dict(zip(names, page.evaluate(look, names), strict=True))
    for name in ("ink", "quiet", "accent", "good", "bad"):
        for ground in ("paper", "shade", "chosen"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    assert contrast(colours["ink"], colours["mark"]) >= 4.5
    for name in ("soft", *(f"c{i}" for i in range(1, 9))):
        assert contrast(colours[name], colours["paper"]) >= 3, name


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours (WCAG 2.2)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_on_paper_the_worst_are_open_and_controls_are_gone(opened: Any, report: Path) -> None:
    page = opened(report).page
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("tr.detail").count() == 5
    assert not page.get_by_role("searchbox").is_visible()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("tr.detail").count() == 0


def test_without_script_everything_but_the_table_stands(browser: Any, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("svg.chart").count() >= 7
    assert page.locator("noscript").inner_text().startswith("The table of queries needs JavaScript")
    context.close()


@pytest.mark.slow
def test_ten_thousand_queries(opened: Any, tmp_path: Path, run_of: Any, rows_of: Any) -> None:
    """Below 15 MB, open in seconds, and quick to search."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(4000)]
    texts = {f"document-{i:05d}": " ".join(rng.choices(words, k=250)) for i in range(5000)}
    queries = {f"query-{i:05d}": " ".join(rng.choices(words, k=14)) for i in range(10_000)}
    ids = list(texts)
    spans = [Span(query, rng.choice(ids), start := rng.randint(0, 900), start + 90) for query in queries]
    golden = golden_set(tmp_path / "golden", texts, queries, spans)
    rows = []
    for place, (query, text) in enumerate(queries.items()):
        want = spans[place].doc_id
        others = [one for one in rng.sample(ids, 31) if one != want][:30]
        ranking = [rows_of.found(other, rank, 1 / rank, None, 0, 800) for rank, other in enumerate(others, 1)]
        if place % 3:
            ranking[place % 10] = rows_of.found(want, place % 10 + 1, 0.1, 1, 100, 900)
        lost = [] if place % 3 else [rows_of.lost(want, "embedding", 77)]
        rows.append(rows_of.row(query, text, ranking, lost, kind=f"type {place % 7}"))
    path = write_report(run_of(tmp_path / "run", golden, rows))
    assert path.stat().st_size < 15_000_000
    began = time.perf_counter()
    one = opened(path)
    assert time.perf_counter() - began < 10
    assert one.page.get_by_role("status").inner_text() == "10,000 queries"
    began = time.perf_counter()
    one.page.get_by_role("searchbox").fill("query-09999")
    one.page.get_by_role("status").get_by_text("1 of 10,000 queries").wait_for()
    assert one.queries() == ["query-09999"]
    assert time.perf_counter() - began < 5
