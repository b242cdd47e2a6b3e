"""The option ``markdown`` on texts that a person can cut by hand; tokens are words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.chunkers import MarkdownChunker
from assay.words import word_spans


def cut(text: str, size: int, overlap: int = 0) -> list[str]:
    return [text[piece.start : piece.end] for piece in MarkdownChunker(size, overlap).pieces(text, word_spans)]


# Words: 1 | 1 + 2 | 1 + 3, 1 + 2 | 1 + 4
SECTIONS = "intro\n\n# A\n\na a\n\n# B\n\nb b b\n\n## C\n\nc c\n\n# D\n\nd d d d\n"


@pytest.mark.parametrize(
    ("size", "pieces"),
    [
        (16, [SECTIONS.strip()]),
        (11, ["intro\n\n# A\n\na a\n\n# B\n\nb b b\n\n## C\n\nc c", "# D\n\nd d d d"]),
        # B and its subsection are one child of the document: they join A only as a whole.
        (10, ["intro\n\n# A\n\na a", "# B\n\nb b b\n\n## C\n\nc c", "# D\n\nd d d d"]),
        # B's own text is over, C stands alone: D is no sibling of it, and joins none.
        (5, ["intro\n\n# A\n\na a", "# B\n\nb b b", "## C\n\nc c", "# D\n\nd d d d"]),
        # A sentence is rather kept whole than with its heading.
        (4, ["intro\n\n# A\n\na a", "# B\n\nb b b", "## C\n\nc c", "# D", "d d d d"]),
        (3, ["intro", "# A\n\na a", "# B", "b b b", "## C\n\nc c", "# D\n\nd d", "d d"]),
    ],
)
def test_a_heading_begins_a_piece_unless_small_sections_fit_together(size: int, pieces: list[str]) -> None:
    assert cut(SECTIONS, size) == pieces


def test_a_heading_alone_goes_with_the_deeper_one_behind_it() -> None:
    text = "# A\n\n## B\n\nb b b\n\n## C\n\nc c c\n"
    assert cut(text, 5) == ["# A\n\n## B\n\nb b b", "## C\n\nc c c"]
    assert cut(text, 2) == ["# A\n\n## B", "b b", "b", "## C\n\nc", "c c"]


def test_underlined_headings_too() -> None:
    assert cut("One\n===\n\na a a\n\nTwo\n---\n\nb b b\n", 5) == ["One\n===\n\na a a", "Two\n---\n\nb b b"]


def test_what_only_looks_like_a_heading_begins_nothing() -> None:
    for text in ("a\n#b\nc", "a\n```\n# b\n```\nc", "- a\n  # b\n- c", "> a\n> # b\n\nc"):
        assert cut(text, 3) == [text]


TABLE = "| k | v |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |"
LIST = "- a a\n- b b\n  - c c\n- d d"
CODE = "```\na a\nb b\n\nc c\nd d\n```"
INDENTED = "    a a\n    b b\n    c c\n    d d"
QUOTE = "> a a\n>\n> b b\n>\n> c c\n>\n> d d"


@pytest.mark.parametrize("block", [TABLE, LIST, CODE, INDENTED, QUOTE])
def test_blocks_stay_whole_where_they_fit(block: str) -> None:
    """A paragraph of one to seven words before it: the block of eight words never starts in the same piece, but whole."""
    for words in range(1, 8):
        before = " ".join("w" * words)
        pieces = cut(f"{before}\n\n{block}\n\nend\n", 8)
        assert pieces == [before, block.strip(), "end"]


@pytest.mark.parametrize(
    ("block", "size", "pieces"),
    [
        # The head of a table stays with its first row.
        (TABLE, 6, ["| k | v |\n|---|---|\n| a | 1 |\n| b | 2 |", "| c | 3 |"]),
        (TABLE, 4, ["| k | v |\n|---|---|\n| a | 1 |", "| b | 2 |\n| c | 3 |"]),
        (TABLE, 3, ["| k | v |\n|---|---|", "| a | 1 |", "| b | 2 |", "| c | 3 |"]),
        (TABLE, 1, ["| k |", "v |\n|---|---|", "| a |", "1 |", "| b |", "2 |", "| c |", "3 |"]),
        # Items, then what lies in an item.
        (LIST, 6, ["- a a\n- b b\n  - c c", "- d d"]),
        (LIST, 4, ["- a a", "- b b\n  - c c", "- d d"]),
        (LIST, 3, ["- a a", "- b b", "- c c", "- d d"]),
        # Lines of code; the fences stay with their neighbours.
        (CODE, 6, ["```\na a\nb b\n\nc c", "d d\n```"]),
        (CODE, 5, ["```\na a\nb b", "c c\nd d\n```"]),
        (INDENTED, 5, ["a a\n    b b", "c c\n    d d"]),
        (QUOTE, 5, ["> a a\n>\n> b b\n>", "> c c\n>\n> d d"]),
    ],
)
def test_what_does_not_fit_is_cut_at_its_own_joints(block: str, size: int, pieces: list[str]) -> None:
    assert cut(block, size) == pieces


def test_the_head_of_a_table_and_a_fence_stay_with_what_follows() -> None:
    head, rest = "| k | v |\n|---|---|\n| a | 1 |\n| b | 2 |", "| c | 3 |"
    assert cut(f"one two three four\n\n{TABLE}", 6) == ["one two three four", head, rest]
    assert cut(f"one two three four five\n\n{CODE}", 6) == [
        "one two three four five",
        "```\na a\nb b\n\nc c",
        "d d\n```",
    ]


def test_a_long_paragraph_is_cut_between_sentences_then_words() -> None:
    text = "# Head\n\nOne two three. Four\nfive. Six seven eight nine ten.\n"
    assert cut(text, 5) == ["# Head\n\nOne two three.", "Four\nfive.", "Six seven eight nine ten."]
    assert cut(text, 4) == ["# Head\n\nOne two three.", "Four\nfive. Six seven", "eight nine ten."]


def test_a_paragraph_stays_with_its_heading_but_a_table_that_fits_is_not_cut_for_it() -> None:
    assert cut(f"# Head\n\n{TABLE}\n", 8) == ["# Head", TABLE]
    assert cut("# Head\n\nOne two. Three four.\n", 4) == ["# Head\n\nOne two.", "Three four."]


def test_overlap_is_whole_units_within_a_section() -> None:
    text = "# A\n\na a\n\nb b\n\nc c\n\n# D\n\nd d d d"
    assert cut(text, 5, 2) == ["# A\n\na a\n\nb b", "b b\n\nc c", "# D\n\nd d d d"]
    assert cut(TABLE, 6, 2) == ["| k | v |\n|---|---|\n| a | 1 |\n| b | 2 |", "| b | 2 |\n| c | 3 |"]


def test_plain_text_falls_into_paragraphs_and_sentences() -> None:
    text = "One two. Three four five.\n\nSix seven.\n\nEight nine ten eleven."
    assert cut(text, 7) == ["One two. Three four five.\n\nSix seven.", "Eight nine ten eleven."]
    assert cut(text, 4) == ["One two.", "Three four five.", "Six seven.", "Eight nine ten eleven."]
    assert cut("यह घर है। वह नदी है।", 3) == ["यह घर है।", "वह नदी है।"]


def test_front_matter_has_no_headings() -> None:
    text = "---\n# no\ntitle: x\n---\n# A\n\na a a\n"
    assert cut(text, 4) == ["---\n# no\ntitle: x\n---", "# A\n\na a a"]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_every_kind(end: str) -> None:
    assert cut(SECTIONS.replace("\n", end), 5) == [piece.replace("\n", end) for piece in cut(SECTIONS, 5)]


BLOCKS = st.integers(1, 6).flatmap(
    lambda n: st.sampled_from(
        [
            "| h |\n|---|\n" + "\n".join(f"| r{i} |" for i in range(n)),
            "\n".join(f"- i{i} i" for i in range(n)),
            "```\n" + "\n".join(f"c{i} c" for i in range(n)) + "\n```",
            "# head " + "x " * (n - 1),
            "p " * n,
            "One two. " * n,
        ]
    )
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(blocks=st.lists(BLOCKS, min_size=1, max_size=8), size=st.integers(4, 16), data=st.data())
def test_every_block_that_fits_lies_in_one_piece(blocks: list[str], size: int, data: st.DataObject) -> None:
    """Blocks apart from each other by a rule, which is no word, so that two lists don't become one."""
    separator = "\n\n<!-- -->\n\n"
    text = separator.join(blocks)
    overlap = data.draw(st.integers(0, size - 1))
    pieces = MarkdownChunker(size, overlap).pieces(text, word_spans)
    at = 0
    for block in blocks:
        start, end = at, at + len(block.rstrip())
        at += len(block) + len(separator)
        if len(word_spans(block)) <= size:
            assert any(piece.start <= start and end <= piece.end for piece in pieces), block
