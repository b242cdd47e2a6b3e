"""Charts as parts of a page: its colours, names for screen readers, any text as a label."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from assay.reports.html.svg import COLOURS, Canvas, colour

SVG = "{http://www.w3.org/2000/svg}"


def drawn(key: str = "k", label: str = "x") -> str:
    with Canvas(380, 250) as canvas:
        bar = canvas.axes.bar([0, 1], [1, 2], color=colour("c2"))[0]
        canvas.axes.plot([0, 1], [1, 2], "o-", color=colour("c1"))
        canvas.axes.set_xlabel(label)
        canvas.tip(bar, f"tip of {label}")
        return canvas.svg(key, f"title of {label}", "description")


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def test_colours_are_the_pages() -> None:
    svg = drawn()
    assert not [stand_in for stand_in, _ in COLOURS.values() if stand_in in svg]
    assert "fill:var(--c2,#c46a1c)" in svg
    assert set(re.findall(r"#[0-9a-f]{6}\b", re.sub(r"var\([^)]*\)", "", svg))) == set()


def test_it_has_a_name_and_a_description() -> None:
    root = parsed(drawn("k"))
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "k-t k-d"
    assert [root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")] == ["title of x", "description"]


@pytest.mark.parametrize(
    "label", ["$x^2", "<script>alert(1)</script>", "a & b", "वेतन", "nul \0 bell \x07", "\\frac{", "%d {0}"]
)
def test_any_text_is_a_label(label: str) -> None:
    root = parsed(drawn(label=label))
    shown = re.sub("[\0\x07]", "�", label)
    assert root.findtext(f"{SVG}title") == f"title of {shown}"
    assert f"tip of {shown}" in [title.text for title in root.iter(f"{SVG}title")]
    assert label.isprintable() is False or label in [text.text for text in root.iter(f"{SVG}text")]


def test_ids_of_two_charts_do_not_clash_and_all_uses_are_there() -> None:
    svgs = [drawn("one"), drawn("two")]
    ids = [re.findall(r'\bid="([^"]+)"', svg) for svg in svgs]
    assert not set(ids[0]) & set(ids[1])
    for svg, own in zip(svgs, ids, strict=True):
        assert len(own) == len(set(own))
        assert set(re.findall(r'href="#([^"]+)"', svg)) <= set(own)
        assert set(re.findall(r"url\(#([^)]+)\)", svg)) <= set(own)


def test_equal_charts_are_equal_bytes() -> None:
    assert drawn() == drawn()
