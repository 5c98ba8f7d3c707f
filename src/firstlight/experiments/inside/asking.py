"""A call of a model, to be put again with changed inputs."""

from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from firstlight.experiments.inside.steering import Change, changed
from firstlight.observe.inside import reading
from firstlight.observe.inside.tape.compares import LOSSES
from firstlight.observe.inside.taps.models import Call
from firstlight.records.places import Site

LEAST_ROWS = 3
LEAST_LENGTH = 4
CHOOSING = LOSSES | {"gather", "take_along_dim"}


@dataclass(frozen=True)
class Asked:
    """A call of a model, with what the loss wanted of it."""

    call: Call
    site: Site | None
    target: torch.Tensor | None
    rows: int
    """Examples in the batch; 0 where that is not known."""
    collated: tuple[torch.Tensor, ...] = ()
    """The batch as its loader made it: its examples lie along the first axis."""


def unchanged(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


def output(asked: Asked, change: Change = unchanged) -> torch.Tensor | None:
    """What the model makes of its inputs, changed.

    A model that takes the answers too gives its loss beside its predictions, before them, or alone: one number for all
    examples says nothing of any of them. Then what the loss was given is asked, and the number only where that is not
    known.
    """
    call = asked.call

    def made() -> list[torch.Tensor]:
        with torch.no_grad():
            given = call.module(*changed(call.arguments, change), **changed(call.keywords, change))
        return [tensor for tensor in reading.tensors_in(given) if tensor.is_floating_point() and tensor.numel()]

    found = made()
    if found and not any(tensor.ndim for tensor in found):
        with Predictions() as predictions:
            made()
        found = [*predictions.last, *found]
    first = next((tensor for tensor in found if tensor.ndim), found[0] if found else None)
    return None if first is None else first.float()


class Predictions(TorchFunctionMode):
    """Hears what losses of torch's are given while it is on, or what a likelihood is chosen from."""

    def __init__(self) -> None:
        super().__init__()
        self.last: tuple[torch.Tensor, ...] = ()

    def __torch_function__(self, function: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if args and getattr(function, "__name__", "") in CHOOSING and isinstance(args[0], torch.Tensor):
            self.last = (args[0],) if args[0].is_floating_point() and args[0].ndim else self.last
        return function(*args, **(kwargs or {}))


def answer(asked: Asked, change: Change = unchanged) -> torch.Tensor | None:
    """None where the model does not take the changed inputs: sorted lengths, say, that are no longer sorted."""
    try:
        return output(asked, change)
    except Exception:  # noqa: BLE001  # whatever it raises, the question could not be put
        return None
