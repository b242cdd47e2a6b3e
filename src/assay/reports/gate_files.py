"""A gate as JUnit XML for a CI's test page, and as Markdown for a pull request."""

from __future__ import annotations

import html
import re
from xml.sax.saxutils import escape, quoteattr

from assay.reports.compare_words import chance
from assay.reports.gate_console import explained
from assay.reports.text import number, plain
from assay.runs.gate_checks import Gate

# What XML 1.0 has no place for, not even escaped: control characters, surrogates, two non-characters.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MARKS = re.compile(r"([\\`*_{}\[\]#!|~])")
_MENTION = re.compile(r"(?<!\w)@(?=\w)")


def junit(found: Gate) -> str:
    """JUnit XML: a test case a check, named by what it asks; a failure says what was found."""
    failures = sum(not check.passed for check in found.checks)
    counts = f'tests="{len(found.checks)}" failures="{failures}" errors="0" skipped="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="assay gate" {counts}>',
        f'  <testsuite name="assay gate" {counts}>',
    ]
    for check in found.checks:
        head = f'    <testcase classname="assay.gate" name={_attribute(check.name)} time="0"'
        reason = _attribute(check.reason)
        if check.passed:
            lines += [f"{head}>", f"      <system-out>{_content(check.reason)}</system-out>", "    </testcase>"]
        else:
            lines += [
                f"{head}>",
                f'      <failure type="{check.kind}" message={reason}>{_content(check.reason)}</failure>',
                "    </testcase>",
            ]
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def _attribute(text: str) -> str:
    return quoteattr(_NO_XML.sub("", text))


def _content(text: str) -> str:
    return escape(_NO_XML.sub("", text))


def markdown(found: Gate) -> str:
    """A heading that says the outcome, a table of the checks, and what they mean."""
    lines = [
        f"### {'✅' if found.passed else '❌'} {found.sentence}",
        "",
        "| | check | found | 95 % interval | p | n |",
        "|---|---|---:|---|---:|---:|",
    ]
    for check in found.checks:
        interval = "" if check.ci95 is None else f"{check.ci95[0]:.3f} to {check.ci95[1]:.3f}"
        p = "" if check.difference is None else _cell(chance(check.difference.p_corrected))
        mark = "✅" if check.passed else "❌"
        lines.append(f"| {mark} | {_cell(check.name)} | {number(check.value)} | {interval} | {p} | {check.n} |")
    told = explained(found)
    if told:
        lines += ["", *(_cell(line) for line in told)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """``text`` on one line, nothing in it read as HTML or Markdown, and nobody mentioned."""
    return _MENTION.sub("@<!-- -->", _MARKS.sub(r"\\\1", html.escape(plain(text), quote=False)))
