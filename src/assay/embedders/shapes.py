"""Batches of a fixed shape: how far a text is padded depends on its own token count alone.

Padding changes the last bits of what a transformer computes, so a text that was padded to its longest batch mate would
come out differently in other company.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.embedders.packed import packed

LENGTH_STEP = 8


def padded_length(tokens: int, limit: int | None) -> int:
    """The length that ``tokens`` tokens are padded to: the next multiple of LENGTH_STEP, at most ``limit``."""
    length = -(-tokens // LENGTH_STEP) * LENGTH_STEP
    return length if limit is None else min(length, limit)


def batches(lengths: NDArray[np.int64], batch_tokens: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """(padded length, rows) of each batch, longest first; a batch holds rows of one length, about ``batch_tokens`` in all."""
    for length in sorted(set(lengths.tolist()), reverse=True):
        rows = np.flatnonzero(lengths == length)
        size = max(1, batch_tokens // max(1, length))
        for at in range(0, len(rows), size):
            yield length, rows[at : at + size]


def row_by_row(model: Any) -> None:
    """Let the linear layers of ``model`` compute inputs of one row a text one row at a time.

    The kernel for a product with few rows is chosen by their number, and kernels round differently: pooled states would
    come out with other bits in other batches. Layers over all tokens have rows enough for one kernel.
    """
    import torch

    for module in model.modules():
        if isinstance(module, torch.nn.Linear) and not packed(module):
            module.register_forward_hook(_one_at_a_time)


def _one_at_a_time(layer: Any, inputs: tuple[Any, ...], output: Any) -> Any:
    """The layer's output, each row computed by itself where the input has one row a text."""
    (rows,) = inputs
    if rows.dim() != 2 or len(rows) == 1:
        return output
    import torch

    return torch.cat([torch.nn.functional.linear(row, layer.weight, layer.bias) for row in rows.split(1)])
