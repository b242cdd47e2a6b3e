"""The text of an HTML page as a reader sees it: blocks on lines of their own, scripts and styles gone."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SILENT = {"script", "style", "noscript", "template", "svg"}
_BLOCKS = {
    *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "fieldset", "figcaption", "figure"),
    *("footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre"),
    *("section", "table", "tr", "ul", "body"),
}
_CELLS = {"td", "th"}


def html_text(markup: str) -> tuple[str, str]:
    """The page's title and its text, white space as a browser shows it."""
    parser = _Parser()
    parser.feed(markup)
    parser.close()
    lines = [re.sub(r"[ \t\f\v\n]+", " ", line).strip(" ") for line in "".join(parser.parts).split("\x1e")]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    return " ".join("".join(parser.title).split()), text


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title: list[str] = []
        self._silent = 0
        self._titled = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        elif tag == "title" and not self.title:
            self._titled = True
        elif tag in _BLOCKS:
            self.parts.append("\x1e")
        elif tag in _CELLS:
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "title":
            self._titled = False
        elif tag in _BLOCKS and tag != "br":
            self.parts.append("\x1e")

    def handle_data(self, data: str) -> None:
        if self._titled:
            self.title.append(data)
        elif not self._silent:
            self.parts.append(data.replace("\x1e", " ").replace("\r", "\n"))
