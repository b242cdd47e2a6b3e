"""The command line: verbs, thin. Faults are one line each on stderr and exit status 2."""

from __future__ import annotations

import argparse
import importlib.metadata
import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from assay.errors import AssayError, one_line

GOOD, NO, WRONG, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``assay`` with ``argv`` (the process's own by default); the exit status."""
    prepare_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments
    arguments = [argument for argument in arguments if argument != "--debug"]
    try:
        return dispatch(arguments)
    except AssayError as error:
        if debug:
            traceback.print_exc()
        for line in error.lines():
            print(line, file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        if debug:
            traceback.print_exc()
        print(
            "interrupted; nothing half-written is left. The same command with resume=true goes on where it stopped",
            file=sys.stderr,
        )
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain again while closing it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return GOOD
    except OSError as error:
        if debug:
            traceback.print_exc()
        print(
            one_line(f"{error.filename or 'assay'}: {error.strerror or error}; nothing half-written is left"),
            file=sys.stderr,
        )
        return WRONG
    except Exception as error:
        if debug:
            traceback.print_exc()
        print(
            one_line(
                f"a fault in assay itself ({type(error).__name__}: {error}); run again with --debug and report it"
            ),
            file=sys.stderr,
        )
        return WRONG


def prepare_streams() -> None:
    """Make stdout and stderr fit to print on: a closed one swallows, one that isn't UTF-8 shows what it can."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def dispatch(arguments: list[str]) -> int:
    """Hand the rest of the line to its verb."""
    if not arguments or arguments[0] in {"-h", "--help", "help"}:
        print(usage())
        return GOOD if arguments else WRONG
    verb, rest = arguments[0], arguments[1:]
    if verb == "--version":
        try:
            print(f"assay {importlib.metadata.version('assay')}")
        except importlib.metadata.PackageNotFoundError:
            print("assay, not installed: run from a source tree")
        return GOOD
    if verb in HIDDEN:
        return HIDDEN[verb](rest)
    if verb not in VERBS:
        from assay.config.gate import nearest

        raise AssayError(f"{verb}: no such command{nearest(verb, VERBS) or '; commands: ' + ', '.join(VERBS)}")
    return VERBS[verb][0](rest)


def usage() -> str:
    """The text of ``assay --help``."""
    rows = "\n".join(f"  {verb:<11}{text}" for verb, (_, text) in VERBS.items())
    return (
        f"assay: did that change make retrieval better?\n\nusage: assay COMMAND …\n\n{rows}\n\n"
        "assay COMMAND --help tells more; --debug shows tracebacks; assay --version.\n"
        "Exit status: 0 good; 1 it worked and the answer is no; 2 wrong use or input."
    )


class Parser(argparse.ArgumentParser):
    """argparse whose faults are one line that says what would be right."""

    def error(self, message: str) -> NoReturn:
        raise AssayError(f"{self.prog}: {message}; see {self.prog} --help")


def parser(verb: str, description: str) -> Parser:
    """A parser for one verb, with ``--json``."""
    made = Parser(prog=f"assay {verb}", description=description, allow_abbrev=False)
    made.add_argument("--json", action="store_true", help="print one JSON document on stdout and nothing else")
    return made


def print_json(value: Any) -> None:
    """``value`` as the one JSON document on stdout."""
    plain = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    print(json.dumps(value, indent=2, allow_nan=False, ensure_ascii=not plain))


def run(rest: list[str]) -> int:
    """``assay run``."""
    from assay.run_command import run_command

    return run_command(rest)


def compare(rest: list[str]) -> int:
    """``assay compare``."""
    from assay.compare_command import compare_command

    return compare_command(rest)


def explain(rest: list[str]) -> int:
    """``assay explain``."""
    from assay.explain_command import explain_command

    return explain_command(rest)


def gate(rest: list[str]) -> int:
    """``assay gate``."""
    from assay.gate_command import gate_command

    return gate_command(rest)


def report(rest: list[str]) -> int:
    """``assay report``."""
    from assay.report_command import report_command

    return report_command(rest)


def reproduce(rest: list[str]) -> int:
    """``assay reproduce``."""
    from assay.reproduce_command import reproduce_command

    return reproduce_command(rest)


def score(rest: list[str]) -> int:
    """``assay score``."""
    from pathlib import Path

    from assay.scoring import score as score_files

    made = parser("score", "Score anybody's TREC run against qrels (TREC, or BEIR's TSV).")
    made.add_argument("--run", required=True, metavar="FILE", help="a TREC run: query Q0 document rank score tag")
    made.add_argument(
        "--qrels",
        required=True,
        metavar="FILE",
        help="judgements: four columns, or BEIR's TSV with its header",
    )
    made.add_argument("--metrics", nargs="+", metavar="NAME", help="such as recall@5 mrr ndcg@10")
    given = made.parse_args(rest)
    scored = score_files(Path(given.run), Path(given.qrels), given.metrics)
    if given.json:
        print_json(scored.document())
    else:
        print(scored.table())
    return GOOD


def check(rest: list[str]) -> int:
    """``assay check``."""
    from assay.check_command import check_command

    return check_command(rest)


def new(rest: list[str]) -> int:
    """``assay new``."""
    from assay.new_command import new_command

    return new_command(rest)


def convert(rest: list[str]) -> int:
    """``assay convert``."""
    from assay.convert_command import convert_command

    return convert_command(rest)


def cache(rest: list[str]) -> int:
    """``assay cache``."""
    from assay.cache_command import cache_command

    return cache_command(rest)


def completion(rest: list[str]) -> int:
    """``assay completion``."""
    from assay.completion import SCRIPTS, script

    made = Parser(prog="assay completion", description="Print the completion script of a shell.", allow_abbrev=False)
    made.add_argument("shell", metavar="|".join(SCRIPTS), help='such as: eval "$(assay completion bash)"')
    print(script(made.parse_args(rest).shell), end="")
    return GOOD


def complete_line(rest: list[str]) -> int:
    """What the completion scripts ask: candidates for the last word of a line, one a line."""
    from assay.completion import candidates

    for text in candidates(rest[0] if rest else "", list(VERBS)):
        print(text)
    return GOOD


VERBS: dict[str, tuple[Callable[[list[str]], int], str]] = {
    "run": (run, "run a pipeline on a golden set; -m runs a sweep"),
    "compare": (compare, "compare runs or a sweep's, paired by query"),
    "explain": (explain, "worst queries of a run, and one query's whole story"),
    "gate": (gate, "hold a run against floors and a baseline, for CI"),
    "report": (report, "write one self-contained HTML file about a run or a sweep"),
    "reproduce": (reproduce, "run a saved config again and verify the numbers"),
    "score": (score, "score anybody's TREC run against qrels"),
    "check": (check, "lint a golden set, and say how small a difference it can show"),
    "new": (new, "start a bench of your own"),
    "convert": (convert, "convert other formats into a golden set, and back"),
    "cache": (cache, "look into the store, verify it, prune it"),
    "completion": (completion, "print the completion script of a shell"),
}
HIDDEN: dict[str, Callable[[list[str]], int]] = {"complete-line": complete_line}

if __name__ == "__main__":
    sys.exit(main())
