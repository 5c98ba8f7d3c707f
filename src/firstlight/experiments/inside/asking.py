"""A call of a model, to be put again with changed inputs."""

from dataclasses import dataclass

import torch

from firstlight.experiments.inside.steering import Change, changed
from firstlight.observe.inside import reading
from firstlight.observe.inside.taps.models import Call
from firstlight.records.places import Site

LEAST_ROWS = 3
LEAST_LENGTH = 4


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

    A model that takes the answers too gives its loss beside its predictions, or before them: one number for all
    examples says nothing of any of them, and is asked only where there is nothing else.
    """
    call = asked.call
    with torch.no_grad():
        made = call.module(*changed(call.arguments, change), **changed(call.keywords, change))
    found = [tensor for tensor in reading.tensors_in(made) if tensor.is_floating_point() and tensor.numel()]
    first = next((tensor for tensor in found if tensor.ndim), found[0] if found else None)
    return None if first is None else first.float()


def answer(asked: Asked, change: Change = unchanged) -> torch.Tensor | None:
    """None where the model does not take the changed inputs: sorted lengths, say, that are no longer sorted."""
    try:
        return output(asked, change)
    except Exception:  # noqa: BLE001  # whatever it raises, the question could not be put
        return None
