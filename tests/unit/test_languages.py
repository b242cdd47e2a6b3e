"""Words, terms, sentences, chunks, the console and the files in Hindi, Chinese, Japanese, Arabic, Persian, Thai, German, mixed.

What each does in general is tested elsewhere; here the same few things hold for every language.
"""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from rich.cells import cell_len

import assay as library
from assay.chunkers import Chunker, RecursiveChunker, SentencesChunker, TokensChunker
from assay.chunkers.sentence_ends import sentence_ends
from assay.embedders.model_folder import MINILM_PACKAGE
from assay.golden import GoldenParts, load_golden_set, write_golden_set
from assay.golden.lint.wording import spelled_words
from assay.records import Document, Judgement, Query, Span
from assay.reports.text import console, cut_to, plain
from assay.words import terms, word_spans


@dataclass(frozen=True)
class Sample:
    """A text as its sentences (with the space behind them), the words of its first sentence, and some of its terms."""

    sentences: tuple[str, ...]
    words: str
    terms: str

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.sentences)


SAMPLES = {
    "hindi": Sample(
        ("छुट्टी के लिए चार दिन पहले आवेदन करें। ", "मंज़ूरी सेतु में मिलती है! ", "क्यों? ", "नियम १२.५ देखें।"),
        "छुट्टी के लिए चार दिन पहले आवेदन करें",
        "छुट्टी करें मंज़ूरी १२.५",
    ),
    "chinese": Sample(
        ("休假须提前四个工作日申请。", "谁来批准？", "主管批准，然后人事处登记。", "见第3.2条！"),
        "休 假 须 提 前 四 个 工 作 日 申 请",
        "休 休假 申请 3.2",
    ),
    "japanese": Sample(
        ("年次有給休暇は四日前までに申請してください。", "承認は誰がしますか？", "上長です。"),
        "年 次 有 給 休 暇 は 四 日 前 ま で に 申 請 し て く だ さ い",
        "休暇 さい 上長",
    ),
    "arabic": Sample(
        ("يجب تقديم الطلب قبل أربعةِ أيام. ", "من يوافق عليه؟ ", "المديرُ، ثم الإدارة (المادة ٣٫٥)."),
        "يجب تقديم الطلب قبل أربعةِ أيام",
        "الطلب أربعةِ ٣٫٥",
    ),
    "persian": Sample(
        ("درخواست را چهار روز قبل می\u200cفرستید. ", "چه کسی تأیید می\u200cکند؟ ", "مدیر."),
        "درخواست را چهار روز قبل می\u200cفرستید",
        "میفرستید مدیر",
    ),
    "thai": Sample(
        ("ต้องยื่นใบลาล่วงหน้าสี่วัน ใครอนุมัติ? ", "หัวหน้า"),  # a space may end a sentence or not: no mark says so
        "ต้ อ ง ยื่ น ใ บ ล า ล่ ว ง ห น้ า สี่ วั น ใ ค ร อ นุ มั ติ",
        "ต้อ วัน",
    ),
    "german": Sample(
        (
            "Der Antrag geht z. B. am 3. Mai an Frau Dr. Weiß. ",
            "Wer genehmigt ihn? ",
            "Die Leitung, d. h. das Büro in der Straße Nr. 7. ",
            "Übrigens: 1.250,50 € für Müller-Lüdenscheidt!",
        ),
        "Der Antrag geht z B am 3 Mai an Frau Dr Weiß",
        "weiss strasse büro 1.250,50 müller lüdenscheidt",
    ),
    "mixed": Sample(
        ("Leave के लिए 4 दिन पहले apply करें। ", "GPT模型v2です。", "Approval Setu में आता है? ", "هل هو OK؟"),
        "Leave के लिए 4 दिन पहले apply करें",
        "leave apply 模型 v2 です setu ok",
    ),
}
everywhere = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)


@everywhere
def test_sentences(sample: Sample) -> None:
    bounds = [0, *sentence_ends(sample.text), len(sample.text)]
    assert tuple(sample.text[a:b] for a, b in pairwise(bounds)) == sample.sentences


