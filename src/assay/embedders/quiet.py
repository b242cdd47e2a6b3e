"""Keeps the model libraries from printing: assay shows its own progress."""

from __future__ import annotations

import logging
import os
import warnings


def quiet_libraries() -> None:
    """Silence progress bars and advisory logging of transformers, the hub's client and sentence-transformers."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    for name in ("sentence_transformers", "transformers", "huggingface_hub"):
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module=r"(transformers|sentence_transformers|huggingface_hub|torch|tqdm)(\.|$)")
    from transformers.utils import logging as transformers_logging

    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
