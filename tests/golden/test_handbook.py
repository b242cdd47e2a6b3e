"""The bundled sets ``handbook`` and ``handbook_hi``: all that a program can hold them to. No model runs here.

What a program cannot hold (that every label is true, that no other document answers) was read for; the sets'
cards say how.
"""

from __future__ import annotations

import json
import re
import statistics
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from assay import load_golden_set
from assay.words import terms, word_spans

DATA = Path(__file__).parents[2] / "data"
FILES = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "spans.jsonl")

TYPES = [
    "lookup",
    "paraphrase",
    "numeric_table",
    "procedure",
    "multi_document",
    "comparison",
    "exception",
    "regional",
    "short_query",
    "unanswerable",
    "hinglish",
    "cross_lingual",
]
ENGLISH_TYPES = TYPES[:10]

DOCUMENT_KEYS = ["_id", "title", "text", "metadata"]
DOCUMENT_METADATA = ["department", "region", "year", "status", "kind", "language"]
QUERY_KEYS = ["_id", "text", "metadata"]
QUERY_METADATA = ["type", "answerable", "region", "language"]
SPAN_KEYS = ["query-id", "corpus-id", "start", "end", "group"]

STATUSES = {"current", "superseded"}
KINDS = {"policy", "procedure", "table", "faq", "announcement", "form", "minutes", "guide"}


@dataclass(frozen=True)
class Expected:
    """What differs between the two sets."""

    documents: int  # at least
    words: tuple[int, int]  # of a document, from and to
    median_above: int
    queries: int  # at least
    unanswerable: int  # at least
    share: tuple[float, float]  # of the unanswerable, from and to
    types: dict[str, int]  # each at least so often
    document_languages: set[str]
    query_languages: set[str]
    regions: set[str] | None  # None: any short code


HANDBOOK = Expected(
    documents=60,
    words=(400, 1500),
    median_above=550,
    queries=150,
    unanswerable=12,
    share=(0.14, 0.20),
    types=dict.fromkeys(ENGLISH_TYPES, 12),
    document_languages={"en"},
    query_languages={"en"},
    regions={"global", "de", "in", "pt", "ca"},
)
HANDBOOK_HI = Expected(
    documents=24,
    words=(150, 600),
    median_above=0,
    queries=70,
    unanswerable=12,
    share=(0.10, 0.30),
    types={"unanswerable": 12, "hinglish": 5, "cross_lingual": 5},
    document_languages={"hi", "en"},
    query_languages={"hi", "hi-Latn", "en"},
    regions=None,
)
EXPECTED = {"handbook": HANDBOOK, "handbook_hi": HANDBOOK_HI}


class Bundled:
    """A set as its files say it, read without assay's own reader."""

    def __init__(self, name: str) -> None:
        self.folder = DATA / name
        self.expected = EXPECTED[name]

    def text(self, file: str) -> str:
        return (self.folder / file).read_bytes().decode("utf-8")

    def rows(self, file: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text(file).splitlines()]

    @cached_property
    def documents(self) -> dict[str, dict[str, Any]]:
        return {row["_id"]: row for row in self.rows("corpus.jsonl")}

    @cached_property
    def queries(self) -> dict[str, dict[str, Any]]:
        return {row["_id"]: row for row in self.rows("queries.jsonl")}

    @cached_property
    def spans(self) -> list[dict[str, Any]]:
        return self.rows("spans.jsonl")

    @cached_property
    def judgements(self) -> list[tuple[str, str, int]]:
        _, *lines = self.text("qrels/test.tsv").splitlines()
        return [(query, doc, int(grade)) for query, doc, grade in (line.split("\t") for line in lines)]

    @cached_property
    def grades(self) -> dict[tuple[str, str], int]:
        return {(query, doc): grade for query, doc, grade in self.judgements}

    def of(self, query: str) -> list[dict[str, Any]]:
        return [span for span in self.spans if span["query-id"] == query]

    def passage(self, span: dict[str, Any]) -> str:
        return str(self.documents[span["corpus-id"]]["text"][span["start"] : span["end"]])

    def answerable(self) -> Iterator[tuple[str, str, str]]:
        for query, row in self.queries.items():
            if row["metadata"]["answerable"]:
                yield query, row["metadata"]["type"], row["text"]

    @cached_property
    def stems_of_documents(self) -> Counter[str]:
        """In how many documents a stem occurs."""
        return Counter(stem for row in self.documents.values() for stem in stems(row["title"] + " " + row["text"]))


