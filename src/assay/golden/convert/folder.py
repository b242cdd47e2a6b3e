"""A folder of Markdown, text and HTML files as a corpus: a document a file, its id the path below the folder."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

from assay.errors import DataError
from assay.golden.convert.decoding import whole_text
from assay.golden.convert.html_text import html_text
from assay.golden.convert.intake import Intake
from assay.golden.convert.ledger import At
from assay.records import Document

MARKDOWN, TEXT, HTML = (".md", ".markdown", ".mdx"), (".txt", ".text", ".rst"), (".html", ".htm", ".xhtml")
_HEADING = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
_SHOWN = 5


def read_folder(source: Path, intake: Intake) -> None:
    """Put every Markdown, text and HTML file below ``source`` into ``intake``, in the order of their paths.

    Hidden files and folders are passed over, links to folders are not followed; files of other kinds are named in a
    note. A title is HTML's, or Markdown's first heading of the first level.
    """
    if not source.is_dir():
        raise DataError(f"{source}: is not a folder; a folder of .md, .txt or .html files is right")
    others: Counter[str] = Counter()
    examples: list[str] = []
    for path in _files(source):
        name = path.relative_to(source).as_posix()
        ending = path.suffix.lower()
        if ending not in (*MARKDOWN, *TEXT, *HTML):
            others[ending or "no ending"] += 1
            examples.append(name)
            continue
        try:
            text, note = whole_text(path)
            name.encode("utf-8")
        except DataError as error:
            intake.read["documents"] += 1
            intake.left_out["documents"] += 1
            place, _, what = str(error).partition(": ")
            intake.faults.add(place, what)
            continue
        except UnicodeEncodeError:
            intake.read["documents"] += 1
            shown = os.fsencode(name).decode("utf-8", "backslashreplace")
            intake.refuse("documents", At(str(source)), f"the name of file {shown!r} is not UTF-8; rename it")
            continue
        if note is not None:
            intake.note(note)
        text = text.replace("\r\n", "\n")
        title = ""
        if ending in HTML:
            title, text = html_text(text)
        elif ending in MARKDOWN and (heading := _HEADING.search(text)) is not None:
            title = heading[1]
        intake.document(At(str(path)), Document(name, text, title))
    if others:
        kinds = ", ".join(f"{number} {ending}" for ending, number in sorted(others.items()))
        shown = ", ".join(examples[:_SHOWN]) + (", …" if len(examples) > _SHOWN else "")
        intake.note(f"{source}: {sum(others.values())} files of other kinds left out ({kinds}): {shown}")


def _files(source: Path) -> list[Path]:
    found: list[Path] = []
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [path for name in names if not name.startswith(".") and (path := Path(folder) / name).is_file()]
    return sorted(found, key=lambda path: path.relative_to(source).as_posix())
