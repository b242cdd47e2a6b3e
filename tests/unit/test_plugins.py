"""Plugins of a user's: found by entry point alone, held to what their stage needs, and named in whatever goes wrong."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from assay import factory
from assay.chunkers import DocumentChunker, TokensChunker
from assay.chunks import ChunkSet, cut
from assay.composition import compose
from assay.config import judge, models
from assay.config.plugins import Plugin
from assay.errors import StageError
from assay.filters import Allowed
from assay.plugins import PluginRetrieval, PluginStage, check, described, unequal_bits, versions
from assay.records import Document
from assay.rerankers.base import Candidates
from assay.words import word_spans

GROUPS = MappingProxyType({"chunker": "Cut", "embedder": "Embed", "retriever": "Find", "reranker": "Score"})
KINDS = MappingProxyType(
    {
        "chunker": models.PluginChunker,
        "embedder": models.PluginEmbedder,
        "retriever": models.PluginRetriever,
        "reranker": models.PluginReranker,
    }
)
CODE = """
import numpy as np

class Cut:
    def __init__(self, size=3): self.size = size
    def pieces(self, text): return [(i, min(i + self.size, len(text))) for i in range(0, len(text), self.size)]

class Embed:
    deterministic = True
    def __init__(self, dim=2): self.dim = dim
    def embed(self, texts, role): return [[len(text) + (role == "query")] * self.dim for text in texts]

class Find:
    def index(self, texts): self.texts = texts
    def search(self, query, k):
        return [(i, float(text.count(query))) for i, text in enumerate(self.texts) if query in text][:k]

class Score:
    def scores(self, query, texts): return [len(text) for text in texts]
"""
numbers = itertools.count()


@pytest.fixture
def plugin(install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Install ``code`` and give the option that names its class of ``group``."""

    def call(group: str, code: str = CODE, name: str = "mine", value: str | None = None, **settings: Any) -> Any:
        module = f"plugin{next(numbers)}"
        folder = install(module, code, f"[assay.{group}s]\n{name} = {value or f'{module}:{GROUPS[group]}'}")
        monkeypatch.syspath_prepend(str(folder))
        return KINDS[group](name=name, **settings)

    return call


def chunks_of(*texts: str) -> ChunkSet:
    documents = tuple(Document(f"d{i}", text) for i, text in enumerate(texts))
    return cut(documents, DocumentChunker(), word_spans, "none")


def embedder_of(option: models.PluginEmbedder) -> Any:
    return factory.make_embedder(option, 0)


def candidates(*texts: str) -> Candidates:
    return Candidates("query", np.arange(len(texts)), list(texts), np.zeros(len(texts)), None, None)


def use(option: Plugin, text: str = "one two") -> Any:
    """Let the plugin do its work once."""
    match option:
        case models.PluginChunker():
            return factory.make_chunker(option).pieces(text, word_spans)
        case models.PluginEmbedder():
            return embedder_of(option).embed_documents([text, "x"], lambda _: None)
        case models.PluginRetriever():
            return PluginRetrieval(chunks_of(text, "x"), option).retrieve("o", 2, 1)
        case models.PluginReranker():
            reranker = factory.make_reranker(option, None, chunks_of(text))  # type: ignore[arg-type]
            return reranker.scores(candidates(text, "x"))  # type: ignore[union-attr]
    raise AssertionError(option)


def test_each_does_its_work(plugin: Callable[..., Any]) -> None:
    pieces = use(plugin("chunker", params={"size": 4}))
    assert [(piece.start, piece.end) for piece in pieces] == [(0, 3), (4, 7)], "white space at the ends is taken off"
    assert use(plugin("embedder", params={"dim": 3})).tolist() == [[7, 7, 7], [1, 1, 1]]
    assert use(plugin("retriever")).scores.tolist() == [2]
    assert use(plugin("reranker")).tolist() == [7, 1]


@pytest.mark.parametrize("group", GROUPS)
def test_an_unknown_name_lists_what_is_installed(group: str, plugin: Callable[..., Any]) -> None:
    with pytest.raises(StageError, match=rf"^{group}\.name: 'mine' is no installed plugin.*pip install") as none:
        use(KINDS[group](name="mine"))
    assert len(none.value.lines()) == 1
    plugin(group, name="other")
    plugin(group, name="mind")
    with pytest.raises(
        StageError, match=r"'mine' is no installed plugin.*did you mean mind\?; installed: mind, other$"
    ):
        use(KINDS[group](name="mine"))


