"""The text of an HTML page as a reader sees it: blocks on lines of their own, scripts and styles gone.

Not the standard library's parser: on a page of broken tags its time grows with the square of the page.
"""

from __future__ import annotations

import html
import re

_SILENT = frozenset({"script", "style", "noscript", "template", "svg"})
_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "br", "dd", "div", "dl", "dt", "fieldset", "figcaption"),
        *("figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol"),
        *("p", "pre", "section", "table", "tr", "ul"),
    }
)
_CELLS = frozenset({"td", "th"})
_MARKUP = re.compile(
    r"""<!--|<!\[CDATA\[|<[!?]|<(/?)([A-Za-z][A-Za-z0-9:-]*)(?>[^<>"']+|"[^"]{0,4000}"|'[^']{0,4000}')*+>"""
)
_CLOSING = {"<!--": "-->", "<![CDATA[": "]]>", "<!": ">", "<?": ">"}
_BREAK = "\x1e"


def html_text(markup: str) -> tuple[str, str]:
    """The page's title and its text, white space as a browser shows it.

    What is never closed, a comment or a script, hides nothing: its text is kept.
    """
    parts: list[str] = []
    title = ""
    at = 0
    # A closing mark that isn't there is looked for once only.
    unclosed: set[str] = set()
    for match in _MARKUP.finditer(markup):
        if match.start() < at:
            continue
        name = (match[2] or "").lower()
        end, inner = _extent(markup, match, name, unclosed)
        if end is None:
            continue
        parts.append(_plain(markup[at : match.start()]))
        if name == "title" and not match[1]:
            title = title or " ".join(_plain(inner).split())
        elif name in _BLOCKS and not (match[1] and name == "br"):
            parts.append(_BREAK)
        elif name in _CELLS and not match[1]:
            parts.append(" ")
        at = end
    parts.append(_plain(markup[at:]))
    lines = [re.sub(r"[ \t\f\v\n]+", " ", line).strip(" ") for line in "".join(parts).split(_BREAK)]
    return title, re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _extent(markup: str, match: re.Match[str], name: str, unclosed: set[str]) -> tuple[int | None, str]:
    """Where a piece of markup ends, and the text within where it is one that is taken as a whole."""
    closing = _CLOSING.get(match[0])
    if closing is not None:
        end = -1 if closing in unclosed else markup.find(closing, match.end())
        if end < 0:
            unclosed.add(closing)
            return None, ""
        return end + len(closing), ""
    if match[1] or (name not in _SILENT and name != "title"):
        return match.end(), ""
    found = None if name in unclosed else re.compile(rf"</{name}\s*>", re.IGNORECASE).search(markup, match.end())
    if found is None:
        unclosed.add(name)
        return match.end(), ""
    return found.end(), markup[match.end() : found.start()]


def _plain(text: str) -> str:
    return html.unescape(text).replace(_BREAK, " ").replace("\r", "\n")
