"""A call of a model, to be put again with changed inputs."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from firstlight.experiments.inside import seeding
from firstlight.experiments.inside.steering import Change, changed
from firstlight.observe.inside import reading
from firstlight.observe.inside.tape.compares import LOSSES
from firstlight.observe.inside.taps.models import Call
from firstlight.records.places import Site

LEAST_ROWS = 3
LEAST_LENGTH = 4
BY_CLASS = 3
"""Axes of the outputs for sequences: examples, places, classes."""
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
    begins: int | None = None
    """The first place of a sequence of outputs that the loss takes; None where it was not found among them."""
    state: tuple[Any, ...] | None = None
    """The random state in which each question is put: two answers differ by what was changed, and not by what a model
    drew on the way (how many layers it goes through, say). None: in whichever state there is."""
    place: int = 0
    """Which of its outputs is asked, of those that are more than one number."""
    taken: tuple[int, ...] = ()
    """The others among them that the loss takes as they are."""


def unchanged(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


def output(asked: Asked, change: Change = unchanged) -> torch.Tensor | None:
    """What the model makes of its inputs, changed.

    A model that takes the answers too gives its loss beside its predictions, before them, or alone: one number for all
    examples says nothing of any of them. Then what the loss was given is asked, and the number only where that is not
    known.
    """
    call = asked.call
    if asked.state is not None:
        seeding.restore(asked.state)

    def made() -> list[torch.Tensor]:
        with torch.no_grad():
            given = call.module(*changed(call.arguments, change), **changed(call.keywords, change))
        return [tensor for tensor in reading.tensors_in(given) if tensor.is_floating_point() and tensor.numel()]

    found = made()
    if found and not any(tensor.ndim for tensor in found):
        with Predictions() as predictions:
            made()
        found = [*predictions.last, *found]
    wide = [tensor for tensor in found if tensor.ndim] or found[:1]
    return wide[asked.place].float() if asked.place < len(wide) else None


MOST_TAKEN = 3


def taken(made: Any, loss: torch.Tensor) -> tuple[int, ...]:
    """Places of outputs that the loss rests on and no other output does; the first one is asked in any case.

    What another output is made from, as features are and the weights of a pool, is a part of the way to it.
    """
    found = [one for one in reading.tensors_in(made) if one.is_floating_point() and one.numel() and one.ndim]
    ends = [one.grad_fn for one in found if one.grad_fn is not None]
    felt, way = _behind([loss.grad_fn]), _behind([below for end in ends for below, _ in end.next_functions])
    places = (at for at, one in enumerate(found) if at and one.grad_fn in felt and one.grad_fn not in way)
    return tuple(islice(places, MOST_TAKEN))


def _behind(nodes: Iterable[Any]) -> set[Any]:
    """With the nodes themselves; what is no node is left out."""
    known, waiting = set[Any](), list(nodes)
    while waiting:
        one = waiting.pop()
        if one is not None and one not in known:
            known.add(one)
            waiting.extend(below for below, _ in one.next_functions)
    return known


def first_place(output: Any, predicted: torch.Tensor | None) -> int | None:
    """From which on places of a model's output, by example, place and class, are the predictions of a loss."""
    found = next((one for one in reading.tensors_in(output) if one.ndim == BY_CLASS), None)
    if found is None or predicted is None:
        return None
    classed = predicted.movedim(1, -1) if predicted.ndim == BY_CLASS else predicted
    scores = classed.reshape(-1, classed.shape[-1]) if classed.ndim else classed
    rows, length, classes = found.shape
    if scores.ndim != BY_CLASS - 1 or scores.shape[1] != classes or len(scores) % rows or len(scores) > rows * length:
        return None
    places = len(scores) // rows
    parts = (found[:, place : place + places].reshape(-1, classes) for place in range(length - places + 1))
    return next((place for place, part in enumerate(parts) if torch.equal(part, scores)), None)


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
