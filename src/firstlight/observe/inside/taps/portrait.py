"""Layer by layer, on the steps observed in full: shapes once, then the numbers a page plots. Judged by no check."""

from typing import Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps.models import Models
from firstlight.observe.inside.taps.optimizers import Optimizers
from firstlight.records.events import ActivationStats, GradientStats, Histogram
from firstlight.records.inner import Layer, ShapesSeen

MOST_LAYERS = 120
"""Keeps a line of the log below the longest it may be."""
SAMPLE = 1 << 14
"""Values of a tensor that are looked at."""
MOST_HISTOGRAMS = 8
"""Tensors of each kind, spread over the model."""
POWERS = (-8, 3)
"""Magnitudes are counted between these powers of ten, two bins to a power."""
BINS = 2 * (POWERS[1] - POWERS[0])
EDGES = [10.0 ** (POWERS[0] + place / 2) for place in range(BINS + 1)]
ROWS_FIRST = (2, 4, 5)
"""Dimensions of tensors whose units are along axis 1; for all others they are along the last."""


class Portrait:
    def __init__(self, observer: Observer, models: Models, optimizers: Optimizers) -> None:
        self.observer, self.models, self.optimizers = observer, models, optimizers
        self._called: dict[int, Layer] | None = {}
        """By module, until the trace is told."""
        self._activations: dict[int, torch.Tensor] = {}
        self._before: dict[int, torch.Tensor] = {}

    def module_returned(self, module: torch.nn.Module, given: list[torch.Tensor], made: list[torch.Tensor]) -> None:
        if self._called is not None:
            self._called.setdefault(
                id(module),
                Layer(
                    name="",
                    kind=type(module).__name__[:60],
                    inputs=tuple(tuple(tensor.shape) for tensor in given[:4]),
                    outputs=tuple(tuple(tensor.shape) for tensor in made[:4]),
                    parameters=sum(p.numel() for p in module.parameters(recurse=False)),
                ),
            )
        if made and next(module.children(), None) is None and _describable(made[0]):
            self._activations[id(module)] = _described(made[0])

    def backward_begins(self, *_: Any) -> None:
        if self._called is None or not self.models.roots:
            return
        called, self._called = self._called, None
        for root in self.models.live():
            module = root.ref()
            names = {id(child): name for name, child in module.named_modules()} if module is not None else {}
            layers = [_named(layer, names[key]) for key, layer in called.items() if key in names]
            shown, left = tuple(layers[:MOST_LAYERS]), max(0, len(layers) - MOST_LAYERS)
            if layers:
                self.observer.emit(ShapesSeen(step=0, rank=rank(), model=root.index, layers=shown, left_out=left))

    def step_begins(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        if self.observer.full:
            held = self.optimizers.of(optimizer)
            self._before = {id(p): _sample(p).clone() for p in held.parameters[:MOST_LAYERS] if reading.readable(p)}

    def step_ended(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        if not self.observer.full or not self._before:
            return
        names = {id(p): name for root in self.models.live() for name, p in root.parameters}
        held = [p for p in self.optimizers.of(optimizer).parameters if id(p) in self._before and id(p) in names]
        self._tell_parameters([(names[id(p)], p) for p in held])
        self._tell_activations()
        self._before = {}

    def _tell_parameters(self, held: list[tuple[str, torch.Tensor]]) -> None:
        with_gradient = [(name, p, p.grad) for name, p in held if p.grad is not None and reading.readable(p.grad)]
        if not with_gradient:
            return
        gradients = reading.norms([gradient for _, _, gradient in with_gradient])
        weights = reading.norms([p for _, p, _ in with_gradient])
        samples = [self._before[id(p)] for _, p, _ in with_gradient]
        moved = reading.norms([_sample(p) - was for (_, p, _), was in zip(with_gradient, samples, strict=True)])
        sizes = reading.norms(samples)
        rows = [
            {"name": name, "norm": gradient, "weight_norm": weight, "update_ratio": move / size if size else None}
            for (name, _, _), gradient, weight, move, size in zip(
                with_gradient, gradients, weights, moved, sizes, strict=True
            )
        ]
        self.observer.note(GradientStats, step=self.observer.step, params=rows)
        chosen = _spread([(name, gradient) for name, _, gradient in with_gradient])
        self._tell_histograms("gradients", [name for name, _ in chosen], [_magnitudes(g) for _, g in chosen])

    def _tell_activations(self) -> None:
        names = {
            id(child): name
            for root in self.models.live()
            if (module := root.ref()) is not None
            for name, child in module.named_modules()
        }
        seen = [(names[key], found) for key, found in self._activations.items() if names.get(key)][:MOST_LAYERS]
        self._activations = {}
        if not seen:
            return
        numbers = torch.stack([found[:3].cpu() for _, found in seen]).tolist()
        rows = [
            {"name": name, "mean": mean, "std": std, "dead": dead}
            for (name, _), (mean, std, dead) in zip(seen, numbers, strict=True)
        ]
        self.observer.note(ActivationStats, step=self.observer.step, modules=rows)
        chosen = _spread(seen)
        self._tell_histograms("activations", [name for name, _ in chosen], [found[3:] for _, found in chosen])

    def _tell_histograms(self, kind: str, names: list[str], counts: list[torch.Tensor]) -> None:
        read = torch.stack([found.cpu() for found in counts]).tolist()
        for name, found in zip(names, read, strict=True):
            whole = [int(count) for count in found]
            self.observer.note(Histogram, step=self.observer.step, name=name, kind=kind, bins=EDGES, counts=whole)


def _named(layer: Layer, name: str) -> Layer:
    return Layer(
        name=name[:120], kind=layer.kind, inputs=layer.inputs, outputs=layer.outputs, parameters=layer.parameters
    )


def _sample(tensor: torch.Tensor) -> torch.Tensor:
    return reading.values_of(tensor).reshape(-1)[:SAMPLE].float()


def _spread(named: list[tuple[str, torch.Tensor]]) -> list[tuple[str, torch.Tensor]]:
    """The first, the last, and some between."""
    if len(named) <= MOST_HISTOGRAMS:
        return named
    return [named[round(place * (len(named) - 1) / (MOST_HISTOGRAMS - 1))] for place in range(MOST_HISTOGRAMS)]


def _describable(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() and tensor.ndim > 1 and tensor.numel() > 0 and reading.readable(tensor)


def _described(tensor: torch.Tensor) -> torch.Tensor:
    """Mean, spread, share of dead units, then the counts of magnitudes; read off the device later, all at once."""
    values = _sample(tensor)
    rows = tensor.detach()[:64]
    axis = 1 if rows.ndim in ROWS_FIRST else rows.ndim - 1
    others = [place for place in range(rows.ndim) if place != axis]
    dead = (rows == 0).all(dim=others[0]) if len(others) == 1 else (rows == 0).float().mean(dim=others) == 1
    told = torch.stack([values.mean(), values.std(unbiased=False), dead.float().mean()])
    return torch.cat([told, _magnitudes(tensor)])


def _magnitudes(tensor: torch.Tensor) -> torch.Tensor:
    """Zeros and what is not finite are in no bin."""
    sizes = _sample(tensor).abs()
    return torch.histc(sizes[torch.isfinite(sizes) & (sizes > 0)].log10(), bins=BINS, min=POWERS[0], max=POWERS[1])


def install(observer: Observer, models: Models, optimizers: Optimizers) -> None:
    portrait = Portrait(observer, models, optimizers)
    moments = observer.moments
    moments.module_returned.append(observer.shielded("portrait", portrait.module_returned))
    moments.backward_begins.append(observer.shielded("portrait", portrait.backward_begins))
    moments.step_begins.insert(0, observer.shielded("portrait", portrait.step_begins))
    moments.step_ended.append(observer.shielded("portrait", portrait.step_ended))
