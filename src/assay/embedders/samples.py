"""What a loaded model's transformers are given and what they make of it, seen by letting them read a few words.

Whoever replaces a part of a model has to know which inputs it takes, and has to see that the replacement does the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# Texts of unlike lengths, so that a batch of them is padded; the second batch has another shape than the first.
FIRST = ["assay: to test how much gold is in the ore", "gold"]
SECOND = [
    "one",
    "a day's leave is granted on request, in writing, to whoever has been here for a year or more",
    "two",
    "3",
]


@dataclass(frozen=True, slots=True)
class Seen:
    """Tensors that a transformer was called with, by name, and its last hidden states for them."""

    given: dict[str, Any]
    states: Any

    def apart(self, states: Any) -> float:
        """How far ``states`` are from these, where there are tokens, as a part of these's largest number."""
        kept = self.given["attention_mask"].bool()
        expected = self.states.float()[kept]
        return float((states.float()[kept] - expected).abs().max() / expected.abs().max())


def transformers_of(model: Any) -> list[Any]:
    """The modules of a SentenceTransformer that hold a transformer which gives every token of a text a vector.

    A model of static embeddings has none.
    """
    from sentence_transformers.base.modules import Transformer

    found = [module for module in model.modules() if isinstance(module, Transformer)]
    way = {"method": "forward", "method_output_name": "last_hidden_state"}
    return [module for module in found if module.modality_config.get("text", {}).items() >= way.items()]


def read(model: Any, texts: list[str]) -> None:
    """Let ``model`` read ``texts`` in both roles, so that every part of it that serves a role runs."""
    for encode in (model.encode_query, model.encode_document):
        encode(texts, batch_size=len(texts), show_progress_bar=False)


def seen_by(model: Any, transformer: Any, texts: list[str]) -> Seen:
    """What ``transformer``, a part of ``model``, is given and makes of ``texts``."""
    import torch

    found: list[Seen] = []
    forward = transformer.model.forward  # called by this name, so that hooks would see nothing

    def noted(**given: Any) -> Any:
        output = forward(**given)
        tensors = {name: value.clone() for name, value in given.items() if isinstance(value, torch.Tensor)}
        found.append(Seen(tensors, output["last_hidden_state"].clone()))
        return output

    transformer.model.forward = noted
    try:
        read(model, texts)
    finally:
        del transformer.model.forward
    return found[0]


@contextmanager
def hooked(modules: list[Any], hook: Any) -> Iterator[None]:
    """``hook(module, inputs, output)`` is called after each of ``modules`` while this lasts."""
    handles = [module.register_forward_hook(hook) for module in modules]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
