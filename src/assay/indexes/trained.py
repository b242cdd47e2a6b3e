"""Building apart from searching: what is trained and filled once may be kept, what shapes a search is set every time.

An index of this package is made of a FAISS index that its constructor asks for by ``trained(build)``. By default that
is built on the spot; a run with a store gives back the one that it built before from equal vectors by equal settings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.config.models import Index as IndexConfig
from assay.indexes.base import Vectors, library

Build = Callable[[], tuple[Any, tuple[Any, ...]]]
"""Trains and fills a FAISS index; gives it, and the FAISS objects that it points to and doesn't own."""

Trained = Callable[[Build], tuple[Any, tuple[Any, ...]]]
"""What ``Build`` would give, built now or before."""

BUILD_VERSION = 1
SEARCH_ONLY = frozenset({"nprobe", "ef_search", "k_factor", "query_bits", "search"})


def build_now(build: Build) -> tuple[Any, tuple[Any, ...]]:
    """The index, built on the spot."""
    return build()


def build_parts(config: IndexConfig, vectors: Vectors, seed: int) -> dict[str, Any]:
    """What a built index depends on besides the vectors themselves, as plain values; no search-time setting is among it."""
    faiss = library()

    return {
        "version": BUILD_VERSION,
        "faiss": [faiss.__version__, faiss.get_compile_options()],
        "config": config.model_dump(mode="json", exclude=set(SEARCH_ONLY)),
        "seed": seed,
        "shape": list(vectors.shape),
    }


def to_faiss_bytes(built: Any) -> bytes:
    """A FAISS index in FAISS's own format."""
    faiss = library()

    return bytes(faiss.serialize_index(built).data)


def from_faiss_bytes(raw: bytes) -> Any:
    """The index that ``to_faiss_bytes`` wrote. FAISS trusts what it reads: hold ``raw`` against its hash first.

    Raises
    ------
    ValueError
        FAISS can't read it.
    """
    import numpy as np

    faiss = library()

    try:
        return faiss.deserialize_index(np.frombuffer(raw, np.uint8))
    except RuntimeError as error:
        raise ValueError(f"FAISS can't read the index ({error})") from None