@everywhere
def test_words(sample: Sample) -> None:
    assert [sample.sentences[0][a:b] for a, b in word_spans(sample.sentences[0])] == sample.words.split(" ")


@everywhere
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_terms_are_the_same_in_every_unicode_form(sample: Sample, form: str) -> None:
    found = terms(unicodedata.normalize(form, sample.text))
    assert found == terms(sample.text)
    expected = [unicodedata.normalize("NFKC", term) for term in sample.terms.split(" ")]
    assert [term for term in expected if term not in found] == []


@everywhere
def test_the_words_of_the_lint_are_those_of_the_rule(sample: Sample) -> None:
    spelled = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", sample.text).casefold())
    assert spelled_words(sample.text) == [spelled[a:b] for a, b in word_spans(spelled)]


def chunkers() -> Iterator[Chunker]:
    """Every chunker with a size, small enough to cut these texts."""
    for size, overlap in ((3, 0), (5, 2), (8, 0)):
        yield TokensChunker(size, overlap)
        yield SentencesChunker(size, overlap)
        yield RecursiveChunker(size, overlap)


def check_pieces(text: str, chunker: Chunker, offsets: Callable[[str], list[tuple[int, int]]]) -> None:
    """Pieces cover all that is visible, in order, and part no grapheme cluster."""
    bounds = {0, len(text), *(match.start() for match in regex.finditer(r"\X", text))}
    pieces = chunker.pieces(text, offsets)
    covered = "".join(" " if any(piece.start <= i < piece.end for piece in pieces) else c for i, c in enumerate(text))
    assert covered.strip() == ""
    assert all(piece.start in bounds and piece.end in bounds for piece in pieces)
    assert all(a.start < b.start and a.end < b.end for a, b in pairwise(pieces))


@everywhere
def test_chunks_part_no_cluster_and_lose_nothing(sample: Sample) -> None:
    for chunker in chunkers():
        check_pieces(sample.text, chunker, word_spans)
        check_pieces(unicodedata.normalize("NFD", sample.text), chunker, lambda t: [(i, i + 1) for i in range(len(t))])


@everywhere
def test_sentences_that_fit_are_not_parted(sample: Sample) -> None:
    longest = max(len(word_spans(sentence)) for sentence in sample.sentences)
    pieces = SentencesChunker(longest, 0).pieces(sample.text, word_spans)
    ends, at = set(), 0
    for sentence in sample.sentences:
        at += len(sentence)
        ends.add(len(sample.text[:at].rstrip()))
    assert all(piece.end in ends for piece in pieces)


@everywhere
def test_the_console_shows_it_whole(sample: Sample) -> None:
    assert plain(sample.text) == sample.text


@everywhere
def test_what_is_cut_for_the_console_ends_between_clusters(sample: Sample) -> None:
    bounds = {match.start() for match in regex.finditer(r"\X", sample.text)} | {len(sample.text)}
    for width in range(1, 40):
        cut = cut_to(sample.text, width)
        assert cell_len(cut) <= width
        kept = cut.removesuffix("…")
        assert sample.text.startswith(kept)
        assert len(kept) in bounds


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u200fשלום\u200e", "\u200fשלום\u200e"),  # marks of direction
        ("\u0600١٢ \u06dd٣", "\u0600١٢ \u06dd٣"),  # signs that show, though Unicode calls them format
        ("क्\u200dष می\u200cروم", "क्\u200dष می\u200cروم"),  # joiners
        ("\u202eevil\u202c \u2066x\u2069", "\\u202eevil\\u202c \\u2066x\\u2069"),  # turns what follows around
        ("a\x1b[31mb\nc", "a\\u001b[31mb c"),
    ],
)
def test_format_characters_in_the_console(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [("🇮🇳🇩🇪🇯🇵", 4, "🇮🇳…"), ("क्षक्षक्ष", 4, "क्ष…"), ("e\u0301e\u0301e\u0301", 2, "e\u0301…"), ("漢字かな", 6, "漢字…")],
)
def test_clusters_are_cut_whole(text: str, width: int, shown: str) -> None:
    assert cut_to(text, width) == shown