@pytest.mark.parametrize("group", GROUPS)
def test_a_name_that_two_distributions_have_is_refused(group: str, plugin: Callable[..., Any]) -> None:
    plugin(group)
    with pytest.raises(StageError, match=r"'mine' is a plugin of plugin\d+ 1\.0 and plugin\d+ 1\.0; uninstall"):
        use(plugin(group))


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise RuntimeError('no luck\\nat all')", "can't be loaded from .*RuntimeError: no luck"),
        ("import nothing_of_the_kind", "can't be loaded from .*ModuleNotFoundError: No module named"),
        ("import sys; sys.exit(3)", "can't be loaded from .*SystemExit: 3"),
        ("", "can't be loaded from .*AttributeError"),
        ("class {name}:\n  def __init__(self, size): pass", "can't be made with {group}.params .TypeError: .*'size'"),
        ("class {name}:\n  def __init__(self): raise ValueError", "can't be made with {group}.params .ValueError"),
        ("class {name}: pass", "has no method "),
        (
            "class {name}:\n  def index(self, *a): 1/0\n  pieces = embed = scores = index",
            "failed in (pieces|embed|index|scores) .ZeroDivisionError: division by zero",
        ),
    ],
)
def test_code_that_fails_is_one_line_that_names_the_plugin(
    group: str, code: str, said: str, plugin: Callable[..., Any]
) -> None:
    option = plugin(group, code.replace("{name}", GROUPS[group]))
    with pytest.raises(StageError) as raised:
        use(option)
    (line,) = raised.value.lines()
    assert line.startswith(f"{group}.name: plugin 'mine' of plugin")
    assert re.search(said.replace("{group}", group), line), line


def test_an_interrupt_is_no_fault_of_the_plugin(plugin: Callable[..., Any]) -> None:
    option = plugin("embedder", "class Embed:\n  def embed(self, texts, role): raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        use(option)


@pytest.mark.parametrize("group", GROUPS)
def test_nothing_is_imported_before_it_is_needed(group: str, plugin: Callable[..., Any]) -> None:
    option = plugin(group, "raise SystemError('imported')")
    if group == "embedder":
        embedder = embedder_of(option)
        embedder.check()
        assert [*embedder.token_offsets("one two")] == [(0, 3), (4, 7)]
        assert embedder.measure(["one two"]).tokens.tolist() == [2]
        assert not embedder.loaded()
    if group == "chunker":
        factory.make_chunker(option)
    with pytest.raises(StageError, match="imported"):
        use(option)


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("[(0, 3), (2, 3)]", r"\(2, 3\) as piece 1 of the text that begins 'one two', after \(0, 3\); each must start"),
        ("[(0, 3), (0, 7)]", r"\(0, 7\) as piece 1 .*each must start and end after"),
        ("[(4, 7), (0, 3)]", r"\(0, 3\) as piece 1 .*each must start and end after"),
        ("[(0, 8)]", r"\(0, 8\) as piece 0 .*give 0 <= start < end <= 7, its length"),
        ("[(-1, 3)]", r"\(-1, 3\) as piece 0"),
        ("[(3, 3)]", r"\(3, 3\) as piece 0"),
        ("['one', 'two']", r"'one' as piece 0 .*give \(start, end\), offsets of code points"),
        ("[(0.0, 3.0)]", r"\(0.0, 3.0\) as piece 0"),
        ("[(0, 3, 7)]", r"\(0, 3, 7\) as piece 0"),
        ("None", r"gives None; give a list of \(start, end\)"),
        ("7", r"gives 7; give a list of \(start, end\)"),
    ],
)
def test_pieces_that_are_none(returned: str, said: str, plugin: Callable[..., Any]) -> None:
    option = plugin("chunker", f"class Cut:\n  def pieces(self, text): return {returned}")
    with pytest.raises(StageError, match=said):
        use(option)


@pytest.mark.parametrize(
    ("text", "returned", "expected"),
    [
        ("one two", [(0, 4), (2, 7)], [(0, 3), (2, 7)]),
        ("one two", [(0, 3)], [(0, 3)]),
        ("one two", [], []),
        ("one   two", [(0, 3), (3, 5), (5, 9)], [(0, 3), (6, 9)]),
        ("  one  ", [(0, 5), (1, 6)], [(2, 5)]),
        (" one two", [(0, 4), (1, 8)], [(1, 8)]),
        ("aनिb", [(0, 2), (2, 4)], [(0, 3), (3, 4)]),
        ("नि", [(0, 1), (1, 2)], [(0, 2)]),
    ],
)
def test_pieces_are_made_whole(
    text: str, returned: list[tuple[int, int]], expected: list[tuple[int, int]], plugin: Callable[..., Any]
) -> None:
    """Windows may overlap and text may be left out; white space goes, grapheme clusters stay whole."""
    option = plugin("chunker", f"class Cut:\n  def pieces(self, text): return {returned}")
    assert [(piece.start, piece.end) for piece in use(option, text)] == expected


