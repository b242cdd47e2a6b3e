"""The index kinds and their knobs: what shapes the build first, what shapes the search after it.

``auto`` depends on the number of chunks and on the dimensions, and is settled when the index is built.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from assay.config.base import AutoPositive, Model, Positive, fault

Metric = Literal["cosine", "ip", "l2"]
Links = Annotated[int, Field(ge=2, le=512)]
Factor = Annotated[int, Field(ge=1, le=1000)]
CodeBits = Annotated[int, Field(ge=1, le=12)]


class _Index(Model):
    metric: Metric = Field("cosine", description="cosine, ip (inner product) or l2")


class _Cells(_Index):
    nlist: AutoPositive = Field("auto", description="cells (build); auto: from the number of chunks")
    nprobe: AutoPositive = Field("auto", description="cells searched (search); auto: from nlist")
    train_size: AutoPositive = Field("auto", description="vectors that train the index (build)")
    build_threads: Positive = Field(1, description="threads of the build; above 1 bits may differ")


class _Graph(_Index):
    m: Links = Field(32, description="links a node (build)")
    ef_construction: Positive = Field(200, description="candidates while building (build)")
    ef_search: AutoPositive = Field(
        "auto", description="candidates while searching (search); auto: the depth, at least 128"
    )
    build_threads: Positive = Field(1, description="threads of the build; above 1 bits may differ")


class _Scalar(_Index):
    range_stat: Literal["minmax", "meanstd", "quantiles", "optim"] = Field(
        "minmax", description="how the range of a dimension is found (build)"
    )
    range_arg: Annotated[float, Field(ge=-1, le=100)] = Field(0.0, description="argument of range_stat (build)")
    uniform: bool = Field(False, description="one range for all dimensions (build)")


class FlatIndex(_Index):
    """Exact search."""

    kind: Literal["flat"] = "flat"


class IvfIndex(_Cells):
    """Inverted lists over k-means cells; ``nprobe`` of ``nlist`` cells are searched."""

    kind: Literal["ivf"] = "ivf"


class HnswIndex(_Graph):
    """A navigable small-world graph."""

    kind: Literal["hnsw"] = "hnsw"


class HnswSqIndex(_Graph):
    """The same graph over scalar-quantized vectors."""

    kind: Literal["hnswsq"] = "hnswsq"
    code: Literal["sq8", "sq6", "sq4", "fp16", "bf16"] = Field("sq8", description="how vectors are stored (build)")


class PqIndex(_Index):
    """Product quantization: a code for each of ``m`` parts of a vector, all codes searched."""

    kind: Literal["pq"] = "pq"
    m: AutoPositive = Field("auto", description="parts of a vector; divides the dimensions (build)")
    nbits: CodeBits | Literal["auto"] = Field("auto", description="bits a part (build); auto: 4")
    iterations: Positive = Field(25, description="k-means rounds of the codebooks (build)")
    train_size: AutoPositive = Field("auto", description="vectors that train the codebooks (build)")
    build_threads: Positive = Field(1, description="threads of the build; above 1 bits may differ")
    k_factor: Factor = Field(4, description="candidates a hit wanted, re-scored exactly (search)")


class IvfPqIndex(_Cells):
    """Product-quantized residuals in inverted lists, after a learned rotation (OPQ)."""

    kind: Literal["ivfpq"] = "ivfpq"
    m: AutoPositive = Field("auto", description="parts of a vector; divides the dimensions (build)")
    nbits: CodeBits | Literal["auto"] = Field("auto", description="bits a part (build); auto: 4")
    iterations: Positive = Field(25, description="k-means rounds of the codebooks (build)")
    by_residual: bool = Field(True, description="code what is left of a vector after its cell's centre (build)")
    opq: bool = Field(True, description="rotate first, so that the parts share the load (build)")
    opq_iterations: Positive = Field(10, description="rounds of learning the rotation (build)")
    k_factor: Factor = Field(4, description="candidates a hit wanted, re-scored exactly (search)")


class FastScanIndex(_Cells):
    """4-bit product quantization in inverted lists, scanned in registers, then refined."""

    kind: Literal["fastscan"] = "fastscan"
    m: AutoPositive = Field("auto", description="parts of a vector; divides the dimensions (build)")
    iterations: Positive = Field(25, description="k-means rounds of the codebooks (build)")
    by_residual: bool = Field(True, description="code what is left of a vector after its cell's centre (build)")
    refine: Literal["flat", "fp16", "sq8", "none"] = Field("flat", description="what the index re-ranks by (build)")
    k_factor: Factor = Field(4, description="candidates a hit wanted, refined (search)")


class Sq8Index(_Scalar):
    """One byte a dimension, all of them searched."""

    kind: Literal["sq8"] = "sq8"
    k_factor: Factor = Field(1, description="candidates a hit wanted, re-scored exactly (search)")


class Sq4Index(_Scalar):
    """Half a byte a dimension, all of them searched."""

    kind: Literal["sq4"] = "sq4"
    k_factor: Factor = Field(2, description="candidates a hit wanted, re-scored exactly (search)")


class Fp16Index(_Index):
    """Half-precision floats, all of them searched."""

    kind: Literal["fp16"] = "fp16"
    k_factor: Factor = Field(1, description="candidates a hit wanted, re-scored exactly (search)")


class RabitqIndex(_Cells):
    """RaBitQ codes, from one bit a dimension, in inverted lists."""

    kind: Literal["rabitq"] = "rabitq"
    nbits: Annotated[int, Field(ge=1, le=9)] = Field(1, description="bits a dimension (build)")
    rotate: bool = Field(True, description="rotate at random first, as the method's bounds assume (build)")
    fast_scan: bool = Field(False, description="codes scanned in registers (build)")
    query_bits: Annotated[int, Field(ge=0, le=8)] = Field(4, description="bits of a query's dimension; 0: none")
    k_factor: Factor = Field(8, description="candidates a hit wanted, re-scored exactly (search)")

    @model_validator(mode="after")
    def _scanned_in_registers(self) -> RabitqIndex:
        if self.fast_scan and self.query_bits == 0:
            raise fault("index.query_bits", "0 can't be scanned in registers; give 1 to 8, or index.fast_scan=false")
        return self


class LshIndex(_Index):
    """Signs of random projections, compared by Hamming distance: candidates for exact re-scoring."""

    kind: Literal["lsh"] = "lsh"
    nbits: AutoPositive = Field("auto", description="bits a vector (build); auto: 4 a dimension")
    rotate: bool = Field(True, description="random projections, not the dimensions themselves (build)")
    thresholds: bool = Field(False, description="cut at the median of each projection, not at 0 (build)")
    k_factor: Factor = Field(8, description="candidates a hit wanted, re-scored exactly (search)")


def _spec(value: Any) -> Any:
    """A string that FAISS's parser can't take without dying (it divides by some of these numbers) is refused here."""
    if isinstance(value, str):
        if not re.fullmatch(r"[A-Za-z0-9_,()+.\-]{1,200}", value):
            raise fault("index.spec", f"{value!r} is no FAISS factory string; give one such as IVF64,SQ8")
        if re.search(r"(?<![0-9.])0+(?![0-9.])", value):
            raise fault("index.spec", f"{value!r} holds a 0 where FAISS counts something; give at least 1 everywhere")
        if re.search(r"(HNSW|NSG)0*1(?![0-9])", value):
            raise fault("index.spec", f"{value!r} is a graph of 1 link a node; give at least 2")
    return value


def _search(value: Any) -> Any:
    pairs = r"[A-Za-z_]+=[1-9][0-9]{0,8}(\.[0-9]{1,6})?"
    if isinstance(value, str) and value != "auto" and not re.fullmatch(f"{pairs}(,{pairs})*", value):
        raise fault(
            "index.search", f"{value!r} is not allowed; give auto, or FAISS's search parameters such as nprobe=16"
        )
    return value


class FactoryIndex(_Index):
    """Any index that FAISS's factory can build, with our metric."""

    kind: Literal["factory"] = "factory"
    spec: Annotated[str, BeforeValidator(_spec)] = Field("SQ6,RFlat", description="FAISS's factory string (build)")
    build_threads: Positive = Field(1, description="threads of the build; above 1 bits may differ")
    search: Annotated[str, BeforeValidator(_search)] = Field(
        "auto", description="FAISS's parameters, such as nprobe=16,k_factor_rf=8 (search); auto: as for the other kinds"
    )
    k_factor: Factor = Field(1, description="candidates a hit wanted, re-scored exactly (search)")


Index = Annotated[
    FlatIndex
    | IvfIndex
    | HnswIndex
    | PqIndex
    | IvfPqIndex
    | Sq8Index
    | Sq4Index
    | Fp16Index
    | HnswSqIndex
    | RabitqIndex
    | FastScanIndex
    | LshIndex
    | FactoryIndex,
    Field(discriminator="kind"),
]