@cache
def bundled(name: str) -> Bundled:
    return Bundled(name)


@pytest.fixture(params=sorted(EXPECTED))
def golden(request: pytest.FixtureRequest) -> Bundled:
    return bundled(request.param)


@pytest.fixture
def handbook() -> Bundled:
    return bundled("handbook")


@pytest.fixture
def handbook_hi() -> Bundled:
    return bundled("handbook_hi")


def stems(text: str) -> set[str]:
    """Words without their English endings, coarse enough that ``booked`` and ``bookings`` meet."""
    return {re.sub(r"(?<=\w{3})(?:ations?|ments?|ings?|ied|ies|ers?|est|ed|es|ly|s|e|y)$", "", t) for t in terms(text)}


def runs_of_four(text: str) -> set[tuple[str, ...]]:
    words = terms(text)
    return {tuple(words[i : i + 4]) for i in range(len(words) - 3)}


# --------------------------------------------------------------------------------------------- files


def test_assay_loads_it(golden: Bundled) -> None:
    loaded = load_golden_set(golden.folder)
    assert loaded.counts.documents == len(golden.documents)
    assert loaded.counts.total == len(golden.queries)
    assert loaded.counts.judgements == len(golden.judgements)
    assert loaded.counts.spans == len(golden.spans)
    assert (loaded.counts.unjudged, loaded.counts.empty_documents, loaded.dropped) == (0, 0, ())


@pytest.mark.parametrize("file", FILES)
def test_encoding(golden: Bundled, file: str) -> None:
    raw = (golden.folder / file).read_bytes()
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in raw
    assert raw.endswith(b"\n")
    assert not raw.endswith(b"\n\n")
    text = raw.decode("utf-8")
    assert "\ufffd" not in text
    assert {c for c in text if unicodedata.category(c) == "Cc"} <= {"\n", "\t"}
    assert unicodedata.is_normalized("NFC", text)
    assert r"\u" not in text, "written as characters, not as escapes"


def test_keys_and_their_order(golden: Bundled) -> None:
    for document in golden.rows("corpus.jsonl"):
        assert list(document) == DOCUMENT_KEYS
        assert list(document["metadata"]) == DOCUMENT_METADATA, document["_id"]
    for query in golden.rows("queries.jsonl"):
        assert list(query) == QUERY_KEYS
        region = ["region"] if "region" in query["metadata"] else []
        assert list(query["metadata"]) == ["type", "answerable", *region, "language"], query["_id"]
    for span in golden.spans:
        assert list(span) == SPAN_KEYS[: len(span)]
    assert golden.text("qrels/test.tsv").splitlines()[0] == "query-id\tcorpus-id\tscore"


def test_order(golden: Bundled) -> None:
    """Documents by id; queries numbered on, type after type; judgements and spans in the queries' order."""
    documents = [row["_id"] for row in golden.rows("corpus.jsonl")]
    assert documents == sorted(set(documents))

    queries = [row["_id"] for row in golden.rows("queries.jsonl")]
    assert queries == [f"q{number:03d}" for number in range(1, len(queries) + 1)]
    places = [TYPES.index(row["metadata"]["type"]) for row in golden.queries.values()]
    assert places == sorted(places)

    assert golden.judgements == sorted(set(golden.judgements), key=lambda j: (j[0], -j[2], j[1]))
    assert len(golden.grades) == len(golden.judgements)
    assert [span["query-id"] for span in golden.spans] == sorted(span["query-id"] for span in golden.spans)


# ----------------------------------------------------------------------------------------- documents


def test_lengths_of_documents(golden: Bundled) -> None:
    words = {doc: len(row["text"].split()) for doc, row in golden.documents.items()}
    least, most = golden.expected.words
    assert len(words) >= golden.expected.documents
    assert {doc: n for doc, n in words.items() if not least <= n <= most} == {}
    assert statistics.median(words.values()) > golden.expected.median_above


