"""How two golden sets differ, as far as runs can tell: which files by hash, which questions by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import DataError
from assay.golden import GoldenSet
from assay.runs import files
from assay.runs.outcomes import Outcome
from assay.runs.run import Run

PARTS = ("corpus", "queries", "qrels", "spans")
NAMED = 10  # ids that a message spells out


@dataclass(frozen=True, slots=True)
class Question:
    """An evaluated question as a golden set has it.

    ``grades`` holds every relevant document. Of the others it holds all that are judged if ``complete``, else
    those that a run returned, None where unjudged.
    """

    text: str
    type: str | None
    answerable: bool
    grades: Mapping[str, int | None]
    complete: bool


@dataclass(frozen=True, slots=True)
class Change:
    """Questions that changed in one way: ``what`` says how, ``queries`` which, in the golden set's order."""

    what: str
    queries: tuple[str, ...]

    def __str__(self) -> str:
        shown = ", ".join(self.queries[:NAMED])
        more = len(self.queries) - NAMED
        return f"{self.what} {shown}{f' and {more} more' if more > 0 else ''}"


def hashes_of(run: Run) -> dict[str, str | None]:
    """The hashes of the golden set that ``run`` was scored on, by ``PARTS``; a DataError where there are none."""
    found = run.manifest.get("hashes")
    if not isinstance(found, dict) or not all(
        isinstance(found.get(part), str) or (part == "spans" and found.get(part, "") is None) for part in PARTS
    ):
        raise DataError(
            f"{run.folder / files.MANIFEST}: holds no hashes of the golden set; the file is damaged, run again"
        )
    return {part: found[part] for part in PARTS}


def hashes_of_set(golden: GoldenSet) -> dict[str, str | None]:
    """The hashes of ``golden`` by ``PARTS``."""
    hashes = golden.hashes
    return {"corpus": hashes.corpus, "queries": hashes.queries, "qrels": hashes.qrels, "spans": hashes.spans}


def differing_parts(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The ``PARTS`` whose hashes differ."""
    return [part for part in PARTS if before[part] != after[part]]


def questions_of(outcomes: Iterable[Outcome]) -> dict[str, Question]:
    """The questions of a run, by id; the judgement of a question's own document, which a run may leave out, is not."""
    return {
        one.query_id: Question(
            one.text,
            one.type,
            one.answerable,
            {doc_id: grade for doc_id, grade in (*one.ranking, *one.missed) if doc_id != one.query_id},
            complete=False,
        )
        for one in outcomes
    }


def questions_of_set(golden: GoldenSet) -> dict[str, Question]:
    """The evaluated questions of ``golden``, by id, with every judgement."""
    return {
        query.id: Question(
            query.text,
            query.type,
            query.answerable,
            {doc_id: grade for doc_id, grade in golden.qrels.get(query.id, {}).items() if doc_id != query.id},
            complete=True,
        )
        for query in golden.evaluated
    }


def changes(before: Mapping[str, Question], after: Mapping[str, Question]) -> list[Change]:
    """What became of the questions, a ``Change`` for each way in which some did; a question may be in several."""
    common = [query for query in before if query in after]
    found = {
        "added": [query for query in after if query not in before],
        "removed": [query for query in before if query not in after],
        "text changed": [query for query in common if before[query].text != after[query].text],
        "answerable changed": [query for query in common if before[query].answerable != after[query].answerable],
        "type changed": [query for query in common if before[query].type != after[query].type],
        "judgements changed": [query for query in common if judged_otherwise(before[query], after[query])],
    }
    listed = [Change(what, tuple(queries)) for what, queries in found.items() if queries]
    if not listed and list(before) != list(after):
        moved = [query for query, other in zip(before, after, strict=True) if query != other]
        listed.append(Change("another order from", tuple(moved[:1])))
    return listed


def judged_otherwise(before: Question, after: Question) -> bool:
    """Whether a grade differs: of a document that is relevant in one, or whose judgement both know."""
    for doc_id in before.grades.keys() | after.grades.keys():
        old, new = before.grades.get(doc_id), after.grades.get(doc_id)
        known = all(one.complete or doc_id in one.grades for one in (before, after))
        if old != new and (known or max(old or 0, new or 0) > 0):
            return True
    return False


def in_words(parts: Sequence[str], found: Sequence[Change]) -> str:
    """What differs, for one line: ``queries and qrels (corpus and spans are equal): added q9; text changed q2``."""
    equal = [part for part in PARTS if part not in parts]
    text = listing(parts) + (f" ({listing(equal)} {'are' if len(equal) > 1 else 'is'} equal)" if equal else "")
    if found:
        return f"{text}: {'; '.join(map(str, found))}"
    if "queries" in parts or "qrels" in parts:
        return f"{text}: no evaluated question changed its text, type or relevant documents"
    return text


def listing(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
