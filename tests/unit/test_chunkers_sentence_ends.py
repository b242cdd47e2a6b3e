"""Where sentences end: each row is a text whose sentences are written with a bar between them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from assay.chunkers.breaks import line_breaks, paragraph_breaks, word_breaks
from assay.chunkers.sentence_ends import sentence_ends

ROWS = {
    "plain": "One. |Two! |Three? |Four",
    "runs of marks": "What?! |No... |Yes!!! |So",
    "small letters after ! and ?": "Really? |yes! |oh! |No",
    "an ellipsis after an initial": "It was K... |Then.",
    "ellipsis inside": "Wait... what? |Well… maybe. |Well… |Maybe.",
    "quotes": "“Go.” |He went. |'Stop!' |She left. |„Ja.“ |Nein. |«Oui.» |Non.",
    "a quote within": '"Why?" she asked. |"No!" |He ran.',
    "brackets": "(See it.) |Then (really!) go. |Note.[1] |Next.",
    "markdown": "**Done.** |Next _one._ |Last",
    "decimals and versions": "It costs 3.14 euros. |Use v1.2.3 now. |In 2003. |Then.",
    "urls and mail": "See https://a.org/x?q=1.5&b=c. |Mail a.b@c.de now. |Open www.a.org/b.html today.",
    "titles": "Dr. Smith met Mrs. Jones and Prof. Li. |They spoke to St. John (Mr. Doe).",
    "dotted": "Use e.g. Lucene, i.e. BM25, at 5 p.m. Monday. |The U.S. Army left.",
    "initials": "J. K. Rowling met J.R.R. Tolkien. |He left.",
    "before numbers": "See Fig. 3 and No. 5, p. 7, Jan. 9. |He said no. |Fig. |Art.",
    "german": "Das ist z. B. gut, d.h. Nr. 5 bzw. Abs. 2 gilt vgl. Müller. |Am 3. Oktober ist frei. |Ende.",
    "list numbers": "1. Open it. |Close it.\n|2. Eat. |3 is left.\n  a. Rest\niv. Sleep. |Done",
    "small letters go on": "The approx. five qqv. seven. |End.",
    "a stop after a space": "The wing . |The flow . |End",
    "no capitals at all": "the wing . |the flow. |it ends",
    "blank lines": "A title\n\n|Text without end\n \t\n|More\r\n\r\n|And\u2029|last",
    "a single line break is none": "A line\nand another. |Then\none",
    "hindi": "यह घर है।|वह नदी है। |क्या यह सच है? |हाँ॥|डॉ. शर्मा आए।",
    "hindi with closers": "“आओ।” |वह बोला (हाँ।) |ठीक",
    "chinese": "他来了。|她走了！|真的？|「好。」|是吗?|好。”|完",
    "full width stops": "これは３．１４です．|次です｡|終",
    "arabic": "هل هذا صحيح؟ |نعم. |لا؟|حسنا",
    "urdu": "یہ گھر ہے۔|وہ آیا۔ |اچھا",
    "others": "Բարև։|Ինչ։ |ကောင်း။|ជា។|ሰላም።|x",
    "marks on marks": "One?\u0301 |Two",
    "nothing": "",
    "only a mark": ".",
    "white space around": "  One. |Two.  ",
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_sentences_end_where_the_bars_are(row: str) -> None:
    text = row.replace("|", "")
    bounds = [0, *sentence_ends(text), len(text)]
    assert [text[a:b] for a, b in pairwise(bounds)] == row.split("|")


@pytest.mark.parametrize(
    ("breaks", "row"),
    [
        (paragraph_breaks, "\n\na\nb\n\n  |c\n \n\n|d\u2029|e\n\n"),
        (line_breaks, "\na\n|b\r\n|\r\n|c\u2028|d\x85|e\n"),
        (word_breaks, "well |(known) – |«café» |3.14 |“漢|字”、|「か"),
    ],
)
def test_breaks_are_where_the_bars_are(breaks: Callable[[str], list[int]], row: str) -> None:
    text = row.replace("|", "")
    bounds = [0, *breaks(text), len(text)]
    assert [text[a:b] for a, b in pairwise(bounds)] == row.split("|")
