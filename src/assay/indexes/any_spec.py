"""Whatever FAISS's factory can build from a string, with our metric and our seed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assay.config.models import FactoryIndex as FactoryConfig
from assay.errors import StageError
from assay.indexes.approximate import Approximate, on_threads, rotation
from assay.indexes.base import Vectors, library
from assay.indexes.cells import ADVISED_POINTS, auto_nprobe, cell_notes
from assay.indexes.flat import faiss_metric
from assay.indexes.hnsw import LEAST_EF
from assay.indexes.trained import Trained, build_now

OPQ_ITERATIONS = 10
REFINED = 4.0


class SpecIndex(Approximate):
    """The option ``factory``."""

    def __init__(
        self, vectors: Vectors, config: FactoryConfig, seed: int, depth: int, trained: Trained = build_now
    ) -> None:
        faiss = library()

        n, dim = vectors.shape
        empty, notes = made(config, dim)

        def build() -> tuple[Any, tuple[Any, ...]]:
            parts = list(parts_of(empty))
            for part in parts:
                settle(part, n, config.spec, seed)
            owned = tuple(quick_opq(part, parts, seed) for part in parts if isinstance(part, faiss.OPQMatrix))
            with on_threads(config.build_threads):
                try:
                    empty.train(vectors)
                    empty.add(vectors)
                except RuntimeError as error:
                    raise StageError(
                        f"index.spec: {config.spec!r} can't be built from {n} chunks of {dim} dimensions: {reason(error)}"
                    ) from None
            return empty, owned

        built, owned = trained(build)
        parts = list(parts_of(built))
        for part in parts:
            notes += thin(part, n)
            if hasattr(part, "nprobe"):
                part.nprobe = auto_nprobe(part.nlist)
            if hasattr(part, "hnsw"):
                part.hnsw.efSearch = max(LEAST_EF, depth * config.k_factor)
            if isinstance(part, faiss.IndexRefine):
                part.k_factor = REFINED
        if config.search != "auto":
            try:
                faiss.ParameterSpace().set_index_parameters(built, config.search)
            except RuntimeError as error:
                raise StageError(
                    f"index.search: {config.search!r} does not fit {config.spec!r}: {reason(error)}"
                ) from None
        for part in parts:
            if hasattr(part, "nprobe"):
                if part.nprobe > part.nlist:
                    raise StageError(f"index.search: nprobe={part.nprobe} of {part.nlist} cells; give at most that")
                notes += cell_notes(config.kind, n, part.nlist, part.nprobe, n) if trains_cells(part) else ()
        super().__init__(built, tuple(notes), config.k_factor, owned)


def made(config: FactoryConfig, dim: int) -> tuple[Any, list[str]]:
    """The empty index, and notes. Vectors of length 1 have the same order under l2, which some kinds know alone."""
    faiss = library()

    asked = faiss_metric(config.metric)
    only_l2 = "FAISS has it for l2 only; choose index.metric=l2 or cosine"
    why = only_l2
    for metric in (asked, faiss.METRIC_L2) if config.metric == "cosine" else (asked,):
        try:
            with on_threads(1):  # some constructors draw a rotation
                index = faiss.index_factory(dim, config.spec, metric)
        except RuntimeError as error:
            why = only_l2 if "METRIC_L2" in str(error) else reason(error)
            continue
        if index.metric_type == metric:
            same = f"index=factory: FAISS has {config.spec} for l2 only, whose order is cosine's on vectors of length 1"
            return index, [] if metric == asked else [same]
    raise StageError(f"index.spec: {config.spec!r} is no index for {dim} dimensions under {config.metric}: {why}")


def reason(error: Exception) -> str:
    """What FAISS said, without the place in its source."""
    text = " ".join(str(error).split())
    return re.sub(r"^(Error in .* at \S+:\d+: )?(Error: )?('.*' failed: (?=\S))?", "", text)


def parts_of(index: Any) -> Iterator[Any]:
    """``index`` and all indexes and transforms inside it, outermost first."""
    faiss = library()

    if index is None:
        return
    yield index
    if isinstance(index, faiss.IndexPreTransform):
        for i in range(index.chain.size()):
            yield faiss.downcast_VectorTransform(index.chain.at(i))
    for name in ("index", "base_index", "refine_index", "quantizer", "storage"):
        inner = getattr(index, name, None)
        if isinstance(inner, faiss.Index):
            yield from parts_of(faiss.downcast_index(inner))


def settle(part: Any, n: int, spec: str, seed: int) -> None:
    """Give ``part`` its seed, and refuse what FAISS could not train from ``n`` vectors."""
    faiss = library()

    if hasattr(part, "nlist"):
        if part.nlist > n and trains_cells(part):
            raise StageError(f"index.spec: {spec!r} has {part.nlist} cells, there are {n} chunks; ask for at most {n}")
        part.cp.seed = seed
        part.cp.min_points_per_centroid = 1
    if isinstance(book := getattr(part, "pq", None), faiss.ProductQuantizer):
        if book.ksub > n:
            raise StageError(
                f"index.spec: {spec!r} has codebooks of {book.ksub} centroids ({book.nbits} bits), there are {n} chunks; "
                f"ask for fewer bits, such as PQ{book.M}x{max(1, n.bit_length() - 1)}"
            )
        book.cp.seed = seed
        book.cp.min_points_per_centroid = 1
    if hasattr(part, "rq"):
        part.rq.cp.seed = seed
        part.rq.cp.min_points_per_centroid = 1
    if hasattr(part, "hnsw"):
        part.hnsw.rng = faiss.RandomGenerator(seed)
    if isinstance(part, faiss.RandomRotationMatrix):
        with on_threads(1):
            part.init(seed)
    if hasattr(part, "do_polysemous_training"):
        part.do_polysemous_training = False  # minutes of annealing for a search that nothing here asks for
    if isinstance(part, faiss.IndexLSH) and part.rotate_data:
        part.rrot = rotation(part.d, part.nbits, seed)


def trains_cells(part: Any) -> bool:
    """Whether each cell of ``part`` is a centroid of its own; a quantizer that trains alone makes cells by combination."""
    return bool(part.quantizer_trains_alone != "\x01")


def quick_opq(turned: Any, parts: list[Any], seed: int) -> Any:
    """Let the rotation ``turned`` learn for as many bits as the index will use, in few rounds; the quantizer it learns by."""
    faiss = library()

    bits = next((part.pq.nbits for part in parts if isinstance(getattr(part, "pq", None), faiss.ProductQuantizer)), 8)
    codes = faiss.ProductQuantizer(turned.d_out, turned.M, bits)
    codes.cp.seed = seed
    codes.cp.min_points_per_centroid = 1
    turned.pq = codes
    turned.niter = OPQ_ITERATIONS
    return codes


def thin(part: Any, n: int) -> list[str]:
    """What the training vectors of a codebook fall short of."""
    faiss = library()

    book = getattr(part, "pq", None)
    if not isinstance(book, faiss.ProductQuantizer) or n >= ADVISED_POINTS * book.ksub:
        return []
    if isinstance(part, faiss.OPQMatrix):  # learns by the codebooks of the index behind it, which say so themselves
        return []
    return [
        f"index=factory: {n} training vectors for {book.ksub} centroids ({book.nbits} bits), "
        f"{ADVISED_POINTS * book.ksub} are advised"
    ]
