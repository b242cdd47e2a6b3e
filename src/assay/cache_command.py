"""``assay cache info|verify|prune``: what the store holds, whether it is sound, and removing parts of it."""

from __future__ import annotations

import argparse
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.cli import GOOD, NO, parser, print_json
from assay.errors import AssayError, ConfigError, one_line
from assay.store.base import DEFAULT_MAX_BYTES
from assay.store.keys import STAGES, default_folder

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
SHOWN_FAULTS = 20


def cache_command(rest: list[str]) -> int:
    """Do what the command line says; 1 where ``verify`` finds damage."""
    made = parser("cache", "What the store of computed things holds, whether it is sound, and removing parts of it.")
    made.add_argument("action", choices=("info", "verify", "prune"), metavar="info|verify|prune", help=ACTIONS)
    made.add_argument("overrides", nargs="*", metavar="cache.dir=…", help="as on assay run: cache.dir, cache.max_bytes")
    made.add_argument("--stage", choices=STAGES, metavar="STAGE", help=f"prune: only this one of {', '.join(STAGES)}")
    made.add_argument("--older-than", type=_days, metavar="DAYS", help="prune: what nobody has used for so many days")
    made.add_argument(
        "--max-bytes", type=_bytes, metavar="BYTES", help="prune: down to so many, such as 2G; oldest first"
    )
    given = made.parse_intermixed_args(rest)
    if given.action != "prune":
        for name in ("stage", "older_than", "max_bytes"):
            if getattr(given, name) is not None:
                raise AssayError(f"assay cache {given.action}: --{name.replace('_', '-')} belongs to assay cache prune")
    folder, bound = place(given.overrides)
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"cache.dir: {folder} is no folder; give one that holds a store")
    return {"info": info, "verify": verify, "prune": prune}[given.action](folder, bound, given)


ACTIONS = (
    "info: entries, bytes and last use by stage and model; verify: every checksum, status 1 where one fails; "
    "prune: remove damaged files and what exceeds cache.max_bytes, or what the options name"
)


def place(overrides: list[str]) -> tuple[Path, int]:
    """The store's folder and its bound, as a run with these overrides here would have them.

    Raises
    ------
    ConfigError
        An override is not about the store, or can't hold.
    """
    from assay.composition import compose
    from assay.config import judge

    for override in overrides:
        key = override.partition("=")[0].lstrip("+~")
        if key != "cache" and not key.startswith("cache."):
            raise ConfigError(f"{override}: says nothing about the store; give cache.dir=… or cache.max_bytes=…")
    cache = judge(compose(overrides).job).cache
    folder = Path(cache.dir).expanduser() if cache.dir is not None else default_folder()
    return folder, cache.max_bytes or DEFAULT_MAX_BYTES


def info(folder: Path, bound: int, given: argparse.Namespace) -> int:
    """Show what is there."""
    from assay.store.upkeep import holdings

    held = holdings(folder)
    total = sum(one.bytes for one in held)
    if given.json:
        rows = [
            {
                "stage": one.stage,
                "model": one.model,
                "entries": one.entries,
                "bytes": one.bytes,
                "last_used": _iso(one.used),
            }
            for one in held
        ]
        print_json({"folder": str(folder), "bytes": total, "max_bytes": bound, "stages": rows})
        return GOOD
    print(one_line(f"{folder}: {_size(total)} of {_size(bound)}" + ("" if held else "; it holds nothing yet")))
    if held:
        print(f"\n{'stage':<18}{'entries':>10}{'size':>10}  {'last used':<18}model")
    for one in held:
        when = _iso(one.used)[:16].replace("T", " ")
        print(one_line(f"{one.stage:<18}{one.entries:>10,}{_size(one.bytes):>10}  {when:<18}{one.model[:60]}"))
    return GOOD


def verify(folder: Path, bound: int, given: argparse.Namespace) -> int:
    """Check everything, change nothing."""
    from assay.store.upkeep import verify as check

    checked = check(folder)
    good = not checked.faults
    if given.json:
        faults = [{"file": str(fault.path), "stage": fault.stage, "what": fault.what} for fault in checked.faults]
        told: dict[str, Any] = {"folder": str(folder), "sound": good, "files": checked.files, "bytes": checked.bytes}
        print_json({**told, "damaged": faults})
        return GOOD if good else NO
    for fault in checked.faults[:SHOWN_FAULTS]:
        print(one_line(f"{fault.path}: {fault.what}"), file=sys.stderr)
    if len(checked.faults) > SHOWN_FAULTS:
        print(f"{len(checked.faults)} damaged files in all, {SHOWN_FAULTS} shown", file=sys.stderr)
    if good:
        print(one_line(f"{folder}: sound, {checked.files} files, {_size(checked.bytes)}"))
    else:
        print(
            one_line(
                f"{folder}: {len(checked.faults)} of {checked.files} files are damaged; nothing was removed. "
                "Runs compute what is damaged anew; assay cache prune removes it"
            )
        )
    return GOOD if good else NO


def prune(folder: Path, bound: int, given: argparse.Namespace) -> int:
    """Remove what is asked for."""
    from assay.store.upkeep import prune as remove

    done = remove(folder, given.stage, given.older_than, given.max_bytes, bound)
    if given.json:
        print_json(
            {"folder": str(folder), "removed_files": done.files, "removed_bytes": done.bytes, "bytes": done.left}
        )
    else:
        print(one_line(f"{folder}: removed {done.files} files, {_size(done.bytes)}; {_size(done.left)} left"))
    return GOOD


def _days(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,6})?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days; give one such as 30 or 0.5")
    return float(text)


def _bytes(text: str) -> int:
    found = re.fullmatch(r"([0-9]{1,15})([kmgt]?)b?", text.lower())
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes; give one such as 500M or 2G")
    return int(found[1]) * UNITS[found[2]]


def _size(count: int) -> str:
    if count < 1000:
        return f"{count} B"
    size, unit = next(
        (count / divisor, unit)
        for unit, divisor in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9))
        if count < 1000 * divisor or unit == "GB"
    )
    return f"{size:,.1f} {unit}"


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
