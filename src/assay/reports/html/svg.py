"""A matplotlib figure as SVG that belongs to its page: the page's colours and fonts, a name for screen readers.

Why matplotlib: it draws what a page without a chart script needs (20 ms and 8 kB a chart), stands beside most of
Python's science already, and has been kept up for two decades. A script that draws in the page would cost 1.3 MB
(bokeh) or 4.8 MB (plotly) a file, Vega's renderer 84 MB on disk and twice the memory.

Colours are drawn as stand-ins and written as CSS variables, so that light, dark and print each have their own. A mark
can carry a tip for a pointer; for everybody the values stand in the table that goes with each chart.
"""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from assay.reports.html.markup import Markup, clean, escaped, tag

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS_AN_INCH = 72
NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
# A role, its stand-in while drawing, and the colour where no page defines the variable (a notebook). Stand-ins differ
# from each other and from any colour that matplotlib uses by itself.
COLOURS: Mapping[str, tuple[str, str]] = {
    "ink": ("#010101", "currentColor"),
    "soft": ("#010102", "#7a828c"),
    "line": ("#010103", "#9aa2ac66"),
    "bare": ("#010104", "none"),
    **{
        f"c{i}": (f"#0102{i:02d}", colour)
        for i, colour in enumerate(
            ("#3d78c2", "#c46a1c", "#2f8a5b", "#9a5bb5", "#b8473f", "#71808f", "#a58518", "#2b8a99"), 1
        )
    },
}
SERIES = tuple(f"c{i}" for i in range(1, 9))
_STANDS_FOR = {stand_in: (role, plain) for role, (stand_in, plain) in COLOURS.items()}
_KEPT_STYLES = frozenset(
    ("fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity")
) | {"font-size", "text-anchor"}
_SIZE = re.compile(r"([\d.]+)px")
_NUMBER = re.compile(r"-?\d+\.\d+")


def colour(role: str) -> str:
    """The stand-in that matplotlib draws ``role`` with."""
    return COLOURS[role][0]


class Canvas:
    """A figure of ``width`` x ``height`` CSS pixels, scaled to its place on the page, and its ``axes``.

    Draw inside ``with Canvas(…) as canvas``, where matplotlib's settings are the page's.
    """

    figure: Figure
    axes: Axes

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.tips: list[str] = []

    def __enter__(self) -> Canvas:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        self._settings = _settings()
        self._settings.__enter__()
        size = (self.width / POINTS_AN_INCH, self.height / POINTS_AN_INCH)
        self.figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(self.figure)
        self.axes = self.figure.subplots()
        self.axes.set_axisbelow(True)
        self.axes.spines[["top", "right"]].set_visible(False)
        return self

    def __exit__(self, *raised: object) -> None:
        self._settings.__exit__(*raised)

    def tip(self, artist: Artist, text: str) -> None:
        """Let ``artist`` tell ``text`` where a pointer rests on it."""
        artist.set_gid(f"tip-{len(self.tips)}")
        self.tips.append(text)

    def svg(self, key: str, title: str, description: str) -> Markup:
        """The chart; ``key`` is unlike any other chart's on the page."""
        out = io.StringIO()
        with warnings.catch_warnings():
            # Scripts that the measuring font lacks are drawn by the reader's fonts.
            warnings.filterwarnings("ignore", message=".*[Gg]lyph")
            self.figure.savefig(out, format="svg", metadata=NO_METADATA)
        return _as_page_svg(clean(out.getvalue()), key, title, description, self.tips)


