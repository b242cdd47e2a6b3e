"""Linear layers whose weights are laid out once as oneDNN multiplies them.

torch's own linear layer takes its weights as they come, and writes GELU's input out before it reads it back. Laid out
beforehand, with GELU in the same pass, the products of a BERT-like model took a fifth less time, and they are the same
bits in a batch of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from assay.embedders.samples import FIRST, SECOND, hooked, read, seen_by, transformers_of

# By what part of the largest number the same products may differ when they are summed in another order, in float32 or not.
SAME = {True: 1e-4, False: 0.1}


def pack(model: Any) -> None:
    """Lay out the linear layers of the transformers of ``model``, on a CPU; where oneDNN can't, all stays as it is."""
    import torch

    available: Any = torch.backends.mkldnn.is_available
    if not available() or not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        return
    for transformer in transformers_of(model):
        with torch.inference_mode():
            _pack(model, transformer)


def packed(layer: Any) -> bool:
    """Whether ``pack`` has replaced what ``layer`` does."""
    return "forward" in vars(layer)


def _pack(model: Any, transformer: Any) -> None:
    import torch

    before = seen_by(model, transformer, SECOND)
    layers = _layers_over_tokens(model, transformer)
    weights = {layer: torch.ops.mkldnn._reorder_linear_weight(layer.weight) for layer in layers}
    blocks = _before_gelu(transformer, weights)
    for layer in layers:
        layer.forward = _product(weights[layer], layer.bias, "none")
    for block in blocks:
        block.forward = _product(weights[block.dense], block.dense.bias, "gelu")
    after = seen_by(model, transformer, SECOND)
    if not before.apart(after.states) < SAME[before.states.dtype == torch.float32]:
        for module in (*layers, *blocks):
            del module.forward
        return
    for layer in layers:  # the weights laid out are all that is needed
        layer.weight = torch.nn.Parameter(layer.weight.new_empty(0), requires_grad=False)


def _layers_over_tokens(model: Any, transformer: Any) -> list[Any]:
    """The linear layers that get the vectors of all tokens, not one vector a text."""
    import torch

    linear = [module for module in transformer.modules() if type(module) is torch.nn.Linear]
    shapes: dict[Any, set[int]] = {}

    def note(layer: Any, inputs: tuple[Any, ...], _: Any) -> None:
        shapes.setdefault(layer, set()).add(inputs[0].dim())

    with hooked(linear, note):
        read(model, FIRST)
    # Weights shared between two layers are left alone: one of the two may be read elsewhere.
    owners: dict[int, int] = {}
    for module in transformer.modules():
        for parameter in module._parameters.values():
            owners[id(parameter)] = owners.get(id(parameter), 0) + 1
    return [layer for layer in linear if shapes.get(layer) == {3} and owners[id(layer.weight)] == 1]


def _before_gelu(transformer: Any, layers: Container[Any]) -> list[Any]:
    """The blocks, as BERT and its kin have them, that are one of ``layers`` and exact GELU after it."""
    return [
        module
        for module in transformer.modules()
        if [name for name, _ in module.named_children()] == ["dense", "intermediate_act_fn"]
        and module.dense in layers
        and type(module.intermediate_act_fn).__name__ == "GELUActivation"
    ]


def _product(weight: Any, bias: Any, after: str) -> Callable[[Any], Any]:
    """What a linear layer does, and ``after`` it: ``none`` or ``gelu`` (exact)."""
    import torch

    multiply = torch.ops.mkldnn._linear_pointwise
    return lambda states: multiply(states, weight, bias, after, [], "none")
