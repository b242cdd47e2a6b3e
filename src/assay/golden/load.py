"""Reading a golden set: each file once, line by line, judged while it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from assay.errors import ConfigError
from assay.golden.documents import Corpus, Questions, read_corpus, read_queries
from assay.golden.faults import Faults
from assay.golden.golden_set import Counts, GoldenSet
from assay.golden.hashing import hash_contents
from assay.golden.layout import find_layout
from assay.golden.qrels import Qrels, read_qrels
from assay.golden.references import References
from assay.golden.spans import read_spans
from assay.records import Query, Span

OnUnknown = Literal["error", "drop"]


def load_golden_set(path: str | Path, split: str = "test", on_unknown: OnUnknown = "error") -> GoldenSet:
    """The golden set in the folder ``path``, with the judgements of ``split``.

    Parameters
    ----------
    path
        A folder in BEIR's layout, with ``spans.jsonl`` beside it where there are evidence spans.
    split
        Which file of ``qrels/`` holds the judgements, without ``.tsv``.
    on_unknown
        What judgements and spans of ids that don't exist are: faults ("error"), or left out, counted and
        listed in ``dropped`` ("drop").

    Raises
    ------
    GoldenSetError
        The first twenty faults of all files, each with file:line, and how many there are.
    """
    if on_unknown not in ("error", "drop"):
        raise ConfigError(f"dataset.on_unknown: {on_unknown!r} is not known; 'error' or 'drop' is right")
    folder, faults = Path(path), Faults()
    layout = find_layout(folder, split, faults)
    corpus = read_corpus(layout.corpus, faults) if layout.corpus else Corpus()
    questions = read_queries(layout.queries, faults) if layout.queries else Questions()
    references = References(questions.lines, corpus.lines, drop=on_unknown == "drop")
    qrels = read_qrels(layout.qrels, questions, references, faults) if layout.qrels else Qrels()
    dropped_judgements = len(references.dropped)
    spans = read_spans(layout.spans, corpus, questions, qrels, references, faults) if layout.spans else []
    faults.raise_if_any()
    golden = _assemble(folder, split, corpus, questions, qrels, spans, references.dropped, dropped_judgements)
    if not golden.evaluated:
        what = f"no query is evaluated: of {golden.counts.total} queries none has a judgement > 0 here"
        if golden.counts.dropped_judgements:
            what += f" ({golden.counts.dropped_judgements} judgements of unknown ids were dropped)"
        what += ' or is marked "answerable": false; one at least is right'
        faults.add(str(folder / "qrels" / f"{split}.tsv"), what)
        faults.raise_if_any()
    return golden


def _assemble(
    folder: Path,
    split: str,
    corpus: Corpus,
    questions: Questions,
    qrels: Qrels,
    spans: Sequence[Span],
    dropped: Sequence[str],
    dropped_judgements: int,
) -> GoldenSet:
    documents = tuple(sorted(corpus.documents, key=lambda document: document.id))
    queries = tuple(questions.queries)
    grades = {query.id: dict(sorted(qrels.grades[query.id].items())) for query in queries if query.id in qrels.grades}
    spans_of = _by_query(spans, queries)
    answerable = {query.id for query in queries if query.answerable and qrels.positive(query.id)}
    evaluated = tuple(query for query in queries if not query.answerable or query.id in answerable)
    return GoldenSet(
        name=folder.resolve().name,
        path=folder,
        split=split,
        documents=documents,
        queries=queries,
        qrels=grades,
        spans=spans_of,
        evaluated=evaluated,
        counts=Counts(
            total=len(queries),
            answerable=len(answerable),
            unanswerable=len(evaluated) - len(answerable),
            unjudged=len(queries) - len(evaluated),
            documents=len(documents),
            empty_documents=sum(not document.text.strip() for document in documents),
            judgements=sum(len(judged) for judged in grades.values()),
            spans=len(spans),
            dropped_judgements=dropped_judgements,
            dropped_spans=len(dropped) - dropped_judgements,
        ),
        hashes=hash_contents(documents, queries, grades, spans_of),
        dropped=tuple(dropped),
    )


def _by_query(spans: Sequence[Span], queries: Sequence[Query]) -> Mapping[str, tuple[Span, ...]]:
    found: dict[str, list[Span]] = {query.id: [] for query in queries}
    for span in spans:
        found[span.query_id].append(span)
    return {query_id: tuple(group) for query_id, group in found.items() if group}
