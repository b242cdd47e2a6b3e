"""Runs, comparisons and tables as a notebook's own display shows them: charts, tables, DataFrames, texts as texts."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.notebook.comparison_face import differences_of, moves_of, runs_of, types_of
from assay.notebook.parts import own_ids
from assay.reports.html.markup import Markup
from assay.table import MOST_ROWS, UNROLLED, Table

SCRIPT = "<script>alert('x')</script>"
VOID = {"br", "hr", "input", "col"}


class Page(HTMLParser):
    """Tags, ids, text by element, and tables as lists of cells; a tag that is not closed in order is a fault."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text: list[str] = []
        self.tables: list[list[list[str]]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == [], "every tag is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), "no handlers"
            if name == "id":
                self.ids.append(value or "")
            if name == "aria-labelledby":
                self.links += (value or "").split()
            self.links += re.findall(r"(?:^|\()#([^)]+)", value or "") if name in {"href", "clip-path"} else []
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in {"td", "th"}:
            self.tables[-1][-1].append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self._open[-1:] in (["td"], ["th"]):
            self.tables[-1][-1][-1] += data


@pytest.fixture
def display() -> Callable[[Any], dict[str, str]]:
    """What a notebook keeps of a value: by IPython's own formatter where it is installed."""

    def show(value: Any) -> dict[str, str]:
        if importlib.util.find_spec("IPython") is None:
            return {"text/html": value._repr_html_(), "text/plain": repr(value)}
        from IPython.core.formatters import DisplayFormatter

        formatter = DisplayFormatter()
        formatter.formatters["text/html"].enabled = True
        for one in formatter.formatters.values():
            one.catch_exceptions = None  # let what is raised be seen
        found, _ = formatter.format(value)
        assert isinstance(found, dict)
        return found

    return show


@pytest.fixture
def two(scored_run: Callable[..., Path]) -> tuple[Path, Path]:
    """Six questions of two types; the second run loses two of them. A type, a question and a folder hold markup."""
    types = ["lookup", "lookup", "lookup", "<b>bold</b>", "<b>bold</b>", "<b>bold</b>"]
    config = {"dataset": {"name": "handbook"}, "chunker": {"kind": "tokens", "size": 64}, "seed": 1}
    a = scored_run("a", {"recall@5": [1, 1, 1, 1, 1, 0], "mrr@10": [1, 0.5, 1, 1, 1, 0]}, types=types, config=config)
    other = {**config, "chunker": {"kind": "tokens", "size": 32}}
    b = scored_run("<i>b", {"recall@5": [1, 1, 1, 0, 0, 0], "mrr@10": [1, 0.5, 1, 0, 0, 0]}, types=types, config=other)
    for folder in (a, b):
        rows = [json.loads(line) for line in (folder / "per_query.jsonl").read_text().splitlines()]
        rows[3]["text"] = f"{SCRIPT} $x^2$"
        (folder / "per_query.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        manifest = json.loads((folder / "manifest.json").read_text())
        (folder / "manifest.json").write_text(json.dumps({**manifest, "warnings": [f"few queries {SCRIPT}"]}))
        metrics = json.loads((folder / "metrics.json").read_text())
        metrics["causes"] = {"embedding": 1, "filtered": 0, "depth": 2}
        (folder / "metrics.json").write_text(json.dumps(metrics))
    return a, b


def test_a_run(two: tuple[Path, Path], display: Callable[[Any], dict[str, str]]) -> None:
    """What it is of, two charts, and every metric with its interval."""
    run = assay.load_run(two[0])
    shown = display(run)
    page = Page(shown["text/html"])
    assert page.tags.count("svg") == 2, "headline and types"
    (table,) = page.tables
    assert table[0] == ["metric", "mean", "low", "high", "n"]
    low, high = run.metrics["metrics"]["recall@5"]["ci95"]
    assert table[1] == ["recall@5", "0.833", f"{low:.3f}", f"{high:.3f}", "6"]
    assert [row[0] for row in table[1:]] == list(run.metrics["metrics"])
    text = "".join(page.text)
    assert "handbook: tokens 64" in text
    assert "6 queries: 6 answerable, 0 not · relevant documents missed: 2 by depth, 1 by embedding" in text
    assert "recall@5 by type, weakest first" in text
    assert shown["text/plain"].startswith("Run(folder=")
    assert len(shown["text/plain"]) < 500


def test_a_comparison(two: tuple[Path, Path], display: Callable[[Any], dict[str, str]]) -> None:
    """The verdict in words, a chart, and tables of runs, differences, types and questions."""
    found = assay.compare(two)
    shown = display(found)
    page = Page(shown["text/html"])
    assert page.tags.count("svg") == 1
    runs, differences, types, moves = page.tables
    assert runs == [
        ["run", "chunker.size", "folder"],
        ["A (baseline)", "64", str(two[0])],
        ["B", "32", str(two[1])],
    ]
    assert differences[0][:7] == ["run", "against", "metric", "verdict", "before", "after", "difference"]
    assert differences[1][:7] == ["B", "A", "recall@5", "can't tell", "0.833", "0.500", "-0.333"]
    assert differences[1][-2:] == ["0/4/2", "6"]
    assert [row[2] for row in types[1:]] == ["<b>bold</b>", "lookup"], "the furthest down first, as text"
    assert moves[1][2:6] == [f"{SCRIPT} $x^2$", "<b>bold</b>", "1.000", "0.000"]
    assert len(moves) == 3
    text = "".join(page.text)
    assert "recall@5: can't tell B from A: -0.333 over 6 queries" in text
    assert "paired randomisation test" in text
    assert shown["text/plain"] == "<Comparison of A, B by recall@5, mrr@10>"


def test_the_tables_of_a_comparison(two: tuple[Path, Path]) -> None:
    found = assay.compare([*two, two[0]], ["recall@5"], all_pairs=True)
    assert [row["run"] for row in runs_of(found).rows] == ["A", "B", "C"], "all pairs have no baseline"
    assert [(row["run"], row["against"]) for row in differences_of(found).rows] == [("B", "A"), ("C", "A"), ("C", "B")]
    assert [row["+/=/-"] for row in differences_of(found).rows] == ["0/4/2", "0/6/0", "2/4/0"]
    assert [(row["run"], row["type"], row["difference"]) for row in types_of(found).rows][:2] == [
        ("B", "<b>bold</b>", "-0.667"),
        ("B", "lookup", "0.000"),
    ]
    assert [(row["run"], row["against"]) for row in moves_of(found).rows] == [("B", "A")] * 2 + [("C", "B")] * 2


@pytest.mark.parametrize("what", ["run", "comparison", "table"])
def test_nothing_of_a_corpus_is_markup(
    what: str, two: tuple[Path, Path], display: Callable[[Any], dict[str, str]]
) -> None:
    run = assay.load_run(two[1])
    shown = display({"run": run, "comparison": assay.compare(two), "table": run.queries}[what])["text/html"]
    page = Page(shown)
    assert not {"script", "b", "i", "img"} & set(page.tags)
    assert SCRIPT in "".join(page.text), "it is there as text"


def test_ids_are_one_s_own(two: tuple[Path, Path], display: Callable[[Any], dict[str, str]]) -> None:
    """All outputs of a notebook stand in one page: no chart takes another's clip path or name."""
    outputs = [assay.load_run(two[0]), assay.load_run(two[1]), assay.compare(two), assay.compare(two[::-1])]
    pages = [Page(display(one)["text/html"]) for one in outputs]
    ids = [one for page in pages for one in page.ids]
    assert len(ids) == len(set(ids))
    for page in pages:
        assert page.links
        assert set(page.links) <= set(page.ids)


def test_own_ids_leave_text_alone() -> None:
    chart = Markup(
        '<svg aria-labelledby="types-t types-d"><title id="types-t">x-t y-d" id="a url(#b</title>'
        '<desc id="types-d">d</desc><clipPath id="types-3"/><g clip-path="url(#types-3)"><use href="#types-4"/></g></svg>'
    )
    changed = own_ids(chart, "k")
    prefix = re.findall(r"assay-[0-9a-f]{12}-", changed)[0]
    assert changed.count(prefix) == 7
    assert changed.replace(prefix, "") == chart
    assert 'x-t y-d" id="a url(#b' in changed


def test_a_damaged_folder_is_a_line_and_raises_nothing(
    two: tuple[Path, Path], display: Callable[[Any], dict[str, str]]
) -> None:
    run, found = assay.load_run(two[0]), assay.compare(two)
    (two[0] / "metrics.json").write_text("{")
    assert "metrics.json: no JSON" in "".join(Page(display(assay.Run(two[0]))["text/html"]).text)
    (two[0] / "metrics.json").write_text('{"metrics": {"recall@5": 3}}')
    assert "a file of the run is damaged" in "".join(Page(display(assay.Run(two[0]))["text/html"]).text)
    assert "0.833" in display(run)["text/html"], "what was read stays"
    assert "-0.333" in display(found)["text/html"]


# --- Tables ---


def test_a_table_is_cut_and_says_so(display: Callable[[Any], dict[str, str]]) -> None:
    many = Table.of([{"i": i} for i in range(MOST_ROWS + 5)])
    shown = display(many)
    (rows,) = Page(shown["text/html"]).tables
    assert len(rows) == MOST_ROWS + 1
    told = f"5 more rows; to_pandas() and to_polars() have all {MOST_ROWS + 5}"
    assert told in shown["text/html"]
    assert shown["text/plain"].endswith(f"\n{MOST_ROWS - 1}\n{told}")
    assert len(str(many).splitlines()) == MOST_ROWS + 6, "print shows all"


def test_a_table_s_cells(display: Callable[[Any], dict[str, str]]) -> None:
    """Numbers stand right, words left; nothing is an empty cell; only many rows scroll."""
    table = Table.of([{"name": "a", "mean": 0.5, "n": 3, "ok": True}, {"name": "b" * 30, "mean": None, "n": None}])
    html = display(table)["text/html"]
    (rows,) = Page(html).tables
    assert rows == [["name", "mean", "n", "ok"], ["a", "0.500", "3", "True"], ["b" * 30, "", "", ""]]
    assert '<td style="text-align:left;white-space:nowrap">a</td><td>0.500</td><td>3</td>' in html
    assert 'style="text-align:left">bbb' in html, "a long text may be broken"
    assert "max-height" not in html
    assert "max-height" in display(Table.of([{"i": i} for i in range(UNROLLED + 1)]))["text/html"]
    assert repr(table) == str(table)
    assert Page(display(Table.of([]))["text/html"]).tables == [[[]]]
    display(Table.of([{"half a character": "\ud800"}]))["text/html"].encode("utf-8")


# --- DataFrames ---


def test_data_frames_of_pandas(two: tuple[Path, Path]) -> None:
    pandas = pytest.importorskip("pandas")
    run, found = assay.load_run(two[0]), assay.compare(two)
    for frame in (run.to_pandas(), run.queries.to_pandas(), found.to_pandas(), found.queries.to_pandas()):
        assert isinstance(frame, pandas.DataFrame)
    queries = run.queries.to_pandas()
    assert list(queries["query_id"]) == ["q1", "q2", "q3", "q4", "q5", "q6"]
    assert queries["recall@5"].mean() == run.metrics["metrics"]["recall@5"]["mean"]
    assert list(found.queries.to_pandas()["recall@5 B"]) == [1, 1, 1, 0, 0, 0]


def test_data_frames_of_polars(two: tuple[Path, Path]) -> None:
    polars = pytest.importorskip("polars")
    run, found = assay.load_run(two[0]), assay.compare(two)
    for frame in (run.to_polars(), found.to_polars(), found.queries.to_polars()):
        assert isinstance(frame, polars.DataFrame)
    assert run.to_polars()["metric"].to_list() == ["recall@5", "mrr@10"]
    late = Table.of([*({"x": None, "y": 1} for _ in range(200)), {"x": 0.5, "y": 1.5}]).to_polars()
    assert (late["x"][200], late["y"][200], late["y"][0]) == (0.5, 1.5, 1.0)


@pytest.mark.slow
def test_a_notebook_runs_and_keeps_charts_and_tables(two: tuple[Path, Path]) -> None:
    """A real kernel."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    a, b = map(str, two)
    cells = ["import assay", f"assay.load_run({a!r})", f"assay.compare([{a!r}, {b!r}])", f"assay.load_run({a!r}).table"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in book.cells]
    assert [[output.output_type for output in one] for one in outputs] == [[], *[["execute_result"]] * 3]
    charts = [Page(one[0].data["text/html"]).tags.count("svg") for one in outputs[1:]]
    assert charts == [2, 1, 0]
