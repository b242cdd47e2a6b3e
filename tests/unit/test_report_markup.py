"""Text becomes text: nothing that a corpus holds is a tag, an attribute or an end of the data."""

from __future__ import annotations

import json

import pytest

from assay.reports.html.island import island
from assay.reports.html.markup import Cell, Markup, joined, table, tag
from assay.reports.html.page import page


@pytest.mark.parametrize(
    ("made", "html"),
    [
        (tag("p", "<script>alert(1)</script>"), "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        (tag("p", "a", None, ["b", tag("b", "&")], 3), "<p>ab<b>&amp;</b>3</p>"),
        (
            tag("a", "x", href='"><i>', class_="y", aria_label="z"),
            '<a href="&quot;&gt;&lt;i&gt;" class="y" aria-label="z">x</a>',
        ),
        (tag("details", open=True), "<details open></details>"),
        (tag("details", open=False, id=None), "<details></details>"),
        (tag("input", type="search"), '<input type="search">'),
        (tag("p", "nul \0, half \ud800, bell \x07, tab \t"), "<p>nul �, half �, bell �, tab \t</p>"),
        (joined(Markup("<b>x</b>"), "<"), "<b>x</b>&lt;"),
    ],
)
def test_tags(made: Markup, html: str) -> None:
    assert made == html


def test_a_table_names_itself_and_its_rows() -> None:
    made = table("Runs", ("job", "mean"), [("0", Cell("0.500", 0.5)), ("1", Cell("–", None))], sortable=True)
    assert '<caption class="unseen">Runs</caption>' in made
    assert '<th scope="col">job</th><th scope="col" class="number">mean</th>' in made
    assert '<th scope="row">0</th><td class="number" data-value="0.5">0.500</td>' in made
    assert '<td class="number" data-value="">–</td>' in made
    assert "data-sortable" in made


def test_a_page_allows_its_own_script_only() -> None:
    import base64
    import hashlib
    import re

    made = page("<title>", tag("h1", "x"), [("one", "One", tag("p", "y")), ("none", "None", joined())], tag("p", "z"))
    script = re.search(r"<script>(.*)</script>", made, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}';" in made
    assert "<title>&lt;title&gt;</title>" in made
    assert 'href="#one"' in made
    assert 'id="none"' not in made  # a section without content is neither there nor linked
    assert 'id="queries-data"' not in made


def test_the_data_cannot_end_its_element() -> None:
    from assay.reports.html.asked import Asked

    text = "</script><script>alert(1)</script><!-- &amp; \u2028 \ud800"
    one = Asked(text, text, text, True, True, None, {"recall@5": 0.0}, (), 0, (), 1, ())
    held = island([one], [0], ["recall@5"], 1, None)
    assert "<" not in held.text
    assert "\u2028" not in held.text
    read = json.loads(held.text)
    assert read["rows"][0][0] == text.replace("\ud800", "�")
    assert held.text.encode("utf-8")
