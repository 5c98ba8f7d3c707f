"""Whether what the models are fed is all of a tensor that the program keeps, made anew for each step.

Training on all examples at once is no stale batch, whether its tensor is given as it is, cloned so that its gradient
can be taken, or scaled on the way. What a loader or an index takes out of it is another matter.
"""

import weakref

import torch

from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.recorder import Recorder
from firstlight.observe.inside.taps.looks import STEPS
from firstlight.observe.inside.taps.models import Models
from firstlight.records.taped import WholeFed


class WholeBatch:
    def __init__(self, observer: Observer, recorder: Recorder, models: Models) -> None:
        self.observer = observer
        self.recorder = recorder
        self.models = models
        self._roots: list[weakref.ref[torch.Tensor]] = []
        """Of the last look."""
        self._looked = -1

    def backward_begins(self, *_: object) -> None:
        step = self.observer.step
        if step not in STEPS or step == self._looked or self.observer.light:
            return
        self._looked = step
        fed = [tensor for tensor in self.models.inputs if tensor.numel() > 1]
        roots = [root for root in (root_of(tensor, self.recorder) for tensor in fed) if root is not None]
        known = [one() for one in self._roots]
        if roots and len(roots) == len(fed) and all(any(root is one for one in known) for root in roots):
            self.observer.emit(WholeFed())
        self._roots = [weakref.ref(root) for root in roots]


def root_of(tensor: torch.Tensor, recorder: Recorder) -> torch.Tensor | None:
    """The tensor that it was computed from alone, value by value; None where something was left out or came in."""
    root = tensor
    while (made := recorder.made(root)) is not None and made[0].inputs:
        if len(made[0].inputs) != 1 or made[0].writes:
            return None
        root = made[0].inputs[0][0]
    return root if root.numel() == tensor.numel() else None