def _settings() -> Any:
    import matplotlib

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells about its font cache
    ink, soft, line, bare = (colour(role) for role in ("ink", "soft", "line", "bare"))
    return matplotlib.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "assay",
            "text.parse_math": False,
            "text.color": ink,
            "font.family": "sans-serif",
            "font.sans-serif": ["DejaVu Sans"],
            "font.size": 12,
            "figure.facecolor": bare,
            "axes.facecolor": bare,
            "savefig.facecolor": bare,
            "savefig.edgecolor": bare,
            "axes.edgecolor": soft,
            "axes.labelcolor": ink,
            "axes.labelsize": 12,
            "axes.linewidth": 1,
            "axes.unicode_minus": True,
            "xtick.color": soft,
            "ytick.color": soft,
            "xtick.labelcolor": ink,
            "ytick.labelcolor": ink,
            "xtick.labelsize": 11.5,
            "ytick.labelsize": 11.5,
            "grid.color": line,
            "grid.linewidth": 1,
            "legend.frameon": False,
            "legend.fontsize": 11.5,
            "lines.linewidth": 2,
        }
    )


def _as_page_svg(drawn: str, key: str, title: str, description: str, tips: Sequence[str]) -> Markup:
    """matplotlib's file as an element of a page: no ids that could clash, colours as variables, a name, tips."""
    ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(drawn.encode("utf-8"))
    for child in list(root):
        if child.tag.endswith("metadata") or (child.tag == f"{SVG}defs" and child.find(f"{SVG}style") is not None):
            root.remove(child)
    renamed = {
        element.get("id", ""): f"{key}-{number}"
        for number, element in enumerate(root.iter())
        if element.tag in {f"{SVG}clipPath", f"{SVG}path"} and element.get("id")
    }
    for element in root.iter():
        _tidy(element, renamed, tips)
    box = root.get("viewBox", "")
    inner = "".join(ElementTree.tostring(child, encoding="unicode") for child in root)
    inner = inner.replace(' xmlns="http://www.w3.org/2000/svg"', "").replace(
        ' xmlns:xlink="http://www.w3.org/1999/xlink"', ""
    )
    inner = re.sub(r">\s+<", "><", inner.replace("xlink:href", "href"))
    names = tag("title", title, id=f"{key}-t") + tag("desc", description, id=f"{key}-d")
    return Markup(
        f'<svg class="chart" role="img" viewBox="{box}" aria-labelledby="{escaped(key)}-t {escaped(key)}-d">'
        f"{names}{inner}</svg>"
    )


def _tidy(element: ElementTree.Element, renamed: Mapping[str, str], tips: Sequence[str]) -> None:
    name = element.get("id")
    if name is not None:
        if name.startswith("tip-"):
            told = ElementTree.Element(f"{SVG}title")
            told.text = clean(tips[int(name.removeprefix("tip-"))])
            element.insert(0, told)
        if name in renamed:
            element.set("id", renamed[name])
        else:
            del element.attrib["id"]
    if LINK in element.attrib:
        element.set(LINK, "#" + renamed[element.attrib[LINK][1:]])
    for attribute in ("d", "x", "y", "width", "height", "transform", "points"):
        if attribute in element.attrib:
            text = _NUMBER.sub(lambda found: f"{float(found[0]):.1f}", element.attrib[attribute])
            element.set(attribute, " ".join(text.split()))
    if element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    if "clip-path" in element.attrib:
        clip = element.attrib["clip-path"].removeprefix("url(#").removesuffix(")")
        element.set("clip-path", f"url(#{renamed[clip]})")
    if "style" in element.attrib:
        element.set("style", _styled(element.attrib["style"]))
    if element.text is not None and not element.text.strip():
        element.text = None


def _styled(style: str) -> str:
    """matplotlib's style with the page's colours; the font's family is the page's."""
    parts = []
    for part in style.split(";"):
        name, _, value = (piece.strip() for piece in part.partition(":"))
        if name == "font":
            name, value = "font-size", f"{_SIZE.findall(value)[0]}px"
        if name not in _KEPT_STYLES or (name.endswith("opacity") and value == "1"):
            continue
        role, plain = _STANDS_FOR.get(value, ("", value))
        parts.append(f"{name}:var(--{role},{plain})" if role and role != "bare" else f"{name}:{plain}")
    return ";".join(parts)