def test_a_text_of_white_space_gives_no_piece(plugin: Callable[..., Any]) -> None:
    assert use(plugin("chunker", "class Cut:\n  def pieces(self, text): raise ValueError"), " \n") == []


def test_numpy_offsets_are_offsets(plugin: Callable[..., Any]) -> None:
    code = "import numpy as np\nclass Cut:\n  def pieces(self, text): return np.array([[0, 3], [4, 7]])"
    assert len(use(plugin("chunker", code))) == 2


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("[[1.0, 2.0]]", r"embed gives shape \(1, 2\); give \(2, d\)"),
        ("[1.0, 2.0]", r"embed gives shape \(2,\); give \(2, d\)"),
        ("[[], []]", r"embed gives shape \(2, 0\); give \(2, d\)"),
        ("[[1.0], [1.0, 2.0]]", r"embed gives no array of shape \(2, d\)"),
        ("[[1.0], [float('nan')]]", r"not finite as float32 for text 1 \(1 in all\)"),
        ("[[1e39], [1.0]]", r"not finite as float32 for text 0 \(1 in all\)"),
        ("[['a'], ['b']]", r"embed gives values of type <U1; give finite numbers"),
        ("[[1j], [1.0]]", r"embed gives values of type complex128"),
        ("[[True], [False]]", r"embed gives values of type bool"),
        ("None", r"embed gives shape \(\); give \(2, d\)"),
    ],
)
def test_vectors_that_are_none(returned: str, said: str, plugin: Callable[..., Any]) -> None:
    option = plugin("embedder", f"class Embed:\n  def embed(self, texts, role): return {returned}")
    with pytest.raises(StageError, match=said):
        use(option)


def test_vectors_of_other_dimensions_than_before(plugin: Callable[..., Any]) -> None:
    code = "class Embed:\n  def embed(self, texts, role): return [[1.0] * (2 + (role == 'query'))] * len(texts)"
    embedder = embedder_of(plugin("embedder", code))
    embedder.embed_documents(["a"], lambda _: None)
    with pytest.raises(StageError, match=r"embed gives shape \(1, 3\); give \(1, 2\)"):
        embedder.embed_query("a")


def test_roles_and_scaling(plugin: Callable[..., Any]) -> None:
    embedder = embedder_of(plugin("embedder"))
    done: list[int] = []
    assert embedder.embed_documents(["ab", "abc"], done.append).tolist() == [[2, 2], [3, 3]]
    assert embedder.embed_query("ab").tolist() == [3, 3]
    assert done == [2]
    assert embedder.promises_equal_bits()
    unit = embedder_of(plugin("embedder", name="unit", normalize=True, truncate_dim=1))
    assert unit.embed_query("ab").tolist() == [1]
    with pytest.raises(StageError, match=r"^embedder\.truncate_dim: 3 is more than the model's 2"):
        embedder_of(plugin("embedder", name="wide", truncate_dim=3)).embed_query("ab")


def test_an_identity_holds_all_that_a_vector_depends_on(plugin: Callable[..., Any]) -> None:
    own = "\n    def identity(self): return {'weights': 'abc'}\n    deterministic = 1"
    mine, other = plugin("embedder"), plugin("embedder", CODE.replace("dim=2", "dim=3") + own, name="other")
    first = embedder_of(mine).identity()
    assert first["plugin"] == "mine"
    assert first["distribution"].endswith(" 1.0")
    assert first["params"] is None
    assert embedder_of(mine.model_copy(update={"params": {"dim": 2}})).identity()["params"] == {"dim": 2}
    assert embedder_of(mine.model_copy(update={"normalize": True})).identity() == {**first, "normalize": True}
    assert len(first["code"]) == 64
    assert embedder_of(other).identity()["code"] != first["code"], "an edit without a new version"


