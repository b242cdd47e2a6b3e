"""``assay check``: lint of a golden set, held against the run that this folder's config would make."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from assay.cli import GOOD, NO, parser, print_json
from assay.config import Config
from assay.errors import AssayError, GoldenSetError, StageError
from assay.golden import GoldenSet, load_golden_set
from assay.golden.lint import Finding, Reading, Setting, Subject, lint, reading_faults
from assay.golden.lint.report import Report


def check_command(rest: list[str]) -> int:
    """Check the golden set that the command line names; 1 where there are errors (``--strict``: warnings too)."""
    made = parser("check", "Lint a golden set: what is wrong or odd about it, and how small a difference it can show.")
    made.add_argument("dataset", metavar="DATASET", help="the folder of a golden set, or the name of a bundled one")
    made.add_argument("--split", default="test", metavar="NAME", help="which qrels/NAME.tsv; test by default")
    made.add_argument("--embedder", metavar="NAME", help="what would embed it (minilm, lsa, st); conf's by default")
    made.add_argument("--model", metavar="MODEL", help="the model of --embedder st")
    made.add_argument("--chunk-size", type=int, metavar="TOKENS", help="size of a chunk; conf's by default")
    made.add_argument("--smallest-chunk", type=int, default=64, metavar="WORDS", help="of a chunk sweep; 64 by default")
    made.add_argument("--drop-unknown", action="store_true", help="leave out rows of unknown ids (GS103, a warning)")
    made.add_argument("--strict", action="store_true", help="exit 1 for warnings too")
    given = made.parse_intermixed_args(rest)
    if given.smallest_chunk < 1:
        raise AssayError(f"assay check: --smallest-chunk {given.smallest_chunk}: give a number of words, at least 1")
    folder = golden_folder(given.dataset, given.split)
    config = run_config(given)
    report = check(folder, given.split, config, given.smallest_chunk, given.drop_unknown)
    if given.json:
        print_json(report.document(given.strict))
    else:
        from assay.reports.check_console import show_report
        from assay.reports.text import console

        show_report(report, given.strict, console())
    return GOOD if report.good(given.strict) else NO


def golden_folder(dataset: str, split: str) -> Path:
    """The folder that ``dataset`` names: a golden set's own, else a bundled one's.

    Raises
    ------
    AssayError
        There is no such folder, it holds no file of a golden set, or only other splits.
    """
    from assay.composition import shipped_data

    folder = Path(dataset).expanduser()
    if not folder.is_dir():
        bundled = sorted(path.parent.name for path in shipped_data().glob("*/corpus.jsonl"))
        if dataset not in bundled:
            raise AssayError(
                f"{dataset}: no such folder; give one that holds corpus.jsonl, queries.jsonl and qrels/{split}.tsv, "
                f"or a bundled set ({', '.join(bundled)})"
            )
        folder = shipped_data() / dataset
    if not any((folder / name).exists() for name in ("corpus.jsonl", "queries.jsonl", "qrels")):
        raise AssayError(f"{dataset}: holds no golden set; corpus.jsonl, queries.jsonl and qrels/{split}.tsv are right")
    others = sorted(path.stem for path in (folder / "qrels").glob("*.tsv"))
    if others and split not in others:
        raise AssayError(f"--split: there is no qrels/{split}.tsv in {dataset}; give one of {', '.join(others)}")
    return folder


def run_config(given: argparse.Namespace) -> Config:
    """The config that ``assay run`` would use here, with what the command line changes."""
    from assay.composition import compose
    from assay.config import judge

    if given.embedder is not None and re.fullmatch(r"\w+", given.embedder) is None:
        raise AssayError(f"--embedder: {given.embedder!r} is no option; give a name such as minilm, lsa or st")
    job = compose([f"embedder={given.embedder}"] if given.embedder is not None else []).job
    embedder, chunker = job["embedder"], job["chunker"]
    if given.model is not None:
        embedder["model"] = given.model
    if given.chunk_size is not None:
        chunker["size"] = given.chunk_size
        if chunker.get("overlap", 0) >= given.chunk_size > 0:
            chunker["overlap"] = given.chunk_size - 1  # of a chunk only the end matters here
        if "min_size" in chunker:
            chunker["min_size"] = min(chunker["min_size"], max(given.chunk_size, 1))
        if "parent_size" in chunker:
            chunker["parent_size"] = max(chunker["parent_size"], given.chunk_size)
    return judge({**job, "dataset": {"name": None, "path": ".", "split": "test", "on_unknown": "error"}})


def check(folder: Path, split: str, config: Config, smallest_chunk: int, drop_unknown: bool = False) -> Report:
    """All that can be said about the golden set in ``folder``."""
    try:
        golden = load_golden_set(folder, split, "drop")
    except GoldenSetError as error:
        told = error if drop_unknown else with_unknown_ids(error, folder, split)
        return Report(str(folder), split, (reading_faults(told),), None, None)
    # The others read everything, or nobody knows what they read.
    by_model = config.retriever.kind in {"dense", "hybrid"} and config.embedder.kind not in {"lsa", "plugin"}
    setting = Setting(
        embedder=config.embedder.kind,
        english_only=by_model and config.embedder.kind == "minilm",
        ks=tuple(config.evaluation.ks),
        smallest_chunk=smallest_chunk,
        reading=read_by(golden, config) if by_model else None,
        drop_unknown=drop_unknown,
    )
    subject = Subject(golden)
    found: Sequence[Finding] = lint(subject, setting)
    return Report(str(folder), split, tuple(found), subject, setting)


def with_unknown_ids(error: GoldenSetError, folder: Path, split: str) -> GoldenSetError:
    """``error`` with the rows of unknown ids among its faults, as a run would name them."""
    try:
        load_golden_set(folder, split)
    except GoldenSetError as more:
        return more
    return error


def read_by(golden: GoldenSet, config: Config) -> Reading | str | None:
    """How the documents with evidence are cut and read; why not, where the embedder is not there."""
    from assay import factory
    from assay.chunks import cut
    from assay.store import Counted, MemoryStore
    from assay.workbench import chunker_for, truncation

    with_evidence = {span.doc_id for spans in golden.spans.values() for span in spans}
    if not with_evidence:
        return None
    try:
        embedder = factory.make_embedder(config.embedder, config.seed)
        embedder.check()
        documents = [document for document in golden.documents if document.id in with_evidence]
        store = MemoryStore()
        chunker = chunker_for(config, documents, embedder, store)
        chunks = cut(documents, chunker, embedder.token_offsets, config.chunker.context)
        ends, _ = truncation(embedder, chunks, store, Counted())
    except StageError as error:
        return error.lines()[0]
    pieces: dict[str, list[tuple[int, int]]] = {document.id: [] for document in documents}
    for owner, start, end in zip(chunks.document.tolist(), chunks.start.tolist(), ends.tolist(), strict=True):
        pieces[documents[owner].id].append((start, end))
    limit = getattr(embedder, "max_length", None)
    return Reading(getattr(config.chunker, "size", None), limit, pieces)
