"""The transformer of a loaded model run by OpenVINO; tokens, pooling and whatever follows stay those of the model.

The model is converted from the one that torch has loaded, by OpenVINO's own reader of torch graphs. That reader is called
directly: ``openvino.convert_model``, which calls it too, reports its use over the network unless the user has opted out.
One model takes every shape. On a CPU its token vectors are the same bits in a batch of any size, on any number of threads.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from assay.embedders.model_folder import first_line
from assay.embedders.samples import FIRST, SECOND, Seen, seen_by, transformers_of
from assay.errors import StageError

# How far a converted model may be from torch's, as a part of the largest number, on texts of other shapes than it was
# converted with. A graph that took a length for a constant is off by far more.
TOLERANCE = {"float32": 1e-4, "bfloat16": 0.1}
PRECISION = {"float32": "f32", "bfloat16": "bf16"}


def check_installed() -> None:
    """Raise a StageError if OpenVINO is not installed."""
    if find_spec("openvino") is None:
        raise StageError(
            "embedder.backend: openvino is not installed; pip install 'assay[openvino]', or leave backend=torch"
        )


def convert(model: Any, dtype: str, name: str) -> None:
    """Let OpenVINO run the transformers of ``model``, a SentenceTransformer on the CPU, in ``dtype``.

    Raises
    ------
    StageError
        There is no transformer in it, or OpenVINO can't read it, or makes something else of it.
    """
    transformers = transformers_of(model)
    if not transformers:
        kind = type(model[0]).__name__
        raise _refused(name, f"it begins with {kind} and has no transformer that gives vectors of tokens")
    for transformer in transformers:
        first, second = (seen_by(model, transformer, texts) for texts in (FIRST, SECOND))
        try:
            transformer.model = _replacement(transformer.model, first, dtype)
            states = transformer.model(**second.given)["last_hidden_state"]
        except Exception as error:  # torch, the reader and the compiler each have their own
            raise _refused(name, first_line(error)) from None
        apart = second.apart(states)
        if not apart < TOLERANCE[dtype]:
            raise _refused(name, f"what it makes of a text is off by {apart:.2g} of the largest number")


def _refused(name: str, reason: str) -> StageError:
    return StageError(f"embedder.backend: openvino can't run {name} ({reason}); leave backend=torch")


def _replacement(model: Any, seen: Seen, dtype: str) -> Any:
    """A torch module that does what ``model`` does, by OpenVINO."""
    import torch

    class OpenVino(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.config = model.config
            self.device = torch.device("cpu")
            self._names = list(seen.given)
            self._graph = _graph(model, seen)
            self._threads = 0
            self._request: Any = None

        def forward(self, **given: Any) -> dict[str, Any]:
            if self._threads != torch.get_num_threads():
                self._threads = torch.get_num_threads()
                self._request = _compiled(self._graph, dtype, self._threads)
            found = self._request.infer([given[name].numpy() for name in self._names])
            return {"last_hidden_state": torch.from_numpy(found[0].copy())}  # the buffer serves the next batch

    return OpenVino()


def _graph(model: Any, seen: Seen) -> Any:
    """``model`` as OpenVINO's graph from the tensors that it was seen to be given to its last hidden states."""
    import torch
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    names = list(seen.given)

    class States(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *tensors: Any) -> Any:
            return self.model(**dict(zip(names, tensors, strict=True)), return_dict=True).last_hidden_state

    with torch.no_grad():
        reader = TorchScriptPythonDecoder(States(), example_input=tuple(seen.given.values()))
        frontend = FrontEndManager().load_by_framework("pytorch")
        return frontend.convert(frontend.load(reader))


def _compiled(graph: Any, dtype: str, threads: int) -> Any:
    import openvino

    settings = {
        "INFERENCE_PRECISION_HINT": PRECISION[dtype],
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "ENABLE_CPU_PINNING": False,  # other processes share the cores
    }
    return openvino.Core().compile_model(graph, "CPU", settings).create_infer_request()
