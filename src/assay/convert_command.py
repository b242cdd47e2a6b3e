"""``assay convert``: from the files that people have to a golden set, and back."""

from __future__ import annotations

import argparse
from pathlib import Path

from assay.cli import GOOD, parser, print_json
from assay.errors import AssayError, one_line
from assay.golden.convert import FORMATS, TARGETS, Options, convert
from assay.golden.convert.columns import ROLES

_EPILOG = "FORMAT: " + ", ".join(FORMATS)


def convert_command(rest: list[str]) -> int:
    """Convert as the command line says; the exit status."""
    given = _parser().parse_intermixed_args(rest)
    source, destination = _paths(given)
    options = Options(
        docs=given.docs,
        topics=given.topics,
        qrels=given.qrels,
        qrels_ids=given.qrels_ids,
        by=given.by,
        columns={role: value for role in ROLES if (value := getattr(given, f"column_{role}")) is not None},
        drop_unknown=given.drop_unknown,
    )
    _refuse_idle(given, options)
    report = convert(given.format, source, destination, options, given.to)
    if given.json:
        print_json(report.document())
    else:
        print("\n".join(one_line(line) for line in report.text().split("\n")))
    return GOOD


def _parser() -> argparse.ArgumentParser:
    made = parser("convert", "Convert files of other formats into a golden set, or a golden set into theirs.")
    made.usage = "assay convert FORMAT SRC DEST [--to TARGET] [--drop-unknown] …"
    made.epilog = _EPILOG
    made.add_argument("format", metavar="FORMAT", choices=FORMATS, help="what SRC is")
    made.add_argument("paths", nargs="+", type=Path, metavar="SRC DEST", help="SRC a file or folder; DEST a new folder")
    made.add_argument("--to", choices=TARGETS, default="beir", help="what DEST becomes; a golden set (beir) by default")
    made.add_argument("--docs", type=Path, metavar="FILE", help="the documents, where they are not in SRC")
    made.add_argument("--topics", type=Path, metavar="FILE", help="the queries, where they are not in SRC")
    made.add_argument("--qrels", type=Path, metavar="FILE", help="the judgements, where they are not in SRC")
    made.add_argument(
        "--qrels-ids", choices=("positions", "ids"), default="ids", help="trec: what numbers in the judgements are"
    )
    made.add_argument("--by", choices=("article", "paragraph"), default="paragraph", help="squad: what a document is")
    made.add_argument(
        "--drop-unknown",
        action="store_true",
        help="leave out, list and count judgements of unknown ids and what is there twice, in place of refusing them",
    )
    columns = made.add_argument_group("columns of csv, fields of jsonl (common names are known; - for none)")
    for role in ROLES:
        columns.add_argument(f"--{role.replace('_', '-')}", dest=f"column_{role}", metavar="COLUMN")
    return made


def _paths(given: argparse.Namespace) -> tuple[Path | None, Path]:
    match given.paths:
        case [destination] if given.format == "trec":
            return None, destination
        case [source, destination]:
            return source, destination
        case _:
            right = "DEST, with --docs --topics --qrels" if given.format == "trec" and not given.paths else "SRC DEST"
            raise AssayError(f"assay convert {given.format}: {len(given.paths)} paths; {right} is right")


def _refuse_idle(given: argparse.Namespace, options: Options) -> None:
    """A flag that would do nothing is a mistake."""
    idle = []
    if options.columns and given.format not in ("csv", "jsonl"):
        idle.append("--" + next(iter(options.columns)).replace("_", "-"))
    if given.qrels_ids == "positions" and given.format != "trec":
        idle.append("--qrels-ids")
    if given.by == "article" and given.format != "squad":
        idle.append("--by")
    if options.docs and given.format in ("squad", "folder"):
        idle.append("--docs")
    if options.topics and given.format not in ("trec", "beir", "autorag", "mteb"):
        idle.append("--topics")
    if options.qrels and given.format not in ("trec", "beir", "mteb"):
        idle.append("--qrels")
    if idle:
        raise AssayError(f"assay convert {given.format}: {idle[0]} does nothing for this format; leave it out")
