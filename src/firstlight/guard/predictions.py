"""Predictions on a batch that never changes, every so many steps: what they are, how sure, how much they move."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from firstlight.errors import UsageError
from firstlight.facts.live.looks import Prediction
from firstlight.observe.inside.reading import tensors_in
from firstlight.records.finding import Scalar

FIRST = "first"
"""As a fixed batch: the one the model is called with first."""
MOST_ROWS = 32
"""Of the table that is kept."""
MOST_EXAMPLES = 256


class Predictions:
    def __init__(self, model: nn.Module, given: Any) -> None:
        self.model = model
        self.inputs: tuple[Any, ...] | None = None
        self.named: dict[str, Any] = {}
        self.truths: tuple[int, ...] = ()
        self._handle: Any = None
        if isinstance(given, str):
            if given != FIRST:
                raise UsageError(
                    f"fixed_batch is {given!r}; it takes inputs, a pair of inputs and targets, or 'first'."
                )
            self._handle = model.register_forward_pre_hook(self._keep, with_kwargs=True)
        elif isinstance(given, Mapping):
            self.inputs, self.named = (), {key: value for key, value in given.items() if key != "labels"}
            self.truths = classes_in(given.get("labels"))
        elif isinstance(given, tuple | list) and len(given) == 2:
            self.inputs, self.truths = (given[0],), classes_in(given[1])
        else:
            self.inputs = (given,)

    def _keep(self, model: nn.Module, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        if torch.compiler.is_compiling() or not model.training or self.inputs is not None:
            return
        self.inputs, self.named = detached(arguments), detached(named)
        self.close()

    def close(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

    def look(self) -> tuple[Prediction, list[list[Scalar]]] | None:
        """Changes nothing: modes and random state are as before, whatever the model does with them."""
        if self.inputs is None:
            return None
        training = [module for module in self.model.modules() if module.training]
        devices = sorted({p.device.index or 0 for p in self.model.parameters() if p.device.type == "cuda"})
        with torch.random.fork_rng(devices=devices), torch.no_grad():
            self.model.eval()
            try:
                output = self.model(*self.inputs, **self.named)
            finally:
                for module in training:
                    module.training = True
        return self._read(next(iter(tensors_in(output)), None))

    def _read(self, output: torch.Tensor | None) -> tuple[Prediction, list[list[Scalar]]] | None:
        if output is None or not output.is_floating_point() or output.numel() < 2:
            return None
        scores = output.detach().float()
        scores = scores.reshape(-1, scores.shape[-1])[:MOST_EXAMPLES] if scores.ndim > 1 else scores[:, None]
        if scores.shape[1] == 1:
            values = scores[:, 0]
            rows: list[list[Scalar]] = [[i, None, v, None] for i, v in enumerate(values[:MOST_ROWS].tolist())]
            return Prediction(classes=(), spread=values.std(correction=0).item(), confidence=1.0), rows
        sure, chosen = scores.softmax(dim=1).max(dim=1)
        classes, confidence = chosen.tolist(), sure.tolist()
        truths: list[Any] = list(self.truths) or [None] * len(classes)
        rows = [[i, t, c, p] for i, (t, c, p) in enumerate(zip(truths, classes, confidence, strict=False))][:MOST_ROWS]
        spread = scores.std(dim=0, correction=0).mean().item()
        level = scores.logsumexp(dim=1).mean().item()
        sureness = sum(confidence) / len(confidence)
        return Prediction(classes=tuple(classes), spread=spread, confidence=sureness, level=level), rows


def classes_in(targets: Any) -> tuple[int, ...]:
    if not isinstance(targets, torch.Tensor) or targets.is_floating_point() or targets.ndim != 1:
        return ()
    return tuple(targets.tolist())


def detached(tree: Any) -> Any:
    if isinstance(tree, torch.Tensor):
        return tree.detach().clone()
    if isinstance(tree, tuple | list):
        return type(tree)(detached(item) for item in tree)
    if isinstance(tree, dict):
        return {key: detached(item) for key, item in tree.items()}
    return tree
