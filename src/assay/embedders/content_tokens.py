"""Which positions of a model's input are tokens of the text itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ContentTokens:
    """``positions`` of a text's own tokens among the ``read`` ones of the model's input, padding left out.

    ``cut`` says whether the model read less than the whole text.
    """

    positions: NDArray[np.int64]
    read: int
    cut: bool


def content_tokens(tokenizer: Any, text: str, prompt: str, limit: int | None) -> ContentTokens:
    """The tokens of ``text`` in ``prompt + text``: those of the prompt, and those the tokenizer adds, are left out.

    ``limit`` is the number of tokens the model reads, None for all; what is beyond is cut off at the text's end.
    """
    encoding = tokenizer.encode(prompt + text)
    content = [place for place, special in enumerate(encoding.special_tokens_mask) if not special]
    surplus = 0 if limit is None else max(0, len(encoding) - limit)
    kept = content[: max(0, len(content) - surplus)]
    own = [place for place in kept if encoding.offsets[place][1] > len(prompt)]
    return ContentTokens(np.array(own, np.int64), len(encoding) - surplus, surplus > 0)
