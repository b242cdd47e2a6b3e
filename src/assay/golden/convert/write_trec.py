"""To TREC: documents and topics in SGML, judgements in four columns, a file a split."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay.errors import DataError
from assay.golden.convert.canonical import Canonical
from assay.golden.convert.markup import escape
from assay.golden.convert.trec_topics import LABEL
from assay.golden.faults import quoted

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_PARTS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ufeff]")
_UNSAFE = re.compile(r"[%\s\x00-\x1f\x7f-\x9f\ufeff]")
_TAKEN = {"doc", "docno", "text", "title", "headline", "head", "hl", "ti", "ttl", "outside_text"}
_TOPIC_TAKEN = {"top", "topic", "num", "number", "id", "docno", "qid", "title", "query", "question", "text", "summary"}
_TOPIC_TAKEN |= {"desc", "description", "narr", "narrative", "answerable", "doc"}


def write_trec(golden: Canonical, folder: Path) -> list[str]:
    """What the format could not hold, a line each; ``documents.trec``, ``topics.trec`` and ``qrels`` are in ``folder``.

    Metadata that are text are elements of their own. An id with white space is percent-encoded, everywhere.
    """
    lost: Counter[str] = Counter()
    ids: dict[str, set[str]] = {"document": set(), "query": set()}
    encoded = {"document": False, "query": False}

    def column(kind: str, found: str) -> str:
        made = _encoded(found)
        if made != found:
            lost["{n} ids with white space, which are percent-encoded"] += 1
            encoded[kind] = True
        if made in ids[kind] and (made != found or encoded[kind]):
            raise DataError(f"{kind} ids: two of them would be {quoted(made)} in TREC's files; other ids are right")
        ids[kind].add(made)
        return made

    with (folder / "documents.trec").open("w", encoding="utf-8", newline="\n") as file:
        for document in golden.documents():
            parts = [f"<DOC>\n<DOCNO>{escape(column('document', document.id))}</DOCNO>\n"]
            if document.title:
                if document.title != " ".join(document.title.split()):
                    lost["white space within or around {n} titles"] += 1
                parts.append(f"<TITLE>{escape(document.title)}</TITLE>\n")
            parts += _elements(document.metadata, _TAKEN, "documents", lost)
            parts.append(f"<TEXT>\n{escape(document.text)}\n</TEXT>\n</DOC>\n")
            file.write("".join(parts))
    with (folder / "topics.trec").open("w", encoding="utf-8", newline="\n") as file:
        for query in golden.queries():
            parts = [f"<top>\n<num>{escape(column('query', query.id))}</num>\n<title>{_one_line(query.text)}</title>\n"]
            parts += _elements(query.metadata, _TOPIC_TAKEN, "queries", lost)
            file.write("".join([*parts, "</top>\n"]))
    splits = golden.splits()
    for split in splits:
        name = "qrels.txt" if splits == ["test"] else f"qrels.{split}.txt"
        with (folder / name).open("w", encoding="utf-8", newline="\n") as file:
            for row in golden.judgements(split):
                file.write(f"{_encoded(row.query_id)} 0 {_encoded(row.doc_id)} {row.grade}\n")
    if len(splits) == 1 and splits != ["test"]:
        lost[f"the name of the one split {quoted(splits[0])}, which reads as test,"] += 1
    spans = sum(1 for _ in golden.spans())
    if spans:
        lost["{n} evidence spans"] = spans
    return [f"TREC can't hold {text.replace('{n}', f'{number:,}')}" for text, number in lost.items()]


def _encoded(found: str) -> str:
    """An id as one column: as runs have it, where it holds what would part columns or end an id, else as it is."""
    if _PARTS.search(found) is None:
        return found
    return _UNSAFE.sub(lambda match: quote(match[0], safe=""), found)


def _elements(metadata: Mapping[str, Any], taken: set[str], kind: str, lost: Counter[str]) -> list[str]:
    parts: list[str] = []
    for key, value in metadata.items():
        if isinstance(value, bool) and key == "answerable" and kind == "queries":
            parts.append(f"<answerable>{str(value).lower()}</answerable>\n")
            continue
        plain = isinstance(value, str) and value and value == value.strip()
        if plain and _NAME.fullmatch(key) and key not in taken:
            parts.append(f"<{key}>{_one_line(value)}</{key}>\n")
        else:
            lost[f"{quoted(key)} in the metadata of {{n}} {kind}"] += 1
    return parts


def _one_line(text: str) -> str:
    """``text`` on one line, with breaks, outer white space and what would read as a label as character references."""
    made = escape(text).replace("\n", "&#10;")
    head, tail = len(made) - len(made.lstrip()), len(made) - len(made.rstrip())
    if LABEL.match(made):
        made = made.replace(":", "&#58;", 1)
    if head or tail:
        made = (
            "".join(f"&#{ord(one)};" for one in made[:head])
            + made[head : len(made) - tail]
            + "".join(f"&#{ord(one)};" for one in made[len(made) - tail :])
        )
    return made
