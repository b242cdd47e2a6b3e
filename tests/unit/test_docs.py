"""docs/ says what the code does: examples recompute, commands compose, and nothing that a user can name is left out."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import typing
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from assay.cli import VERBS
from assay.composition import compose, loader
from assay.config import GROUPS, Config, judge
from assay.config.gate import expected
from assay.evaluation import CAUSES, FAMILIES, WITH_BOUNDS, Answer, abstention_block, summarise
from assay.evaluation.power import TYPICAL_SD, smallest_difference
from assay.golden.lint import CODES
from assay.run_command import parse
from assay.sweep import expand

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CONF = ROOT / "conf"
PAGES = sorted(DOCS.glob("*.md"))
TEXT = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
EVERYTHING = "\n".join([*TEXT.values(), (ROOT / "README.md").read_text(encoding="utf-8")])


# --- Pages and links ---


def test_the_index_names_every_page() -> None:
    assert {page.name for page in PAGES} >= {"README.md", "metrics.md", "causes.md", "configuration.md"}
    for name in TEXT:
        assert name == "README.md" or f"]({name})" in TEXT["README.md"], name
    assert "docs/README.md" in (ROOT / "README.md").read_text(encoding="utf-8"), "README.md links to docs/"


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives a page's headings."""
    titles = re.findall(r"^#+ +(.+)$", without_code(page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?://)([^)\s]+)\)", without_code(TEXT[page.name]))
    for target in targets:
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), f"{target}: no such heading"


# --- Worked examples ---


@pytest.mark.parametrize("page", [page for page in PAGES if ">>> " in TEXT[page.name]], ids=lambda page: page.name)
def test_examples_recompute(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried > 0
    assert failed == 0


@pytest.mark.parametrize("family", FAMILIES)
def test_every_metric_family(family: str) -> None:
    """A section of its own, with its name and cutoff, and a value by hand."""
    section = re.search(rf"^##+ {family}\n(.*?)(?=^##+ |\Z)", TEXT["metrics.md"], re.DOTALL | re.MULTILINE)
    assert section, f"docs/metrics.md: no section {family}"
    assert f"`{family}" in section[1]
    assert ">>> " in section[1] or "Example" in section[1], "an example"


def test_the_example_of_index_recall() -> None:
    """Exact search has 7, 3, 9, 4; the index 3, 7, 4, 8."""
    for k, share in ((3, "2/3"), (4, "3/4")):
        found = len({7, 3, 9, 4}.intersection([3, 7, 4, 8][:k]) & set([7, 3, 9, 4][:k]))
        assert f"{found}/{k}" == share
        assert f"`index_recall@{k}` is {share}" in TEXT["metrics.md"]


def test_every_bounded_family_has_its_formulas() -> None:
    table = TEXT["metrics.md"].partition("| metric | floor")[2].partition("\n\n")[0]
    for family in WITH_BOUNDS:
        assert re.search(rf"`{family}(@k)?`", table), family


def test_every_key_of_metrics_json() -> None:
    block = abstention_block([Answer(True, False, 0.5, True)], None)
    summary = summarise(
        answerable=[True], unjudged=0, types=[None], values={}, bounds={}, abstention=block, causes=[{}]
    )
    for key in (*block, *(set(summary) - {"schema_version", "ci_method", "queries"})):
        assert re.search(rf"`{key}[`.]", EVERYTHING), f"no page tells what {key} in metrics.json is"


# --- Causes, findings, commands ---


def test_every_cause_has_a_section_in_order() -> None:
    titles = re.findall(r"^## `?(\w+)`?$", TEXT["causes.md"], re.MULTILINE)
    assert [title for title in titles if title in CAUSES] == list(CAUSES)


@pytest.mark.parametrize("cause", CAUSES)
def test_every_cause_says_what_to_do_and_shows_it(cause: str) -> None:
    section = re.search(rf"^## {cause}\n(.*?)(?=^## |\Z)", TEXT["causes.md"], re.DOTALL | re.MULTILINE)
    assert section
    for part in ("**Means.**", "**Found by.**", "**What to do.**", "**Example.**"):
        assert part in section[1], part
    assert "\n$ assay run " in section[1]
    assert re.search(rf"lost by {cause}|\b{cause} \d", section[1]), "the tool's own words"


def test_every_finding_of_check() -> None:
    rows = dict(re.findall(r"^\| (GS\d+) \| (\w+) \|", TEXT["golden-sets.md"], re.MULTILINE))
    assert rows == {code: severity for code, (severity, _) in CODES.items()}


def test_what_so_many_questions_show() -> None:
    table = re.findall(r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", TEXT["golden-sets.md"], re.MULTILINE)
    assert len(table) >= 5
    deviations = (TYPICAL_SD["recall@5"], TYPICAL_SD["mrr"], 2 * TYPICAL_SD["recall@5"])
    for n, *shown in table:
        assert shown == [f"{smallest_difference(int(n), sd):.2f}" for sd in deviations], n


@pytest.mark.parametrize("verb", VERBS)
def test_every_command(verb: str) -> None:
    assert re.search(rf"\bassay {verb}\b", EVERYTHING), f"neither docs/ nor README.md tells of assay {verb}"


def commands() -> list[tuple[str, str]]:
    """(page, command) of every ``assay …`` line in a block of commands or a console, continued lines joined."""
    found = []
    for name, text in TEXT.items():
        for kind, block in re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            if kind not in {"bash", "console"}:
                continue
            for line in block.replace("\\\n", " ").splitlines():
                told = line.removeprefix("$ ") if kind == "console" else line
                if (kind == "bash" or line.startswith("$ ")) and told.startswith("assay "):
                    found.append((name, told))
    return found


@pytest.mark.parametrize(("page", "command"), commands())
def test_commands_parse(page: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs compose and pass the gate, every job of a sweep too; of other verbs every flag exists."""
    monkeypatch.chdir(tmp_path)
    _, verb, *rest = shlex.split(command, comments=True)
    assert verb in VERBS or verb == "--version"
    if verb != "run":
        monkeypatch.setenv("COLUMNS", "200")
        told = help_of(verb)
        for flag in (word.partition("=")[0] for word in rest if word.startswith("--")):
            assert re.search(rf"{flag}\b", told), f"assay {verb} has no {flag}"
        return
    asked = parse(rest)
    if asked.from_run is not None or asked.help or asked.info:
        return
    composed = compose(asked.overrides, asked.config_dirs, asked.multirun)
    if not asked.multirun:
        assert not composed.hydra.sweeper.get("params"), "a sweep without -m"
        judge(composed.job)
        return
    params = [f"{key}={value}" for key, value in (composed.hydra.sweeper.get("params") or {}).items()]
    jobs = expand(params, asked.overrides, loader(asked.config_dirs))
    assert jobs
    for job in jobs:
        judge(compose(job, asked.config_dirs).job)


def help_of(verb: str) -> str:
    """What ``assay VERB --help`` prints."""
    import contextlib
    import io

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        VERBS[verb][0](["--help"])
    return printed.getvalue()


@pytest.mark.slow
def test_the_consoles_of_causes_are_what_the_tool_prints(assay: Any, tmp_path: Path) -> None:
    """Every command works as written, in order, and prints each line shown; numbers may differ on other machines."""
    work = tmp_path / "work"
    (work / "data").symlink_to(ROOT / "data")
    for block in re.findall(r"^```console\n(.*?)^```", TEXT["causes.md"], re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            verb, *words = shlex.split(command)
            if verb == "assay":
                done = assay(*words, *(["threads=1"] if words[0] == "run" else []))
            else:
                done = subprocess.run([verb, *words], cwd=work, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{command}: {done.stderr}"
            printed = {masked(line) for line in done.stdout.splitlines()}
            for line in shown:
                assert line == "…" or masked(line) in printed, f"{command} does not print: {line}\n{done.stdout}"


def masked(line: str) -> str:
    """``line`` with every number as #, and runs of spaces as one."""
    return re.sub(r"\s+", " ", re.sub(r"\d+(\.\d+)?", "#", line)).strip()


# --- Configuration ---


def models_of(group: str) -> list[type[BaseModel]]:
    annotation = Config.model_fields[group].annotation
    return [model for model in (typing.get_args(annotation) or (annotation,)) if isinstance(model, type)]


def comments_of(path: Path) -> dict[str, str]:
    """The comment beside each key of an option file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {m[1]: m[2] for line in lines if (m := re.fullmatch(r"([a-z_0-9]+): .*?\S +# (\S.*)", line))}


def cell(value: Any) -> str:
    """A value as YAML has it, in one line."""
    return yaml.safe_dump(value, default_flow_style=True, width=10_000).removesuffix("\n...\n").strip()


def takes(field: Any) -> str:
    """What a field takes, the longest lists cut."""
    words = expected(field).replace("dict[str, typing.Any]", "a mapping")
    listed = words.removeprefix("one of ").split(", ")
    return words if len(listed) <= 12 else "one of " + ", ".join(listed[:4]) + ", …"


def escaped(text: str) -> str:
    """``text`` as a cell of a Markdown table shows it."""
    return text.replace("|", "\\|") if text.startswith("`") else text.replace("|", "\\|").replace("<", "\\<")


def rows_of(group: str) -> dict[tuple[str, str], str]:
    """(option, key) to the cells that docs/configuration.md must have for it: key, default, what it takes, meaning."""
    rows: dict[tuple[str, str], str] = {}
    for path in sorted((CONF / group).glob("*.yaml")):
        written, comments = yaml.safe_load(path.read_text(encoding="utf-8")), comments_of(path)
        models = models_of(group)
        model = next(
            (m for m in models if "kind" in m.model_fields and m.model_fields["kind"].default == path.stem), models[0]
        )
        for key, field in sorted(model.model_fields.items(), key=lambda item: list(written).index(item[0])):
            if key != "kind":
                cells = (f"`{group}.{key}`", f"`{cell(written[key])}`", takes(field), comments[key])
                rows[path.stem, key] = " | ".join(escaped(text) for text in cells)
    return rows


def documented(group: str) -> dict[str, set[str]]:
    """The rows of a group's table: key, default, what it takes and meaning, to the options they are said to hold for."""
    section = re.search(rf"^## {group}\n(.*?)(?=^## |\Z)", TEXT["configuration.md"], re.DOTALL | re.MULTILINE)
    assert section, f"docs/configuration.md: no section {group}"
    found: dict[str, set[str]] = {}
    for key, options, rest in re.findall(rf"^\| (`{group}\.\w+`) \| ([^|]*) \| (.*) \|$", section[1], re.MULTILINE):
        found.setdefault(f"{key} | {rest}", set()).update(options.split(", "))
    return found


@pytest.mark.parametrize("group", GROUPS)
def test_every_key_of_every_option(group: str) -> None:
    """As conf/ and the models have it: no key missing, none too many, default, range and meaning the same."""
    wanted: dict[str, set[str]] = {}
    for (option, _), row in rows_of(group).items():
        wanted.setdefault(row, set()).add(option)
    there = documented(group)
    for row, options in wanted.items():
        key, _, rest = row.partition(" | ")
        lacking = options - there.get(row, set())
        assert not lacking, (
            f"docs/configuration.md lacks {key} of {group}={', '.join(sorted(lacking))}; "
            f"this row is right:\n| {key} | {', '.join(sorted(options))} | {rest} |"
        )
    for row, options in there.items():
        assert options <= wanted.get(row, set()), f"docs/configuration.md has what {group} has not: {row} ({options})"


@pytest.mark.parametrize("group", GROUPS)
def test_every_option_is_described(group: str) -> None:
    section = re.search(rf"^## {group}\n(.*?)(?=^## |\Z)", TEXT["configuration.md"], re.DOTALL | re.MULTILINE)
    assert section
    described = set(re.findall(rf"^\| `{group}=(\w+)`(?: \(default\))? \| \S", section[1], re.MULTILINE))
    assert described == {path.stem for path in (CONF / group).glob("*.yaml")}


def test_every_top_level_key() -> None:
    text = (CONF / "config.yaml").read_text(encoding="utf-8")
    primary = yaml.safe_load(text)
    section = TEXT["configuration.md"].partition("\n## Top level\n")[2].partition("\n## ")[0]
    for key in set(Config.model_fields) - set(GROUPS):
        meaning = re.search(rf"^{key}: .*?\S +# (\S.*)$", text, re.MULTILINE)
        assert meaning
        row = f"| `{key}` | `{cell(primary[key])}` | {takes(Config.model_fields[key])} | {meaning[1]} |"
        assert row in section, f"docs/configuration.md lacks: {row}"


def test_every_preset() -> None:
    section = TEXT["configuration.md"].partition("\n## experiment\n")[2].partition("\n## ")[0]
    for path in (CONF / "experiment").glob("*.yaml"):
        assert f"`experiment={path.stem}`" in section, path.stem


def test_every_stemmer() -> None:
    from assay.config.models import Stemmer

    for name in typing.get_args(Stemmer):
        assert re.search(rf"\b{name}\b", TEXT["configuration.md"]), name