def test_an_identity_of_its_own(plugin: Callable[..., Any]) -> None:
    code = "class Embed:\n  deterministic = 1\n  def identity(self): return {}"
    embedder = embedder_of(plugin("embedder", code.format("{'weights': 'abc'}")))
    assert embedder.identity()["own"] == {"weights": "abc"}
    assert not embedder.promises_equal_bits(), "only True is a promise"
    faulty = embedder_of(plugin("embedder", code.format("{'weights': object()}"), name="faulty"))
    with pytest.raises(StageError, match="gives no plain values in identity"):
        faulty.identity()


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("[1.0]", r"scores gives shape \(1,\); give \(2,\)"),
        ("[[1.0], [2.0]]", r"scores gives shape \(2, 1\); give \(2,\)"),
        ("[1.0, float('inf')]", r"not finite as float32 for text 1 \(1 in all\)"),
        ("[1.0, None]", r"scores gives values of type object"),
    ],
)
def test_scores_that_are_none(returned: str, said: str, plugin: Callable[..., Any]) -> None:
    option = plugin("reranker", f"class Score:\n  def scores(self, query, texts): return {returned}")
    with pytest.raises(StageError, match=said):
        use(option)


def test_a_reranker_without_candidates_is_not_asked(plugin: Callable[..., Any]) -> None:
    option = plugin("reranker", "class Score:\n  def scores(self, query, texts): raise ValueError")
    reranker = factory.make_reranker(option, None, chunks_of("a"))  # type: ignore[arg-type]
    assert reranker is not None
    assert reranker.scores(candidates()).tolist() == []
    assert (reranker.kind, reranker.needs_vectors, reranker.uses_embedder, reranker.notes()) == (
        "plugin",
        False,
        False,
        (),
    )
    assert not reranker.promises_equal_bits()


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("[(0, 1.0), (1, 1.0), (0, 2.0)]", r"search gives 3 texts where 2 were asked for"),
        ("[(0, 1.0), (0, 2.0)]", r"search gives text 0 more than once"),
        ("[(2, 1.0)]", r"search gives text 2; there are 2, numbered from 0"),
        ("[(-1, 1.0)]", r"search gives text -1; there are 2"),
        ("[0, 1]", r"search gives 0; give \(text number, score\)"),
        ("['d0']", r"search gives 'd0'; give \(text number, score\)"),
        ("[(0, float('nan'))]", r"search gives a value that is not finite"),
        ("[(0, None)]", r"search gives values of type object"),
        ("None", r"search gives None; give a list"),
    ],
)
def test_hits_that_are_none(returned: str, said: str, plugin: Callable[..., Any]) -> None:
    code = f"class Find:\n  def index(self, texts): pass\n  def search(self, query, k): return {returned}"
    with pytest.raises(StageError, match=said):
        use(plugin("retriever", code))


LETTERS = "class Find:\n  def index(self, texts): self.texts = texts\n"
LETTERS += "  def search(self, query, k):\n    self.asked = [*getattr(self, 'asked', []), k]\n"
LETTERS += "    return sorted(((i, float(t.count(query))) for i, t in enumerate(self.texts)), key=lambda p: -p[1])[:k]"


def test_a_retriever_as_a_first_stage(plugin: Callable[..., Any]) -> None:
    """Ties by id; ranks and hits by its full ranking; more is asked for until enough documents are there."""
    chunks = chunks_of("v", "vv", "x", "v")
    stage = PluginStage(PluginRetrieval(chunks, plugin("retriever", LETTERS)), ["v", "x"])
    assert [hits.rows.tolist() for hits in stage.retrieve(2, 1)] == [[1, 0], [2, 0]]
    (first, _) = stage.retrieve(3, 3)
    assert (first.rows.tolist(), first.scores.tolist(), first.stages.tolist()) == ([1, 0, 3], [2, 1, 1], [0, 0, 0])
    assert stage.exact_hits(0, 2).rows.tolist() == [1, 0]
    assert stage.exact_document_ranks(0, [2, 0, 1]) == [4, 2, 1]
    assert stage.best_chunks(0, [1, 2]) == [(1, 2.0), (2, 0.0)]
    assert stage.best_chunks(1, [2]) == [(2, 1.0)]
    assert stage.indexed_documents == {0, 1, 2, 3}


def test_a_filter_is_applied_to_the_full_ranking(plugin: Callable[..., Any]) -> None:
    masks = (np.array([True, False, True, False]), np.array([False] * 4))
    allowed = Allowed(masks, np.array([0, 1]), {})
    stage = PluginStage(
        PluginRetrieval(chunks_of("v", "vv", "x", "vv"), plugin("retriever", LETTERS)), ["v", "v"], allowed
    )
    assert [hits.rows.tolist() for hits in stage.retrieve(1, 2)] == [[0, 2], []]
    assert [hits.rows.tolist() for hits in stage.retrieve(1, 1)] == [[0], []]
    assert stage.exact_document_ranks(0, [0, 1, 2]) == [1, None, 2]
    assert stage.exact_hits(0, 9).rows.tolist() == [0, 2]
    assert stage.best_chunks(0, [1]) == [(1, 2.0)], "filter or not"