def test_metadata_of_documents(golden: Bundled) -> None:
    for doc, row in golden.documents.items():
        metadata = row["metadata"]
        assert metadata["department"].strip(), doc
        assert metadata["status"] in STATUSES, doc
        assert metadata["kind"] in KINDS, doc
        assert metadata["language"] in golden.expected.document_languages, doc
        assert type(metadata["year"]) is int, doc
        assert 2010 <= metadata["year"] <= 2027, doc
        if golden.expected.regions is None:
            assert re.fullmatch(r"[a-z][a-z-]*", metadata["region"]), doc
        else:
            assert metadata["region"] in golden.expected.regions, doc


def test_documents_are_told_apart(golden: Bundled) -> None:
    for key in ("title", "text"):
        values = Counter(row[key].strip().casefold() for row in golden.documents.values())
        assert values.most_common(1)[0][1] == 1, values.most_common(1)[0][0]
    for doc, row in golden.documents.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", doc)
        assert row["text"] == row["text"].strip(), doc
        assert row["text"].splitlines()[0].lstrip("# ").casefold() != row["title"].casefold(), doc


def test_the_handbook_has_variety(handbook: Bundled) -> None:
    metadata = [row["metadata"] for row in handbook.documents.values()]
    assert {m["region"] for m in metadata} == HANDBOOK.regions
    assert {m["kind"] for m in metadata} == KINDS
    assert {m["status"] for m in metadata} == STATUSES
    assert len({m["department"] for m in metadata}) >= 6


# ----------------------------------------------------------------------------------------- questions


def test_counts_of_questions(golden: Bundled) -> None:
    counts = Counter(row["metadata"]["type"] for row in golden.queries.values())
    assert sum(counts.values()) >= golden.expected.queries
    assert set(counts) <= set(TYPES)
    assert {t: counts[t] for t, least in golden.expected.types.items() if counts[t] < least} == {}
    assert counts["unanswerable"] >= golden.expected.unanswerable
    low, high = golden.expected.share
    assert low <= counts["unanswerable"] / sum(counts.values()) <= high


def test_the_handbook_has_the_ten_types(handbook: Bundled) -> None:
    assert {row["metadata"]["type"] for row in handbook.queries.values()} == set(ENGLISH_TYPES)


def test_metadata_of_questions(golden: Bundled) -> None:
    regions = golden.expected.regions or {row["metadata"]["region"] for row in golden.documents.values()}
    for query, row in golden.queries.items():
        metadata = row["metadata"]
        assert set(metadata) <= set(QUERY_METADATA), query
        assert metadata["answerable"] is (metadata["type"] != "unanswerable"), query
        assert metadata["language"] in golden.expected.query_languages, query
        if "region" in metadata:
            assert metadata["region"] in regions - {"global"}, query
        if metadata["type"] == "regional":
            assert "region" in metadata, query


def test_texts_of_questions(golden: Bundled) -> None:
    texts = Counter(" ".join(terms(row["text"])) for row in golden.queries.values())
    assert texts.most_common(1)[0][1] == 1, texts.most_common(1)[0][0]
    for query, row in golden.queries.items():
        assert row["text"] == row["text"].strip() != "", query
        assert "\n" not in row["text"], query
        if row["metadata"]["type"] == "short_query":
            assert 1 <= len(terms(row["text"])) <= 4, query


def test_languages_of_the_hindi_questions(handbook_hi: Bundled) -> None:
    """Hinglish is Hindi in Latin letters; the cross-lingual questions are English."""
    for query, row in handbook_hi.queries.items():
        language = row["metadata"]["language"]
        devanagari = any("DEVANAGARI" in unicodedata.name(c, "") for c in row["text"])
        assert devanagari is (language == "hi"), query
        if row["metadata"]["type"] == "hinglish":
            assert language == "hi-Latn", query
        if row["metadata"]["type"] == "cross_lingual":
            assert language == "en", query


def test_no_copies_of_four_words(golden: Bundled) -> None:
    copies = [
        (query, run)
        for query, kind, text in golden.answerable()
        if kind != "lookup"
        for span in golden.of(query)
        for run in runs_of_four(text) & runs_of_four(golden.passage(span))
    ]
    assert copies == []


