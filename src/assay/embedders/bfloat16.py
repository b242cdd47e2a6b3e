"""The transformer of a loaded model in bfloat16; pooling and whatever follows in float32.

bfloat16 has eight bits of precision. Token vectors bear that; a vector of a text that is averaged and scaled in it comes
out up to half a percent too long or too short, so both are done in float32.
"""

from __future__ import annotations

from typing import Any

from assay.embedders.device import multiplies_bfloat16, only_cpu
from assay.embedders.samples import transformers_of
from assay.errors import StageError


def check_bfloat16(device: str) -> None:
    """Raise a StageError if ``device`` (auto, cpu, cuda:0, …) is known to have no arithmetic for bfloat16."""
    on_cpu = device == "cpu" or (device == "auto" and only_cpu())
    if on_cpu and not multiplies_bfloat16():
        raise StageError(
            "embedder.dtype: bfloat16 needs a processor with avx512_bf16 or amx_bf16, which this one is not known to have; "
            "leave dtype=float32"
        )
    if device == "mps" or device.startswith("xpu"):
        raise StageError(f"embedder.dtype: bfloat16 runs on a CPU or on CUDA, not on {device}; leave dtype=float32")


def to_bfloat16(model: Any, name: str) -> None:
    """Let the transformers of ``model`` compute in bfloat16 and hand float32 on.

    Raises
    ------
    StageError
        There is no transformer in it, or it has come to lie on a device that has no arithmetic for bfloat16.
    """
    import torch

    device = str(model.device)
    check_bfloat16(device)
    if device.startswith("cuda") and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise StageError(f"embedder.dtype: bfloat16 is nothing that {device} multiplies; leave dtype=float32")
    transformers = transformers_of(model)
    if not transformers:
        kind = type(model[0]).__name__
        raise StageError(
            f"embedder.dtype: {name} begins with {kind} and has no transformer to run in bfloat16; leave dtype=float32"
        )
    for transformer in transformers:
        transformer.model.to(torch.bfloat16)
        transformer.register_forward_hook(_widened)


def _widened(_: Any, __: Any, features: dict[str, Any]) -> dict[str, Any]:
    """``features`` with bfloat16 tensors as float32."""
    import torch

    def wide(value: Any) -> Any:
        if isinstance(value, tuple | list):
            return type(value)(wide(each) for each in value)
        return value.float() if isinstance(value, torch.Tensor) and value.dtype == torch.bfloat16 else value

    return {name: wide(value) for name, value in features.items()}
