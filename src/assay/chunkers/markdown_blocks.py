"""Where the blocks of a Markdown text begin: headings, paragraphs, tables, lists, code.

CommonMark with GitHub's tables, read by markdown-it-py, whose block tokens say which lines they stand on. Every text is
Markdown; one without any mark-up is a row of paragraphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST_HEADING = 200
_LINE_END = regex.compile(r"\r\n?|\n")
_FRONT_MATTER = regex.compile(r"---[ \t]*+\n(?:[^\S\n]*+\S[^\n]*+\n)*?(?:---|\.\.\.)[ \t]*+(?:\n|\Z)")
_NO_PARTS = frozenset({"inline", "thead_open", "tbody_open", "tr_open"})


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside lists and quotes: ``text[start:end]`` are its lines, less the indentation of the first.

    ``level`` is 1 to 6, ``title`` its words without mark-up.
    """

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Blocks:
    """``starts[d]`` are the offsets where parts begin that lie ``d`` deep, rising.

    Depth 0 are the blocks of the text. Deeper are the items of a list, the blocks of an item or a quote, the rows of a
    table behind the first (its head stays with that), the lines of code and of HTML. A paragraph right behind a heading
    has no start of its own.
    """

    headings: tuple[Heading, ...]
    starts: tuple[tuple[int, ...], ...]


@lru_cache(maxsize=1)  # the pieces of a text, and then the headings above them
def blocks_of(text: str) -> Blocks:
    """The blocks of ``text``; offsets are code points of ``text`` as it is."""
    lines = [0, *(match.end() for match in _LINE_END.finditer(text))]
    plain = _LINE_END.sub("\n", text)
    front = _FRONT_MATTER.match(plain)
    if front is not None:  # YAML, whose comments would be headings
        plain = "\n" * front[0].count("\n") + plain[front.end() :]
    tokens: list[Token] = []
    parser = _parser()
    parser.block.parse(plain, parser, {}, tokens)

    def at(line: int) -> int:
        return lines[line] if line < len(lines) else len(text)

    headings: list[Heading] = []
    starts: list[set[int]] = []
    for depth, line in _parts(tokens):
        while len(starts) <= depth:
            starts.append(set())
        starts[depth].add(at(line))
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            start, end = at(token.map[0]), at(token.map[1])
            title = _title(inline.content)
            if len(title) <= LONGEST_HEADING:  # a paragraph above a line of dashes is a heading by the letter
                indent = len(text[start:end]) - len(text[start:end].lstrip())
                headings.append(Heading(start + indent, end, int(token.tag[1:]), title))
    return Blocks(tuple(headings), tuple(tuple(sorted(each)) for each in starts))


def _parts(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """Depth and first line of every part, in order."""
    behind_heading = False
    for token in tokens:
        if token.map is None or token.type in _NO_PARTS:
            continue
        first, last = token.map
        if not (behind_heading and token.type == "paragraph_open"):
            yield token.level, first
        yield from ((token.level + 1, line) for line in _inner_lines(token.type, first, last))
        behind_heading = token.type == "heading_open" and token.level == 0


def _inner_lines(kind: str, first: int, last: int) -> range:
    """Lines of a block at which it can be parted: those of a table behind its first row, of code, of HTML."""
    if kind == "table_open":
        return range(first + 3, last)
    if kind == "fence":
        return range(first + 2, last - 1)  # the fences stay with the code next to them
    if kind in {"code_block", "html_block"}:
        return range(first + 1, last)
    return range(0)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable("reference")


def _title(source: str) -> str:
    """The words of a heading: no mark-up, no addresses of links, white space as single spaces."""
    return " ".join("".join(_words(_parser().parseInline(source))).split())


def _words(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in {"text", "code_inline", "text_special"}:
            yield token.content
        elif token.type in {"softbreak", "hardbreak"}:
            yield " "
        yield from _words(token.children or [])
