"""Overrides that can't hold: one line that opens with the key, shows the value and says what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.composition import compose
from assay.config import judge
from assay.errors import ConfigError


def fault(*overrides: str, multirun: bool = False) -> str:
    """The one line that ``overrides`` are answered with."""
    with pytest.raises(ConfigError) as caught:
        judge(compose(overrides, multirun=multirun).job)
    lines = caught.value.lines()
    assert len(lines) == 1
    return lines[0]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        ("chunker.size=abc", "chunker.size: 'abc' is not allowed; give a whole number of at least 1"),
        ("chunker.size=-5", "chunker.size: -5 is not allowed; give a whole number of at least 1"),
        ("chunker.size=0", "chunker.size: 0 is not allowed; give a whole number of at least 1"),
        ("chunker.size=1.5", "chunker.size: 1.5 is not allowed; give a whole number of at least 1"),
        ("chunker.size=true", "chunker.size: true is not allowed; give a whole number of at least 1"),
        ("chunker.size=null", "chunker.size: null is not allowed; give a whole number of at least 1"),
        ("chunker.size='3'", "chunker.size: '3' is not allowed; give a whole number of at least 1"),
        ("chunker.size=[1]", "chunker.size: [1] is not allowed; give a whole number of at least 1"),
        ("chunker.size=99999999999", "chunker.size: 99999999999 is not allowed; give a whole number of at least 1 and"),
        ("chunker.overlap=-1", "chunker.overlap: -1 is not allowed; give a whole number of at least 0"),
        ("chunker.context=titel", "chunker.context: 'titel' is not allowed; give one of none, title, headings"),
        ("chunker.kind=nope", "chunker.kind: 'nope' is no option; give one of tokens, "),
        ("seed=banana", "seed: 'banana' is not allowed; give a whole number of at least 0"),
        ("seed=true", "seed: true is not allowed; give a whole number of at least 0"),
        ("seed=null", "seed: null is not allowed; give a whole number of at least 0"),
        ("seed=-1", "seed: -1 is not allowed; give a whole number of at least 0"),
        ("seed=1.0", "seed: 1.0 is not allowed; give a whole number of at least 0"),
        (
            "seed=4294967296",
            "seed: 4294967296 is not allowed; give a whole number of at least 0 and at most 2147483647",
        ),
        ("filter.min_score=nan", "filter.min_score: nan is not allowed; give a finite number, auto or null"),
        ("filter.min_score=inf", "filter.min_score: inf is not allowed; give a finite number, auto or null"),
        ("filter.min_score=-inf", "filter.min_score: -inf is not allowed; give a finite number, auto or null"),
        ("filter.min_score=high", "filter.min_score: 'high' is not allowed; give a finite number, auto or null"),
        ("filter.min_score=true", "filter.min_score: true is not allowed; give a finite number, auto or null"),
        ("threads=0", "threads: 0 is not allowed; give a whole number of at least 1 or null"),
        ("threads=all", "threads: 'all' is not allowed; give a whole number of at least 1 or null"),
        ("resume=maybe", "resume: 'maybe' is not allowed; give true or false"),
        ("progress=1", "progress: 1 is not allowed; give true or false"),
        (
            "evaluation.ks=[0]",
            "evaluation.ks[0]: 0 is not allowed; give a list such as [1, 5], each a whole number of at",
        ),
        ("evaluation.ks=[1,a]", "evaluation.ks[1]: 'a' is not allowed; give a list such as [1, 5]"),
        ("evaluation.ks=[]", "evaluation.ks: [] is not allowed; give a list such as [1, 5]"),
        ("evaluation.ks=5", "evaluation.ks: 5 is not allowed; give a list such as [1, 5]"),
        ("evaluation.exclude_self=yes", "evaluation.exclude_self: 'yes' is not allowed; give true or false"),
        ("evaluation.metrics=recall", "evaluation.metrics: 'recall' is not allowed; give all or a list of names"),
        ("evaluation.metrics=[recal]", "evaluation.metrics: 'recal' is no family of metrics; did you mean recall?"),
        (
            "evaluation.metrics=[xyz]",
            "evaluation.metrics: 'xyz' is no family of metrics; give all, or a list of recall,",
        ),
        ("evaluation.metrics=[recall@5]", "evaluation.metrics: 'recall@5' has a cutoff; give recall: cutoffs are eval"),
        ("evaluation.metrics=[]", "evaluation.metrics: [] scores nothing; give all, or a list of recall,"),
        ("index.metric=cos", "index.metric: 'cos' is not allowed; give one of cosine, ip, l2"),
        ("index=ivf index.nlist=0", "index.nlist: 0 is not allowed; give a whole number of at least 1 or auto"),
        (
            "index=ivf index.nprobe=Auto",
            "index.nprobe: 'Auto' is not allowed; give a whole number of at least 1 or auto",
        ),
        ("index=hnsw index.m=1", "index.m: 1 is not allowed; give a whole number from 2 to 512"),
        ("retriever=bm25 retriever.b=2", "retriever.b: 2 is not allowed; give a finite number from 0 to 1"),
        ("dataset.on_unknown=ignore", "dataset.on_unknown: 'ignore' is not allowed; give one of error, drop"),
        ("dataset.split=../x", "dataset.split: '../x' is not a split; give the name of a file in qrels/, without .tsv"),
        ("dataset=path", "dataset.path: null names no golden set; give a folder in BEIR's layout"),
        ("embedder=st", "embedder.model: null names no model; give a folder or a name on the hub"),
        ("embedder.model=other", "embedder.model: 'other' is not allowed; give all-MiniLM-L6-v2"),
        ("embedder.dtype=float16", "embedder.dtype: 'float16' is not allowed; give one of float32, bfloat16"),
        ("embedder.device=gpu", "embedder.device: 'gpu' is no device; give auto, cpu, cuda, cuda:0, xpu or mps"),
        ("embedder.batch_tokens=0", "embedder.batch_tokens: 0 is not allowed; give a whole number of at least 1"),
        ("embedder=lsa embedder.dim=0", "embedder.dim: 0 is not allowed; give a whole number of at least 1"),
        ("cache.dir=1", "cache.dir: 1 is not allowed; give text or null"),
        ("cache.max_bytes=0", "cache.max_bytes: 0 is not allowed; give a whole number of at least 1 or null"),
        ("run_dir=", "run_dir: '' is not allowed; give text or null"),
    ],
)
def test_a_value_that_can_not_hold(overrides: str, line: str) -> None:
    assert fault(*overrides.split()).startswith(line)


@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        (
            "chunker.size=64 chunker.overlap=64",
            "chunker.overlap: 64 with chunker.size 64 makes no progress; give an overlap of at most 63",
        ),
        (
            "chunker=sentences chunker.size=8",
            "chunker.overlap: 16 with chunker.size 8 makes no progress; give an overlap of at most 7",
        ),
        (
            "chunker=markdown chunker.size=8",
            "chunker.overlap: 16 with chunker.size 8 makes no progress; give an overlap of at most 7",
        ),
        (
            "chunker=parent chunker.size=600",
            "chunker.parent_size: 512 is less than chunker.size 600; give a parent_size of at least 600, or a smaller chunker.size",
        ),
        (
            "chunker=semantic chunker.size=16",
            "chunker.min_size: 32 is more than chunker.size 16; give a min_size of at most 16",
        ),
        (
            "chunker=semantic chunker.threshold=101",
            "chunker.threshold: 101 is not allowed; give a finite number from 0 to 100",
        ),
        ("chunker=semantic chunker.buffer=-1", "chunker.buffer: -1 is not allowed; give a whole number from 0 to 10"),
        (
            "chunker=document chunker.context=all",
            "chunker.context: 'all' is not allowed; give one of none, title, headings",
        ),
        (
            "retriever.depth=9",
            "retriever.depth: 9 chunks can't fill a cutoff of 10; give at least max(evaluation.ks) = 10",
        ),
        (
            "evaluation.ks=[1,200]",
            "retriever.depth: 100 chunks can't fill a cutoff of 200; give at least max(evaluation.ks) = 200",
        ),
    ],
)
def test_values_that_can_not_hold_together(overrides: str, line: str) -> None:
    assert fault(*overrides.split()) == line


@pytest.mark.parametrize(
    ("override", "line"),
    [
        ("chunker.sze=3", "chunker.sze: no such key (value '3'); did you mean chunker.size?"),
        ("+chunker.sze=3", "chunker.sze: no such key of chunker=tokens (value 3); did you mean chunker.size?"),
        ("++chunker.sze=3", "chunker.sze: no such key of chunker=tokens (value 3); did you mean chunker.size?"),
        ("chunker.Size=3", "chunker.Size: no such key (value '3'); did you mean chunker.size?"),
        ("chunker.size.x=3", "chunker.size.x: no such key (value '3'); did you mean chunker.size?"),
        ("chünker.size=3", "chünker.size: no such key (value '3'); did you mean chunker.size?"),
        ("chunker..size=3", "chunker..size: no such key (value '3'); did you mean chunker.size?"),
        ("seed =3", "seed : no such key (value '3'); did you mean seed?"),
        ("sed=7", "sed: no such key (value '7'); did you mean seed?"),
        ("+sed=7", "sed: no such key (value 7); did you mean seed?"),
        ("sed", "sed: no override; give KEY=VALUE, such as chunker.size=64"),
        ("chunker.size:3", "chunker.size:3: no override; give KEY=VALUE, such as chunker.size=64"),
        ("=5", "=5: no override; give KEY=VALUE, such as chunker.size=64"),
        ("", ": no override; give KEY=VALUE, such as chunker.size=64"),
        ("xyzzy=1", "xyzzy: no such key (value '1'); keys: cache, chunker, dataset, "),
        ("chunker.xyzzy=1", "chunker.xyzzy: no such key (value '1'); keys: chunker.size, "),
        ("~sed", "sed: no such key; did you mean seed?"),
        ("hydra.foo=1", "hydra.foo: no such key of Hydra's (value '1'); assay run --cfg hydra shows them"),
        (
            "index.nlist=4",
            "index.nlist: the chosen option of index has no such key (value '4'); index=ivf or index=ivfpq or",
        ),
        ("embedder.dim=4", "embedder.dim: the chosen option of embedder has no such key (value '4'); embedder=lsa has"),
        ("+seed=5", "seed: Could not append to config. An item is already at 'seed'."),
    ],
)
def test_a_key_that_is_not_there(override: str, line: str) -> None:
    assert fault(override).startswith(line)


@pytest.mark.parametrize(
    ("override", "line"),
    [
        ("index=nope", "index: 'nope' is no option; options: factory, "),
        ("index=flt", "index: 'flt' is no option; did you mean flat?; options: factory, "),
        ("index=", "index: '' is no option; options: factory, "),
        ("index=null", "index: null is no option; give index=NAME, one that assay run --help lists"),
        ("chunker=1", "chunker: 1 is no option; give chunker=NAME, one that assay run --help lists"),
        ("dataset=hand", "dataset: 'hand' is no option; did you mean handbook?; options: handbook, "),
        ("experiment=xyz", "experiment: 'xyz' is no option; options: "),
        ("~index", "index: missing; give one of flat, "),
        ("~chunker", "chunker: missing; give one of tokens, "),
        ("+chunker=document", "chunker: chosen twice; give chunker=document without +, or "),
        ("chunkr=tokens", "chunkr: no such key (value 'tokens'); did you mean chunker?"),
        ("hydra/launcher=nope", "hydra/launcher: 'nope' is no option; options: "),
    ],
)
def test_an_option_that_is_not_there(override: str, line: str) -> None:
    assert fault(override).startswith(line)


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("chunker._target_=os.system", "chunker._target_"),
        ("+chunker._target_=os.system", "chunker._target_"),
        ("++chunker._target_=os.system", "chunker._target_"),
        ("~chunker._target_", "chunker._target_"),
        ("chunker={_target_:os.system}", "chunker._target_"),
        ("+embedder={_target_:os.system}", "embedder._target_"),
        ("+x={a:{_target_:os.system}}", "x.a._target_"),
        ("+x=[{_target_:os.system}]", "x[0]._target_"),
        ("hydra.launcher._target_=os.system", "hydra.launcher._target_"),
        ("+hydra.launcher={_target_:os.system}", "hydra.launcher._target_"),
        ("hydra.sweeper._target_=os.system", "hydra.sweeper._target_"),
        ("+hydra.callbacks.x._target_=os.system", "hydra.callbacks.x._target_"),
        ("+hydra.env={_target_:os.system}", "hydra.env._target_"),
    ],
)
@pytest.mark.parametrize("multirun", [False, True])
def test_nothing_names_code(override: str, key: str, multirun: bool) -> None:
    line = fault(override, multirun=multirun)
    assert line.startswith(f"{key}: ")
    assert "names code to run" in line


def test_a_sweep_of_values_that_name_code() -> None:
    assert "names code to run" in fault("+x={a:1},{_target_:os.system}", multirun=True)


def test_a_value_may_hold_the_word() -> None:
    """Only a key names code: a folder may be called anything."""
    assert compose(["dataset.path=my_target_folder"]).job["dataset"]["path"] == "my_target_folder"


@pytest.mark.parametrize(
    ("override", "right"),
    [
        ("hydra.run.dir=x", "run_dir=…"),
        ("+hydra.run.dir=x", "run_dir=…"),
        ("hydra.run={dir:x}", "run_dir=…"),
        ("hydra.output_subdir=.hydra", "config.yaml and manifest.json"),
        ("hydra.job.chdir=true", "never change the working directory"),
        ("hydra.sweep.subdir=x", "named by their numbers"),
        ("hydra.mode=MULTIRUN", "-m"),
        ("hydra/sweeper=basic", "sweeps are assay's own"),
        ("+hydra/callbacks=[x]", "not supported"),
        ("+hydra.callbacks.x.y=1", "not supported"),
        ("hydra.searchpath=[pkg://antigravity]", "--config-dir"),
        ("hydra/job_logging=default", "no log files"),
        ("hydra/hydra_logging=default", "no log files"),
        ("+hydra.job_logging.handlers.x.class=os.system", "no log files"),
        ("+hydra.hydra_logging.filters={x:{a:1}}", "no log files"),
    ],
)
def test_what_hydra_may_not_be_told(override: str, right: str) -> None:
    line = fault(override)
    assert line.startswith("hydra")
    assert "can't be set" in line
    assert right in line


def test_run_dir_of_a_sweep() -> None:
    assert fault("run_dir=x", multirun=True).startswith("run_dir: names the folder of one run (run_dir=x); ")


@pytest.mark.parametrize("override", ["seed=1,2", "chunker=tokens,document", "seed=range(1,3)", "chunker=glob(*)"])
def test_several_values_without_m(override: str) -> None:
    line = fault(override)
    assert "is several values; add -m for a sweep" in line
    assert line.startswith(f"{override.partition('=')[0]}: ")


@pytest.mark.parametrize(
    ("overrides", "key", "value"),
    [
        ("seed=0", "seed", 0),
        ("filter.min_score=0", "filter.min_score", 0),
        ("filter.min_score=-.5", "filter.min_score", -0.5),
        ("chunker=document chunker=sentences", "chunker.kind", "sentences"),
        ("seed=1 seed=2", "seed", 2),
        ("evaluation.ks=[5,1,5]", "evaluation.ks", [1, 5]),
        ("evaluation.metrics=[mrr]", "evaluation.metrics", ["mrr"]),
        ("++seed=5", "seed", 5),
        ("~chunker.size", "chunker.size", 128),
        ("embedder.device=cuda:1", "embedder.device", "cuda:1"),
        ("dataset.path=a/b.c-d", "dataset.path", "a/b.c-d"),
        ("chunker={size:32}", "chunker.size", 32),
    ],
)
def test_what_does_hold(overrides: str, key: str, value: object) -> None:
    found: object = judge(compose(overrides.split()).job).model_dump()
    for name in key.split("."):
        assert isinstance(found, dict)
        found = found[name]
    assert found == value
