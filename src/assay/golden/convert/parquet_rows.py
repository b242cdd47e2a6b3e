"""Rows of Parquet files, a few at a time; the one module that imports pyarrow."""

from __future__ import annotations

import datetime
import decimal
import math
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.errors import AssayError, DataError
from assay.golden.convert.ledger import At
from assay.golden.convert.packed import BOUNDS

BATCH = 256


def require_pyarrow() -> None:
    """Raise, with what to install, where pyarrow is not there."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise AssayError("Parquet needs pyarrow, which is not installed: pip install 'assay[parquet]'") from None


def parquet_rows(paths: Sequence[Path]) -> Iterator[tuple[At, dict[str, Any]]]:
    """Each row of ``paths`` as plain values of JSON; ``At.line`` is the row's number, from 1.

    Times become ISO 8601, NaN and infinity null, decimals floats.

    Raises
    ------
    DataError
        A file is damaged, not Parquet, or unpacks to far more than it is.
    """
    require_pyarrow()
    for path in paths:
        yield from _rows(path)


def _rows(path: Path) -> Iterator[tuple[At, dict[str, Any]]]:
    import pyarrow
    import pyarrow.parquet

    number = 0
    try:
        with pyarrow.parquet.ParquetFile(path, memory_map=False, pre_buffer=False, buffer_size=1 << 20) as file:
            _check_size(path, file.metadata)
            for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
                for row in batch.to_pylist():
                    number += 1
                    yield At(str(path), number), {str(key): plain(value) for key, value in row.items()}
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError, UnicodeDecodeError) as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(
            f"{path}: can't be read as Parquet after {number} rows ({what}); a whole file is right"
        ) from None


def _check_size(path: Path, metadata: Any) -> None:
    unpacked = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    size = max(path.stat().st_size, 1)
    if any(unpacked > least and unpacked / size > most for least, most in BOUNDS[1:]):
        raise DataError(f"{path}: unpacks to {unpacked / size:.0f} times its {size:,} bytes, as no text does")


def plain(value: object) -> Any:
    """``value`` as JSON has it."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {str(key): plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [plain(inner) for inner in value]
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
        case decimal.Decimal():
            return plain(float(value))
        case bytes():
            return value.decode("utf-8", "backslashreplace")
        case uuid.UUID():
            return str(value)
        case _:
            return str(value)
