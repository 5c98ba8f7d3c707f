"""Layers looked at one by one on a real batch: units, weights, batch norms, embeddings."""

import math
from typing import Any

import torch

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.fitting import BATCH_NORMS
from firstlight.experiments.declared.stumbling import line_of
from firstlight.observe.inside import reading
from firstlight.records.declared import Activations, EmbeddingUse, Normalisation, Weights
from firstlight.records.declared.model import UnitGroup, WeightGroup

SQUASHERS = {torch.nn.Tanh: (-0.97, 0.97), torch.nn.Sigmoid: (0.03, 0.97)}
"""The flat ends of each."""
MOST_GROUPS = 100
MATRICES = (torch.nn.Linear, torch.nn.modules.conv._ConvNd)


def inspection(bench: Bench) -> None:
    model = bench.model()
    seen = _Seen(model)
    batches = bench.batches(4)
    with torch.no_grad():
        for batch in batches[:1]:
            bench.passed(model, batch)
    seen.remove()
    site = line_of(type(model))
    groups = tuple(seen.units)[:MOST_GROUPS]
    if groups:
        bench.emit(Activations(model=type(model).__name__, groups=groups, site=site))
    weights = _weights(model)
    if weights:
        bench.emit(
            Weights(
                model=type(model).__name__,
                groups=weights[:MOST_GROUPS],
                pretrained=bench.experiment.pretrained,
                watched=bench.watched,
                half=bench.experiment.precision is not None,
                site=site,
            )
        )
    sizes = [batch.examples or 0 for batch in batches]
    for name, values, module in seen.norms:
        bench.emit(
            Normalisation(
                name=name,
                values=values,
                examples=sizes[0],
                smallest_batch=min(sizes),
                momentum=module.momentum,
                site=site,
            )
        )
    for use in seen.embeddings:
        bench.emit(use)


class _Seen:
    """What passed through the layers of interest."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.units: list[UnitGroup] = []
        self.norms: list[tuple[str, int, Any]] = []
        self.embeddings: list[EmbeddingUse] = []
        self._names = {id(module): name or type(module).__name__ for name, module in model.named_modules()}
        kinds: tuple[type, ...] = (*SQUASHERS, BATCH_NORMS, torch.nn.Embedding)
        self._hooks = [m.register_forward_hook(self._returned) for m in model.modules() if isinstance(m, kinds)]

    def remove(self) -> None:
        for hook in self._hooks:
            hook.remove()

    def _returned(self, module: torch.nn.Module, given: tuple[Any, ...], made: Any) -> None:
        name = self._names[id(module)]
        if isinstance(module, BATCH_NORMS):
            channels = given[0].shape[1] if given[0].ndim > 1 else 1
            self.norms.append((name, given[0].numel() // max(1, channels), module))
        elif isinstance(module, torch.nn.Embedding):
            self.embeddings.append(_use(name, module, given[0]))
        elif isinstance(made, torch.Tensor) and made.ndim > 1 and made.numel():
            self.units.append(_group(name, module, made.detach().float()))


def _group(name: str, module: torch.nn.Module, made: torch.Tensor) -> UnitGroup:
    """A unit is a channel of an image, else a value of the last axis."""
    axis = 1 if made.ndim > 3 else -1
    by_unit = made.movedim(axis, 0).reshape(made.shape[axis], -1)
    ends = SQUASHERS.get(type(module))
    saturated = float(((made <= ends[0]) | (made >= ends[1])).float().mean()) if ends else 0.0
    return UnitGroup(
        name=name, kind=type(module).__name__, units=len(by_unit), saturated=saturated, std=float(made.std())
    )


def _use(name: str, module: torch.nn.Embedding, ids: torch.Tensor) -> EmbeddingUse:
    padding = module.padding_idx
    return EmbeddingUse(
        name=name,
        rows=module.num_embeddings,
        highest=int(ids.max()) if ids.numel() else -1,
        seen=int(ids.unique().numel()),
        ids=ids.numel(),
        padding=padding,
        padding_share=float((ids == padding).float().mean()) if padding is not None and ids.numel() else 0.0,
        site=None,
    )


def _weights(model: torch.nn.Module) -> tuple[WeightGroup, ...]:
    found = [(name, module.weight.detach()) for name, module in model.named_modules() if isinstance(module, MATRICES)]
    return tuple(_weight(name, weight, last=index == len(found) - 1) for index, (name, weight) in enumerate(found))


def _weight(name: str, weight: torch.Tensor, last: bool) -> WeightGroup:
    fan_in = max(1, weight[0].numel())
    fan_out = max(1, len(weight) * weight[0, 0].numel()) if weight.ndim > 2 else len(weight)
    usual = {
        "He's": math.sqrt(2 / fan_in),
        "Xavier's": math.sqrt(2 / (fan_in + fan_out)),
        "LeCun's": math.sqrt(1 / fan_in),
        "torch's": math.sqrt(1 / (3 * fan_in)),
        "0.02": 0.02,
    }
    spread = float(reading.values_of(weight).float().std(unbiased=False))
    nearest = min(usual, key=lambda key: abs(math.log(max(spread, 1e-30) / usual[key])))
    rows = weight.reshape(len(weight), -1)
    return WeightGroup(
        name=name,
        shape=tuple(weight.shape),
        std=spread,
        nearest=nearest,
        ratio=spread / usual[nearest],
        equal_rows=len(rows) > 1 and bool((rows[1:] == rows[:1]).all()),
        last=last,
    )