def test_it_is_asked_for_more_until_enough_documents_are_there(plugin: Callable[..., Any]) -> None:
    corpus = (Document("a", "v v v v v v"), Document("b", "x"), Document("c", "y"))
    chunks = cut(corpus, TokensChunker(1, 0), word_spans, "none")
    retrieval = PluginRetrieval(chunks, plugin("retriever", LETTERS))
    assert retrieval.retrieve("v", 2, 2).rows.tolist() == list(range(8))
    assert retrieval.component._instance.asked == [2, 4, 8]
    assert len(retrieval.retrieve("v", 2, 1)) == 2


def test_no_chunk_no_index(plugin: Callable[..., Any]) -> None:
    option = plugin("retriever", "class Find:\n  def index(self, texts): raise ValueError")
    stage = PluginStage(PluginRetrieval(chunks_of(""), option), ["v"])
    assert [len(hits) for hits in stage.retrieve(5, 5)] == [0]
    assert stage.exact_document_ranks(0, [0]) == [None]


def test_what_a_run_says_of_its_plugins(
    plugin: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    plugin("chunker")
    plugin("retriever")
    overrides = ["chunker=plugin", "chunker.name=mine", "chunker.params={size: 5}", "embedder=lsa"]
    config = judge(compose([*overrides, "retriever=plugin", "retriever.name=mine"]).job)
    check(config)
    assert sorted(versions(config).values()) == ["1.0", "1.0"]
    assert {group: about["plugin"] for group, about in described(config).items()} == {
        "chunker": "mine",
        "retriever": "mine",
    }
    assert described(config)["chunker"]["params"] == {"size": 5}
    with pytest.raises(StageError, match=r"^retriever\.name: 'gone' is no installed plugin"):
        check(config.model_copy(update={"retriever": models.PluginRetriever(name="gone")}))
    assert [line.split(" ")[0] for line in unequal_bits(config)] == ["chunker=plugin:", "retriever=plugin:"]
    plugin("embedder")
    promising = config.model_copy(update={"embedder": models.PluginEmbedder(name="mine")})
    assert unequal_bits(promising) == unequal_bits(config), "the embedder's class has deterministic = True"
    none = judge(compose(["embedder=lsa"]).job)
    assert (described(none), versions(none), unequal_bits(none)) == ({}, {}, [])


@pytest.mark.parametrize("group", GROUPS)
def test_params_are_plain_and_in_one_order(group: str) -> None:
    option = KINDS[group](name="a", params={"z": [1, None, {"y": True, "x": "t"}], "b": 0.5})
    assert list(option.params or {}) == ["b", "z"]
    assert option == KINDS[group](name="a", params={"b": 0.5, "z": [1, None, {"x": "t", "y": True}]})
    assert hash(option) == hash(KINDS[group](name="a", params={"b": 0.5, "z": [1, None, {"x": "t", "y": True}]}))
    assert KINDS[group](name="a", params={"n": 1}) != KINDS[group](name="a", params={"n": True})
    assert KINDS[group](name="a", params={}) == KINDS[group](name="a")


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"a": float("nan")}, r"params\.a: nan is no plain value"),
        ({"a": {1: 2}}, r"params\.a: the key 1 is not text"),
        ({"a": [object()]}, r"params\.a\[0\]: <object"),
        ({"api_key": "abc"}, r"params\.api_key: looks like a secret"),
        ({"a": {"password": "abc"}}, r"params\.a\.password: looks like a secret"),
        (3, r"params: 3 is no mapping"),
    ],
)
def test_params_that_are_not_plain(params: Any, said: str) -> None:
    with pytest.raises(ValidationError) as raised:
        models.PluginEmbedder(name="a", params=params)
    (error,) = raised.value.errors()
    assert re.search(said, f"{error['ctx']['key']}: {error['ctx']['message']}")


def test_params_that_only_sound_like_a_secret() -> None:
    assert models.PluginEmbedder(name="a", params={"sep_token": "[SEP]", "max_tokens": 5, "api_key": None})


def test_params_that_are_too_deep() -> None:
    nested: Any = 1
    for _ in range(12):
        nested = {"a": nested}
    with pytest.raises(ValidationError, match="levels deep"):
        models.PluginEmbedder(name="a", params=nested)
