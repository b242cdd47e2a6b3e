"""A SentenceTransformer loaded from its folder, with the arithmetic that the config asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.config.models import MiniLMEmbedder, SentenceTransformerEmbedder
from assay.embedders.bfloat16 import check_bfloat16, to_bfloat16
from assay.embedders.model_folder import first_line
from assay.embedders.openvino import check_installed, convert
from assay.embedders.packed import pack
from assay.embedders.shapes import row_by_row
from assay.errors import StageError

Config = MiniLMEmbedder | SentenceTransformerEmbedder


def check_arithmetic(config: Config) -> None:
    """Raise a StageError if this machine lacks what ``config`` wants the forward pass to run on; imports nothing heavy."""
    if config.backend == "openvino":
        check_installed()
    if config.dtype == "bfloat16":
        check_bfloat16("cpu" if config.backend == "openvino" else config.device)


def load(folder: Path, config: Config, device: str | None) -> Any:
    """The model in ``folder`` on ``device`` (None: torch chooses), ready to embed.

    Raises
    ------
    StageError
        The folder is damaged, or the model is not one that ``config.backend`` and ``config.dtype`` can run.
    """
    import torch
    from sentence_transformers import SentenceTransformer

    try:
        model = SentenceTransformer(
            str(folder),
            device=device,
            trust_remote_code=False,
            local_files_only=True,
            # Without a dtype, weights that are stored in half precision would be computed in it.
            model_kwargs={"use_safetensors": True, "dtype": torch.float32},
        )
    except Exception as error:  # any library below may fail on a damaged folder
        raise StageError(f"embedder.model: {folder} can't be loaded ({first_line(error)})") from None
    model.eval()
    name = f"the model in {folder}"
    if config.backend == "openvino":
        convert(model, config.dtype, name)
    else:
        if config.dtype == "bfloat16":
            to_bfloat16(model, name)
        if str(model.device) == "cpu":
            pack(model)
    row_by_row(model)
    return model
