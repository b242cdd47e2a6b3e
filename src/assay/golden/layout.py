"""Where the files of a golden set lie, and what to say when one doesn't."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from assay.golden.faults import Faults, quoted

HEADER = "query-id<TAB>corpus-id<TAB>score"


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the set: ``path`` as the user wrote it, ``name`` within the set."""

    path: Path
    name: str

    def at(self, line: int) -> str:
        """``file:line``, with the path as the user wrote it."""
        return f"{self.path}:{line}"

    def open(self) -> AbstractContextManager[Iterable[bytes]]:
        """The file's lines as bytes, each with its end; a source that is packed unpacks itself here."""
        return self.path.open("rb")


@dataclass(frozen=True, slots=True)
class Layout:
    """The files that are there; None where one is missing, which is a fault for all but ``spans``."""

    corpus: Source | None
    queries: Source | None
    qrels: Source | None
    spans: Source | None


def find_layout(folder: Path, split: str, faults: Faults) -> Layout:
    """The files of the golden set in ``folder``; each one missing is added to ``faults``."""
    try:
        return _find(folder, split, faults)
    except OSError as error:
        faults.add(str(folder), f"can't be read ({error.strerror or error}); a readable folder is right")
        return Layout(None, None, None, None)


def _find(folder: Path, split: str, faults: Faults) -> Layout:
    if not folder.is_dir():
        what = "is a file; the folder that holds corpus.jsonl" if folder.is_file() else "no such folder; a folder"
        faults.add(str(folder), f"{what} is right for a golden set")
        return Layout(None, None, None, None)
    corpus = _file(folder, "corpus.jsonl", 'a line a document: {"_id": "d1", "text": "…"}', faults)
    queries = _file(folder, "queries.jsonl", 'a line a query: {"_id": "q1", "text": "…"}', faults)
    spans = folder / "spans.jsonl"
    return Layout(
        corpus=corpus,
        queries=queries,
        qrels=_qrels(folder, split, faults),
        spans=_file(folder, "spans.jsonl", "a line a span", faults) if spans.exists() or spans.is_symlink() else None,
    )


def _file(folder: Path, name: str, holds: str, faults: Faults) -> Source | None:
    path = folder / name
    if path.is_file():
        return Source(path, name)
    what = "is not a file" if path.exists() else "no such file"
    faults.add(str(path), f"{what}; it should hold {holds}")
    return None


def _qrels(folder: Path, split: str, faults: Faults) -> Source | None:
    if not split or any(mark in split for mark in "/\\\0") or split in (".", ".."):
        faults.add(str(folder / "qrels"), f"split {quoted(split)} is not the name of a file in it, such as 'test'")
        return None
    name = f"qrels/{split}.tsv"
    path = folder / name
    if path.is_file():
        return Source(path, name)
    if path.exists():
        faults.add(str(path), "is not a file; it should hold the judgements")
        return None
    others = sorted(other.stem for other in (folder / "qrels").glob("*.tsv") if other.is_file())
    if others:
        hint = "there is " + ", ".join(f"qrels/{other}.tsv" for other in others[:5])
        hint += f" (dataset.split={others[0]})"
    else:
        hint = f"it should open with {HEADER} and hold a line a judgement"
    faults.add(str(path), f"no such file; {hint}")
    return None
