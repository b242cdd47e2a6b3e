"""A whole page: template, style, script and data in one file that asks nothing of anybody."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from string import Template

from assay.reports.html.markup import Markup, escaped, joined, tag


def page(title: str, header: Markup, sections: list[tuple[str, str, Markup]], footer: Markup, island: str = "") -> str:
    """The HTML of a page with ``sections`` (id, heading, content), linked from the top; ``island`` is its JSON."""
    script, style = _file("page.js"), _file("page.css")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    kept = [section for section in sections if section[2]]
    links = tag("ul", *(tag("li", tag("a", heading, href=f"#{key}")) for key, heading, _ in kept))
    body = joined(
        tag("header", header, tag("nav", links, aria_label="Sections")),
        tag(
            "main",
            *(
                tag("section", tag("h2", heading, id=f"{key}-h"), content, id=key, aria_labelledby=f"{key}-h")
                for key, heading, content in kept
            ),
            id="content",
            tabindex=-1,
        ),
        tag("footer", footer),
    )
    data = tag("script", Markup(island), type="application/json", id="queries-data") if island else ""
    return Template(_file("page.html")).substitute(
        policy=policy, title=escaped(title), style=style, body=body, island=data, script=script
    )


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
