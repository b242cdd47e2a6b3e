"""What the benchmarks share: rounds in which contenders take turns, medians, a table, JSON, and what machine it was."""

from __future__ import annotations

import argparse
import json
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from assay.threads import cores

ROOT = Path(__file__).resolve().parents[1]
DATASETS = ROOT.parent / "shared" / "datasets"
LIBRARIES = (
    "numpy",
    "faiss-cpu",
    "torch",
    "transformers",
    "sentence-transformers",
    "openvino",
    "pytrec_eval-terrier",
    "ranx",
    "beir",
    "mteb",
)


def asked(name: str, doc: str, argv: Sequence[str] | None, rounds: int = 5, **more: Any) -> argparse.Namespace:
    """The arguments that every benchmark takes, and ``more``: a flag's name to ``add_argument``'s keywords."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=doc)
    parser.add_argument("--rounds", type=int, default=rounds, help="the medians are of so many (default: %(default)s)")
    parser.add_argument("--small", action="store_true", help="a quick look at a small part; its figures say little")
    parser.add_argument("--json", metavar="FILE", help="where to write the figures too")
    for flag, keywords in more.items():
        parser.add_argument(f"--{flag.replace('_', '-')}", **keywords)
    return parser.parse_args(argv)


def dataset(name: str) -> Path:
    """The folder of a shared collection; ends the benchmark with one line where it is not there."""
    folder = DATASETS / name
    if not folder.is_dir():
        raise SystemExit(f"skipped: {folder} is not on this machine")
    return folder


def in_turns(ways: Mapping[str, Callable[[], object]], rounds: int, warm: bool = True) -> dict[str, list[float]]:
    """Seconds of each of ``ways`` in each round. They take turns, forwards and backwards, so that whatever else the machine
    does falls on all of them alike; ``warm`` runs each once before.
    """
    if warm:
        for way in ways.values():
            way()
    told: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds):
        for name in list(ways)[:: 1 if turn % 2 == 0 else -1]:
            begin = time.perf_counter()
            ways[name]()
            told[name].append(time.perf_counter() - begin)
    return told


def medians(told: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The median of each contender's rounds."""
    return {name: statistics.median(seconds) for name, seconds in told.items()}


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a whole process and its children: seconds by the clock and of the CPU, megabytes at most, what it printed."""

    wall: float
    cpu: float
    peak_mb: float
    output: str


def process(command: Sequence[str], env: Mapping[str, str], cwd: Path | None = None) -> Cost:
    """Run ``command`` and wait for it; ends the benchmark with what it said where it fails."""
    begin = time.perf_counter()
    running = subprocess.Popen(
        command, env=dict(env), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output, errors = running.communicate()
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if running.returncode:
        raise SystemExit(f"{' '.join(command[:4])} ended with {running.returncode}:\n{errors[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = next((line.split()[1] for line in output.splitlines() if line.startswith("peak_mb ")), None)
    return Cost(wall, cpu, float(peak) if peak else float("nan"), output)


def peak_mb() -> float:
    """Largest resident memory of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)


def table(rows: Sequence[Sequence[str]]) -> str:
    """``rows`` as a Markdown table; the first is the head, and all but the first column stand right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| "
        + " | ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in rows
    ]
    rule = "|" + "|".join("-" * (width + 1) + (":" if column else "-") for column, width in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def machine() -> dict[str, Any]:
    """The processor, the cores this process may use, Python, and the libraries that are installed."""
    versions = {}
    for library in LIBRARIES:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            continue
    return {"processor": _processor(), "cores": cores(), "python": platform.python_version(), "versions": versions}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def tell(
    title: str, rows: Sequence[Sequence[str]], figures: Any, given: argparse.Namespace, notes: Sequence[str] = ()
) -> None:
    """Print the table under ``title``, the machine and ``notes``; write ``figures`` where ``--json`` says."""
    about = machine()
    libraries = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    print(f"{title}; medians of {given.rounds}{' (--small)' if given.small else ''}\n")
    print(table(rows))
    for note in notes:
        print(f"\n{note}")
    print(f"\n{about['cores']} cores of {about['processor']}, Python {about['python']}, {libraries}")
    if given.json:
        document = {"title": title, "rounds": given.rounds, "small": given.small, "machine": about, "figures": figures}
        Path(given.json).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
