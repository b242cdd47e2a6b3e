"""``python -m benchmarks.embedding``: texts a second of every backend and dtype against ``SentenceTransformer.encode``.

Same model, same texts, one process, taking turns: Cranfield's texts that fill the model, its documents as they are, and
texts of mixed length (chunks of 64, 128 and 200 tokens, and documents). ``encode`` runs at several batch sizes, and the
best of them on each kind of text is what the others are held against. assay embeds as a run does, through a store that
is empty. Then all of Cranfield is embedded and searched exactly, so that nDCG@10 stands beside each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.config.models import MiniLMEmbedder
from assay.embedders.base import Vectors
from assay.embedders.sentence_transformer import SentenceTransformerModel
from assay.evaluation import score_rankings
from assay.runs.trec import read_qrels
from assay.store import Counted, MemoryStore
from assay.threads import use_threads
from assay.workbench import embed_documents
from benchmarks.measuring import asked, dataset, in_turns, medians, tell

BATCHES = (8, 16, 32, 64)
MADE = {
    "torch float32 (default)": ("torch", "float32"),
    "torch bfloat16": ("torch", "bfloat16"),
    "openvino float32": ("openvino", "float32"),
    "openvino bfloat16": ("openvino", "bfloat16"),
}


def models_here() -> dict[str, SentenceTransformerModel]:
    """Every backend and dtype that this machine has, loaded."""
    from assay.errors import StageError

    found = {}
    for name, (backend, dtype) in MADE.items():
        model = SentenceTransformerModel(MiniLMEmbedder(backend=backend, dtype=dtype))
        try:
            model.check()
            model.embed_query("a question")
        except StageError as error:
            print(f"left out: {name}: {error}")
            continue
        found[name] = model
    return found


def embed(model: SentenceTransformerModel, texts: Sequence[str]) -> Vectors:
    """Vectors of ``texts`` as a run with an empty store gets them."""
    return embed_documents(model, texts, MemoryStore(1 << 40), Counted(), lambda _: None)


def chunks(model: SentenceTransformerModel, text: str, size: int) -> list[str]:
    """``text`` in pieces of ``size`` tokens."""
    offsets = model.token_offsets(text)
    return [text[part[0][0] : part[-1][1]] for at in range(0, len(offsets), size) if (part := offsets[at : at + size])]


def kinds_of_texts(model: SentenceTransformerModel, documents: Sequence[str], scale: float) -> dict[str, list[str]]:
    """What is embedded: texts of the model's full length, whole documents, and mixed lengths."""
    tokens = model.measure(documents).tokens
    mixed_up = np.random.default_rng(0).permutation(len(documents))
    full = [documents[i] for i in mixed_up if tokens[i] >= (model.max_length or 256)]
    mixed: list[str] = []
    at = 0
    for size, count in ((None, 80), (200, 60), (128, 60), (64, 80)):
        for i in mixed_up[at : at + int(count * scale)]:
            mixed += [documents[i]] if size is None else chunks(model, documents[i], size)
        at += int(count * scale)
    return {
        "full length": full[: int(96 * scale)],
        "documents": [documents[i] for i in mixed_up[-int(160 * scale) :]],
        "mixed lengths": list(dict.fromkeys(mixed)),
    }


def quality(
    vectors: Vectors, queries: Vectors, ids: Sequence[str], query_ids: Sequence[str], qrels: Any
) -> dict[str, Any]:
    """nDCG@10 by exact cosine, and the ids of the first ten of each query."""
    order = np.argsort(-(queries @ vectors.T), axis=1, kind="stable")[:, :100]
    rankings = [[ids[j] for j in row] for row in order]
    values = score_rankings(rankings, [qrels.get(query, {}) for query in query_ids], ["ndcg@10"])["ndcg@10"]
    return {"ndcg@10": float(np.nanmean(values)), "first_ten": [set(ranking[:10]) for ranking in rankings]}


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    given = asked(
        "embedding",
        __doc__,
        argv,
        threads={"type": int, "help": "all cores by default"},
        no_quality={"action": "store_true", "help": "leave out nDCG@10, which embeds all of Cranfield by each"},
        only={"help": "backends and dtypes to measure, by parts of their names, parted by commas"},
    )
    folder = dataset("cranfield")
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    documents = [row["text"] for row in rows if row["text"].strip()]

    import torch
    from sentence_transformers import SentenceTransformer

    use_threads(given.threads)
    models = models_here()
    if given.only:
        models = {name: model for name, model in models.items() if any(part in name for part in given.only.split(","))}
    first = next(iter(models.values()))
    plain = SentenceTransformer(str(first.folder), device="cpu", model_kwargs={"dtype": torch.float32})

    figures: dict[str, Any] = {}
    table = [["", "texts/s", "x best encode"]]
    for kind, texts in kinds_of_texts(first, documents, 0.15 if given.small else 1.0).items():
        ways: dict[str, Callable[[], object]] = {}
        for size in BATCHES[1:3] if given.small else BATCHES:
            ways[f"encode, batch {size}"] = partial(plain.encode, texts, batch_size=size, show_progress_bar=False)
        ways |= {f"assay, {name}": partial(embed, model, texts) for name, model in models.items()}
        seconds = medians(in_turns(ways, given.rounds, warm=not given.small))
        best = min(value for name, value in seconds.items() if name.startswith("encode"))
        figures[kind] = {
            name: {"texts_per_s": len(texts) / value, "x": best / value} for name, value in seconds.items()
        }
        table.append([f"**{kind}** ({len(texts)} texts)", "", ""])
        table += [[name, f"{len(texts) / value:.1f}", f"{best / value:.2f}"] for name, value in seconds.items()]
    notes = []
    if not given.no_quality and not given.small:
        notes = ["\n".join(qualities(models, plain, rows, folder, figures))]
    threads = torch.get_num_threads()
    tell(f"Embedding by all-MiniLM-L6-v2, {threads} threads", table, figures, given, notes)


def qualities(
    models: dict[str, SentenceTransformerModel], plain: Any, rows: list[Any], folder: Any, figures: dict[str, Any]
) -> list[str]:
    """A line for ``encode`` and each model: nDCG@10 on Cranfield, and how far its first ten are those of ``encode``."""
    from benchmarks.measuring import table

    asking = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    qrels = read_qrels(folder / "qrels" / "test.tsv")
    texts, ids = [row["text"] for row in rows], [row["_id"] for row in rows]
    query_texts, query_ids = [row["text"] for row in asking], [row["_id"] for row in asking]
    found = {"encode": quality(plain.encode(texts), plain.encode(query_texts), ids, query_ids, qrels)}
    vectors: dict[str, NDArray[np.float32]] = {}
    for name, model in models.items():
        vectors[name] = embed(model, texts)
        queries = np.stack([model.embed_query(text) for text in query_texts])
        found[f"assay, {name}"] = quality(vectors[name], queries, ids, query_ids, qrels)
    lines = [["Cranfield", "nDCG@10", "change", "first ten shared with encode"]]
    figures["quality"] = {}
    for name, one in found.items():
        pairs = zip(one["first_ten"], found["encode"]["first_ten"], strict=True)
        shared = float(np.mean([len(a & b) / 10 for a, b in pairs]))
        change = one["ndcg@10"] - found["encode"]["ndcg@10"]
        figures["quality"][name] = {"ndcg@10": one["ndcg@10"], "change": change, "shared": shared}
        lines.append([name, f"{one['ndcg@10']:.5f}", f"{change:+.5f}", f"{shared:.3f}"])
    return [table(lines)]


if __name__ == "__main__":
    main()