def test_paraphrases_share_no_rare_word_with_their_evidence(handbook: Bundled) -> None:
    """Rare: in fewer than a tenth of the documents, endings aside."""
    rare = {s for s, n in handbook.stems_of_documents.items() if n < len(handbook.documents) / 10}
    shared = {
        (query, word)
        for query, kind, text in handbook.answerable()
        if kind == "paraphrase"
        for span in handbook.of(query)
        for word in stems(text) & stems(handbook.passage(span)) & rare
    }
    assert shared == set()


# ------------------------------------------------------------------------------------------- labels


def test_grades(golden: Bundled) -> None:
    assert {grade for _, _, grade in golden.judgements} <= {1, 2}
    by_query: dict[str, list[int]] = defaultdict(list)
    for query, doc, grade in golden.judgements:
        assert doc in golden.documents, (query, doc)
        by_query[query].append(grade)
    answering = {query for query, grades in by_query.items() if 2 in grades}
    assert answering == set(by_query) == {query for query, _, _ in golden.answerable()}


def test_superseded_documents_answer_only_about_the_past(handbook: Bundled) -> None:
    answered = {
        handbook.queries[query]["metadata"]["type"]
        for query, doc, grade in handbook.judgements
        if grade == 2 and handbook.documents[doc]["metadata"]["status"] == "superseded"
    }
    assert answered == {"comparison"}


def test_every_positive_has_a_span_and_no_other_document_has(golden: Bundled) -> None:
    assert {(span["query-id"], span["corpus-id"]) for span in golden.spans} == set(golden.grades)


def test_spans_are_true_to_the_text(golden: Bundled) -> None:
    words = {doc: word_spans(row["text"]) for doc, row in golden.documents.items()}
    for span in golden.spans:
        passage, length = golden.passage(span), len(golden.documents[span["corpus-id"]]["text"])
        assert 0 <= span["start"] < span["end"] <= length, span
        assert passage == passage.strip(), span
        assert len(passage.split()) <= 45, span
        for edge in (span["start"], span["end"]):
            assert not any(start < edge < end for start, end in words[span["corpus-id"]]), (span, passage)


def test_spans_of_a_document_are_in_order_and_apart(golden: Bundled) -> None:
    places: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for span in golden.spans:
        places[span["query-id"], span["corpus-id"]].append((span["start"], span["end"]))
    for where, found in places.items():
        assert all(a[1] <= b[0] for a, b in pairwise(found)), where


def test_what_only_helps_is_never_needed(golden: Bundled) -> None:
    """The span of a document of grade 1 shares a group with one that answers."""
    for query in golden.queries:
        spans = golden.of(query)
        answering = {s.get("group") for s in spans if golden.grades[query, s["corpus-id"]] == 2}
        for span in spans:
            if golden.grades[query, span["corpus-id"]] == 1:
                assert span.get("group") is not None, span
                assert span["group"] in answering, span


def test_multi_document_questions_need_two_documents(golden: Bundled) -> None:
    """No document holds an alternative of everything that is needed."""
    for query, kind, _ in golden.answerable():
        if kind != "multi_document":
            continue
        needs: dict[object, set[str]] = defaultdict(set)
        for number, span in enumerate(golden.of(query)):
            needs[span.get("group") or number].add(span["corpus-id"])
        assert len(set().union(*needs.values())) >= 2, query
        assert set.intersection(*needs.values()) == set(), query


# ------------------------------------------------------------------------------------------- cards


def test_the_card_counts_right(handbook: Bundled) -> None:
    card = (handbook.folder / "README.md").read_text(encoding="utf-8")
    counts = Counter(row["metadata"]["type"] for row in handbook.queries.values())
    for kind, number in counts.items():
        assert re.search(rf"^\| `{kind}` \| {number} \|", card, re.M), (kind, number)
    for fact in (
        f"{len(handbook.documents)} documents",
        f"{len(handbook.queries)} questions",
        f"{len(handbook.judgements)} labels",
        f"{len(handbook.spans)} spans",
        "CC BY 4.0",
        "Version 1.0",
    ):
        assert fact in card, fact


def test_the_index_names_every_set() -> None:
    index = (DATA / "README.md").read_text(encoding="utf-8")
    for folder in sorted(path.name for path in DATA.iterdir() if path.is_dir()):
        assert f"`{folder}`" in index, folder
    assert len(re.findall(r"^\d+\. \*\*", index, re.M)) == 10, "ten rules"
