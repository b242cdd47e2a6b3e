"""FAISS's search parameters for any index: a selector of rows, and how widely it looks.

A parameter object of the wrong class ends the process in C++ for some kinds, so only classes that are known to take one get
one; whether an index of a known class heeds a selector is tried out on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.indexes.base import library


def selector_of(selected: NDArray[np.bool_]) -> Any:
    """A FAISS selector of the rows that are true."""
    return library().IDSelectorBitmap(np.packbits(selected, bitorder="little"))


def search_parameters(index: Any, k: int, selector: Any = None, effort: int = 1) -> Any:
    """Parameters for ``k`` rows with ``effort`` times the cells or candidates that ``index`` is set to; None where its class
    is not known to take any.
    """
    faiss = library()

    index = faiss.downcast_index(index)
    chosen = {} if selector is None else {"sel": selector}
    if isinstance(index, faiss.IndexPreTransform):
        inner = search_parameters(index.index, k, selector, effort)
        return inner and faiss.SearchParametersPreTransform(index_params=inner)
    if isinstance(index, faiss.IndexRefine):
        inner = search_parameters(index.base_index, int(k * index.k_factor), selector, effort)
        return inner and faiss.IndexRefineSearchParameters(k_factor=index.k_factor, base_index_params=inner)
    if isinstance(index, faiss.IndexIVF):
        cells = {**chosen, "nprobe": min(index.nprobe * effort, index.nlist)}
        if isinstance(index, faiss.IndexIVFRaBitQ):
            return faiss.IVFRaBitQSearchParameters(qb=index.qb, **cells)
        return faiss.SearchParametersIVF(**cells)
    if isinstance(index, faiss.IndexHNSW):
        return faiss.SearchParametersHNSW(efSearch=max(index.hnsw.efSearch * effort, k), **chosen)
    if isinstance(index, faiss.IndexRaBitQ):
        return faiss.RaBitQSearchParameters(qb=index.qb, **chosen)
    if isinstance(index, faiss.IndexFlat | faiss.IndexScalarQuantizer):
        return faiss.SearchParameters(**chosen)
    return None


def heeds_selector(index: Any) -> bool:
    """Whether a search among one row alone gives that row or none."""
    if not index.ntotal:
        return False
    one = np.zeros(index.ntotal, np.bool_)
    one[index.ntotal // 2] = True
    selector = selector_of(one)  # by name: FAISS keeps a pointer
    parameters = search_parameters(index, 2, selector)
    if parameters is None:
        return False
    try:
        rows = index.search(np.zeros((1, index.d), np.float32), min(2, index.ntotal), params=parameters)[1][0]
    except RuntimeError:  # "selector not supported", in one wording or another
        return False
    return set(rows.tolist()) <= {-1, index.ntotal // 2}


def widest_effort(index: Any) -> int:
    """The effort beyond which ``index`` looks at nothing more: all cells, or as many candidates as rows."""
    faiss = library()

    index = faiss.downcast_index(index)
    if isinstance(index, faiss.IndexPreTransform):
        return widest_effort(index.index)
    if isinstance(index, faiss.IndexRefine):
        return widest_effort(index.base_index)
    if isinstance(index, faiss.IndexIVF):
        return -(-int(index.nlist) // max(1, int(index.nprobe)))
    if isinstance(index, faiss.IndexHNSW):
        return max(1, -(-int(index.ntotal) // max(1, int(index.hnsw.efSearch))))
    return 1
