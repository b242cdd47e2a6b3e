"""How far a run is: bars on a terminal, lines on stdout in a pipe, silence when asked."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from assay.errors import one_line


def say(text: str) -> None:
    """Print a line of progress. Where nobody reads it any more, or it can't be written, the work goes on in silence."""
    try:
        print(text, flush=True)
    except OSError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


class Silent:
    """Keeps warnings, shows nothing."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[int], None]]:
        """A stage that nobody sees."""
        yield lambda steps: None

    def warn(self, text: str) -> None:
        """Keep ``text`` until ``flush``: a run that fails prints its fault only."""
        self.warnings.append(text)

    def flush(self) -> None:
        """Print the kept warnings on stderr, a line each."""
        for text in self.warnings:
            print(f"warning: {one_line(text)}", file=sys.stderr)
        self.warnings.clear()


class Lines(Silent):
    """A line when a stage ends."""

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[int], None]]:
        """Say what was done and how long it took, once it is done."""
        begin = time.perf_counter()
        yield lambda steps: None
        say(f"{name}: {total} in {time.perf_counter() - begin:.1f} s")


class Bars(Silent):
    """A bar a stage, on stderr so that a result on stdout stays clean; gone when the stage is done."""

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[int], None]]:
        """Show a bar while the stage lasts."""
        columns = (
            TextColumn("{task.description:<22}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
            task = bars.add_task(name, total=total)
            yield lambda steps: bars.advance(task, steps)


def reporter(progress: bool, json_wanted: bool) -> Silent:
    """The reporter for this terminal and these wishes."""
    if not progress or json_wanted:
        return Silent()
    return Bars() if sys.stderr.isatty() and sys.stdout.isatty() else Lines()
