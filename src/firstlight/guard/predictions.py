"""Predictions on a batch that never changes, every so many steps: what they are, how sure, how much they move."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from firstlight.facts.live.looks import Prediction
from firstlight.observe.inside.reading import tensors_in
from firstlight.records.finding import Scalar

FIRST = "first"
"""As a fixed batch: the one the model is called with first."""
MOST_ROWS = 32
"""Of the table that is kept."""
MOST_EXAMPLES = 256


class Predictions:
    def __init__(self, model: nn.Module, given: Any, batch: Callable[[], Any] = lambda: None) -> None:
        """`batch`: the last that a loader gave, in which the targets of a first batch are looked for."""
        self.model = model
        self.inputs: tuple[Any, ...] | None = None
        self.named: dict[str, Any] = {}
        self.targets: torch.Tensor | None = None
        """Classes, where they are known; else what is put out is not taken for scores of classes."""
        self._batch = batch
        self._handle: Any = None
        if isinstance(given, str):  # FIRST, the only one that an option may be
            self._handle = model.register_forward_pre_hook(self._keep, with_kwargs=True)
        elif isinstance(given, Mapping):
            self.inputs, self.named = (), dict(given)
            self.targets = whole(self.named.pop("labels", None))
        elif isinstance(given, tuple | list) and len(given) == 2:
            self.inputs, self.targets = (given[0],), whole(given[1])
        else:
            self.inputs = (given,)

    def _keep(self, model: nn.Module, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        if torch.compiler.is_compiling() or not model.training or self.inputs is not None:
            return
        self.inputs, self.named = detached(arguments), detached(named)
        numbered = [each for each in map(whole, tensors_in(self._batch())) if each is not None]
        self.targets = whole(self.named.pop("labels", None)) if "labels" in named else next(reversed(numbered), None)
        self.close()

    @property
    def truths(self) -> tuple[int, ...]:
        return () if self.targets is None else tuple(self.targets.flatten()[:MOST_EXAMPLES].tolist())

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
        output = output.detach().float()
        place = None if self.targets is None else class_dimension(output, self.targets)
        if place is None:
            return of_numbers(output.flatten(1) if output.ndim > 1 else output[:, None])
        scores = output.movedim(place, -1)
        return of_classes(scores.reshape(-1, scores.shape[-1])[:MOST_EXAMPLES], self.truths)


def of_numbers(values: torch.Tensor) -> tuple[Prediction, list[list[Scalar]]]:
    values = values[:MOST_EXAMPLES]
    rows: list[list[Scalar]] = [[i, None, v, None] for i, v in enumerate(values[:MOST_ROWS, 0].tolist())]
    return Prediction(classes=(), spread=values.std(dim=0, correction=0).mean().item(), confidence=1.0), rows


def of_classes(scores: torch.Tensor, truths: tuple[int, ...]) -> tuple[Prediction, list[list[Scalar]]]:
    sure, chosen = scores.softmax(dim=1).max(dim=1)
    classes, confidence = chosen.tolist(), sure.tolist()
    rows: list[list[Scalar]] = [
        [i, t, c, p] for i, (t, c, p) in enumerate(zip(truths, classes, confidence, strict=False))
    ]
    prediction = Prediction(
        classes=tuple(classes),
        spread=scores.std(dim=0, correction=0).mean().item(),
        confidence=sum(confidence) / len(confidence),
        level=scores.logsumexp(dim=1).mean().item(),
    )
    return prediction, rows[:MOST_ROWS]


def class_dimension(output: torch.Tensor, targets: torch.Tensor) -> int | None:
    """The one that the targets lack: the second, as torch's losses have it, or the last."""
    for place in (1, output.ndim - 1):
        if output.ndim > 1 and output.shape[place] > 1:
            others = [*output.shape[:place], *output.shape[place + 1 :]]
            if others == list(targets.shape):
                return place
    return None


def whole(targets: Any) -> torch.Tensor | None:
    """Targets that number classes."""
    if not isinstance(targets, torch.Tensor) or targets.is_floating_point() or targets.is_complex():
        return None
    return targets.detach()


def detached(tree: Any) -> Any:
    if isinstance(tree, torch.Tensor):
        return tree.detach().clone()
    if isinstance(tree, tuple | list):
        return type(tree)(detached(item) for item in tree)
    if isinstance(tree, dict):
        return {key: detached(item) for key, item in tree.items()}
    return tree
