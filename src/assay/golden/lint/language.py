"""GS601 to GS603: languages and scripts, of questions, documents and embedder. Counting letters and words, no model.

The English of a text in Latin script is told by its function words: a fifth and more of the words of English
prose, hardly one in twenty of any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from assay.golden.lint.finding import Finding, count, finding
from assay.golden.lint.scripts import letters_by_script, main_script
from assay.golden.lint.setting import Setting
from assay.golden.lint.subject import Subject
from assay.golden.lint.wording import spelled_words

FOREIGN_SHARE = 0.2  # of a text's letters
ENGLISH_SHARE = 0.05  # of a text's words
FEWEST_WORDS = 50  # below, function words say nothing

# Without words that other languages in Latin script use often: in, an, a, so, no, on, me, was, die, is, as, be, we.
_FUNCTION_WORDS = """the of and to that for it with by are this from at or not have has which you your they their can
will must may if but were been when what how who than then there these those its our"""
_ENGLISH = frozenset(_FUNCTION_WORDS.split())


def languages(subject: Subject, setting: Setting) -> list[Finding]:
    """Documents and questions that the embedder was not made for, and questions that cross scripts."""
    found = []
    if setting.english_only:
        found += _foreign_documents(subject, setting) + _foreign_questions(subject, setting)
    return found + _crossing(subject)


def _foreign_documents(subject: Subject, setting: Setting) -> list[Finding]:
    places = [
        f"{document.id} ({language})"
        for document in subject.golden.documents
        if (language := _other_language(document.text, FEWEST_WORDS))
    ]
    if not places:
        return []
    message = f"{count(len(places), 'document')} of {len(subject.documents):,} not in English, which {setting.embedder} was made for"
    advice = "take a multilingual model (embedder=st embedder.model=…), or embedder=lsa, which needs no language"
    return [finding("GS601", message, places, advice)]


def _foreign_questions(subject: Subject, setting: Setting) -> list[Finding]:
    """Questions are too short to tell English from other languages in Latin script one by one; together they aren't."""
    places = [
        f"{query.id} ({language})"
        for query in subject.golden.evaluated
        if (language := _other_script(query.text)) is not None
    ]
    latin = " ".join(query.text for query in subject.golden.evaluated if _other_script(query.text) is None)
    if not places and not _other_language(latin, FEWEST_WORDS):
        return []
    number = len(places) or len(subject.golden.evaluated)
    message = f"{count(number, 'question')} of {len(subject.golden.evaluated):,} not in English, which {setting.embedder} was made for"
    advice = "take a multilingual model (embedder=st embedder.model=…), or embedder=lsa, which needs no language"
    return [finding("GS602", message, places, advice, number)]


def _crossing(subject: Subject) -> list[Finding]:
    scripts = {doc: main_script(subject.documents[doc].text) for doc in _unique(subject.relevant.values())}
    places = []
    for query in subject.answerable:
        own = main_script(query.text)
        theirs = {script for doc in subject.relevant[query.id] if (script := scripts[doc]) is not None}
        if own is not None and theirs and own not in theirs:
            places.append(f"{query.id}: {own}, documents {', '.join(sorted(theirs))}")
    if not places:
        return []
    message = f"{count(len(places), 'question')} in another script than every relevant document"
    advice = "only a model trained across languages can match these; give them a type of their own to see it"
    return [finding("GS603", message, places, advice)]


def _other_language(text: str, fewest_words: int) -> str | None:
    script = _other_script(text)
    if script is not None:
        return script
    words = spelled_words(text)
    if len(words) < fewest_words or main_script(text) != "Latin":
        return None
    known = sum(number for word, number in Counter(words).items() if word in _ENGLISH)
    return "Latin script, not English" if known < ENGLISH_SHARE * len(words) else None


def _other_script(text: str) -> str | None:
    """The main script other than Latin, where a fifth of the letters or more are in such scripts."""
    letters = letters_by_script(text)
    total = letters.total()
    latin = letters.pop("Latin", 0)
    if total == 0 or (total - latin) < FOREIGN_SHARE * total:
        return None
    return min(letters, key=lambda script: (-letters[script], script))


def _unique(groups: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(doc for group in groups for doc in group))
