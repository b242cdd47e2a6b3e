"""A model's tokenizer, read from its file without torch and transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.embedders.model_folder import KEY
from assay.errors import StageError


def fast_tokenizer(folder: Path, lower_case: bool, key: str = KEY) -> Any:
    """The fast tokenizer of the model in ``folder``, without truncation and padding; ``key`` is the config's for the model.

    ``lower_case`` is sentence-transformers' own switch, beside the tokenizer's.

    Raises
    ------
    StageError
        There is none, or it can't be read.
    """
    from tokenizers import Tokenizer

    first = folder / "tokenizer.json"
    found = first if first.is_file() else next(iter(sorted(folder.glob("*/tokenizer.json"))), None)
    if found is None:
        raise StageError(f"{key}: {folder} has no tokenizer.json; token counts need a fast tokenizer")
    try:
        tokenizer = Tokenizer.from_file(str(found))
    except Exception as error:  # the library raises bare Exception
        raise StageError(f"{key}: {found} can't be read as a tokenizer ({error})") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if lower_case:
        from tokenizers.normalizers import Lowercase, Normalizer, Sequence

        own: list[Normalizer] = [tokenizer.normalizer] if tokenizer.normalizer else []
        tokenizer.normalizer = Sequence([Lowercase(), *own])
    return tokenizer
