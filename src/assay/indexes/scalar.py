"""Scalar quantization: a few bits a dimension, every vector searched (FAISS ``IndexScalarQuantizer``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.config.models import Fp16Index, Sq4Index, Sq8Index
from assay.errors import StageError
from assay.indexes.approximate import Approximate, on_threads
from assay.indexes.base import Vectors, library
from assay.indexes.flat import faiss_metric
from assay.indexes.trained import Trained, build_now

CODES = {"sq8": "QT_8bit", "sq6": "QT_6bit", "sq4": "QT_4bit", "fp16": "QT_fp16", "bf16": "QT_bf16"}
RANGES = {"minmax": "RS_minmax", "meanstd": "RS_meanstd", "quantiles": "RS_quantiles", "optim": "RS_optim"}


class ScalarIndex(Approximate):
    """The options ``sq8``, ``sq4`` and ``fp16``; encoding is exact arithmetic, so it needs no seed."""

    def __init__(self, vectors: Vectors, config: Sq8Index | Sq4Index | Fp16Index, trained: Trained = build_now) -> None:
        def build() -> tuple[Any, tuple[Any, ...]]:
            faiss = library()
            uniform = not isinstance(config, Fp16Index) and config.uniform
            code = quantizer_type(config.kind, uniform)
            made = faiss.IndexScalarQuantizer(vectors.shape[1], code, faiss_metric(config.metric))
            if not isinstance(config, Fp16Index):
                made.sq.rangestat = getattr(faiss.ScalarQuantizer, RANGES[config.range_stat])
                made.sq.rangestat_arg = config.range_arg
            with on_threads(1):
                made.train(vectors)
                refuse_no_range(made, config)
                made.add(vectors)
            return made, ()

        built, owned = trained(build)
        super().__init__(built, k_factor=config.k_factor, owned=owned)


def refuse_no_range(built: Any, config: Sq8Index | Sq4Index | Fp16Index) -> None:
    """Raise a StageError if training found no range: such codes would have no distance to anything."""
    faiss = library()

    lost = int((~np.isfinite(faiss.vector_to_array(built.sq.trained))).sum())
    if lost and not isinstance(config, Fp16Index):
        raise StageError(
            f"index.range_stat: {config.range_stat} finds no range for {-(-lost // 2)} of {built.d} dimensions, whose values "
            "are all equal; give minmax"
        )


def quantizer_type(code: str, uniform: bool = False) -> int:
    """FAISS's number for a scalar code."""
    faiss = library()

    return int(getattr(faiss.ScalarQuantizer, CODES[code] + ("_uniform" if uniform else "")))
