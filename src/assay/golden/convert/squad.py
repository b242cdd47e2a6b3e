"""SQuAD 1.1 and 2.0: paragraphs with questions, answers as quotes with an offset, and questions without any."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.golden.convert.intake import Intake
from assay.golden.convert.json_rows import as_id, is_whole
from assay.golden.convert.json_stream import items
from assay.golden.convert.ledger import At
from assay.golden.convert.options import Options
from assay.golden.convert.quotes import Ambiguous, Finder, Place
from assay.golden.faults import quoted
from assay.golden.jsonl import kind_of
from assay.records import Document, Judgement, Query, Span

BETWEEN = "\n\n"
ALTERNATIVES = "answer"


def read_squad(source: Path, intake: Intake, options: Options) -> None:
    """Put the articles of ``source`` into ``intake``, each, or each of its paragraphs, as a document.

    A document's id is its article's title, with ``#`` and the paragraph's number. Answers of one question are
    alternatives. A question marked impossible is unanswerable.
    """
    for number, (line, article) in enumerate(items(source, "data"), start=1):
        at = At(str(source), line)
        paragraphs = article.get("paragraphs") if isinstance(article, Mapping) else None
        if not isinstance(paragraphs, list):
            intake.refuse(None, at, f'article {number} is {kind_of(article)} without a list "paragraphs"; one is right')
            continue
        title = article.get("title")
        if not isinstance(title, str | None):
            intake.refuse(None, at, f'"title" of article {number} is {kind_of(title)}; a string is right')
            continue
        name = (title or "").replace(" ", "_") or f"article{number}"
        contexts: list[tuple[Mapping[str, Any], str]] = []
        for place, paragraph in enumerate(paragraphs):
            context = paragraph.get("context") if isinstance(paragraph, Mapping) else None
            if isinstance(context, str):
                contexts.append((paragraph, context))
            else:
                intake.read["documents"] += 1
                what = f'paragraph {place} of article {quoted(name)} has no "context"; a string is right'
                intake.refuse("documents", at, what)
        shown = (title or "").replace("_", " ")
        if options.by == "article":
            intake.document(at, Document(name, BETWEEN.join(text for _, text in contexts), shown))
        offset = 0
        for place, (paragraph, context) in enumerate(contexts):
            doc_id = name if options.by == "article" else f"{name}#{place}"
            if options.by == "paragraph":
                intake.document(at, Document(doc_id, context, shown))
            finder = Finder(context)
            questions = paragraph.get("qas", [])
            if not isinstance(questions, list):
                intake.refuse(None, at, f'"qas" of document {quoted(doc_id)} is {kind_of(questions)}; a list is right')
                continue
            for question in questions:
                _take(at, question, doc_id, offset, finder, intake)
            offset += len(context) + len(BETWEEN) if options.by == "article" else 0


def _take(at: At, question: object, doc_id: str, offset: int, finder: Finder, intake: Intake) -> None:
    found = _question(question, intake)
    if isinstance(found, str):
        intake.read["queries"] += 1
        intake.refuse("queries", at, f"a question of document {quoted(doc_id)}: {found}")
        return
    query, answers = found
    if not intake.query(at, query):
        return
    if not query.answerable:
        return
    intake.judgement(at, Judgement(query.id, doc_id, 1))
    seen: set[tuple[int, int]] = set()
    for answer in answers:
        text, start = answer.get("text"), answer.get("answer_start")
        where = f"answer {quoted(text)} of question {quoted(query.id)}"
        if not isinstance(text, str) or not is_whole(start):
            intake.read["spans"] += 1
            what = 'needs a string "text" and a whole number "answer_start"'
            intake.refuse("spans", at, f"{where} {what}, not {kind_of(start)}")
            continue
        place = finder.find(text, start)
        if not isinstance(place, Place):
            intake.read["spans"] += 1
            intake.omit("spans", at, f"{where} {not_found(place)}")
            continue
        if (place.start, place.end) in seen:
            intake.count("{n} answers are given twice for a question, and were taken once")
            continue
        seen.add((place.start, place.end))
        if place.start != start:
            intake.count("{n} answers were not at their offset, and were found by their text")
        if not place.exact:
            intake.count("{n} answers were found by a normalising match")
        intake.span(at, Span(query.id, doc_id, place.start + offset, place.end + offset, ALTERNATIVES))


def _question(question: object, intake: Intake) -> tuple[Query, list[Mapping[str, Any]]] | str:
    """The query and its answers, or what is wrong."""
    if not isinstance(question, Mapping):
        return f"it is {kind_of(question)}; an object is right"
    query_id, text = as_id(question.get("id"), intake), question.get("question")
    impossible, answers = question.get("is_impossible", False), question.get("answers") or []
    if query_id is None:
        return f'"id" is {kind_of(question.get("id"))}; a string is right'
    if not isinstance(text, str):
        return f'"question" of {quoted(query_id)} is {kind_of(text)}; a string is right'
    if not isinstance(impossible, bool):
        return f'"is_impossible" of {quoted(query_id)} is {kind_of(impossible)}; true or false is right'
    if isinstance(answers, Mapping) and isinstance(answers.get("text"), list):
        # As data sets' exporters write it: one object of two lists.
        answers = [
            {"text": one, "answer_start": start}
            for one, start in zip(answers["text"], answers.get("answer_start") or [], strict=False)
        ]
    if not isinstance(answers, list) or not all(isinstance(answer, Mapping) for answer in answers):
        return f'"answers" of {quoted(query_id)} is {kind_of(answers)}; a list of objects is right'
    if impossible and answers:
        return f"{quoted(query_id)} is marked impossible and has answers; one of the two is right"
    metadata = {"plausible_answers": question["plausible_answers"]} if question.get("plausible_answers") else {}
    # Nested data of a stranger: what can't be JSON is a fault of the row when it is written.
    return Query(query_id, text, answerable=not impossible, metadata=metadata), answers


def not_found(place: Ambiguous | None) -> str:
    """Why a quote has no span, with its places if there are several."""
    if place is None:
        return "is not in the text; no span was made"
    places = ", ".join(f"{one.start} to {one.end}" for one in place.places)
    more = f" and {place.total - len(place.places)} more" if place.total > len(place.places) else ""
    return f"is ambiguous, there {place.total} times ({places}{more}); no span was made"
