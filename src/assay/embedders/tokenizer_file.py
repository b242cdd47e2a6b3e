"""A model's tokenizer, read from its file without torch and transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.embedders.model_folder import KEY, read_json
from assay.errors import StageError

NO_LIMIT = 10**9  # transformers writes 10**30 for a tokenizer that knows no limit


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


def written_limit(folder: Path) -> int | None:
    """The tokens that a transformer reads, as its files tell without loading it; None where they don't tell for sure.

    It is sentence-transformers' own rule where nothing else is set: what the tokenizer says, capped by the positions that
    the model has.
    """
    found = []
    for name, key in (("tokenizer_config.json", "model_max_length"), ("config.json", "max_position_embeddings")):
        file = folder / name
        plain = read_json(file) if file.is_file() else {}
        value = plain.get(key) if isinstance(plain, dict) else None
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < NO_LIMIT:
            return None
        found.append(value)
    return min(found)