def test_a_table_keeps_its_columns_under_wide_and_zero_width_characters(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("text", no_wrap=True)
    table.add_column("n")
    for sample in SAMPLES.values():
        table.add_row(Text(cut_to(sample.text, 20)), "|")
    console().print(table)
    lines = capsys.readouterr().out.splitlines()[1:]
    assert len(lines) == len(SAMPLES)
    assert {cell_len(line.rstrip()[:-1]) for line in lines} == {cell_len(lines[0].rstrip()[:-1])}


def test_files_hold_every_language_as_it_is(tmp_path: Path) -> None:
    """A golden set, a run on it and its ranking: texts and ids come out as they went in, none escaped."""
    documents = [Document(f"{name} {sample.words.split(' ')[0]}", sample.text) for name, sample in SAMPLES.items()]
    queries = [Query(f"q-{d.id}", SAMPLES[d.id.split(" ")[0]].sentences[0].strip()) for d in documents]
    spans = [Span(q.id, d.id, 0, len(q.text)) for q, d in zip(queries, documents, strict=True)]
    judgements = [Judgement(q.id, d.id, 1) for q, d in zip(queries, documents, strict=True)]
    folder = write_golden_set(GoldenParts(documents, queries, {"test": judgements}, spans), tmp_path / "set")
    golden = load_golden_set(folder)
    assert {d.id: d.text for d in golden.documents} == {d.id: d.text for d in documents}
    assert list(golden.queries) == queries
    raw = "".join(path.read_text(encoding="utf-8") for path in (folder / "corpus.jsonl", folder / "queries.jsonl"))
    assert "\\u" not in raw

    run = library.run(
        [f'dataset.path="{folder}"', "embedder=lsa", "cache=none", "threads=1", "chunker.size=8", "chunker.overlap=0"],
        run_dir=tmp_path / "run",
    )
    text = (tmp_path / "run" / "per_query.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert [row["text"] for row in rows] == [query.text for query in queries]
    assert [row["ranking"][0]["doc_id"] for row in rows] == [document.id for document in documents]
    assert "\\u" not in text
    assert run.metrics["metrics"]["recall@1"]["mean"] == 1.0


@pytest.fixture(scope="module")
def hindi_texts() -> list[str]:
    """Paragraphs of real Hindi articles, some not in NFC, some with U+FEFF inside."""
    folder = Path(__file__).parents[2].parent / "shared" / "datasets" / "xquad_hi_article"
    if not folder.is_dir():
        pytest.skip("the shared collections (../shared) are not on this machine")
    return [document.text for document in load_golden_set(folder).documents]


def test_real_hindi_sentences_end_at_a_danda_or_a_line(hindi_texts: list[str]) -> None:
    for text in hindi_texts:
        bounds = [0, *sentence_ends(text), len(text)]
        sentences = [text[a:b] for a, b in pairwise(bounds)]
        assert "".join(sentences) == text
        assert all(sentence.strip() for sentence in sentences)
        assert not any("। " in sentence.rstrip() for sentence in sentences)


def test_real_hindi_words_hold_whole_clusters_and_all_letters(hindi_texts: list[str]) -> None:
    for text in hindi_texts:
        spans = word_spans(text)
        clusters = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
        assert all(start in clusters and end in clusters for start, end in spans)
        inside = bytearray(len(text))
        for start, end in spans:
            inside[start:end] = b"\1" * (end - start)
        assert not [c for c, used in zip(text, inside, strict=True) if unicodedata.category(c)[0] in "LN" and not used]
        assert terms(text) == terms(unicodedata.normalize("NFC", text))


def test_real_hindi_chunks_by_the_models_own_tokens(hindi_texts: list[str]) -> None:
    pytest.importorskip(MINILM_PACKAGE, reason="the default model's package is not installed")
    from assay.config.models import MiniLMEmbedder
    from assay.embedders.sentence_transformer import SentenceTransformerModel

    offsets = SentenceTransformerModel(MiniLMEmbedder()).token_offsets
    for text in random.Random(1).sample(hindi_texts, 3):
        for chunker in (TokensChunker(64, 16), SentencesChunker(64, 0), RecursiveChunker(64, 0)):
            check_pieces(text, chunker, lambda text: list(offsets(text)))
