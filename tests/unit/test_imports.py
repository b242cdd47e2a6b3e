"""Imports point down, heavy libraries load inside the functions that need them, and one module knows every implementation.

The source is parsed, not run, so what is said here holds for every path through it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
HEAVY = {"torch", "sentence_transformers", "transformers", "faiss", "sklearn", "bm25s", "scipy", "pandas", "polars"}
HEAVY |= {"huggingface_hub", "tokenizers", "threadpoolctl", "matplotlib", "mlflow", "ray"}
BASE = {"errors", "records", "words", "strict_yaml"}
IMPLEMENTATIONS = ("embedders", "indexes", "chunkers", "retrieval", "rerankers", "plugins")
# Where a stage's classes may be named: the factory, the public face of their own folder, and who hands them on.
NAMES_CLASSES = {
    "FlatIndex": {"factory", "indexes"},
    "IvfIndex": {"factory", "indexes"},
    "HnswIndex": {"factory", "indexes"},
    "LsaModel": {"factory", "embedders"},
    "SentenceTransformerModel": {"factory", "embedders"},
    "TokensChunker": {"factory", "chunkers"},
    "DocumentChunker": {"factory", "chunkers"},
    "SentencesChunker": {"factory", "chunkers"},
    "RecursiveChunker": {"factory", "chunkers"},
    "MarkdownChunker": {"factory", "chunkers"},
    "SemanticChunker": {"factory", "chunkers"},
    "ParentChunker": {"factory", "chunkers"},
    "PluginChunker": {"factory", "plugins"},
    "PluginEmbedder": {"factory", "plugins"},
    "PluginReranker": {"factory", "plugins"},
    "DiskStore": {"factory", "store"},
}
PLUGINS_KNOW = ("errors", "words", "config", "chunkers", "chunks", "embedders.base", "filters", "ranking", "retrieval")
PLUGINS_KNOW += ("rerankers.base",)
KNOWS_HYDRA = {"cli", "run_command", "composition", "sweep", "completion"}


@dataclass(frozen=True)
class Import:
    """``importer`` (``config.gate``) imports ``imported`` at ``place``; ``top``: as soon as it is itself imported."""

    importer: str
    imported: str
    names: tuple[str, ...]
    place: str
    top: bool
    typing_only: bool


def imports_of(path: Path) -> Iterator[Import]:
    importer = ".".join(path.relative_to(SOURCE / "assay").with_suffix("").parts).removesuffix(".__init__")

    def walk(node: ast.AST, top: bool, typing_only: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            place = f"src/{path.relative_to(SOURCE).as_posix()}:{getattr(child, 'lineno', 0)}"
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(importer, alias.name, (), place, top, typing_only)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{place}: relative import; write the whole name"
                names = tuple(alias.name for alias in child.names)
                yield Import(importer, child.module or "", names, place, top, typing_only)
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                yield from walk(child, top, True)
            else:
                inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                yield from walk(child, top and not inside, typing_only)

    return walk(ast.parse(path.read_text(encoding="utf-8")), True, False)


IMPORTS = [found for path in sorted((SOURCE / "assay").rglob("*.py")) for found in imports_of(path)]
MODULES = {found.importer for found in IMPORTS}


def inside(module: str, *folders: str) -> bool:
    """Whether ``module`` is one of ``folders`` or lies in one."""
    return any(module == folder or module.startswith(f"{folder}.") for folder in folders)


def own(found: Import) -> list[str]:
    """What an import takes from the package, without its name: ``from assay import factory`` gives ``factory``."""
    if found.imported == "assay":
        return [*found.names] or [""]
    return [found.imported.removeprefix("assay.")] if found.imported.startswith("assay.") else []


def third_party(found: Import) -> str:
    return found.imported.split(".")[0]


def upward(importers: tuple[str, ...], allowed: tuple[str, ...]) -> list[str]:
    """Imports of the package by ``importers`` that are not among ``allowed``, one line each."""
    return [
        f"{found.place}: {found.importer} imports assay.{target}; it may know only {', '.join(allowed) or 'nothing'}"
        for found in IMPORTS
        if inside(found.importer, *importers) and not found.typing_only
        for target in own(found)
        if not inside(target, *allowed, *(i for i in importers if i not in BASE))
    ]


def test_the_parser_sees_the_package() -> None:
    assert {"errors", "records", "pipeline", "factory", "config.gate", "evaluation.measures"} <= MODULES
    assert len(IMPORTS) > 200
    assert any(not found.top for found in IMPORTS)
    assert any(found.typing_only for found in IMPORTS)


@pytest.mark.parametrize(
    ("importers", "allowed"),
    [
        (("errors", "records", "words", "strict_yaml"), ()),
        (("evaluation",), ("errors", "records", "words")),
        (("config",), ("errors", "records", "strict_yaml", "filters.language")),
        (("filters",), ("errors", "records", "strict_yaml")),
        (("golden",), ("errors", "records", "words", "evaluation")),
        (("chunkers",), ("errors", "records", "words")),
        (("chunks",), ("records", "chunkers")),
        (("ranking",), ("records", "chunks")),
        (("store",), ("errors", "records", "config.models", "chunks", "indexes", "ranking", "retrieval.stage")),
        (("embedders",), ("errors", "records", "words", "config.models")),
        (("indexes",), ("errors", "records", "config.models")),
        (("retrieval",), ("records", "words", "config.models", "chunks", "filters", "indexes", "ranking")),
        (("plugins",), PLUGINS_KNOW),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, tuple) else None,
)
def test_imports_point_down(importers: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    assert upward(importers, allowed) == []


def test_the_trip_knows_nothing_of_those_who_start_it_or_write_it_down() -> None:
    above = ("cli", "run_command", "composition", "sweep", "api", "runs", "reports", "completion")
    trip = ("pipeline", "workbench", "scores", "factory", "chunks", "ranking", "clock", "threads", *IMPLEMENTATIONS)
    assert [
        f"{found.place}: {found.importer} imports assay.{target}, which stands above it"
        for found in IMPORTS
        if inside(found.importer, *trip, "golden", "config", "evaluation")
        for target in own(found)
        if inside(target, *above)
    ] == []


def test_heavy_libraries_are_imported_where_they_are_used() -> None:
    """So that help, completion, config errors and a fully cached run start without them."""
    assert [
        f"{found.place}: {found.imported} at module level; import it inside the function that needs it"
        for found in IMPORTS
        if third_party(found) in HEAVY and found.top and not found.typing_only
    ] == []


def test_evaluation_can_score_anybody_s_run_with_numpy_alone() -> None:
    foreign = {third_party(f) for f in IMPORTS if inside(f.importer, "evaluation") and not own(f)}
    assert foreign - {"numpy"} <= sys.stdlib_module_names


@pytest.mark.parametrize("name", sorted(NAMES_CLASSES))
def test_one_module_knows_every_implementation(name: str) -> None:
    """Config's models share some of these names; a class counts where it is taken from its stage."""
    assert [
        f"{found.place}: {found.importer} names {name}; only the factory chooses implementations"
        for found in IMPORTS
        if name in found.names
        and not inside(found.imported, "assay.config")
        and not inside(found.importer, *NAMES_CLASSES[name])
    ] == []


def test_only_the_command_line_knows_hydra() -> None:
    assert [
        f"{found.place}: {found.importer} imports {found.imported}; only the command line composes"
        for found in IMPORTS
        if third_party(found) in {"hydra", "omegaconf", "hydra_plugins"} and not inside(found.importer, *KNOWS_HYDRA)
    ] == []


def test_no_two_modules_need_each_other_to_be_imported() -> None:
    """Imports at module level, by module, have no cycle."""
    graph = {module: set() for module in MODULES}
    for found in IMPORTS:
        if found.top and not found.typing_only:
            for target in own(found):
                deeper = [f"{target}.{name}" for name in found.names if f"{target}.{name}" in MODULES]
                graph[found.importer] |= {t for t in (deeper or [target]) if t in MODULES and t != found.importer}
    left = dict(graph)
    while free := [module for module, needed in left.items() if not needed & left.keys()]:
        for module in free:
            del left[module]
    assert not left, f"these import each other: {', '.join(sorted(left))}"
