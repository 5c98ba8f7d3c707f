"""Questions put to the model itself, at its first step, in a copy that then ends: what depends on what, and does a
hand-written backward take account of the gradient it is given?
"""

import os
import sys
from collections.abc import Iterator
from typing import Any

import torch

from firstlight.experiments.inside.asking import Asked, first_place, taken
from firstlight.experiments.inside.axes import examples
from firstlight.experiments.inside.behaviour import behaviour
from firstlight.experiments.inside.dependence import dependences
from firstlight.experiments.inside.loss_steering import Steered
from firstlight.experiments.inside.steering import changed
from firstlight.experiments.inside.symmetry import symmetry
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.surroundings import sources_of
from firstlight.observe.inside.taps.models import Call
from firstlight.records.places import Site
from firstlight.records.timelines import CustomGradient


class Probe:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.call: Call | None = None
        self.site: Site | None = None
        self.target: torch.Tensor | None = None
        self.predicted: torch.Tensor | None = None
        self.batch: tuple[torch.Tensor, ...] = ()
        """Tensors whose first axis is known to be that of the examples."""
        self.backwards = 0
        self.functions: dict[type, tuple[tuple[Any, ...], Site | None]] = {}

    def model_returned(self, call: Call) -> None:
        if call.training and self.call is None:
            self.call, self.site = call, sites.caller()
            self.batch = tuple(reading.tensors_in(self.observer.last_batch[1])) or _cut_by_hand(call)

    def loss_called(self, _name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        target = args[1] if len(args) > 1 else kwargs.get("target")
        if self.target is None and isinstance(target, torch.Tensor):
            self.target = target.detach().clone()
            self.predicted = args[0].detach() if args and isinstance(args[0], torch.Tensor) else None
        return args, kwargs

    def ask(self, loss: torch.Tensor, *_: Any) -> None:
        """At the first backward the model's call is known, at the second each hand-written function's. Then it is over.

        `Function.apply(model(x))` is looked up before the model is called, so its first call escapes.
        """
        self.backwards += 1
        try:
            if self.backwards == 1:
                if self.call is not None:
                    rows = len(self.batch[0]) if self.batch and self.batch[0].ndim else 0
                    begins = first_place(self.call.output, self.predicted)
                    others = taken(self.call.output, loss)
                    asked = Asked(self.call, self.site, self.target, rows, self.batch, begins, taken=others)
                    along = examples(asked)
                    for found in dependences(asked, along):
                        self.observer.emit(found)
                    if (behaves := behaviour(asked, along)) is not None:
                        self.observer.emit(behaves)
                    if (moved := symmetry(asked, along)) is not None:
                        self.observer.emit(moved)
                return
            for gradient in self._gradients():
                self.observer.emit(gradient)
        except Exception as error:  # noqa: BLE001  # a model that cannot be called again is not probed
            self.observer.unseen("probes", f"{type(error).__name__}: {error}")
        os._exit(0)

    def _gradients(self) -> Iterator[CustomGradient]:
        """A gradient is linear in the one it is given, whatever else a hand-written backward does on purpose."""
        for kind, (args, site) in self.functions.items():
            given = [changed(item, lambda t: t.detach().clone()) for item in args]
            for item in given:
                if isinstance(item, torch.Tensor) and item.is_floating_point():
                    item.requires_grad_(True)
            leaves = [item for item in given if isinstance(item, torch.Tensor) and item.requires_grad]
            with torch.enable_grad():
                once, twice = (_pulled(kind, given, leaves, factor) for factor in (1.0, 2.0))
            if once > 0:
                yield CustomGradient(step=0, name=kind.__name__, site=site, ratio=twice / once)


def _cut_by_hand(call: Call) -> tuple[torch.Tensor, ...]:
    """What the model is given, where each tensor of it holds rows of a larger one that the program has a name for."""
    given = [tensor for tensor in call.inputs if tensor.ndim > 1]
    cut = all(tensor.is_floating_point() and any(one is tensor for one in sources_of(tensor)) for tensor in given)
    return tuple(given) if cut else ()


def _pulled(kind: Any, given: list[Any], leaves: list[torch.Tensor], factor: float) -> float:
    outputs = [t for t in reading.tensors_in(kind.apply(*given)) if t.requires_grad]
    generator = torch.Generator().manual_seed(0)
    weights = [
        (factor * torch.randn(t.shape, generator=generator, device="cpu", dtype=torch.float32)).to(t) for t in outputs
    ]
    found: tuple[torch.Tensor | None, ...] = torch.autograd.grad(outputs, leaves, weights, allow_unused=True)
    return reading.length(reading.norms([gradient for gradient in found if gradient is not None]))


def begin(observer: Observer, _value: str) -> None:
    probe = Probe(observer)
    function: Any = torch.autograd.Function
    original = function.apply.__func__

    def apply(cls: type, *args: Any, **kwargs: Any) -> Any:
        file = getattr(sys.modules.get(cls.__module__), "__file__", None) or "<unknown>"
        if cls not in probe.functions and sites.is_users(file):
            probe.functions[cls] = (args, sites.caller(2))
        return original(cls, *args, **kwargs)

    function.apply = classmethod(apply)
    Steered(probe.loss_called, ("cross_entropy", "nll_loss")).__enter__()  # type: ignore[no-untyped-call]
    observer.moments.model_returned.append(probe.model_returned)
    observer.moments.backward_begins.insert(0, probe.ask)
