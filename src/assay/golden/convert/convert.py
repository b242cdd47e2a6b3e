"""One conversion: a source in, a destination out, and a report of every row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.errors import AssayError, DataError
from assay.golden.convert.canonical import Canonical
from assay.golden.convert.destination import filling
from assay.golden.convert.intake import Intake
from assay.golden.convert.options import FORMATS, TARGETS, Options
from assay.golden.convert.report import LEFT_OUT, Report
from assay.golden.faults import quoted


def convert(format: str, source: Path | None, destination: Path, options: Options, to: str = "beir") -> Report:
    """The report of converting ``source``, in ``format``, into the new folder ``destination``.

    Nothing is left at ``destination`` unless all of it is there.

    Raises
    ------
    GoldenSetError
        Faults in the rows, the first twenty with file:line, and how many there are.
    DataError
        A file can't be read or is not of this format, or the destination can't be written.
    """
    if format not in FORMATS:
        raise AssayError(f"{quoted(format)} is no format; one of {', '.join(FORMATS)} is right")
    if to not in TARGETS:
        raise AssayError(f"--to {to}: not known; one of {', '.join(TARGETS)} is right")
    _check_paths(format, source, options)
    if to == "parquet":
        from assay.golden.convert.parquet_rows import require_pyarrow

        require_pyarrow()
    with filling(destination) as work:
        canonical = work / "out" if to == "beir" else work / "set"
        canonical.mkdir(exist_ok=True)
        report = _take_in(format, source, destination, options, canonical, to)
        if to != "beir":
            lost = _write(to, Canonical(canonical), work / "out")
            report = replace(report, notes=(*report.notes, *lost))
            if report.lines_left_out:
                (canonical / LEFT_OUT).replace(work / "out" / LEFT_OUT)
    return report


def _take_in(format: str, source: Path | None, destination: Path, options: Options, canonical: Path, to: str) -> Report:
    """Fill ``canonical``; the intake, with all its ids, is gone from memory before a writer begins."""
    intake = Intake(canonical, drop=options.drop_unknown, keep_texts=format in ("csv", "jsonl"))
    try:
        _read(format, source, intake, options)
        tallies = intake.finish(str(source or options.docs))
    except DataError as error:
        if not intake.faults.total:
            raise
        # A file that breaks off may hide why: what was found before it is said first.
        intake.faults.add(*_parted(str(error)))
        intake.faults.raise_if_any()
        raise
    finally:
        intake.close()
    return Report(
        format,
        to,
        destination,
        tallies,
        tuple(intake.notes),
        tuple(intake.first_left_out),
        intake.lines_left_out,
    )


def _read(format: str, source: Path | None, intake: Intake, options: Options) -> None:
    """Hand the source to its reader; none is imported before it is needed."""
    if source is None or format == "trec":
        from assay.golden.convert.trec import read_trec

        read_trec(source, intake, options)
    elif format == "beir":
        from assay.golden.convert.beir import read_beir

        read_beir(source, intake, options)
    elif format == "squad":
        from assay.golden.convert.squad import read_squad

        read_squad(source, intake, options)
    elif format == "csv":
        from assay.golden.convert.csv_tables import read_csv

        read_csv(source, intake, options)
    elif format == "autorag":
        from assay.golden.convert.autorag import read_autorag

        read_autorag(source, intake, options)
    elif format == "jsonl":
        from assay.golden.convert.jsonl import read_jsonl

        read_jsonl(source, intake, options)
    elif format == "folder":
        from assay.golden.convert.folder import read_folder

        read_folder(source, intake)
    else:
        from assay.golden.convert.mteb import read_mteb

        read_mteb(source, intake, options)


def _write(to: str, golden: Canonical, folder: Path) -> list[str]:
    """Hand the golden set to the writer; the lines of what its format can't hold."""
    if to == "trec":
        from assay.golden.convert.write_trec import write_trec

        return write_trec(golden, folder)
    if to == "csv":
        from assay.golden.convert.write_csv import write_csv

        return write_csv(golden, folder)
    from assay.golden.convert.write_parquet import write_parquet

    return write_parquet(golden, folder)


def _check_paths(format: str, source: Path | None, options: Options) -> None:
    if source is None and format != "trec":
        raise AssayError(f"assay convert {format}: SRC is missing; assay convert {format} SRC DEST is right")
    for path in (source, options.docs, options.topics, options.qrels):
        if path is None:
            continue
        try:
            if not path.exists():
                raise DataError(f"{path}: no such file or folder; one that exists is right")
            if not path.is_file() and not path.is_dir():
                raise DataError(f"{path}: is neither a file nor a folder; one of the two is right")
        except (OSError, ValueError) as error:
            raise DataError(f"{path}: can't be read ({getattr(error, 'strerror', None) or error})") from None


def _parted(message: str) -> tuple[str, str]:
    place, parted, what = message.partition(": ")
    return (place, what) if parted else ("", message)
